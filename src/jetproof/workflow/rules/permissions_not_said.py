"""A job of the lane has whatever permissions the repository gives by default.

Why it matters
    In many repositories that is to write everything.

How it is decided
    Neither the workflow nor the job says `permissions`.

What to do
    Write `permissions: {}` at the top and what each job needs in the job.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW602", name="permissions-not-said")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each job of a lane's workflow without permissions."""
    for workflow in lane.lane_workflows:
        if "permissions" in workflow.root.members:
            continue
        for job in workflow.jobs:
            if "permissions" not in job.table.members:
                yield ABOUT.at(
                    lane.in_workflow(workflow, job.name_at),
                    f"{job.id} has whatever permissions the repository gives by default.",
                    "Add `permissions: {}` at the top of the workflow.",
                )


RULE = ABOUT.rule(check)
