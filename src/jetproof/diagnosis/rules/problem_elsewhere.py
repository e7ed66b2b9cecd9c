"""Nothing speaks against torch or the board; what fails is another program's build or file.

Why it matters
    It keeps people from reinstalling what works.

How it is decided
    What fails is a compiler, a linker, CMake or a missing file of another program, and torch is shown to work or
    plays no part.

What to do
    Take the message to that program's project.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, reported
from jetproof.diagnosis.rule import SHARED, SYMPTOM, About, Confidence, Finding, Layer, Remedy, because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD124", name="torch-ok-problem-elsewhere", root_cause="torch-ok-problem-elsewhere", layer=Layer.PROGRAM
)

_BUILD = Expression(
    r"(?i)CMake Error|fatal error: [\w./+-]{1,80}\.(?:h|hpp|cuh)\b|undefined reference to|collect2: error"
    r"|ld returned \d|make(?:\[\d\])?: \*\*\*|ninja: build stopped|error: command '\S{1,80}' failed"
    r"|\berror: (?:expected|invalid|no matching|cannot convert|'\w{1,60}' (?:was not declared|has no member"
    r"|is not a member))|subprocess-exited-with-error|Failed building wheel|cargo|rustc|go build"
    r"|FileNotFoundError|No such file or directory: |ModuleNotFoundError: No module named '(?!torch|numpy"
    r"|tensorrt|bitsandbytes)|ImportError: cannot import name|AttributeError: |KeyError: |ValueError: "
    r"|TypeError: |ConnectionError|NXDOMAIN|manifest unknown|manifest for \S{1,120} not found|pull access denied"
    r"|Name or service not known|name resolution|Failed to establish a new connection|Connection (?:refused"
    r"|reset|timed out)|Read timed out|CERTIFICATE_VERIFY_FAILED|HTTPError|SSLError|\b(?:colcon|catkin|rosdep"
    r"|gstreamer|gst-\w{2,20}|v4l2)\b|No matching distribution found for (?!torch)|ld: cannot find -l"
    r"|file not recognized: File format not recognized|error adding symbols"
)
_WORKS = Expression(
    r"(?i)is_available\W{0,12}[^\n]{0,12}True|\btorch\b[^.\n]{0,40}\b(?:works?|is fine|ok|sees the GPU|True)\b"
    r"|CUDA (?:works|is available|is fine)|GPU (?:works|is fine|is detected)"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    """Yield a finding when what fails is not torch's and not the board's."""
    build, works = hit(facts, _BUILD), hit(facts, _WORKS)
    healthy = facts.torch.available.value is True
    if build is None or not reported(facts) or facts.torch.available.value is False:
        return
    if facts.platform.is_jetson.unknown and not (healthy or works):
        return  # a text that speaks of no board and of no torch says nothing of either
    yield ABOUT.finding(
        "Nothing here speaks against torch or the board; what fails is another program's build or file.",
        because=(build.because, works, because(facts.torch.available) if healthy else None),
        remedy=(
            Remedy(
                text="Leave torch and JetPack as they are; take this message to the project of the program that fails."
            ),
        ),
        specificity=SHARED if healthy or works else SYMPTOM,
        confidence=Confidence.LIKELY if healthy or works else Confidence.POSSIBLE,
    )


RULE = ABOUT.rule(check)
