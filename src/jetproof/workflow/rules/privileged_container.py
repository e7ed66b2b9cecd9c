"""A job on a device hands the machine to a container.

Why it matters
    A privileged container, or one that holds the Docker socket, owns the board: it can keep what it likes for
    the next run.

How it is decided
    `--privileged`, `--pid=host` or the socket, in the container's options or volumes or in a script, on an own
    machine.

What to do
    Use `--runtime nvidia` with the devices that are needed and nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.document import walk
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW207", name="privileged-container")

_OPEN = re.compile(r"--privileged\b|--pid[= ]host\b|docker\.sock|--cap-add[= ](?:ALL|SYS_ADMIN)\b")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such place."""
    for workflow, job in lane.device_jobs:
        container = job.table.members.get("container")
        texts = [(text, text.value) for text in walk(container)] if container is not None else []
        for node, value in texts:
            if _OPEN.search(value):
                yield ABOUT.at(
                    lane.in_workflow(workflow, node),
                    f"The container of {job.id} owns the machine: {value[:80]}",
                    "Give it `--runtime nvidia` and the devices it needs.",
                )
        for _, command in job.scripts:
            if _OPEN.search(command.text):
                yield ABOUT.at(
                    lane.at_command(workflow, command),
                    f"The container of {job.id} owns the machine: {command.text[:80]}",
                    "Give it `--runtime nvidia` and the devices it needs.",
                )


RULE = ABOUT.rule(check)
