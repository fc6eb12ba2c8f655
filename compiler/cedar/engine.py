"""Cedar itself, with the vocabulary and the entities of one program. Nothing here is read into its answers."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import cedarpy

from mcpx.compiler.cedar.addresses import Address, address_of
from mcpx.compiler.cedar.entities import any_run, entities
from mcpx.compiler.cedar.sight import Entity, Sight, Uid, each
from mcpx.compiler.cedar.vocabulary import qualified
from mcpx.compiler.model import Program, SettingPart, TextPart, Url
from mcpx.runtime.redacted import Value

Request = dict[str, Any]
_MOST_VARIANTS = 256
_KINDS = {"principal": "Agent", "resource": "Server", "field": "Field", "credential": "Credential"}


class Engine:
    """Cedar for one program; it counts what it is asked."""

    def __init__(self, program: Program, schema: cedarpy.Schema) -> None:
        """Build the entities with the schema: without it there would be no groups of actions.

        Raises:
            ValueError: the entities do not fit the schema.
        """
        self.calls = 0
        self._schema = schema
        self._list = entities(program)
        self._default = self._built(self._list)
        self._run = {name: value for name, value in any_run(program).items() if not program.fields[name].optional}
        self.entities: Mapping[Uid, Entity] = {entity.uid: entity for entity in each(self._list)}
        self._variants = {name: _variants(server.url, program) for name, server in program.servers.items()}
        self._classes: dict[tuple[str, Sight], Classes] = {}

    def entity(self, subject: str, name: str) -> Entity:
        """The agent, server, field or credential of this name, by its part in a question."""
        return self.entities[qualified(_KINDS[subject]), name]

    def classes(self, subject: str, sight: Sight) -> Classes:
        """The classes of a subject for all policies that see as much of it; they are made as they are asked for."""
        return self._classes.setdefault((subject, sight), Classes(self, subject, sight))

    def run(self, values: Iterable[tuple[str, Value | None]] = ()) -> dict[str, Any]:
        """A run that fits the schema, with these values; `None` is for a field that is missing."""
        given = {name: list(value) if isinstance(value, tuple) else value for name, value in values}
        return {name: value for name, value in {**self._run, **given}.items() if value is not None}

    def variants(self, server: str) -> tuple[Entity, ...]:
        """A server as each combination of the settings in its address makes it; one where none decides."""
        entity = self.entities[qualified("Server"), server]
        addresses = self._variants[server]
        if len(addresses) == 1:
            return (entity,)
        return tuple(Entity(entity.uid, {**entity.attributes, **one.known}, entity.above) for one in addresses)

    def open_attributes(self, server: str) -> frozenset[str]:
        """Of `scheme` and `host`, those that a setting of any value decides when the table is loaded."""
        return frozenset[str]().union(*(one.open for one in self._variants[server]))

    def answers(
        self, policies: cedarpy.PolicySet | str, requests: Sequence[Request], variant: Entity | None = None
    ) -> list[cedarpy.AuthzResult]:
        """Cedar's results, in order; `variant` takes the place of the entity of its id."""
        self.calls += len(requests)
        known = self._default
        if variant is not None and variant != self.entities[variant.uid]:
            known = self._with(variant.uid, json.dumps(variant.attributes))
        return cedarpy.is_authorized_batch(list(requests), policies, known, self._schema)

    @lru_cache(maxsize=_MOST_VARIANTS)  # noqa: B019 - an engine lives as long as one build
    def _with(self, uid: Uid, attributes: str) -> cedarpy.Entities:
        return self._built(
            [
                {**one, "attrs": json.loads(attributes)} if (one["uid"]["type"], one["uid"]["id"]) == uid else one
                for one in self._list
            ]
        )

    def _built(self, described: list[dict[str, Any]]) -> cedarpy.Entities:
        return cedarpy.Entities.from_json_str(json.dumps(described), self._schema)


class Classes(dict[str, int]):
    """Names to numbers: equal for names that look alike."""

    def __init__(self, engine: Engine, subject: str, sight: Sight) -> None:
        """No class is known yet."""
        super().__init__()
        self._engine = engine
        self._subject = subject
        self._sight = sight
        self._numbers: dict[Hashable, int] = {}

    def __missing__(self, name: str) -> int:
        """Look at the entity; at a server as each value of a setting in its address makes it."""
        entities = (
            self._engine.variants(name) if self._subject == "resource" else (self._engine.entity(self._subject, name),)
        )
        seen = tuple(map(self._sight.of, entities))
        number = self[name] = self._numbers.setdefault(seen, len(self._numbers))
        return number


def failure(result: cedarpy.AuthzResult) -> str | None:
    """What makes a result none, in Cedar's words; nothing for a clean answer."""
    if result.diagnostics.errors:
        return min(result.diagnostics.errors)
    return "no decision" if result.decision is cedarpy.Decision.NoDecision else None


def _variants(url: Url, program: Program) -> tuple[Address, ...]:
    """The addresses that settings with `one of` give; a setting without leaves its part of the address open."""
    listed = {
        part.setting: program.settings[part.setting].choices
        for part in url.parts
        if isinstance(part, SettingPart) and part.setting in program.settings
    }
    chosen = {name: choices for name, choices in listed.items() if choices}
    found: dict[Address, None] = {}
    for values in product(*chosen.values()):
        setting = dict(zip(chosen, values, strict=True))
        parts = tuple(
            TextPart(setting[part.setting], part.span)
            if isinstance(part, SettingPart) and part.setting in setting
            else part
            for part in url.parts
        )
        found[address_of(Url(parts, url.span))] = None
    return tuple(found)
