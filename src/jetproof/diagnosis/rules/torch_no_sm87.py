"""The installed torch has no code for Orin's GPU (compute capability 8.7).

Why it matters
    Generic aarch64 builds hold sm_80 and sm_90 for servers. On Orin they import, is_available is True, and the first
    operation fails. Code for sm_80 does not run on 8.7 with CUDA 12, unlike on desktop GPUs.

How it is decided
    torch's own arch list without sm_87 and without PTX of at most 8.7; torch's warning about the capability; or a
    generic build and a first operation that fails, while no other package is named as the one that lacks the code.

What to do
    Install a build with sm_87.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.diagnosis.architectures import covers, other_code, torch_warning
from jetproof.diagnosis.evidence import hit, signature
from jetproof.diagnosis.known import capability
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
from jetproof.diagnosis.torch_known import cpu_build, generic, two_torches, vendor
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD073", name="torch-sbsa-wheel-no-sm87", root_cause="torch-sbsa-wheel-no-sm87", layer=Layer.TORCH_BUILD
)

_FAILS = Expression(
    r"(?i)no kernel image|\.to\(['\"]cuda|\bcuda\(\)|device=['\"]cuda|first (?:operation|kernel|tensor)|sm_87"
    r"|capability 8\.7|Orin with CUDA capability|invalid device function"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when torch lacks code for 8.7."""
    if capability(facts) != "8.7" or facts.platform.is_jetson.value is False or cpu_build(facts) or two_torches(facts):
        return
    torch = facts.torch
    listed = torch.arch_list
    if listed.value is not None:
        if not covers(listed.value, 87):
            yield _finding(
                facts,
                tables,
                (because(listed), because(facts.platform.compute_capability)),
                LITERAL,
                Confidence.CERTAIN,
            )
        return
    warning = torch_warning(facts)
    if warning and re.search(r"sm_87|8\.7|Orin", warning.value):
        yield _finding(facts, tables, (warning,), LITERAL, Confidence.CERTAIN)
        return
    source = generic(facts)
    kernel = signature(facts, tables, "no-kernel-image")
    fails = kernel or hit(facts, _FAILS)
    if vendor(facts) or torch.available.value is False or other_code(facts, tables):
        return
    if source and fails:
        yield _finding(
            facts,
            tables,
            (source, fails.because, torch.available),
            LITERAL if kernel or torch.available.value else SHARED,
            Confidence.LIKELY,
        )
    elif source and torch.available.value is True:
        yield _finding(facts, tables, (source, because(torch.available)), SHARED, Confidence.LIKELY)
    elif kernel:
        yield _finding(facts, tables, (kernel.because,), SYMPTOM, Confidence.POSSIBLE)


def _finding(
    facts: Facts, tables: Tables, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence
) -> Finding:
    return ABOUT.finding(
        "The installed torch has no code for this GPU (sm_87).",
        because=reasons,
        remedy=vendor_torch(facts, tables),
        specificity=specificity,
        confidence=confidence,
        missing=() if specificity == LITERAL else ("torch.arch_list",),
    )


RULE = ABOUT.rule(check)
