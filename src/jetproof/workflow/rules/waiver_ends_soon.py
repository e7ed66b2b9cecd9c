"""A waiver ends within two weeks.

Why it matters
    When it ends the lane is red; that should surprise nobody.

How it is decided
    Its `expires` is at most 14 days away.

What to do
    See to the board now.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timezone

from jetproof.diagnosis.rule import Severity
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW704", name="waiver-ends-soon", severity=Severity.WARNING)


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each waiver that ends soon."""
    today = lane.now.astimezone(timezone.utc).date()
    for number, waiver in enumerate(lane.policy.environment_waivers if lane.policy else ()):
        left = (waiver.expires - today).days
        if 0 <= left <= 14:
            yield ABOUT.at(
                lane.in_policy("environment_waivers", number, "expires"),
                f"The waiver {waiver.id} of {waiver.owner} ends in {left} days, on {waiver.expires} (UTC).",
                f"Run {waiver.gate} before that; {waiver.issue} tells why the waiver is there.",
            )


RULE = ABOUT.rule(check)
