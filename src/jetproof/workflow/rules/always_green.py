"""A script ends with success whatever came before.

Why it matters
    `exit 0` after the gate, or as a step of its own, says green without having looked.

How it is decided
    `exit 0`, or `true` as the last word after `;`, in a job of the lane.

What to do
    Remove it: the last command's own status counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW302", name="always-green")

_ZERO = re.compile(r"(?:^|[;&]\s*)(?:exit\s+0|:|true)\s*;?\s*$")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such command."""
    for workflow in lane.lane_workflows:
        for job in workflow.jobs:
            for _, command in job.scripts:
                # after || it is a masked failure, which is another rule's
                if _ZERO.search(command.text) and "||" not in command.text:
                    yield ABOUT.at(
                        lane.at_command(workflow, command),
                        f"The script ends with success here, whatever came before: {command.text[:80]}",
                        "Remove it.",
                    )


RULE = ABOUT.rule(check)
