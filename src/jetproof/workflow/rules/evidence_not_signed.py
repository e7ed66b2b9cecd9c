"""The device does not sign its evidence.

Why it matters
    An unsigned record is a text that anybody can write.

How it is decided
    A Jetson gate's job has no `jetproof evidence sign`, or has it only after success.

What to do
    Add the step with `if: always()`, so that a failure is signed too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow import condition
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW411", name="evidence-not-signed")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such job."""
    for found in lane.jetson_jobs:
        signing = [step for step, command in found.job.scripts if re.search(r"\bevidence\s+sign\b", command.text)]
        if not any(condition.runs_after_failure(step.condition) for step in signing):
            place = signing[0].table if signing else found.job.name_at
            yield ABOUT.at(
                lane.in_workflow(found.workflow, place),
                f"{found.job.id} does not sign what it ran{', when it failed' if signing else ''}.",
                "Add `jetproof evidence sign` with `if: always()` after the gate.",
            )


RULE = ABOUT.rule(check)
