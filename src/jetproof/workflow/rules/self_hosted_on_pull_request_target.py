"""A machine of the project's own runs for `pull_request_target`.

Why it matters
    The event brings the project's secrets and a writable token together with whatever a stranger proposes.

How it is decided
    A job that is not surely on a hosted runner, in a workflow with the trigger `pull_request_target`.

What to do
    Take the trigger away.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW102", name="self-hosted-on-pull-request-target")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each job on an own machine that the event starts."""
    for workflow, job in lane.device_jobs:
        if workflow.trigger("pull_request_target"):
            yield ABOUT.at(
                lane.in_workflow(workflow, job.name_at),
                f"The job {job.id} runs on the project's own machine for pull_request_target, with secrets at hand.",
                "Remove `pull_request_target` from `on:`.",
            )


RULE = ABOUT.rule(check)
