"""A tool's own table does not have this JetPack or L4T release, and the tool stops or falls back.

Why it matters
    CUDA works; the tool compares release strings with a list that was written before this release.

How it is decided
    The tool says so: unsupported JetPack, not in the allowed list, not detected. A mere warning beside a fatal error
    is not the cause.

What to do
    Update the tool, or tell it the release by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import signed
from jetproof.diagnosis.rule import LITERAL, SYMPTOM, About, Confidence, Finding, Layer, Remedy, Severity
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD121", name="unsupported-jetpack-in-tool", root_cause="unsupported-jetpack-in-tool", layer=Layer.PROGRAM
)

_WARNING = Expression(r"(?i)\bwarn(?:ing)?\b")
_FATAL = Expression(r"(?i)Traceback|\berror\b|\bfatal\b|cannot open shared|core dumped|CUDA error|Killed")
_STOPS = Expression(
    r"(?i)\b(?:fall(?:s|ing)? ?back|CPU|exit(?:s|ing|ed)?|abort(?:s|ed|ing)?|stop(?:s|ped)?|refus(?:es|ed)"
    r"|skipp(?:ed|ing)|will not|won't|cannot|GPU may not)\b"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when a tool's list of releases is too short."""
    found = signed(facts, tables, ABOUT)
    if found is None:
        return
    line = found.because.value
    beside = [message for message in facts.messages if message is not found.message and _FATAL.search(message.text)]
    rest = found.message.text.replace(found.match.group(0), "")
    mere = bool(_WARNING.search(line)) and (bool(beside) or bool(_FATAL.search(rest.replace(line, ""))))
    l4t = facts.platform.l4t
    yield ABOUT.finding(
        "A tool does not know this JetPack or L4T release; CUDA itself is not concerned.",
        because=(found.because, l4t),
        remedy=(
            Remedy(text="Update the tool; its list of releases is older than this board's."),
            Remedy(
                text="Many tools take the release from a variable, e.g. these.",
                command="export JETSON_JETPACK=6\nexport L4T_VERSION=$(sed -n 's/^# R\\([0-9]*\\).*REVISION: "
                "\\([0-9.]*\\).*/\\1.\\2/p' /etc/nv_tegra_release)",
            ),
        ),
        severity=Severity.WARNING if mere else Severity.BLOCKING,
        confidence=Confidence.LIKELY if not mere or _STOPS.search(found.message.text) else Confidence.POSSIBLE,
        specificity=SYMPTOM if mere else LITERAL,
    )


RULE = ABOUT.rule(check)
