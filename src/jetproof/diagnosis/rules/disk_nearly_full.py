"""The disk is nearly full.

Why it matters
    A torch wheel with its libraries unpacks to several gigabytes; installs break half-way, and an image pull fails.

How it is decided
    Free space below 3 GiB; or "No space left on device".

What to do
    Free space, or move Docker's data and caches to another disk.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit
from jetproof.diagnosis.rule import LITERAL, SYMPTOM, About, Confidence, Finding, Layer, Remedy, Severity, because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD126", name="disk-nearly-full", root_cause="torch-ok-problem-elsewhere", layer=Layer.PROGRAM)
_GIB = 1 << 30
_FULL = Expression(r"(?i)No space left on device|Errno 28\b|disk quota exceeded")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    """Yield a finding when there is no room."""
    free, said = facts.memory.disk_free, hit(facts, _FULL)
    steps = (
        Remedy(
            text="See what takes the room.",
            command="df -h / && sudo du -xh --max-depth=2 / 2>/dev/null | sort -h | tail -20",
        ),
        Remedy(
            text="Caches and unused images go first.",
            command="python3 -m pip cache purge; docker system prune -a; sudo apt-get clean",
        ),
    )
    if said:
        yield ABOUT.finding(
            "The disk is full.",
            because=(said.because, free),
            remedy=steps,
            specificity=LITERAL,
            confidence=Confidence.CERTAIN,
        )
    elif free.value is not None and free.value < 3 * _GIB:
        yield ABOUT.finding(
            f"Only {free.value / _GIB:.1f} GiB of disk is free; torch needs more to install.",
            because=(because(free),),
            remedy=steps,
            severity=Severity.WARNING,
            confidence=Confidence.CERTAIN,
            specificity=SYMPTOM,
        )


RULE = ABOUT.rule(check)
