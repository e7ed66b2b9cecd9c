"""Little memory is free.

Why it matters
    CPU and GPU share it; a model that fits the board's size may not fit what is left.

How it is decided
    Available memory below a tenth of the total, or below 1 GiB.

What to do
    Stop what is not needed before loading a model.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.remedies import free_memory
from jetproof.diagnosis.rule import SYMPTOM, About, Confidence, Finding, Layer, Severity, because
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD111", name="low-memory", root_cause="unified-memory-oom", layer=Layer.OPERATION)
_GIB = 1 << 30


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    """Yield a note when little memory is available."""
    available, total = facts.memory.available, facts.memory.total
    if available.value is None or facts.platform.is_jetson.value is False:
        return
    if available.value < _GIB or (total.value and available.value * 10 < total.value):
        yield ABOUT.finding(
            f"Only {available.value / _GIB:.1f} GiB of memory is available.",
            because=(because(available), total),
            remedy=free_memory()[:2],
            severity=Severity.WARNING if available.value < _GIB // 2 else Severity.NOTE,
            confidence=Confidence.CERTAIN,
            specificity=SYMPTOM,
        )


RULE = ABOUT.rule(check)
