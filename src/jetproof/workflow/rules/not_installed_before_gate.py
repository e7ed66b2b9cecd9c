"""The Jetson job does not install the project before the gate.

Why it matters
    The gate then runs on whatever the machine held: an old copy, or another project's environment.

How it is decided
    A job of a Jetson gate has neither `jetproof install` nor a container before the command that runs the gate.

What to do
    Install through `jetproof install`, or run the job in the pinned image.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import install_commands
from jetproof.workflow.lane import Lane, runs_a_gate
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW211", name="not-installed-before-gate")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such job."""
    for found in lane.jetson_jobs:
        if found.job.image is not None:
            continue
        for _, command in found.job.scripts:
            if install_commands.by_jetproof(command) or "docker run" in command.text:
                break
            if runs_a_gate(command):
                yield ABOUT.at(
                    lane.in_workflow(found.workflow, found.job.name_at),
                    f"The job {found.job.id} runs the gate without having installed the project.",
                    "Add a step `jetproof install . --venv .venv-jetson` before it.",
                )
                break


RULE = ABOUT.rule(check)
