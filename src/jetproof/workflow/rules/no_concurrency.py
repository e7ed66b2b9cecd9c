"""Two runs may want the board at once.

Why it matters
    They share the GPU's memory and its clock; measurements and memory tests of both are spoiled.

How it is decided
    Neither the workflow of a device gate nor the gate's job has a `concurrency` group.

What to do
    Add one, without cancelling.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW506", name="no-concurrency")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each device gate's job without a group."""
    for found in lane.device_gate_jobs:
        if "concurrency" not in found.workflow.root.members and "concurrency" not in found.job.table.members:
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.name_at),
                f"Two runs of {found.job.id} may be on the board at once.",
                "Add `concurrency: {group: conditional-tests, cancel-in-progress: false}`.",
            )


RULE = ABOUT.rule(check)
