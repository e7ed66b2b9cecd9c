"""A waiver is not valid.

Why it matters
    An excuse without owner, reason, issue or end would hold for ever.

How it is decided
    A waiver lacks a member, holds longer than 30 days, ends before it is opened, names no gate, or excuses a
    gate that needs no board.

What to do
    Mend it, or take it away.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW702", name="waiver-malformed")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each fault of a waiver."""
    for broken in lane.broken_policy:
        if broken.member[:1] == ("environment_waivers",):
            yield ABOUT.at(broken.place, broken.message, "Mend the waiver, or remove it.")


RULE = ABOUT.rule(check)
