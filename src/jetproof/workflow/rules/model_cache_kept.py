"""The model-download gate uses the machine's own cache.

Why it matters
    A model that an earlier run left makes the gate pass without a download.

How it is decided
    The job of a gate with the probe `hub-model` sets neither `HF_HOME` nor `HF_HUB_CACHE`.

What to do
    Set it to a folder below the workspace or `runner.temp`, and clear it after the run.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane, downloads
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW718", name="model-cache-kept")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such job."""
    for found in lane.gate_jobs:
        envs = (found.workflow.env, found.job.env, *(step.env for step in found.job.steps))
        if downloads(found.gate) and not any(
            name in env.members for env in envs for name in ("HF_HOME", "HF_HUB_CACHE")
        ):
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.name_at),
                f"{found.job.id} uses whatever cache the machine has.",
                "Set `HF_HOME: ${{ github.workspace }}/.hub-cache` and remove it at the end.",
            )


RULE = ABOUT.rule(check)
