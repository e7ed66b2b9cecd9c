"""An import dies with "Illegal instruction": NumPy's OpenBLAS takes the CPU for another.

Why it matters
    On JetPack 4 boards NumPy 1.19.5 kills the interpreter, and with it torch and all that imports NumPy.

How it is decided
    "Illegal instruction" at an import on a JetPack 4 board (or where the board is not stated); `import numpy` alone
    dies.

What to do
    numpy 1.19.4, or tell OpenBLAS which core it runs on.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import signed
from jetproof.diagnosis.known import jetpack_major
from jetproof.diagnosis.remedies import python_command
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Confidence, Finding, Layer, Remedy
from jetproof.facts.model import Facts, Outcome
from jetproof.tables import Tables

ABOUT = About(
    id="JD093", name="numpy-illegal-instruction", root_cause="numpy-illegal-instruction", layer=Layer.NEIGHBOURS
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when an import dies of an illegal instruction."""
    found = signed(facts, tables, ABOUT)
    trial = facts.torch.trial("import numpy")
    crashed = trial is not None and trial.outcome is Outcome.CRASHED and "4" in trial.message
    if found is None and not crashed:
        return
    old = jetpack_major(facts) in (4, None)
    numpy = facts.torch.numpy
    yield ABOUT.finding(
        "An import dies of an illegal instruction: NumPy's OpenBLAS takes this CPU for another.",
        because=(found, numpy),
        remedy=(
            Remedy(
                text="Tell OpenBLAS the core; if that helps, keep it in ~/.bashrc.",
                command=f"OPENBLAS_CORETYPE=ARMV8 {python_command(facts)} -c 'import numpy'",
            ),
            Remedy(
                text="Or take the release before it.", command=f"{python_command(facts)} -m pip install 'numpy==1.19.4'"
            ),
        ),
        confidence=Confidence.LIKELY if old else Confidence.POSSIBLE,
        specificity=LITERAL if old else SHARED,
        missing=() if numpy.known else ("numpy",),
    )


RULE = ABOUT.rule(check)
