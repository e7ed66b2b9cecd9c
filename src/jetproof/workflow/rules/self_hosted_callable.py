"""The job on the project's own machine can be called by another workflow.

Why it matters
    The caller's trigger decides, and this file no longer says who may start the board.

How it is decided
    A job that is not surely on a hosted runner, in a workflow with the trigger `workflow_call`.

What to do
    Keep the lane in a workflow of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW106", name="self-hosted-callable")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such trigger."""
    for workflow, job in lane.device_jobs:
        trigger = workflow.trigger("workflow_call")
        if trigger is not None:
            yield ABOUT.at(
                lane.in_workflow(workflow, trigger.place),
                f"Any workflow can call this one, and with it {job.id} on the project's own machine.",
                "Remove `workflow_call` from `on:`.",
            )


RULE = ABOUT.rule(check)
