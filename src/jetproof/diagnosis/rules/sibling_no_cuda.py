"""Another package from the default index has no CUDA on aarch64; torch plays no part.

Why it matters
    CTranslate2, ONNX Runtime, OpenCV, jaxlib, llama-cpp-python and others publish aarch64 wheels for the CPU alone.

How it is decided
    The package says that it was compiled without CUDA, or lists its providers without CUDA's, while torch is not
    concerned.

What to do
    Build the package with CUDA for the board, or take NVIDIA's or the Jetson index's wheel.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import Hit, signed
from jetproof.diagnosis.packages import with_trait
from jetproof.diagnosis.rule import LITERAL, SHARED, SYMPTOM, About, Confidence, Finding, Layer, Remedy
from jetproof.diagnosis.symptoms import on_cpu
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD099", name="sibling-wheel-no-cuda", root_cause="sibling-wheel-no-cuda", layer=Layer.NEIGHBOURS)


_STEPS = (
    Remedy(
        text="See whether the Jetson index has it with CUDA.",
        command="python3 -m pip download --no-deps PACKAGE --index-url https://pypi.jetson-ai-lab.io/jp6/cu126",
    ),
    Remedy(text="Else build it from source with CUDA switched on, for the board's compute capability."),
)
_FROM_INDEX = Expression(r"(?i)\bPyPI\b|\bpip3? install\b|\bdefault index\b|\bpip wheel\b|\bby pip\b|\bfrom pip\b")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when another package's wheel has no CUDA."""
    found = signed(facts, tables, ABOUT)
    if found:
        yield ABOUT.finding(
            "Another package's wheel has no CUDA on aarch64; torch plays no part in it.",
            because=(found.because,),
            remedy=_STEPS,
            confidence=Confidence.CERTAIN,
            specificity=LITERAL,
        )
        return
    names = with_trait(tables, "cpu-wheel")
    for message in facts.messages:
        named = names.search(message.text)
        if (
            named
            and (message.member == "package" or _FROM_INDEX.search(message.text))
            and ((message.member == "package" and _FROM_INDEX.search(message.text)) or on_cpu(facts))
            and facts.platform.is_jetson.value is not False
        ):
            yield ABOUT.finding(
                "The default index's aarch64 wheel of this package has no CUDA; torch plays no part in it.",
                because=(Hit(match=named, message=message).because,),
                remedy=_STEPS,
                confidence=Confidence.LIKELY,
                specificity=_specificity(facts, tables, message.text),
            )
            return


def _specificity(facts: Facts, tables: Tables, text: str) -> int:
    """Return how much it says: most where torch works and the package has no switch that could be unset."""
    if facts.torch.available.value is False:
        return SYMPTOM
    return LITERAL if facts.torch.available.value and not with_trait(tables, "backend-switch").search(text) else SHARED


RULE = ABOUT.rule(check)
