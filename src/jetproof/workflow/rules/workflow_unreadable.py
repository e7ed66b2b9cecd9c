"""A workflow cannot be read.

Why it matters
    What cannot be read cannot be checked, and another reader may understand it otherwise.

How it is decided
    UTF-8, one document, no name twice in a mapping, no tags (`!!python/…`), and limits on size, depth and aliases.

What to do
    Mend the place that is named.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW001", name="workflow-unreadable")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each workflow that is broken."""
    for broken in lane.broken_workflows:
        yield ABOUT.at(broken.place, f"The workflow cannot be read: {broken.message}.", "Mend the YAML at this place.")


RULE = ABOUT.rule(check)
