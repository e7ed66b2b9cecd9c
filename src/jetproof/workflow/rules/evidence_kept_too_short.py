"""The evidence is deleted before it is too old to count.

Why it matters
    A claim then rests on something that nobody can look at any more.

How it is decided
    `retention-days` of the upload is missing (the repository's default then holds, which nobody sees here) or
    below the policy's `maximum_evidence_age_days` plus one.

What to do
    Write at least the freshness window plus a day.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW404", name="evidence-kept-too-short")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such upload."""
    wanted = lane.freshness_days + 1
    for found in lane.claim_jobs:
        for step in found.job.uploads():
            days = (step.inputs.text("retention-days") or "").strip()
            if not days.isdigit() or int(days) < wanted:
                yield ABOUT.at(
                    lane.in_workflow(found.workflow, step.inputs.at("retention-days")),
                    f"The evidence of {found.job.id} is kept for {days or 'an unknown number of'} days, "
                    f"and counts for {lane.freshness_days}.",
                    f"Write `retention-days: {wanted}`.",
                )


RULE = ABOUT.rule(check)
