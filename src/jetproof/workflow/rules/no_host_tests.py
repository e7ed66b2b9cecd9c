"""A gate that may carry a claim runs none of the project's own tests.

Why it matters
    Its green says that the stack works on the board. That the project works there is what the claim says.

How it is decided
    The gate has `"carries_claim": true` and no `"pytest"` item. One that it has must list test ids, else the policy is
    not valid.

What to do
    `jetproof init --test ID` (for ARM64 `--cpu-test ID`) puts tests into the policy; `pytest --collect-only -q` prints
    their ids.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.rule import Severity
from jetproof.policy.model import Platform, PytestItem
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW719", name="no-host-tests", severity=Severity.WARNING)


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each gate without a test of the project."""
    for number, gate in enumerate(lane.policy.gates if lane.policy else ()):
        if gate.carries_claim and not any(isinstance(item, PytestItem) for item in gate.items):
            option = "--cpu-test" if gate.platform is Platform.LINUX_ARM64 else "--test"
            yield ABOUT.at(
                lane.in_policy("gates", number, "items"),
                f"{gate.id} may carry a claim, and runs none of the project's own tests.",
                f"jetproof init {option} ID adds one; pytest --collect-only -q prints the ids.",
            )


RULE = ABOUT.rule(check)
