"""The pages do not say where the tier's torch comes from.

Why it matters
    A reader installs another one, and what was proven is not what he has.

How it is decided
    Neither page holds the tier's `runtime.source`, and its digest where there is one.

What to do
    Write both into the install instructions.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW712", name="page-without-source")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each tier whose source is not named."""
    for number, tier in lane.target_tiers:
        if lane.documented and not all(
            lane.mentions(word) for word in (tier.runtime.source, tier.runtime.digest or "")
        ):
            yield ABOUT.at(
                lane.in_policy("tiers", number, "runtime", "source"),
                f"The pages do not name the {tier.runtime.kind} of {tier.id} with its digest.",
                "Write source and digest into docs/jetson-support.md.",
            )


RULE = ABOUT.rule(check)
