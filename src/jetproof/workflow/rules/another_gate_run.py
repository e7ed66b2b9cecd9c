"""A gate's job runs another gate.

Why it matters
    The job's name promises one thing and its evidence is for another.

How it is decided
    The job runs a gate, but not the one for which the policy names the job.

What to do
    Run that gate.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane, runs_gate
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW312", name="another-gate-run")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such job."""
    for found in lane.gate_jobs:
        running = [(step, command) for step, command in found.gate_commands]
        if running and not any(runs_gate(command, found.gate) for _, command in running):
            _step, command = running[0]
            yield ABOUT.at(
                lane.at_command(found.workflow, command),
                f"The job {found.job.id} is to run {found.gate.id}, and runs: {command.text[:80]}",
                f"Write `scripts/run_conditional_gate.py {found.gate.id}`.",
            )


RULE = ABOUT.rule(check)
