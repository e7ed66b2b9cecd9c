"""A failing job or step is let through.

Why it matters
    `continue-on-error` makes the job, or the workflow, green over a red gate.

How it is decided
    `continue-on-error` that is not `false`, on a job of the lane or one of its steps.

What to do
    Remove it: `if: always()` on the later steps still keeps the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW304", name="continue-on-error")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such setting."""
    for workflow in lane.lane_workflows:
        for job in workflow.jobs:
            for table in (job.table, *(step.table for step in job.steps)):
                value = table.text("continue-on-error")
                if value is not None and value.strip().lower() != "false":
                    yield ABOUT.at(
                        lane.in_workflow(workflow, table.at("continue-on-error")),
                        f"A failure in {job.id} is let through.",
                        "Remove `continue-on-error`.",
                    )


RULE = ABOUT.rule(check)
