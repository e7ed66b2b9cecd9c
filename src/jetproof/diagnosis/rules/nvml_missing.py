"""A program asks NVML or nvidia-smi for what a Jetson does not answer.

Why it matters
    Before JetPack 6 there is no libnvidia-ml; from 6 on memory and load are [N/A]. Programs made for discrete GPUs
    take that for a missing GPU, while CUDA works.

How it is decided
    The failure names NVML, pynvml or nvidia-smi; torch or deviceQuery work. NVML's assertion inside torch's allocator
    is lack of memory instead.

What to do
    Switch that part of the program off, or take a release that knows Jetson; use tegrastats or jtop.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signed
from jetproof.diagnosis.packages import named
from jetproof.diagnosis.rule import LITERAL, SHARED, SYMPTOM, About, Because, Confidence, Finding, Layer, Reason, Remedy
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD120", name="nvml-missing", root_cause="nvml-missing", layer=Layer.PROGRAM)

_ASSERT = Expression(r"NVML_SUCCESS|NVML internal assert")
_SMI = Expression(
    r"(?i)nvidia-smi\b[^\n]{0,60}(?:not found|No such file|N/A|fail|missing|absent|error|not supported"
    r"|does(?:n't| not) (?:exist|work|support))|(?:no|without|missing|lacks?|needs|expects|calls|parses|runs"
    r"|relies on|depends on) (?:the )?['\"`]?nvidia-smi\b|'nvidia-smi'\]|nvidia-smi: command not found"
    r"|FileNotFoundError[^\n]{0,60}nvidia-smi"
)


_EMPTY = Expression(
    r"(?i)\bN/?A\b|\bno (?:GPU|device|NVIDIA)s?\b|\bnot (?:detect|show|display|find|work|support|see"
    r"|list)\w{0,4}|\b(?:cannot|can't|doesn't|does not|don't|won't)\b"
    r"|\b(?:empty|blank|missing|nothing|unsupported|0 ?%)"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when NVML is what a program misses."""
    literal = signed(facts, tables, ABOUT)
    smi = hit(facts, _SMI)
    if literal and _ASSERT.search(literal.message.text) and "libnvidia-ml" not in literal.message.text:
        literal = None
    if literal:
        yield _finding((literal.because, smi), LITERAL, Confidence.LIKELY)
    elif smi:
        yield _finding((smi.because,), SHARED, Confidence.LIKELY)
    elif monitor := _monitor(facts, tables):
        yield _finding(monitor, SHARED, Confidence.LIKELY)
    elif told := hit(facts, Expression(r"\bNVML\b(?!_)(?![^\n]{0,20}assert)")):
        yield _finding((told.because,), SYMPTOM, Confidence.POSSIBLE)


def _monitor(facts: Facts, tables: Tables) -> tuple[Because, Because] | None:
    """Return a program that lives on NVML and the words that say it shows nothing."""
    program = named(facts, tables, "asks-nvml")
    if program is None or facts.platform.is_jetson.value is False:
        return None
    empty = hit(facts, _EMPTY)
    return (program, empty.because) if empty else None


def _finding(reasons: tuple[Reason, ...], specificity: int, confidence: Confidence) -> Finding:
    return ABOUT.finding(
        "The program asks NVML (or nvidia-smi) for what a Jetson does not answer; CUDA itself is not concerned.",
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        remedy=(
            Remedy(
                text="Check that CUDA works.",
                command="python3 -c 'import torch; print(torch.cuda.is_available(), torch.cuda.get_device_name())'",
            ),
            Remedy(
                text="Switch the program's GPU query off, or take a release that knows Jetson. For load and memory "
                "use these.",
                command="tegrastats\nsudo -H python3 -m pip install -U jetson-stats && jtop",
            ),
        ),
    )


RULE = ABOUT.rule(check)
