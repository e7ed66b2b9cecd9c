"""A wheel's Python tag does not fit the interpreter of the pip in use.

Why it matters
    Vendor wheels exist for JetPack's own Python alone: cp36 (JetPack 4), cp38 (5), cp310 (6), cp312 (7). With another
    interpreter the wheel is refused or its address does not exist, and pip falls back on a torch without CUDA.

How it is decided
    "is not a supported wheel", a tag that no interpreter has, or a missing file at a wheel's address; the cpXY in the
    name against the Python in use. It stays the answer when pip then fetched a torch without CUDA.

What to do
    Use JetPack's own Python, in a venv if wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.diagnosis.evidence import TOLD, TYPED, hit, signature
from jetproof.diagnosis.known import numbers, vendor_python
from jetproof.diagnosis.remedies import matching_python, vendor_torch
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Because, Confidence, Finding, Layer, Reason, because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD060", name="wrong-python-tag", root_cause="wrong-python-tag", layer=Layer.INTERPRETER)

_REFUSED = Expression(
    r"(?i)is not a supported wheel|not compatible with (?:the current|this) (?:Python|platform)"
    r"|no wheels with a matching Python (?:ABI|version|implementation)|wheels? (?:is"
    r"|are) for (?:a )?(?:different|another) Python|no matching (?:cp|python) tag"
    r"|\bcp3\d{1,2}\b[^.\n]{0,20}\bwheel\b[^.\n]{0,20}\bnot supported"
    r"|\bwheels?\b[^.\n]{0,40}\bonly\b[^.\n]{0,30}\bx86_64\b|\bonly\b[^.\n]{0,30}\bx86_64 wheels?\b"
    r"|hint: You(?:'re| are) using CPython [\d.]{3,8} \(`?cp\d{2,3}"
)
_WHEEL = Expression(r"([\w.%+-]{3,120})-cp(\d)(\d{1,2})-(cp\d{2,3}[a-z]{0,2}|abi3|none)-(?:many)?linux\w{0,20}\.whl")
_GONE = Expression(
    r"(?i)\b404\b|\bNot Found\b(?!\))|NoSuchKey|\b403 Forbidden|\.whl\b[^\n]{0,40}(?:does not exist|No such file)"
)
_TAG = Expression(r"\bcp(3)(\d{1,2})\b()")
_NO_M = (3, 8)
"""From Python 3.8 on the tag has no "m" any more."""


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when a wheel and the interpreter do not go together."""
    literal = hit(facts, _REFUSED) or signature(facts, tables, "wrong-python-tag")
    wheel = hit(facts, _WHEEL)
    other = _other_python(facts, wheel.match) if wheel else None
    gone = hit(facts, _GONE)
    reasons: tuple[Reason, ...] = (
        literal,
        wheel,
        other,
    )
    if literal:
        yield _finding(facts, tables, reasons, LITERAL, Confidence.CERTAIN)
    elif wheel and gone:
        yield _finding(facts, tables, (gone.because, *reasons), LITERAL, Confidence.LIKELY)
    elif wheel and other and hit(facts, _WHEEL, *TYPED):
        yield _finding(facts, tables, reasons, SHARED, Confidence.LIKELY)
    elif (tag := hit(facts, _TAG, *TOLD)) and wheel is None and (other := _other_python(facts, tag.match)):
        yield _finding(facts, tables, (tag, other), SHARED, Confidence.LIKELY)
    elif wheel is None and gone and hit(facts, Expression(r"(?i)\.whl\b")):
        yield _finding(facts, tables, (gone.because,), SHARED, Confidence.POSSIBLE)


def _other_python(facts: Facts, wheel: re.Match[str]) -> Because | None:
    """Return why the wheel's tag cannot fit."""
    major, minor, abi = wheel.groups()[-3:]
    tag = (int(major), int(minor))
    if tag >= _NO_M and abi.endswith("m"):
        return Because(fact="wheel tag", value=f"{abi}: no Python has it", read_from="the wheel's name")
    python = facts.torch.python
    if python.value and numbers(python.value)[:2] != tag and abi != "abi3":
        return because(python)
    return None


def _finding(
    facts: Facts, tables: Tables, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence
) -> Finding:
    own = vendor_python(facts, tables)
    text = f" JetPack's own is Python {own}." if own else ""
    return ABOUT.finding(
        f"The wheel is for another Python than the pip in use belongs to.{text}",
        because=reasons,
        remedy=(*matching_python(facts, tables), *vendor_torch(facts, tables)[1:]),
        specificity=specificity,
        confidence=confidence,
        missing=() if facts.torch.python.known else ("python",),
    )


RULE = ABOUT.rule(check)
