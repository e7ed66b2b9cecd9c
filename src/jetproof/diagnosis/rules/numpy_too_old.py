"""The installed NumPy is older than the one that a package was compiled against.

Why it matters
    Ubuntu 18.04 and 20.04 bring an old NumPy; a wheel compiled against a newer one refuses it at import.

How it is decided
    "module compiled against API version … but this version of numpy is …", the second number below the first.

What to do
    Install a newer NumPy of the same generation for that interpreter; on JetPack 4 with Python 3.6 that is 1.19.4,
    because 1.19.5 dies of an illegal instruction there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signed
from jetproof.diagnosis.known import jetpack_major, line, numbers
from jetproof.diagnosis.remedies import python_command
from jetproof.diagnosis.rule import LITERAL, About, Confidence, Finding, Layer, Remedy
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD092", name="numpy-too-old-abi", root_cause="numpy-too-old-abi", layer=Layer.NEIGHBOURS)

_PAIR = Expression(r"compiled against (?:API|ABI) version (0x\w{1,10}) but this version of numpy is (0x\w{1,10})")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when NumPy is too old for a wheel."""
    found = signed(facts, tables, ABOUT) or hit(facts, _PAIR)
    if found is None:
        return
    pair = _PAIR.search(found.message.text)
    if pair and _newer(pair):
        return
    numpy = facts.torch.numpy
    yield ABOUT.finding(
        "The installed NumPy is older than the one that the package was compiled against.",
        because=(found.because, numpy),
        remedy=(
            Remedy(
                text="Install a newer NumPy 1 for this interpreter; it goes before Ubuntu's own.",
                command=f"{python_command(facts)} -m pip install -U '{_wanted(facts)}'",
            ),
        ),
        confidence=Confidence.CERTAIN,
        specificity=LITERAL,
    )


def _wanted(facts: Facts) -> str:
    """Return the NumPy to take; the last one for Python 3.6 dies of an illegal instruction on JetPack 4's boards."""
    found = line(facts)
    old = jetpack_major(facts) == 4 or (found is not None and found.last_jetpack == 4)
    return "numpy==1.19.4" if old and numbers(facts.torch.python.value or "3.6")[:2] == (3, 6) else "numpy<2"


def _newer(pair: re.Match[str]) -> bool:
    try:
        return int(pair.group(2), 16) > int(pair.group(1), 16)
    except ValueError:
        return False


RULE = ABOUT.rule(check)
