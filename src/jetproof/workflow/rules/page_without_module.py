"""The pages do not name the module of a tier.

Why it matters
    "Jetson" alone says nothing: each module is another machine.

How it is decided
    Neither page holds the `module` of a tier of stage `target`.

What to do
    Name it.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW710", name="page-without-module")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each tier whose module is not named."""
    for number, tier in lane.target_tiers:
        if lane.documented and not lane.mentions(tier.module):
            yield ABOUT.at(
                lane.in_policy("tiers", number, "module"),
                f"The pages do not name {tier.module}.",
                "Name it in docs/jetson-support.md.",
            )


RULE = ABOUT.rule(check)
