"""A waiver has expired.

Why it matters
    What it excused is no longer excused; leaving it there hides that.

How it is decided
    Today (UTC) is after its `expires`.

What to do
    Run the lane and remove the waiver, or open a new one with a reason of today.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.policy.waivers import expired
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW703", name="waiver-expired")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each expired waiver."""
    over = expired(lane.policy, lane.now) if lane.policy else ()
    for number, waiver in enumerate(lane.policy.environment_waivers if lane.policy else ()):
        if waiver in over:
            yield ABOUT.at(
                lane.in_policy("environment_waivers", number, "expires"),
                f"The waiver {waiver.id} of {waiver.owner} ended with {waiver.expires} (UTC).",
                f"Run {waiver.gate} and remove the waiver; {waiver.issue} tells why it was there.",
            )


RULE = ABOUT.rule(check)
