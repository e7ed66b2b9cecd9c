"""The pull-request gate fetches models.

Why it matters
    It then needs an account or a quota, fails when the hub does, and hands a token to code under review.

How it is decided
    A job that a pull request starts downloads from the hub, switches its offline mode off, or is given a token
    for it.

What to do
    Move it into the model-download gate, and set `HF_HUB_OFFLINE: "1"` here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.document import Table
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW111", name="pull-request-not-offline")

_DOWNLOADS = re.compile(
    r"\b(?:huggingface-cli|hf)\s+(?:download|login|auth)\b|snapshot_download|hf_hub_download|git\s+clone\s+\S*huggingface\.co"
)
_TOKENS = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_TOKEN")
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE")
_FIX = 'Move it into the model-download gate, and set HF_HUB_OFFLINE: "1" here.'


def _steered(env: Table) -> Iterator[str]:
    for name in env.members:
        if name in _TOKENS or (name in _OFFLINE and (env.text(name) or "0").lower() in ("", "0", "false", "no")):
            yield name


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each sign of a download in a job that a pull request starts."""
    for workflow in lane.pull_request_workflows:
        for job in workflow.jobs:
            if not job.hosted:  # on a machine of its own the trigger is the fault
                continue
            for env in (job.env, *(step.env for step in job.steps)):
                for name in _steered(env):
                    place = lane.in_workflow(workflow, env.at(name))
                    yield ABOUT.at(place, f"The job {job.id} of the pull-request gate may reach the hub: {name}.", _FIX)
            for _, command in job.scripts:
                if _DOWNLOADS.search(command.text):
                    place = lane.at_command(workflow, command)
                    yield ABOUT.at(place, f"The job {job.id} of the pull-request gate fetches a model.", _FIX)


RULE = ABOUT.rule(check)
