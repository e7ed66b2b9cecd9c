"""A machine of the project's own runs after another workflow.

Why it matters
    The other workflow may have been started by a pull request; what it leaves behind (artifacts, refs) is then
    trusted here.

How it is decided
    A job that is not surely on a hosted runner, in a workflow with the trigger `workflow_run`.

What to do
    Start the lane by dispatch, release or schedule.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW103", name="self-hosted-on-workflow-run")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each job on an own machine that another workflow starts."""
    for workflow, job in lane.device_jobs:
        if workflow.trigger("workflow_run"):
            yield ABOUT.at(
                lane.in_workflow(workflow, job.name_at),
                f"The job {job.id} runs on the project's own machine after a workflow that strangers may have started.",
                "Remove `workflow_run` from `on:`.",
            )


RULE = ABOUT.rule(check)
