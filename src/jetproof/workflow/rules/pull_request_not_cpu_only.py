"""The pull-request gate needs a GPU.

Why it matters
    A contribution must be testable anywhere; a gate that installs CUDA builds or runs a hardware gate is slow,
    costly and red for reasons of its own.

How it is decided
    A job that a pull request starts installs from a CUDA index, asks for a GPU container, or runs a gate of the
    policy that needs a device.

What to do
    Keep the pull-request gate on the CPU, and hardware in the conditional lane.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane, runs_gate
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW110", name="pull-request-not-cpu-only")

_CUDA = re.compile(r"download\.pytorch\.org/whl/cu\d|/compute/redist/jp/|--gpus\b|--runtime[= ]nvidia|\bnvidia-smi\b")
_FIX = "Install the CPU build here, and run what needs CUDA in the conditional lane."


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each sign of CUDA in a job that a pull request starts."""
    gates = [gate for gate in (lane.policy.gates if lane.policy else ()) if not gate.software_only]
    for workflow in lane.pull_request_workflows:
        for job in workflow.jobs:
            if not job.hosted:  # on a machine of its own the trigger is the fault
                continue
            if job.image is not None and job.image.value.startswith("nvcr.io/"):
                place = lane.in_workflow(workflow, job.image)
                yield ABOUT.at(place, f"The job {job.id} of the pull-request gate runs in a CUDA image.", _FIX)
            for _, command in job.scripts:
                if _CUDA.search(command.text) or any(runs_gate(command, gate) for gate in gates):
                    yield ABOUT.at(
                        lane.at_command(workflow, command),
                        f"The job {job.id} of the pull-request gate needs CUDA: {command.text[:80]}",
                        _FIX,
                    )


RULE = ABOUT.rule(check)
