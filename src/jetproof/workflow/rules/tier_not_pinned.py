"""A tier that is to be supported has no pinned runtime.

Why it matters
    Without a digest nobody can say which torch was proven, so the tier cannot be claimed.

How it is decided
    A tier of stage `target` has no `runtime.digest`.

What to do
    Run `jetproof policy pin TIER` on the board, and commit the change.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.rule import Severity
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW705", name="tier-not-pinned", severity=Severity.WARNING)


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such tier."""
    for number, tier in lane.target_tiers:
        if tier.runtime.digest is None:
            yield ABOUT.at(
                lane.in_policy("tiers", number, "runtime"),
                f"The tier {tier.id} has no pinned runtime, so it cannot be claimed.",
                f"On the board: jetproof policy pin {tier.id}",
            )


RULE = ABOUT.rule(check)
