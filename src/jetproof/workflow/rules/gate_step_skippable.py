"""The step that runs the gate can be skipped.

Why it matters
    The job ends green without having run anything.

How it is decided
    The step has an `if`.

What to do
    Remove it; a condition belongs to the job, where it can be seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW313", name="gate-step-skippable")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such step."""
    for found in lane.gate_jobs:
        for step, _ in found.gate_commands:
            if step.condition:
                yield ABOUT.at(
                    lane.in_workflow(found.workflow, step.table.at("if")),
                    f"{found.job.id} ends green without the gate when this does not hold: {step.condition[:100]}",
                    "Remove `if:` from the step that runs the gate.",
                )


RULE = ABOUT.rule(check)
