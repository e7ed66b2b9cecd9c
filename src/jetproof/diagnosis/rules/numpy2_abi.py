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

from jetproof.diagnosis.evidence import hit, reported, signature
from jetproof.diagnosis.known import numbers
from jetproof.diagnosis.remedies import numpy_below_2
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Because, Confidence, Finding, Layer, Severity, because
from jetproof.diagnosis.torch_known import is_vendor
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD091", name="numpy2-abi", root_cause="numpy2-abi", layer=Layer.NEIGHBOURS)

_LITERAL = Expression(
    r"(?i)compiled using NumPy 1|_ARRAY_API not found|Numpy is not available"
    r"|numpy\.core\.multiarray failed to import|numpy\.dtype size changed, may indicate binary incompatibility"
    r"|module compiled against ABI version 0x1\w{6,8} but this version of numpy is 0x2"
    r"|AttributeError: `?np\.\w{2,20}`? was removed in the NumPy 2"
    r"|\bnumpy ?(?:>=? ?)?2(?:\.\d{1,2}){0,2}\b[^.\n]{0,60}\b(?:break|broke|incompatib|crash|instead of|pulled"
    r"|upgraded|replaced|installed)\w{0,4}|\b(?:pin|need|requires?|downgrade to"
    r"|install)\b[^.\n]{0,20}numpy ?<=? ?[12]\b"
)
_TORCH_OF_NUMPY1 = (2, 3)
"""Upstream torch below this was compiled against NumPy 1; vendor wheels up to 2.8."""


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when NumPy 2 meets a torch of NumPy 1."""
    literal = signature(facts, tables, "numpy2-abi") or hit(facts, _LITERAL)
    numpy, torch = facts.torch.numpy, facts.torch.torch
    second = bool(numpy.value and numbers(numpy.value)[:1] == (2,))
    lead = numbers(torch.value)[:2] if torch.value else ()
    first = bool(lead) and (
        lead < _TORCH_OF_NUMPY1 or (bool(torch.value and is_vendor(torch.value)) and lead <= (2, 8))
    )
    pair = (because(numpy) if numpy.known else None, because(torch) if torch.known else None)
    if literal:
        yield _finding(
            facts,
            (literal.because, *pair),
            LITERAL,
            Confidence.CERTAIN if second or not numpy.known else Confidence.LIKELY,
        )
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
    reasons: tuple[Because | None, ...],
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
