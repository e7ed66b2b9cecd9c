"""The Jetson job installs with a plain installer.

Why it matters
    pip, uv or poetry may put a CPU or server build in the place of the vendor's torch; the gate then tests
    something else, or finds no CUDA.

How it is decided
    A command in a job of a Jetson gate installs packages without `jetproof install`, without `--no-deps`, and
    not jetproof alone.

What to do
    Install through `jetproof install`, or run in the pinned image and install with `--no-deps`.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import install_commands
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW209", name="replaces-torch")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such command."""
    for found in lane.gate_jobs:
        if not found.job.self_hosted:
            continue
        for _, command in found.job.scripts:
            part = install_commands.replacing(command)
            if part is not None:
                yield ABOUT.at(
                    lane.at_command(found.workflow, command),
                    f"This may replace the vendor's torch: {part[:80]}",
                    "Write `jetproof install . --venv .venv-jetson`.",
                )


RULE = ABOUT.rule(check)
