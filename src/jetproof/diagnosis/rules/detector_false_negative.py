"""A detector says that CUDA is not installed, and it is.

Why it matters
    JetPack does not put /usr/local/cuda/bin on PATH, and some tools look for files that newer releases do not have.
    What they report is about their search, not about CUDA.

How it is decided
    The detector's line, with nvcc or the toolkit's directory there; programs that need CUDA work.

What to do
    Put the toolkit on PATH; ignore the detector, or update it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.diagnosis.evidence import Hit, hit
from jetproof.diagnosis.known import in_container
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Confidence, Finding, Layer, Reason, Remedy
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD123", name="detector-false-negative", root_cause="detector-false-negative", layer=Layer.PROGRAM)

_SAYS_NO = Expression(
    r"(?i)\bCUDA\W{1,4}(?:is )?(?:NOT[ _]INSTALLED|MISSING|not found|none)\b"
    r"|\bnvcc\b[^\n]{0,12}(?:command )?not (?:found|in (?:the )?path|on (?:the )?path)|\b(?:command -v|which"
    r"|where(?:is)?) nvcc\b[^\n]{0,40}\b(?:nothing|empty|fails?|failed|none|false|no output)\b"
    r"|No CUDA (?:toolset|toolkit) found|CUDA_HOME environment variable is not set|Could not find (?:nvcc"
    r"|CUDA toolkit)|(?:jtop|jetson_release|jetson-stats|detector|script|tool)\b[^.\n]{0,60}\b(?:says|shows?"
    r"|reports?|prints?|lists?)\b[^.\n]{0,40}\b(?:CUDA|cuDNN|TensorRT|OpenCV)\b[^.\n]{0,20}\b(?:not|no|missing"
    r"|NO)\b"
    r"|\bOpenCV\b[^\n]{0,30}compiled CUDA: ?NO|CUDA_TOOLKIT_ROOT_DIR not found|could not find CUDA"
)
_THERE = Expression(
    r"(?i)/usr/local/cuda(?:-\d{1,2}(?:\.\d{1,2})?)?(?:/bin/nvcc|/lib64|/version)?\b(?![^\n]{0,40}(?:No such"
    r"|not found|does not exist))|\bdpkg\b[^\n]{0,40}\bcuda|\b(?:CUDA|nvcc|toolkit) (?:is |are )?(?:there"
    r"|present|installed|exists)|\bdeviceQuery\b[^.\n]{0,30}(?:pass|works|runs)"
    r"|is_available\W{0,12}[^\n]{0,12}True"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    """Yield a finding when CUDA is said to be absent and is there."""
    says = hit(facts, _SAYS_NO) or _detector(facts)
    if says is None or facts.platform.is_jetson.value is False:
        return
    there = hit(facts, _THERE)
    nvcc, toolkit = facts.cuda.nvcc, facts.cuda.toolkit
    shown = (
        there,
        nvcc,
        toolkit,
    )
    if any(shown) and not in_container(facts):
        yield _finding(
            (says.because, *shown),
            LITERAL if there or nvcc.known or facts.torch.available.value else SHARED,
            Confidence.LIKELY,
        )
    else:
        yield _finding((says.because,), SHARED, Confidence.POSSIBLE)


def _detector(facts: Facts) -> Hit | None:
    """Return what a report quotes as a detector's output."""
    return next(
        (
            Hit(match=found, message=message)
            for message in facts.messages
            if message.member == "detector_output" and (found := re.search(r"\S.*", message.text))
        ),
        None,
    )


def _finding(reasons: tuple[Reason, ...], specificity: int, confidence: Confidence) -> Finding:
    return ABOUT.finding(
        "A detector says that CUDA is absent; it looks in the wrong place.",
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        remedy=(
            Remedy(
                text="See that it is there.",
                command="ls -d /usr/local/cuda*/bin/nvcc && /usr/local/cuda/bin/nvcc --version",
            ),
            Remedy(
                text="Put it on the path for tools that search there.",
                command="echo 'export PATH=/usr/local/cuda/bin:$PATH CUDA_HOME=/usr/local/cuda' >> ~/.bashrc && . "
                "~/.bashrc",
            ),
        ),
        missing=("cuda.nvcc",) if specificity == SHARED else (),
    )


RULE = ABOUT.rule(check)
