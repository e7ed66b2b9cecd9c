"""The lane does not say what its jobs may do.

Why it matters
    A job that does not say so itself, today or when it is added, then has whatever the repository gives by default: in
    many repositories that is to write everything.

How it is decided
    A workflow with a device gate has no `permissions` at the top.

What to do
    Write `permissions: {}` at the top and what each job needs in the job.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW602", name="permissions-not-said")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each workflow of the lane that says nothing at the top."""
    for workflow in lane.lane_workflows:
        if "permissions" not in workflow.root.members:
            without = [job.id for job in workflow.jobs if "permissions" not in job.table.members]
            yield ABOUT.at(
                lane.in_workflow(workflow, workflow.root.at("jobs")),
                f"{', '.join(without) or 'A job that is added later'} has whatever the repository gives by default.",
                "Add `permissions: {}` at the top of the workflow.",
            )


RULE = ABOUT.rule(check)
