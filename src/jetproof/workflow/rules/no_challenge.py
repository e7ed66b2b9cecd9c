"""The device's run answers no challenge.

Why it matters
    Without a nonce that somebody else made for this very run, old evidence can be handed in again.

How it is decided
    The gate's command in a device job has no `--challenge` whose value comes from a job that is needed.

What to do
    Make the challenge in a hosted job and hand its output over in `env:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.document import walk
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW406", name="no-challenge")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such job."""
    for found in lane.device_gate_jobs:
        for step, command in found.gate_commands:
            given = (
                [text.value for text in walk(step.env)] + [text.value for text in walk(found.job.env)] + [command.text]
            )
            from_job = any(re.search(r"\bneeds\.[\w-]+\.outputs\.", value) for value in given)
            if "--challenge" not in command.text or not from_job:
                yield ABOUT.at(
                    lane.at_command(found.workflow, command),
                    f"The run of {found.job.id} answers no challenge that another job made.",
                    'Add `--challenge "$CHALLENGE"` with `CHALLENGE: ${{ needs.challenge.outputs.nonce }}` in `env:`.',
                )


RULE = ABOUT.rule(check)
