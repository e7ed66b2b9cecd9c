"""A server build of cuBLAS is loaded instead of JetPack's: creating its handle fails although memory is free.

Why it matters
    "The resource allocation failed" reads like lack of memory. The library came with a bundle or from a generic build
    image and does not fit the integrated GPU.

How it is decided
    Creating the cuBLAS handle fails, no data was being allocated, or the process maps a libcublas that is not
    JetPack's.

What to do
    Use the program's bundle for this JetPack, or let it load JetPack's cuBLAS.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signed
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Confidence, Finding, Layer, Remedy
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD032", name="sbsa-cuda-libs-on-tegra", root_cause="sbsa-cuda-libs-on-tegra", layer=Layer.TORCH_LIBRARIES
)

_MAPS = Expression(
    r"(?i)/(?:opt|usr/lib|usr/local/lib|home|root)/\S{0,120}(?:ollama|bundle|site-packages/nvidia|cuda_v\d\d"
    r"|sbsa)\S{0,80}libcublas\S{0,30}|/proc/\S{0,20}/maps[^\n]{0,200}libcublas|sbsa-linux/lib/libcublas"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when a foreign cuBLAS fails to start."""
    literal = signed(facts, tables, ABOUT)
    maps = hit(facts, _MAPS)
    if literal is None and (maps is None or hit(facts, Expression(r"(?i)fail|error")) is None):
        return
    yield ABOUT.finding(
        "A cuBLAS that is not JetPack's was loaded; creating its handle fails, which is no lack of memory.",
        because=(literal, maps),
        remedy=(
            Remedy(
                text="See which cuBLAS the process maps.",
                command="grep -E 'libcublas' /proc/$(pgrep -n PROGRAM)/maps | awk '{print $6}' | sort -u",
            ),
            Remedy(
                text="Take the program's build for this JetPack, or build it on an L4T image; then JetPack's library "
                "is the only one.",
                command="sudo ldconfig -p | grep libcublas",
            ),
        ),
        specificity=LITERAL if literal else SHARED,
        confidence=Confidence.LIKELY,
        missing=() if maps else ("/proc/PID/maps of the program",),
    )


RULE = ABOUT.rule(check)
