"""A machine of the project's own runs for a push to any branch.

Why it matters
    A branch that nobody reviewed runs on the board, and the lane's cost grows with every push.

How it is decided
    A job that is not surely on a hosted runner, in a workflow whose `push` names no branch or tag, or names
    all.

What to do
    Name the protected branches or the release tags.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW105", name="self-hosted-on-any-push")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield the push trigger of such a workflow."""
    for workflow, job in lane.device_jobs:
        trigger = workflow.trigger("push")
        if trigger is None:
            continue
        named = (*trigger.settings.texts("branches"), *trigger.settings.texts("tags"))
        branches = trigger.settings.texts("branches")
        if not named or any(name in ("*", "**") for name in branches):
            yield ABOUT.at(
                lane.in_workflow(workflow, trigger.place),
                f"A push to any branch starts {job.id} on the project's own machine.",
                "Name protected branches or tags below `push:`, or remove it.",
            )


RULE = ABOUT.rule(check)
