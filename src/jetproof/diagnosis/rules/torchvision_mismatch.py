"""torchvision does not pair with this torch: it was compiled for another, or without CUDA.

Why it matters
    PyPI's torchvision beside a vendor torch imports with a failure to register its operators, or only fails at the
    first nms.

How it is decided
    "torchvision::nms does not exist" or a missing operator at import: releases that do not pair. "only available for
    CPU" or "arguments from the 'CUDA' backend": a torchvision without CUDA. Two different site directories settle it.

What to do
    Install the torchvision of the same index as torch, or build it.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import SAID, TOLD, hit, signed
from jetproof.diagnosis.known import numbers
from jetproof.diagnosis.remedies import python_command
from jetproof.diagnosis.rule import (
    LITERAL,
    SHARED,
    SYMPTOM,
    About,
    Because,
    Confidence,
    Finding,
    Layer,
    Remedy,
    because,
)
from jetproof.diagnosis.torch_known import vendor
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts, Outcome
from jetproof.tables import Tables
from jetproof.tables.sources import PAIRED_VISION

ABOUT = About(id="JD090", name="torchvision-mismatch", root_cause="torchvision-mismatch", layer=Layer.NEIGHBOURS)

_FRAME = Expression(
    r"/torchvision/[^\"\n]{1,120}\", line \d{1,6}[^\n]{0,200}\n(?:[^\n]{0,300}\n){0,2}?\s{0,20}"
    r"((?:AttributeError: module 'torch|ImportError: cannot import name '\w{1,60}' from 'torch\b"
    r"|ModuleNotFoundError: No module named 'torch\.)[^\n]{0,200})"
)
"""torchvision's own file asks torch for what it does not have."""
_NMS = Expression(
    r"(?i)\bnms\b[^\n]{0,60}(?:does not exist|not (?:found|implemented|registered|available)|missing|CPU"
    r"|CUDA' backend)|(?:no|missing|without) (?:the )?(?:operator |op )?nms\b"
    r"|Could not run '\w{2,30}::\w{2,30}' with arguments from the 'CUDA' backend"
    r"|\berror\b[^\n]{0,40}\btorchvision::\w{2,30}"
)
_IMAGE = Expression(r"Failed to load image Python extension")
"""A mere warning where the pair fits; beside a torch made for Jetson it tells of a torchvision that is not."""


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when the pair does not fit."""
    literal = signed(facts, tables, ABOUT)
    torch, vision = facts.torch.torch, facts.torch.torchvision
    unpaired = _unpaired(torch.value, vision.value)
    pair = (because(torch), because(vision)) if unpaired else (None, None)
    trial = facts.torch.trial("torchvision nms")
    split = _two_places(facts)
    if literal:
        yield _finding(facts, (literal.because, *pair, *split), LITERAL, Confidence.CERTAIN)
    elif trial is not None and trial.outcome in (Outcome.FAILED, Outcome.CRASHED):
        reason = Because(
            fact="torchvision nms", value=trial.message or trial.outcome.value, read_from="trial: torchvision nms"
        )
        yield _finding(facts, (reason, *pair, *split), LITERAL, Confidence.CERTAIN)
    elif asked := _asked(facts):
        yield _finding(facts, (asked, *pair), LITERAL, Confidence.LIKELY)
    elif nms := hit(facts, _NMS):
        yield _finding(facts, (nms.because, *pair), LITERAL, Confidence.LIKELY)
    elif unpaired:
        yield _finding(facts, (*pair, *split), SHARED, Confidence.LIKELY)
    elif (image := hit(facts, _IMAGE)) and (own := vendor(facts)):
        yield _finding(facts, (image.because, own), SHARED, Confidence.LIKELY)
    elif told := hit(
        facts,
        Expression(
            r"(?i)\btorchvision\b[^.\n]{0,60}\b(?:mismatch|incompatib|not compatib|wrong|CPU|does(?:n't| not) match"
            r"|different)|\b(?:problem|trouble|fail\w{0,3}|unable|can ?(?:not|'t))\b[^.\n]{0,30}\btorch(?:vision)? "
            r"(?:and|with|&) torch(?:vision)?\b[^.\n]{0,40}\b(?:together|each other)\b"
        ),
        *TOLD,
    ):
        yield _finding(facts, (told.because,), SYMPTOM, Confidence.POSSIBLE)


def _asked(facts: Facts) -> Because | None:
    """Return what torchvision misses in torch; a traceback can be cut into several texts."""
    said = [message for message in facts.messages if message.kind in SAID]
    found = _FRAME.search("\n".join(message.text for message in said))
    return Because(fact="error", value=found.group(1), read_from=said[0].read_from) if found else None


def _unpaired(torch: str | None, vision: str | None) -> bool:
    if torch is None or vision is None:
        return False
    lead, other = numbers(torch)[:2], numbers(vision)[:2]
    return len(lead) == 2 and len(other) == 2 and lead in PAIRED_VISION and other != (0, PAIRED_VISION[lead])


def _two_places(facts: Facts) -> tuple[Because, ...]:
    active = {held.name: held for held in facts.torch.installs if held.active and held.name in ("torch", "torchvision")}
    if len(active) == 2 and active["torch"].location != active["torchvision"].location:
        return tuple(Because(fact=name, value=held.release, read_from=held.location) for name, held in active.items())
    return ()


def _finding(facts: Facts, reasons: tuple[Because | None, ...], specificity: int, confidence: Confidence) -> Finding:
    torch = facts.torch.torch.value
    lead = numbers(torch)[:2] if torch else ()
    wanted = f"0.{PAIRED_VISION[lead]}" if lead in PAIRED_VISION else "0.X"
    python = python_command(facts)
    return ABOUT.finding(
        "torchvision does not pair with this torch.",
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        remedy=(
            Remedy(
                text="See which pair is loaded, and from where.",
                command=f"{python} -c 'import torch, torchvision; print(torch.__version__, torch.__file__, "
                "torchvision.__version__, torchvision.__file__)'",
            ),
            Remedy(
                text=f"Install torchvision {wanted} from where torch came from (no index but that one).",
                command=f"{python} -m pip uninstall -y torchvision && {python} -m pip install --no-deps "
                f"'torchvision=={wanted}.*' --index-url INDEX_OF_TORCH",
            ),
            Remedy(
                text="Where there is none, build it against the installed torch.",
                command=f"git clone --branch v{wanted}.0 --depth 1 https://github.com/pytorch/vision && cd vision && "
                f"FORCE_CUDA=1 {python} -m pip install --no-build-isolation --no-deps .",
            ),
        ),
        missing=() if facts.torch.torchvision.known else ("torchvision", "torchvision.__file__"),
    )


RULE = ABOUT.rule(check)
