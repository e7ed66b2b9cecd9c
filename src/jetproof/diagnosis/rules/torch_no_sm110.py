"""The installed torch has no code for Thor's GPU (compute capability 11.0).

Why it matters
    Thor needs sm_110 of CUDA 13. Builds for CUDA 12.6 to 12.9 hold sm_80, sm_90, sm_100 and sm_120, none of which
    covers it.

How it is decided
    torch's own arch list without sm_110; torch's warning about the capability; or a +cu126, +cu128 or +cu129 build or
    index on Thor.

What to do
    Install a CUDA 13 build with sm_110.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.diagnosis.architectures import covers, other_code, torch_warning
from jetproof.diagnosis.evidence import signature
from jetproof.diagnosis.known import capability, numbers
from jetproof.diagnosis.remedies import vendor_torch
from jetproof.diagnosis.rule import (
    LITERAL,
    SHARED,
    SYMPTOM,
    About,
    Confidence,
    Finding,
    Layer,
    Reason,
    because,
)
from jetproof.diagnosis.torch_known import cpu_build, indexed_cuda, two_torches
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD074", name="torch-wheel-no-sm110", root_cause="torch-wheel-no-sm110", layer=Layer.TORCH_BUILD)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when torch lacks code for 11.0."""
    if capability(facts) != "11.0" or facts.platform.is_jetson.value is False or cpu_build(facts) or two_torches(facts):
        return
    listed = facts.torch.arch_list
    if listed.value is not None:
        if not covers(listed.value, 110):
            yield _finding(facts, tables, (because(listed),), LITERAL, Confidence.CERTAIN)
        return
    warning = torch_warning(facts)
    if warning and re.search(r"sm_110|11\.0|Thor", warning.value):
        yield _finding(facts, tables, (warning,), LITERAL, Confidence.CERTAIN)
        return
    wanted = indexed_cuda(facts)
    kernel = signature(facts, tables, "no-kernel-image")
    old = wanted is not None and numbers(wanted.value)[:1] == (12,)
    if other_code(facts, tables):
        return
    if old:
        yield _finding(
            facts,
            tables,
            (wanted, kernel),
            LITERAL if kernel else SHARED,
            Confidence.LIKELY,
        )
    elif kernel:
        yield _finding(facts, tables, (kernel.because,), SYMPTOM, Confidence.POSSIBLE)


def _finding(
    facts: Facts, tables: Tables, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence
) -> Finding:
    return ABOUT.finding(
        "The installed torch has no code for this GPU (sm_110): it is built for CUDA 12.",
        because=reasons,
        remedy=vendor_torch(facts, tables),
        specificity=specificity,
        confidence=confidence,
        missing=() if specificity == LITERAL else ("torch.arch_list",),
    )


RULE = ABOUT.rule(check)
