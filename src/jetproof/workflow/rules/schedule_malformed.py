"""A schedule cannot be read.

Why it matters
    A workflow with such a schedule is not started, and nothing says so.

How it is decided
    A `cron` that is not five fields within their bounds.

What to do
    Write minute, hour, day, month, weekday.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import schedule
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW503", name="schedule-malformed")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such schedule."""
    for workflow in lane.workflows:
        trigger = workflow.trigger("schedule")
        if trigger is None:
            continue
        crons = schedule.crons(trigger)
        wrong = "" if crons else "it names no cron"
        for cron in crons:
            why = schedule.malformed(cron)
            wrong = wrong if why is None else f"{cron!r}: {why}"
        if wrong:
            yield ABOUT.at(
                lane.in_workflow(workflow, trigger.place),
                f"The schedule cannot be read: {wrong}.",
                'Write `- cron: "17 3 * * 1"`.',
            )


RULE = ABOUT.rule(check)
