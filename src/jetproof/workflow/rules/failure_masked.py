"""A failing command is made to succeed.

Why it matters
    The job is green whatever the gate found.

How it is decided
    `|| true`, `|| :`, `|| exit 0`, `|| echo` or the like in a job of the lane.

What to do
    Let it fail: `if: always()` on the later steps still keeps the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW301", name="failure-masked")

_MASK = re.compile(r"\|\|\s*(?:true\b|:(?=\s|$|;)|exit\s+0\b|echo\b|printf\b|/bin/true\b)")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such command."""
    for workflow in lane.lane_workflows:
        for job in workflow.jobs:
            for _, command in job.scripts:
                if _MASK.search(command.text):
                    yield ABOUT.at(
                        lane.at_command(workflow, command),
                        f"A failure is hidden here: {command.text[:80]}",
                        "Remove what follows `||`.",
                    )


RULE = ABOUT.rule(check)
