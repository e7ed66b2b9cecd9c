"""NumPy 2 is installed beside a torch that was compiled against NumPy 1.

Why it matters
    torch imports with a warning, and .numpy() or from_numpy fail; other extensions crash. Jetson wheels up to 2.8 are
    compiled against NumPy 1, and any dependency brings NumPy 2.

How it is decided
    The message names it; or the two releases side by side.

What to do
    Install numpy<2 in the same interpreter, and keep the bound.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import reported, signature, signed
from jetproof.diagnosis.known import numbers
from jetproof.diagnosis.remedies import numpy_below_2
from jetproof.diagnosis.rule import (
    LITERAL,
    SHARED,
    About,
    Confidence,
    Finding,
    Layer,
    Reason,
    Severity,
)
from jetproof.diagnosis.torch_known import is_vendor
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD091", name="numpy2-abi", root_cause="numpy2-abi", layer=Layer.NEIGHBOURS)

_TORCH_OF_NUMPY1 = (2, 3)
"""Upstream torch below this was compiled against NumPy 1; vendor wheels up to 2.8."""


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when NumPy 2 meets a torch of NumPy 1."""
    literal = signed(facts, tables, ABOUT)
    numpy, torch = facts.torch.numpy, facts.torch.torch
    second = bool(numpy.value and numbers(numpy.value)[:1] == (2,))
    lead = numbers(torch.value)[:2] if torch.value else ()
    first = bool(lead) and (
        lead < _TORCH_OF_NUMPY1 or (bool(torch.value and is_vendor(torch.value)) and lead <= (2, 8))
    )
    pair = (numpy, torch)
    if literal:
        yield _finding(
            facts,
            (literal.because, *pair),
            LITERAL,
            Confidence.CERTAIN if second or not numpy.known else Confidence.LIKELY,
        )
    elif (either := signature(facts, tables, "numpy-multiarray")) and not (numpy.known and not second):
        yield _finding(facts, (either, *pair), SHARED, Confidence.LIKELY)
    elif second and first:
        yield _finding(
            facts, pair, SHARED, Confidence.LIKELY, Severity.BLOCKING if reported(facts) else Severity.WARNING
        )
    elif (
        second
        and facts.torch.trial("import numpy") is None
        and reported(facts)
        and facts.platform.is_jetson.value
        and not torch.known
    ):
        yield _finding(facts, pair, SHARED, Confidence.POSSIBLE)


def _finding(
    facts: Facts,
    reasons: tuple[Reason, ...],
    specificity: int,
    confidence: Confidence,
    severity: Severity = Severity.BLOCKING,
) -> Finding:
    return ABOUT.finding(
        "NumPy 2 is installed beside a torch that was compiled against NumPy 1.",
        because=reasons,
        remedy=numpy_below_2(facts),
        specificity=specificity,
        confidence=confidence,
        severity=severity,
        missing=() if facts.torch.numpy.known else ("numpy",),
    )


RULE = ABOUT.rule(check)
