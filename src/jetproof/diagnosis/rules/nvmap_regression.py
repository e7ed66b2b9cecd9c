"""L4T 36.4.7 refuses large single allocations although memory is free.

Why it matters
    Its change for CVE-2025-33177 makes NvMap fail on one block of about 4 GiB and more. It looks like lack of
    memory and no smaller batch of a program helps while its weights are one block.

How it is decided
    L4T 36.4.7 is stated or read, and an allocation failed: NvMapMemAllocInternalTagged error 12, the NVML assertion
    that hides it, or a plain out of memory. On another release, or none stated, it is lack of memory.

What to do
    Install the L4T release that mends it (NVIDIA 5602402, said to be in R36.5), or split the allocation.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import SAID, hit, signature
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Confidence, Finding, Layer, Remedy, Severity, because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD020", name="l4t-nvmap-regression", root_cause="l4t-nvmap-regression", layer=Layer.L4T)

_AFFECTED = "36.4.7"
_REFUSED = Expression(
    r"(?i)out of memory|error 12\b|unable to allocate|failed to allocate|cudaMalloc failed"
    r"|cudaErrorMemoryAllocation|bad_alloc|ENOMEM"
)
_FREE = Expression(
    r"(?i)\b\d(?:[\d.]{0,6})\s?(?:GiB|GB|MiB|MB|G|M)\b[^.\n]{0,30}\b(?:free|available)|\b(?:free"
    r"|available)\b[^.\n]{0,30}\b\d(?:[\d.]{0,6})\s?(?:GiB|GB)"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding on 36.4.7: blocking when an allocation failed, a note when none did."""
    l4t = facts.platform.l4t
    if l4t.value != _AFFECTED:
        return
    refused = (
        signature(facts, tables, "nvmap-error-12", "nvml-assert-hides-oom")
        or hit(facts, _REFUSED, *SAID)
        or hit(facts, _REFUSED)
    )
    steps = (
        Remedy(
            text="Install a later L4T of this JetPack (36.5 lists the fault as mended), or go back to the image of "
            "36.4.4.",
            command="sudo apt-get update && sudo apt-get dist-upgrade && sudo reboot",
        ),
        Remedy(
            text="Until then let torch's segments grow instead of asking for one block.",
            command="export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        ),
    )
    if refused:
        free = hit(facts, _FREE)
        yield ABOUT.finding(
            "L4T 36.4.7 refuses large single allocations although memory is free (NVIDIA 5602402).",
            because=(because(l4t), refused.because, free),
            remedy=steps,
            confidence=Confidence.LIKELY,
            specificity=LITERAL if free else SHARED,
            missing=() if free else ("memory.free at the failure",),
        )
    else:
        yield ABOUT.finding(
            "L4T 36.4.7 can refuse single allocations of about 4 GiB and more although memory is free.",
            because=(because(l4t),),
            remedy=steps,
            severity=Severity.NOTE,
            confidence=Confidence.POSSIBLE,
        )


RULE = ABOUT.rule(check)
