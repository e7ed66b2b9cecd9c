"""Tell a verdict on standard output and give the exit code that goes with it; for `run` and `replay`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jetproof.qualify.journal import Journal


def told(journal: Journal, files: Mapping[str, bytes], *, where: Path, as_json: bool) -> int:
    """Print the verdict (or, with `as_json`, the record) and return the exit code."""
    from jetproof.qualify.judge import exit_code, verdict
    from jetproof.qualify.record import interpreter
    from jetproof.render.gate_text import gate_text
    from jetproof.render.reports import RECORD
    from jetproof.render.style import style_for

    judged = verdict(journal)
    if as_json:
        sys.stdout.write(files[RECORD].decode("ascii"))
    else:
        python = interpreter(journal)
        sys.stdout.write(gate_text(judged, where=str(where), python=python, style=style_for(sys.stdout)))
    return int(exit_code(judged))
