"""The installed script `mcpx`, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(sys.executable).parent / "mcpx"


def mcpx(*arguments: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the script and take its two streams."""
    return subprocess.run(
        [SCRIPT, *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        timeout=120,
        check=False,
    )
