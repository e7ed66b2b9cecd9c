"""A machine of the project's own runs for an event that anybody can cause.

Why it matters
    A comment, an issue or a star by a stranger starts the board.

How it is decided
    A job that is not surely on a hosted runner, in a workflow with an event like `issue_comment`.

What to do
    Take the event away, or answer it on a hosted runner.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import untrusted
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW104", name="self-hosted-on-public-event")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each job on an own machine that such an event starts."""
    for workflow, job in lane.device_jobs:
        for trigger in workflow.triggers:
            if trigger.name in untrusted.EVENTS:
                yield ABOUT.at(
                    lane.in_workflow(workflow, trigger.place),
                    f"Anybody can cause {trigger.name}, and it starts {job.id} on the project's own machine.",
                    f"Remove `{trigger.name}` from `on:`.",
                )


RULE = ABOUT.rule(check)
