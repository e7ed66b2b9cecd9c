"""A gate that downloads a model does not say under whose account and into which cache.

Why it matters
    A token that nobody named is somebody's own; a cache that stays makes the next run pass without a download.

How it is decided
    `prerequisites` of a gate with the probe `hub-model` do not speak of the account, the token and the cache.

What to do
    Say all three.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW715", name="model-download-unregulated")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such gate."""
    for number, gate in lane.hub_gates:
        said = " ".join(gate.prerequisites).lower()
        lacking = [word for word in ("account", "token", "cache") if word not in said]
        if lacking:
            yield ABOUT.at(
                lane.in_policy("gates", number, "prerequisites"),
                f"{gate.id} downloads a model and says nothing of: {', '.join(lacking)}.",
                "Say in `prerequisites` whose account, which token, and what becomes of the cache.",
            )


RULE = ABOUT.rule(check)
