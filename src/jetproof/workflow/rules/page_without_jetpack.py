"""The pages do not name the JetPack of a tier.

Why it matters
    What works on one release need not on the next.

How it is decided
    Neither page holds "JetPack" with the tier's number.

What to do
    Name it.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW711", name="page-without-jetpack")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each tier whose JetPack is not named."""
    for number, tier in lane.target_tiers:
        if lane.documented and not lane.mentions(f"jetpack {tier.jetpack}"):
            yield ABOUT.at(
                lane.in_policy("tiers", number, "jetpack"),
                f"The pages do not name JetPack {tier.jetpack}.",
                "Name it in docs/jetson-support.md.",
            )


RULE = ABOUT.rule(check)
