"""A job on a device can sign as the workflow.

Why it matters
    The identity that a signature names is then in reach of whatever runs on the board.

How it is decided
    A job that is not surely on a hosted runner has `id-token` or `attestations` to write, or runs
    `actions/attest`.

What to do
    Sign in a hosted job of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW409", name="signer-on-device")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such job."""
    for workflow, job in lane.device_jobs:
        permissions = job.table.table("permissions")
        for name in ("id-token", "attestations"):
            if permissions is not None and permissions.text(name) == "write":
                place = lane.in_workflow(workflow, permissions.at(name))
                yield ABOUT.at(
                    place, f"{job.id} can sign as the workflow on the project's own machine.", f"Remove `{name}`."
                )
        for step in job.steps:
            if step.uses.startswith("actions/attest"):
                place = lane.in_workflow(workflow, step.table.at("uses"))
                yield ABOUT.at(place, f"{job.id} signs on the project's own machine.", "Sign in a hosted job.")


RULE = ABOUT.rule(check)
