"""The installed torch was built without CUDA.

Why it matters
    It imports cleanly and reports no GPU, which looks like a driver fault. On aarch64 the default index served builds
    without CUDA up to torch 2.10; community wheels and conda packages often hold none either.

How it is decided
    torch.version.cuda is None or the release says +cpu: certain, and no GPU is needed to know it. Else: no GPU is
    seen and the build comes from an index, a channel or a person that makes no Jetson builds. On another machine that
    shows no NVIDIA GPU (no driver, no device node) it is a note. If a torch with CUDA was there before and a resolver
    replaced it, that is another rule.

What to do
    Install the build for this JetPack and Python, and constrain it.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import SAID, hit, reported, signature
from jetproof.diagnosis.known import driver_cuda, in_container, numbers, nvidia_gpu
from jetproof.diagnosis.packages import named
from jetproof.diagnosis.remedies import vendor_torch
from jetproof.diagnosis.rule import (
    GUESS,
    LITERAL,
    SHARED,
    SYMPTOM,
    About,
    Confidence,
    Finding,
    Layer,
    Reason,
    Severity,
    because,
)
from jetproof.diagnosis.symptoms import on_cpu
from jetproof.diagnosis.torch_known import (
    FIRST_CUDA_ON_PYPI,
    cpu_build,
    generic,
    index_with_cuda,
    pypi_cpu,
    pypi_release,
    two_torches,
    vendor,
    wanted_cuda,
)
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts, MessageKind
from jetproof.tables import Tables

ABOUT = About(id="JD070", name="torch-cpu-build", root_cause="torch-cpu-build", layer=Layer.TORCH_BUILD)

_SAYS_SO = Expression(
    r"(?i)Torch not compiled with CUDA|\bwithout (?:GPU|CUDA)(?: support)?\b|\bno (?:CUDA|GPU)\b"
    r"|\bnot (?:CUDA|GPU)[- ]enabled\b"
    r"|torch\.cuda\.is_available\W{0,12}(?:returns? |is |= ?|==? ?|gives |still )?\W{0,3}False"
)
_TORCH = Expression(r"(?i)\b(?:py)?torch\b")
_RAISED = Expression(
    r"(?i)(?:Runtime|Assertion|Value)Error\b[^\n]{0,40}\b(?:CUDA|GPU) (?:is )?not available"
    r"|Neither CUDA nor \w{3,5} (?:is|are) available"
)
"""What Python programs say who ask torch."""
_NO_KERNELS = Expression(r"(?i)no kernel image|CUDA capability sm_\d|undefined symbol|cannot open shared object")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when torch holds no CUDA."""
    torch = facts.torch
    if torch.available.value is True or two_torches(facts):
        return
    certain = cpu_build(facts) or (found.because if (found := signature(facts, tables, "cpu-only-torch")) else None)
    if certain and facts.platform.is_jetson.value is False and not reported(facts) and nvidia_gpu(facts) is None:
        yield ABOUT.finding(
            "torch was built without CUDA; this machine shows no NVIDIA GPU, so nothing is lost.",
            because=(certain,),
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            specificity=LITERAL,
        )
        return
    if certain:
        yield _finding(
            facts,
            tables,
            (certain, torch.available),
            LITERAL,
            Confidence.CERTAIN,
        )
        return
    if _wants_more_than_driver(facts, tables) or torch.torch_cuda.known:
        return
    blind = because(torch.available) if torch.available.value is False else None
    said = hit(facts, _SAYS_SO) or on_cpu(facts)
    symptom = blind or (said)
    source = generic(facts)
    default = pypi_cpu(facts)
    if hit(facts, _NO_KERNELS) and not blind:
        return
    if source and symptom and vendor(facts) is None:
        yield _finding(facts, tables, (symptom, source, default), SHARED, Confidence.LIKELY)
    elif default:
        yield _finding(facts, tables, (default, source), SHARED, Confidence.LIKELY)
    elif source and torch.torch_source.known and not (vendor(facts) or index_with_cuda(facts)) and not _errors(facts):
        yield _finding(facts, tables, (source,), SYMPTOM, Confidence.POSSIBLE)
    elif symptom and _about_torch(facts, tables):
        known_cuda = vendor(facts)
        plain = pypi_release(facts) and numbers(torch.torch.value or "") < FIRST_CUDA_ON_PYPI
        usual = SHARED if plain else SYMPTOM if not known_cuda and not in_container(facts) else GUESS
        yield _finding(facts, tables, (symptom, known_cuda), usual, Confidence.POSSIBLE)


def _errors(facts: Facts) -> bool:
    return any(message.kind is MessageKind.ERROR for message in facts.messages)


def _about_torch(facts: Facts, tables: Tables) -> bool:
    return (
        facts.torch.available.known
        or facts.torch.torch.known
        or hit(facts, _TORCH) is not None
        or hit(facts, _RAISED, *SAID) is not None
        or named(facts, tables, "on-torch") is not None
    )


def _wants_more_than_driver(facts: Facts, tables: Tables) -> bool:
    wanted, driver = wanted_cuda(facts), driver_cuda(facts, tables)
    return bool(wanted and driver and numbers(wanted.value)[:1] > numbers(driver.value)[:1])


def _finding(
    facts: Facts, tables: Tables, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence
) -> Finding:
    return ABOUT.finding(
        "The installed torch was built without CUDA, so it can never see the GPU.",
        because=reasons,
        remedy=vendor_torch(facts, tables),
        specificity=specificity,
        confidence=confidence,
        missing=() if specificity == LITERAL else ("torch.version.cuda",),
    )


RULE = ABOUT.rule(check)
