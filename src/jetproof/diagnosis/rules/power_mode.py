"""The board runs in a reduced power mode.

Why it matters
    Clocks and cores are capped; measurements are not those of the board, and a slow program is no fault of torch.

How it is decided
    The name of the current mode of nvpmodel against the largest one.

What to do
    Choose the largest mode before measuring.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.rule import SYMPTOM, About, Confidence, Finding, Layer, Remedy, Severity, because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD125", name="reduced-power-mode", root_cause="torch-ok-problem-elsewhere", layer=Layer.PROGRAM)

_FULL = Expression(r"(?i)MAXN")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    """Yield a note when the mode is not the largest."""
    mode = facts.cuda.power_mode
    if mode.value and not _FULL.search(mode.value):
        yield ABOUT.finding(
            f"The board runs in power mode {mode.value}, not in its largest.",
            because=(because(mode),),
            remedy=(
                Remedy(
                    text="List the modes, choose the largest, and hold the clocks while measuring.",
                    command="sudo nvpmodel -p --verbose | grep 'POWER_MODEL: ID'\nsudo nvpmodel -m 0 && sudo "
                    "jetson_clocks",
                ),
            ),
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            specificity=SYMPTOM,
        )


RULE = ABOUT.rule(check)
