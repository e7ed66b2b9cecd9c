"""The interpreter that was asked does not answer: it crashes, hangs, or is no Python.

Why it matters
    Nothing can be said of its torch, on no machine. Silence must not pass for health.

How it is decided
    An interpreter was chosen and started, and it ended without a description of itself that can be understood, or gave
    none in time.

What to do
    Start it by hand to see what it says, and name an interpreter that works.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from jetproof.diagnosis.rule import UNSEEN, About, Because, Confidence, Finding, Layer, Remedy, because
from jetproof.facts.model import Facts, Origin
from jetproof.tables import Tables
from jetproof.target.reading import Reason

ABOUT = About(
    id="JD062",
    name="interpreter-does-not-answer",
    root_cause="torch-ok-problem-elsewhere",
    layer=Layer.INTERPRETER,
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    """Yield a finding when the interpreter in question said nothing that can be used."""
    torch = facts.torch
    path, python = torch.interpreter, torch.python
    if facts.origin is Origin.REPORTED or path.value is None or python.known:
        return
    if python.reason not in (Reason.FAILED, Reason.TIMED_OUT):
        return
    word = shlex.quote(path.value)
    yield ABOUT.finding(
        f"The interpreter {path.value} does not answer, so nothing can be said of its torch.",
        because=(
            because(path, path.value),
            Because(fact="its answer", value=python.detail or python.reason.value, read_from=path.value),
        ),
        remedy=(
            Remedy(
                text="Start it by hand and read what it says.", command=f"{word} -c 'import sys; print(sys.version)'"
            ),
            Remedy(text="Or ask one that works.", command="jetproof doctor --python /usr/bin/python3"),
        ),
        confidence=Confidence.CERTAIN,
        specificity=UNSEEN,
    )


RULE = ABOUT.rule(check)
