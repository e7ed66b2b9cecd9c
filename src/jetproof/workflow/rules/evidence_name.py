"""The artifact's name does not tell the attempt.

Why it matters
    Another attempt of the run replaces it or fails to upload, and the first one's evidence is lost.

How it is decided
    The upload of a Jetson gate's job is not named `conditional-jetson-${{ github.run_attempt }}`; that of
    another gate not `conditional-…-${{ github.run_attempt }}`.

What to do
    Name it so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW403", name="evidence-name")

_JETSON = re.compile(r"conditional-jetson-\$\{\{\s*github\.run_attempt\s*\}\}")
_OTHER = re.compile(r"conditional-[a-z0-9-]+-\$\{\{\s*github\.run_attempt\s*\}\}")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each upload with another name."""
    jetson = {found.job.id for found in lane.jetson_jobs}
    for found in lane.claim_jobs:
        form, wanted = (_JETSON, "jetson") if found.job.id in jetson else (_OTHER, "GATE")
        for step in found.job.uploads():
            name = step.inputs.text("name") or ""
            if not form.fullmatch(name):
                yield ABOUT.at(
                    lane.in_workflow(found.workflow, step.inputs.at("name")),
                    f"The evidence of {found.job.id} is named {name or 'nothing'!r}, without the attempt or the lane.",
                    f"Write `name: conditional-{wanted}-${{{{ github.run_attempt }}}}`.",
                )


RULE = ABOUT.rule(check)
