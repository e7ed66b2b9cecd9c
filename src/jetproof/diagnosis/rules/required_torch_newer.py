"""A package asks for a newer torch than the vendor's newest wheel for this JetPack and Python.

Why it matters
    The requirement cannot be met by a build with CUDA, so the resolver goes elsewhere or gives up.

How it is decided
    A lower bound on torch or torchvision in the report against the newest vendor wheel: 1.10 on JetPack 4, 2.1 on 5,
    2.4 on 6.0, 2.5 on 6.1 and 6.2 (Jetson AI Lab's index goes further), 2.9 on 7.

What to do
    Take an older release of the package, the index that goes further, or a newer JetPack where the module can have it.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit
from jetproof.diagnosis.known import jetpack_major, line, numbers
from jetproof.diagnosis.remedies import vendor_torch
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
)
from jetproof.diagnosis.torch_known import vendor
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts, MessageKind
from jetproof.tables import Tables

ABOUT = About(
    id="JD076",
    name="required-torch-newer-than-vendor-wheel",
    root_cause="required-torch-newer-than-vendor-wheel",
    layer=Layer.TORCH_BUILD,
)

_BOUND = Expression(
    r"(?i)(?<![\w-])(?:py)?torch\s?(?:\(?\s?(?:>=|>|~=|==|≥)\s?|version\s(?:>=|≥|at least)\s?"
    r"|(?:of )?at least )v?(\d{1,2}\.\d{1,2})"
    r"|(?:requires?|needs?|wants?|depends on|minimum|must have"
    r"|at least)\b[^.\n]{0,40}?(?<![\w-])(?:py)?torch\b[^\d\n]{0,16}(\d{1,2}\.\d{1,2})"
    r"|(?<![\w-])(?:py)?torch (\d{1,2}\.\d{1,2})(?:\.\d)?(?: or (?:newer|later|higher|above)|\+| is (?:required"
    r"|needed))"
)
_VISION = Expression(r"(?i)\btorchvision\s?(?:>=|>|~=|==|≥)\s?(0\.\d{1,2})")
_REFUSED = Expression(
    r"(?i)(?:Could not find a version that satisfies the requirement"
    r"|No matching distribution found for) (?:torch"
    r"|torchvision)\b[^\n]{0,20}?(?:[=<>~]{1,2}\s?(\d{1,2}\.\d{1,2}))?"
)
_LACKS = Expression(
    r"No module named 'torch\.\w[\w.]{1,60}'|module 'torch[\w.]{0,40}' has no attribute '\w{2,60}'"
    r"|cannot import name '\w{2,60}' from 'torch[\w.]{0,60}'"
)
_BY_NAME = Expression(r"(?i)\btransformers\b")
_INSTALLED = Expression(r"(?i)but (?:found|you have)\b|Disabling PyTorch|PyTorch >= ?[\d.]+ is required")


def newest(facts: Facts) -> tuple[int, int] | None:
    """Return the newest vendor wheel's release on this JetPack."""
    jetpack = numbers(facts.platform.jetpack.value or "")
    l4t = numbers(facts.platform.l4t.value or "")
    major = jetpack_major(facts)
    if major == 6:
        old = (len(jetpack) > 1 and jetpack < (6, 1)) or (len(l4t) > 1 and l4t < (36, 4))
        return (2, 4) if old else (2, 5)
    return {4: (1, 10), 5: (2, 1), 7: (2, 9)}.get(major or 0)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when a lower bound lies above the vendor's newest wheel."""
    if facts.platform.is_jetson.value is False or hit(facts, _INSTALLED):
        return
    limit = newest(facts)
    refused = hit(facts, _REFUSED)
    for bound, needed in _bounds(facts):
        if limit and needed > limit:
            ended = (line(facts) or None) is not None and jetpack_major(facts) == 4
            yield ABOUT.finding(
                f"What is asked for needs torch {needed[0]}.{needed[1]} or newer; NVIDIA's newest wheel for "
                f"this JetPack is {limit[0]}.{limit[1]}.",
                because=(bound, facts.platform.jetpack),
                remedy=_steps(facts, tables),
                confidence=Confidence.LIKELY,
                specificity=SHARED if ended or not refused else LITERAL,
            )
            return
    own = numbers(facts.torch.torch.value or "")[:2]
    above = next((bound for bound, needed in _bounds(facts) if own and needed > own), None)
    if above and vendor(facts) and not refused:
        yield ABOUT.finding(
            "What is asked for needs a newer torch than the vendor's that is installed.",
            because=(above, facts.torch.torch),
            remedy=_steps(facts, tables),
            confidence=Confidence.POSSIBLE,
            specificity=SYMPTOM,
        )
        return
    lacks = hit(facts, _LACKS)
    if (
        lacks
        and facts.platform.is_jetson.value
        and not facts.torch.transformers.known
        and _BY_NAME.search(lacks.message.text) is None
    ):
        yield ABOUT.finding(
            "A package uses a part of torch that this torch does not have yet.",
            because=(lacks.because, facts.torch.torch),
            remedy=_steps(facts, tables),
            confidence=Confidence.LIKELY,
            specificity=SHARED,
        )
        return
    if refused:
        yield ABOUT.finding(
            "No torch that satisfies the requirement exists for this Python and machine.",
            because=(refused.because,),
            remedy=_steps(facts, tables),
            confidence=Confidence.POSSIBLE,
            specificity=SYMPTOM if limit is None else SHARED,
            missing=("jetpack", "python"),
        )


def _bounds(facts: Facts) -> Iterator[tuple[Because, tuple[int, ...]]]:
    """Yield each lower bound on torch, as the torch release that it needs."""
    for message in facts.messages:
        if message.kind is MessageKind.COMMAND and ".whl" in message.text:
            continue
        for pattern in (_BOUND, _VISION):
            found = pattern.search(message.text)
            if found is None:
                continue
            number = next(group for group in found.groups() if group)
            lead = numbers(number)[:2]
            needed = (2, lead[1] - 15) if pattern is _VISION and lead[1] >= 15 else lead
            quoted = hit(facts, pattern)
            if quoted and len(needed) == 2:
                yield quoted.because, needed


def _steps(facts: Facts, tables: Tables) -> tuple[Remedy, ...]:
    return (
        Remedy(
            text="Take the package's last release that accepts this torch, and install it without touching torch.",
            command="python3 -m pip install --no-deps 'PACKAGE<RELEASE'",
        ),
        *vendor_torch(facts, tables),
        Remedy(text="Or take a newer JetPack, if the module can have it."),
    )


RULE = ABOUT.rule(check)
