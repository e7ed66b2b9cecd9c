"""The policy is not valid.

Why it matters
    Nothing can be planned, proven or claimed by it.

How it is decided
    Shape, forms of values, names that lead nowhere.

What to do
    Mend the member that is named; `docs/schemas/policy-1.json` is the schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW701", name="policy-invalid")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each fault of the policy, waivers apart."""
    for broken in lane.broken_policy:
        if broken.member[:1] != ("environment_waivers",):
            yield ABOUT.at(broken.place, broken.message, "Mend it; docs/schemas/policy-1.json is the schema.")


RULE = ABOUT.rule(check)
