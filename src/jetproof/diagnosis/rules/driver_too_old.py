"""The program asks for a newer CUDA than this L4T's driver speaks, and refuses at its start.

Why it matters
    On a Jetson the driver is part of L4T: 11.4 on JetPack 5, 12.2 on 6.0, 12.6 on 6.1 and 6.2, 13.0 on 7.0 and 7.1,
    13.2 on 7.2. PyPI's aarch64 torch is CUDA 13 from 2.11 on, so a plain install on JetPack 6 ends here.

How it is decided
    torch.version.cuda against the number in "found version NNNNN" or cuDriverGetVersion, or the program's own
    refusal. If it starts and fails later, that is another rule.

What to do
    Install the build for this JetPack. Never update the driver alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, reported, signature
from jetproof.diagnosis.known import driver_cuda, in_container, numbers
from jetproof.diagnosis.remedies import NEVER_THE_DRIVER, vendor_torch
from jetproof.diagnosis.rule import (
    LITERAL,
    SHARED,
    SYMPTOM,
    About,
    Confidence,
    Finding,
    Layer,
    Reason,
    Remedy,
    Severity,
)
from jetproof.diagnosis.torch_known import two_torches, wanted_cuda
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD072", name="driver-too-old-for-cuda", root_cause="driver-too-old-for-cuda", layer=Layer.TORCH_BUILD)

_REFUSED = Expression(
    r"(?i)driver\b[^\n]{0,80}\b(?:is )?too old|Required: driver version|(?:requires?"
    r"|needs?)\b[^.\n]{0,30}\b(?:driver|CUDA)\b[^.\n]{0,20}(?:>=|≥|or newer|at least)[^.\n]{0,40}"
    r"|minimum (?:required )?driver|driver version[^\n]{0,60}(?:not supported|unsupported|below)"
    r"|forward compatibility was attempted on non supported HW"
    r"|error 803|system has unsupported display driver / cuda driver combination|\berror(?: code)?:? 35\b"
)
_LATER = Expression(r"CUBLAS_STATUS|UNSUPPORTED_PTX|no kernel image")
_801 = Expression(r"(?i)cudaErrorNotSupported|error(?: code)?:? 801\b|operation not supported")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when CUDA asks for more than the driver."""
    if two_torches(facts) and facts.torch.available.value is not True and facts.platform.is_jetson.value is not False:
        return
    literal = signature(facts, tables, "driver-too-old", "driver-requirement-refused") or hit(facts, _REFUSED)
    insufficient = signature(facts, tables, "driver-insufficient")
    wanted, driver = wanted_cuda(facts), driver_cuda(facts, tables)
    newer = bool(wanted and driver and numbers(wanted.value)[:1] > numbers(driver.value)[:1])
    minor = bool(wanted and driver and numbers(wanted.value)[:2] > numbers(driver.value)[:2])
    pair = (wanted, driver) if minor else (None, driver)
    if literal:
        yield _finding(facts, tables, (literal.because, *pair), LITERAL, Confidence.CERTAIN)
    elif newer and facts.torch.available.value is not True:
        blind = facts.torch.available
        later = hit(facts, _LATER)
        yield _finding(
            facts,
            tables,
            (*pair, blind),
            SHARED if later else LITERAL,
            Confidence.LIKELY if reported(facts) else Confidence.CERTAIN,
        )
    elif insufficient:
        alone = not in_container(facts)
        yield _finding(
            facts,
            tables,
            (insufficient.because, *pair),
            SHARED if alone else SYMPTOM,
            Confidence.LIKELY if alone else Confidence.POSSIBLE,
        )
    elif minor and facts.torch.available.value is False:
        yield _finding(facts, tables, pair, SHARED, Confidence.POSSIBLE)
    elif refused := hit(facts, _801):
        yield _finding(facts, tables, (refused.because, driver), SYMPTOM, Confidence.POSSIBLE)


def _finding(
    facts: Facts, tables: Tables, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence
) -> Finding:
    driver = driver_cuda(facts, tables)
    serves = f" The driver serves CUDA {driver.value}." if driver else ""
    other = Remedy(text="If it is not torch: take the program's release for this CUDA.")
    return ABOUT.finding(
        f"The program asks for a newer CUDA than this driver speaks.{serves}",
        because=reasons,
        remedy=(*vendor_torch(facts, tables), other, NEVER_THE_DRIVER),
        severity=Severity.BLOCKING,
        specificity=specificity,
        confidence=confidence,
        missing=() if specificity == LITERAL else ("torch.version.cuda", "cuda.driver"),
    )


RULE = ABOUT.rule(check)
