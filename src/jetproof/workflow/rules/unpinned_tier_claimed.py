"""A page says that a tier without a pinned runtime is supported.

Why it matters
    Nothing can prove that sentence.

How it is decided
    A line of the README or the docs names the tier or its module together with "supported", "works on" or
    "tested on", without a "not" before it, and the tier has no `runtime.digest`.

What to do
    Take the sentence back until `jetproof claims` says supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane, Place
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW706", name="unpinned-tier-claimed")

_SAYS = re.compile(r"\b(?:supported|supports|works on|tested on|verified on)\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:not|no|never|until|unsupported|only when|planned)\b", re.IGNORECASE)


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such line."""
    for _, tier in lane.target_tiers:
        if tier.runtime.digest is not None:
            continue
        for page, text in lane.pages.items():
            for number, line in enumerate(text.splitlines(), 1):
                named = tier.module.lower() in line.lower() or tier.name.lower() in line.lower()
                if named and _SAYS.search(line) and not _DENIES.search(line):
                    yield ABOUT.at(
                        Place(path=page, line=number),
                        f"This says that {tier.name} is supported, and its runtime is not pinned.",
                        "Take the sentence back until `jetproof claims` says supported.",
                    )


RULE = ABOUT.rule(check)
