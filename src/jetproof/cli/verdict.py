"""Tell a verdict or a plan on standard output and give the exit code that goes with it; for `run` and `replay`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.errors import ExitCode, Undecided

if TYPE_CHECKING:
    from jetproof.qualify.journal import Journal
    from jetproof.qualify.plan_model import Plan


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


def planned(plan: Plan, in_the_way: Sequence[Undecided], *, as_json: bool) -> int:
    """Print what would be run; nothing was decided, so the code is 0. Raises `Undecided` when it could not be run."""
    from jetproof.qualify.record import to_bytes
    from jetproof.render.gate_plan import gate_plan

    sys.stdout.write(to_bytes(plan.as_json()).decode("ascii") if as_json else gate_plan(plan))
    sys.stdout.flush()
    if in_the_way:
        raise Undecided(
            "\n  ".join(["this could not be run here:", *(error.message for error in in_the_way)]),
            hint="; ".join(dict.fromkeys(error.hint for error in in_the_way if error.hint)),
            reason=in_the_way[0].reason,
        )
    return int(ExitCode.OK)
