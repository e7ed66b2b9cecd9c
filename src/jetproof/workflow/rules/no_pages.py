"""The pages about the lane are missing.

Why it matters
    Nobody outside can tell what is tested, on what, and how to do it himself.

How it is decided
    docs/conditional-testing.md or docs/jetson-support.md is missing while the policy has a gate for a Jetson.

What to do
    `jetproof init` writes both.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import PAGES, Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW708", name="no-pages")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each page that is missing."""
    jetson = [gate for gate in (lane.policy.gates if lane.policy else ()) if gate.platform.value == "jetson"]
    for page in PAGES:
        if jetson and page not in lane.pages:
            yield ABOUT.at(
                lane.in_policy("gates"),
                f"There is no {page}.",
                "Write it; jetproof init makes a first one.",
            )


RULE = ABOUT.rule(check)
