"""The schedule leaves a gap that is longer than evidence counts.

Why it matters
    Each claim lapses before the next run can renew it.

How it is decided
    The longest time between two runs of all schedules together is longer than `maximum_evidence_age_days`, or
    than the policy's `cadence`.

What to do
    Run more often; a week leaves room for a board that is away.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import schedule
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW502", name="schedule-too-rare")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each workflow whose schedule is too rare."""
    for workflow in lane.lane_workflows:
        trigger = workflow.trigger("schedule")
        crons = schedule.crons(trigger)
        if trigger is None or not crons or lane.policy is None:
            continue
        try:
            gap = schedule.longest_gap(crons)
        except schedule.Malformed:
            continue
        allowed = min(lane.freshness_days, lane.policy.cadence.days)
        if gap is None or gap > allowed:
            told = "never" if gap is None else f"as rarely as every {gap} days"
            yield ABOUT.at(
                lane.in_workflow(workflow, trigger.place),
                f"The lane runs {told}; the policy asks for {lane.policy.cadence.value}, "
                f"and evidence counts for {lane.freshness_days} days.",
                'Write `- cron: "17 3 * * 1"` for once a week.',
            )


RULE = ABOUT.rule(check)
