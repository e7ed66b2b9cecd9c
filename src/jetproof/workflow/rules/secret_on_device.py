"""A secret is handed to a device.

Why it matters
    What runs there may keep it: the machine outlives the job.

How it is decided
    `secrets.` in a job on an own machine, or `secrets: inherit`; a token for the hub in the job of the
    model-download gate is allowed.

What to do
    Do what needs the secret in a hosted job.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.document import walk
from jetproof.workflow.lane import Lane, downloads
from jetproof.workflow.model import expressions
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW604", name="secret-on-device")

_SECRET = re.compile(r"\bsecrets\b(?:\.([A-Za-z_]\w*))?")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such place."""
    hub = {found.job.id for found in lane.gate_jobs if downloads(found.gate)}
    for workflow, job in lane.device_jobs:
        for text in walk(job.table):
            for expression in expressions(text.value):
                match = _SECRET.search(expression)
                if match is None or (
                    (lane.policy is None or job.id in hub) and (match.group(1) or "").startswith(("HF_", "HUGGING"))
                ):
                    continue
                yield ABOUT.at(
                    lane.in_workflow(workflow, text),
                    f"{job.id} hands a secret to the project's own machine: {expression[:60]}",
                    "Do what needs it in a hosted job.",
                )


RULE = ABOUT.rule(check)
