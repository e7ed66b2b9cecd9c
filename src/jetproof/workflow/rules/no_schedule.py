"""Nothing starts the lane by itself.

Why it matters
    Evidence lapses after the freshness window; a lane that only people start is forgotten.

How it is decided
    A workflow with a job whose evidence may carry a claim for a device has neither `schedule` nor `release`.

What to do
    Add a schedule within the freshness window.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW501", name="no-schedule")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such workflow."""
    for workflow in lane.lane_workflows:
        if lane.policy is not None and workflow.trigger("schedule") is None and workflow.trigger("release") is None:
            yield ABOUT.at(
                lane.in_workflow(workflow, workflow.root.at("on")),
                "Neither the clock nor a release starts the lane.",
                'Add `schedule: [{cron: "17 3 * * 1"}]` to `on:`.',
            )


RULE = ABOUT.rule(check)
