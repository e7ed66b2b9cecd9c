"""A machine of the project's own runs for a pull request.

Why it matters
    Anybody may open a pull request, and its code then runs on the board: with its keys, its network and
    whatever the run before left there.

How it is decided
    A job that is not surely on a hosted runner, in a workflow with the trigger `pull_request`.

What to do
    Take the trigger away: the board is for dispatch, releases and the clock.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW101", name="self-hosted-on-pull-request")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each job on an own machine that a pull request starts."""
    for workflow, job in lane.device_jobs:
        if workflow.trigger("pull_request"):
            yield ABOUT.at(
                lane.in_workflow(workflow, job.name_at),
                f"The job {job.id} runs on the project's own machine for every pull request.",
                "Remove `pull_request` from `on:`, or move the job into a workflow without it.",
            )


RULE = ABOUT.rule(check)
