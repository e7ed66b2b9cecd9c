"""The job that signs also runs the project's code.

Why it matters
    That code could sign what it likes in the workflow's name.

How it is decided
    A job with `id-token: write`, or one that countersigns, installs packages other than jetproof or runs tests,
    a gate or a script of the project.

What to do
    Let it check out, verify and sign; nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow import install_commands, signer_job
from jetproof.workflow.lane import Lane, runs_a_gate
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW410", name="signer-runs-project")

_RUNS = re.compile(r"\bpytest\b|\bjetproof\s+install\b|\btox\b|\bnox\b|\bmake\b|(?:^|\s)(?:\./|scripts/)\S+")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such command."""
    for workflow in lane.lane_workflows:
        for job in signer_job.of(workflow):
            for _, command in job.scripts:
                if _RUNS.search(command.text) or runs_a_gate(command) or install_commands.replacing(command):
                    yield ABOUT.at(
                        lane.at_command(workflow, command),
                        f"{job.id} may sign, and runs the project's code: {command.text[:80]}",
                        "Do it in another job, and hand over the result as an artifact.",
                    )


RULE = ABOUT.rule(check)
