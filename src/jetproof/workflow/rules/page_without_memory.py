"""The pages say nothing of memory.

Why it matters
    The module's size is shared by system, CUDA, weights and file cache; who takes it for GPU memory runs out of
    it.

How it is decided
    Neither page holds "unified memory" and "small models" while the policy has a tier.

What to do
    Write what may be expected, and to begin with small models.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW713", name="page-without-memory")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield one finding for pages that say nothing."""
    if (
        any(lane.target_tiers)
        and lane.documented
        and not (lane.mentions("unified memory") and lane.mentions("small model"))
    ):
        yield ABOUT.at(
            lane.in_policy("tiers"),
            "The pages do not say what may be expected of unified memory, nor to begin with small models.",
            "Say it in docs/jetson-support.md.",
        )


RULE = ABOUT.rule(check)
