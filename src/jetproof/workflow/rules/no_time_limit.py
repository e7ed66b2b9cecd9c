"""A job of the lane has no time limit.

Why it matters
    The default is six hours; a hung device blocks the lane for all of them, or for ever on a queue of one
    board.

How it is decided
    A job of a workflow with a device gate has no `timeout-minutes`, or one that is no number.

What to do
    Add `timeout-minutes`, above the gate's expected cost.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW203", name="no-time-limit")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each job without a limit."""
    for workflow in lane.lane_workflows:
        for job in workflow.jobs:
            limit = job.table.text("timeout-minutes")
            if "uses" not in job.table.members and (limit is None or not limit.strip().isdigit()):
                yield ABOUT.at(
                    lane.in_workflow(workflow, job.name_at),
                    f"The job {job.id} has no time limit of its own: six hours are the default.",
                    "Add `timeout-minutes:`.",
                )


RULE = ABOUT.rule(check)
