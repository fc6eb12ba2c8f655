"""The JSON Schema of a table file, generated from the records that the runtime reads it into."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from mcpx.runtime.body import FORMAT, Body


def table_schema() -> str:
    """The schema (JSON Schema, draft 2020-12) as text, the same for the same model."""
    body: dict[str, Any] = TypeAdapter(Body).json_schema(mode="validation", ref_template="#/$defs/{model}")
    records = body.pop("$defs")
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"mcpx routing table, format {FORMAT}",
        "description": "A file of one line: this object with sorted keys and no blanks, in UTF-8.",
        "type": "object",
        "properties": {
            "body": {"$ref": "#/$defs/Body"},
            "digest": {
                "description": "SHA-256 over the exact bytes of the body.",
                "type": "string",
                "pattern": "^sha256:[0-9a-f]{64}$",
            },
        },
        "required": ["body", "digest"],
        "additionalProperties": False,
        "$defs": {"Body": body, **records},
    }
    return json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
