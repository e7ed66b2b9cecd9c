"""A library is loaded too late: no static TLS space is left for it.

Why it matters
    glibc reserves little room for libraries that want static TLS. Packages bring their own libgomp, and which one
    comes last fails; the message blames a package that is not at fault.

How it is decided
    "cannot allocate memory in static TLS block", mostly naming a libgomp.

What to do
    Preload that library, or import the package first.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import signed
from jetproof.diagnosis.rule import LITERAL, About, Confidence, Finding, Layer, Remedy
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD094", name="static-tls-preload", root_cause="static-tls-preload", layer=Layer.NEIGHBOURS)

_LIBRARY = Expression(r"(/[\w./+-]{1,200}\.so[\w.]{0,20}): cannot allocate memory in static TLS")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when static TLS is exhausted."""
    found = signed(facts, tables, ABOUT)
    if found is None:
        return
    named = _LIBRARY.search(found.message.text)
    library = named.group(1) if named else "/usr/lib/aarch64-linux-gnu/libgomp.so.1"
    yield ABOUT.finding(
        "A library is loaded too late in this process: no static TLS space is left for it.",
        because=(found.because,),
        remedy=(
            Remedy(text="Load it before anything else.", command=f"LD_PRELOAD={library} python3 YOUR_PROGRAM"),
            Remedy(text="Or import the package that the message names first, before torch and cv2."),
        ),
        confidence=Confidence.CERTAIN,
        specificity=LITERAL,
    )


RULE = ABOUT.rule(check)
