"""Memory ran out: CPU and GPU share it on a Jetson.

Why it matters
    Lack of memory shows as many things: "Killed", NvMap's error 12, or an assertion about NVML that hides the real
    error. Long uptime fragments the memory, and the same request passes after a reboot.

How it is decided
    An allocation failed, and it is not L4T 36.4.7 refusing one large block. Free memory at the failure and the point
    release decide between the two.

What to do
    Free memory, lower the peak, reboot after long uptime, add swap for builds.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signature
from jetproof.diagnosis.remedies import free_memory
from jetproof.diagnosis.rule import LITERAL, SHARED, SYMPTOM, About, Confidence, Finding, Layer, Reason
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD110", name="unified-memory-oom", root_cause="unified-memory-oom", layer=Layer.OPERATION)

_LITERAL = Expression(
    r"(?i)\bout of memory\b|cudaErrorMemoryAllocation|CUDA_ERROR_OUT_OF_MEMORY|OutOfMemoryError"
    r"|\bstd::bad_alloc\b|\bNvMapMem\w{3,40}|\bnvmap\b[^\n]{0,60}(?:fail|error 12|ENOMEM)"
    r"|Cannot allocate memory\b(?! in static)|\boom[-_ ]?kill\w{0,4}|Out of memory: Kill|\bKilled\b(?! by user)"
    r"|exit(?:ed)?(?: with)?(?: code| status)? 137\b"
    r"|signal:? 9\b|SIGKILL|cc1plus[^\n]{0,40}(?:killed|terminated)|unable to allocate|failed to allocate"
    r"|not enough memory|insufficient memory|CUBLAS_STATUS_ALLOC_FAILED(?![^\n]{0,80}cublasCreate)"
    r"|\bran out of (?:memory|RAM)|(?:requires?|needs?) more (?:\w{2,10} )?memory"
    r"|memory\b[^\n]{0,40}\bthan (?:is|are|was) (?:available|free)|alloc\w{0,8} (?:of \S{1,20} )?failed"
    r"|No available memory for the cache|\bswap\b[^.\n]{0,20}\b(?:is |gets? |runs? )?(?:full|exhausted|used up)"
    r"|NVML_SUCCESS == r|cuMemAddressReserve|expandable_segments not supported|cudaMalloc(?:Async)? failed"
)


_HANGS = Expression(
    r"(?i)\b(?:system|board|device|desktop|machine|jetson|nano|orin|xavier|it)\b[^.\n]{0,30}"
    r"\b(?:freez(?:es?|ing)|fr(?:oze|ozen)|hangs?|hung|reboots?|rebooted|restarts by itself|locks? up)\b"
)
_EATEN = Expression(
    r"(?i)\b(?:eat(?:s|en|ing|ed)?|ate|consum(?:es?|ed|ing)|fill(?:s|ed|ing)?|us(?:es?|ed|ing)|tak(?:es?|en|ing))\b"
    r"[^.\n]{0,20}\b(?:all|whole|entire)\b[^.\n]{0,30}\b(?:memory|RAM|swap)\b"
)
_WORK = Expression(
    r"(?i)\b(?:model|infer\w{0,5}|train\w{0,4}|load\w{0,4}|build\w{0,3}|compil\w{0,4}|script|test\.py)\b"
)
"""What takes memory when a board stands still."""


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when an allocation failed."""
    found = signature(
        facts, tables, "nvmap-error-12", "nvml-assert-hides-oom", "malloc-async-cap", "vmm-reserve-fails"
    ) or hit(facts, _LITERAL)
    hangs = hit(facts, _HANGS) or hit(facts, _EATEN) if found is None and hit(facts, _WORK) else None
    if found is None and hangs is None:
        return
    memory = facts.memory
    known_free: tuple[Reason, ...] = tuple(fact for fact in (memory.available, memory.total))
    regressed = facts.platform.l4t.value == "36.4.7"
    yield ABOUT.finding(
        "Memory ran out (or is too fragmented for the request): CPU and GPU share it.",
        because=(found, hangs, *known_free),
        remedy=free_memory(),
        confidence=Confidence.POSSIBLE if regressed or hangs else Confidence.LIKELY,
        specificity=SYMPTOM if hangs else SHARED if regressed else LITERAL,
        missing=tuple(
            name
            for name, fact in (("memory.available at the failure", memory.available), ("l4t", facts.platform.l4t))
            if not fact.known
        ),
    )


RULE = ABOUT.rule(check)
