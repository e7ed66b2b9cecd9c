"""The challenge is made on a device.

Why it matters
    Whoever owns the machine can then make it for a run of his own choice.

How it is decided
    `jetproof challenge` in a job that is not surely on a hosted runner.

What to do
    Make it in a hosted job.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW407", name="challenge-on-device")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such command."""
    for workflow, job in lane.device_jobs:
        for _, command in job.scripts:
            if re.search(r"\bjetproof\s+challenge\b", command.text):
                yield ABOUT.at(
                    lane.at_command(workflow, command),
                    f"{job.id} makes the challenge on the project's own machine.",
                    "Move it into a job with `runs-on: ubuntu-24.04`.",
                )


RULE = ABOUT.rule(check)
