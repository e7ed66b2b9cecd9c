"""An image is named by its tag.

Why it matters
    A tag can be moved; the evidence then names a runtime that nobody can get again.

How it is decided
    An image of a job's `container`, of a `docker://` action, or of `docker run` and `docker pull` in a job of
    the lane has no `@sha256:`.

What to do
    Name the image by its digest: `docker inspect --format '{{index .RepoDigests 0}}' IMAGE` tells it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW210", name="image-by-tag")

_DOCKER = re.compile(r"\bdocker\s+(?:run|pull|create)\b(?P<rest>.*)")
_IMAGE = re.compile(r"[a-z0-9][a-z0-9._:-]*/[a-z0-9._/-]+(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?")
_FIX = "Write IMAGE@sha256:…"


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each image without a digest."""
    for workflow in lane.lane_workflows:
        for job in workflow.jobs:
            if job.image is not None and "@sha256:" not in job.image.value:
                yield ABOUT.at(lane.in_workflow(workflow, job.image), f"{job.image.value} is named by its tag.", _FIX)
            for step in job.steps:
                if step.uses.startswith("docker://") and "@sha256:" not in step.uses:
                    yield ABOUT.at(
                        lane.in_workflow(workflow, step.table.at("uses")), f"{step.uses} is named by its tag.", _FIX
                    )
            for _, command in job.scripts:
                docker = _DOCKER.search(command.text)
                if docker is None:
                    continue
                images = [word.strip("'\"") for word in docker["rest"].split() if _IMAGE.fullmatch(word.strip("'\""))]
                if images and "@sha256:" not in images[0]:
                    place = lane.at_command(workflow, command)
                    yield ABOUT.at(place, f"{images[0]} is named by its tag.", _FIX)


RULE = ABOUT.rule(check)
