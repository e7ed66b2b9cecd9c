"""The lane runs a rehearsal.

Why it matters
    A rehearsal, or a run on a recording, proves nothing: its evidence is refused.

How it is decided
    `--rehearsal`, `--from` or `--dry-run` on the gate's command.

What to do
    Remove the option; rehearse elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW314", name="rehearsal-in-lane")

_PROVES_NOTHING = re.compile(r"--(?:rehearsal|from|plan)\b")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such command."""
    for found in lane.gate_jobs:
        for _, command in found.gate_commands:
            match = _PROVES_NOTHING.search(command.text)
            if match is not None:
                yield ABOUT.at(
                    lane.at_command(found.workflow, command),
                    f"With {match.group()} the run proves nothing.",
                    f"Remove {match.group()}.",
                )


RULE = ABOUT.rule(check)
