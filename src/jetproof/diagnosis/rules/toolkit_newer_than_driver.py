"""CUDA libraries newer than the driver: the program starts, then PTX or a library call fails.

Why it matters
    On a Jetson the driver is part of L4T. A newer toolkit installed over JetPack's makes programs that start and
    then fail with errors that name neither.

How it is decided
    By the messages that only this prints (unsupported PTX, CUBLAS_STATUS_EXECUTION_FAILED), by deviceQuery's pair of
    driver and runtime, or by a toolkit newer than this JetPack's. A program that refuses at its start because the
    driver is too old is another rule.

What to do
    Remove the newer packages and build with JetPack's own CUDA.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, reported, signed
from jetproof.diagnosis.known import driver_cuda, in_container, jetpack_major, numbers, release_row
from jetproof.diagnosis.remedies import NEVER_THE_DRIVER
from jetproof.diagnosis.rule import (
    LITERAL,
    SHARED,
    SYMPTOM,
    About,
    Confidence,
    Finding,
    Layer,
    Reason,
    Remedy,
    Severity,
    because,
)
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD031", name="toolkit-newer-than-driver", root_cause="toolkit-newer-than-driver", layer=Layer.PARTS)

_REFUSED = Expression(r"(?i)driver version is insufficient|driver .{0,40}too old|Required: driver version")
_PTX = Expression(
    r"CUDA_ERROR_UNSUPPORTED_PTX_VERSION|cudaErrorUnsupportedPtxVersion|unsupported toolchain"
    r"|\berror(?: code)?:? 222\b|PTX .{0,40}(?:newer|unsupported)"
)
_ADDED = Expression(
    r"(?i)\b(?:installed|added|upgraded|put)\b[^.\n]{0,40}\bCUDA(?: toolkit)? "
    r"?(1\d(?:\.\d)?)[^.\n]{0,40}\b(?:over|beside|on top|next to|alongside|on)\b"
    r"|apt(?:-get)? install[^\n]{0,60}\bcuda(?:-toolkit)?-(1\d)-(\d)"
)
_FAILS = Expression(r"CUBLAS_STATUS_\w+|CUDNN_STATUS_\w+|CUDA error|CUFFT_\w+|cudaError\w+")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when newer CUDA libraries meet this driver."""
    if hit(facts, _REFUSED):
        return
    driver = driver_cuda(facts, tables)
    toolkit = facts.cuda.toolkit
    newer = bool(driver and toolkit.value and numbers(toolkit.value)[:2] > numbers(driver.value)[:2])
    own = release_row(facts, tables)
    literal = hit(facts, _PTX) or signed(facts, tables, ABOUT)
    added = hit(facts, _ADDED)
    pair = (because(toolkit), driver) if newer else (None, None)
    if literal:
        yield _finding(
            (literal.because, *pair, added),
            LITERAL,
            Confidence.CERTAIN if newer else Confidence.LIKELY,
        )
    elif newer and jetpack_major(facts) and own is not None and not in_container(facts):
        failed = hit(facts, _FAILS)
        stated = reported(facts)
        yield _finding(
            (*pair, failed, added),
            SHARED if failed or added else SYMPTOM,
            Confidence.LIKELY if failed or added else Confidence.POSSIBLE,
            Severity.BLOCKING if stated else Severity.WARNING,
        )


def _finding(
    reasons: tuple[Reason, ...],
    specificity: int,
    confidence: Confidence,
    severity: Severity = Severity.BLOCKING,
) -> Finding:
    return ABOUT.finding(
        "CUDA libraries newer than this L4T's driver serves are in use; they start and then fail.",
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        severity=severity,
        remedy=(
            Remedy(
                text="See which CUDA packages are newer than JetPack's.",
                command="dpkg -l | grep -E '^ii +(cuda|libcublas|libcudnn)'; ls -d /usr/local/cuda-*",
            ),
            Remedy(
                text="Remove the newer ones and point programs at JetPack's own.",
                command="sudo apt-get purge 'cuda-toolkit-NEWER*' && sudo apt-get install -y nvidia-jetpack",
            ),
            NEVER_THE_DRIVER,
        ),
        missing=() if specificity == LITERAL else ("cuda.packages",),
    )


RULE = ABOUT.rule(check)
