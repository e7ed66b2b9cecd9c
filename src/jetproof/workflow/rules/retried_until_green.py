"""The gate is repeated until it passes.

Why it matters
    A flaky gate then looks like a sound one; the attempts before are lost.

How it is decided
    A loop around the gate's command, or an action that repeats a step, in a gate's job.

What to do
    Run it once. If another attempt may be made, the policy says so (`attempts`) and the record keeps them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane, runs_a_gate
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW306", name="retried-until-green")

_LOOP = re.compile(r"^\s*(?:for|while|until)\b")
_ACTION = re.compile(r"retry", re.IGNORECASE)


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such place."""
    for found in lane.gate_jobs:
        for step in found.job.steps:
            if _ACTION.search(step.uses.partition("@")[0]):
                place = lane.in_workflow(found.workflow, step.table.at("uses"))
                yield ABOUT.at(place, f"{step.uses} repeats a step until it passes.", "Run the gate once.")
            looped = any(_LOOP.search(command.text) for command in step.commands)
            for command in step.commands:
                if looped and runs_a_gate(command):
                    place = lane.at_command(found.workflow, command)
                    yield ABOUT.at(place, "The gate is run in a loop.", "Run the gate once.")


RULE = ABOUT.rule(check)
