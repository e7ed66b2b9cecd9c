"""There is no torch in the interpreter that was asked.

Why it matters
    Many boards hold several interpreters: the system's, environments, conda. The vendor's torch is in one of them.

How it is decided
    The interpreter was asked, and no copy of torch is on its path.

What to do
    Ask the interpreter that holds it (`--python`), or install the build for this JetPack.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.remedies import vendor_torch
from jetproof.diagnosis.rule import LITERAL, About, Because, Confidence, Finding, Layer, Remedy, Severity, because
from jetproof.facts.model import Facts, Origin
from jetproof.tables import Tables

ABOUT = About(id="JD079", name="no-torch-here", root_cause="torch-ok-problem-elsewhere", layer=Layer.TORCH_BUILD)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a note when the interpreter in question has no torch."""
    torch = facts.torch
    if facts.origin is Origin.REPORTED or not torch.torch.absent:
        return
    others = tuple(
        Because(fact="another interpreter", value=other, read_from=other.split(":")[0]) for other in torch.others
    )
    ask = tuple(
        Remedy(text="Ask that interpreter instead.", command=f"jetproof doctor --python {other.split(': ')[0]}")
        for other in torch.others[:3]
    )
    yield ABOUT.finding(
        "There is no torch in this interpreter" + (f"; {len(others)} other(s) hold one." if others else "."),
        because=(because(torch.torch), torch.interpreter, *others),
        remedy=(*ask, *(vendor_torch(facts, tables)[1:] if facts.platform.is_jetson.value else ())),
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        specificity=LITERAL,
    )


RULE = ABOUT.rule(check)
