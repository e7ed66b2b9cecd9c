"""The wanted release of a package does not support JetPack's Python, so it cannot be installed.

Why it matters
    JetPack 4 has Python 3.6, JetPack 5 3.8, JetPack 6 3.10. A package that asks for more has no release for it; another
    Python would mean giving up the vendor's torch, which exists for that one only.

How it is decided
    Requires-Python in pip's or uv's answer, no release found while pip lists only older ones, or syntax that the
    interpreter does not know.

What to do
    Take the last release that supports this Python, or a newer JetPack if the module can have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signature
from jetproof.diagnosis.known import jetpack_major, numbers, vendor_python
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
    Remedy,
)
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD061", name="python-too-old-for-package", root_cause="python-too-old-for-package", layer=Layer.INTERPRETER
)

_REQUIRES = Expression(
    r"(?i)requires a different Python|Requires-Python|Python requirement\b|requires[- ]python\b"
    r"|not in ['\"]?[<>=~!]{1,2} ?3\.\d|(?:does not satisfy|doesn't satisfy|incompatible with) Python ?[<>=~!]"
    r"|requires Python ?['\"(]?[<>=~!]{0,2} ?3\.\d{1,2}|Python ?(?:>=|≥|>) ?3\.\d{1,2}\b"
    r"|Python 3\.\d{1,2}(?:\.\d{1,2})?(?:\+| or (?:later|newer|higher|above)) (?:is )?(?:required|needed)"
    r"|Python 3\.\d{1,2}(?:\.\d)? required by|needs (?:at least )?Python 3\.\d{1,2}|(?:dropped|drops"
    r"|no longer supports?|does(?:n't| not) support)[^.\n]{0,20}Python 3\.\d{1,2}"
    r"|\b(?:no|not|n't|cannot)\b[^.\n]{0,60}\binstall\w{0,5} (?:for|on|with|under|in) Python 3\.\d{1,2}"
    r"|\bPython\b[^.\n]{0,40}\b(?:is|was|are) too old\b(?!\?)|Package requires Python"
    r"|\bPython 3\.\d{1,2}\b[^.\n]{0,60}\b(?:needs|requires|wants) (?:at least )?3\.\d{1,2}\b"
    r"|only supports? Python 3\.\d{1,2}|minimum (?:supported )?Python"
    r"|no (?:release"
    r"|version|wheel)s? (?:of \S{1,30} )?(?:for|fits?|supports?)[^.\n]{0,20}Python 3\.\d{1,2}"
)
_SYNTAX = Expression(
    r"future feature annotations is not defined|SyntaxError: (?:invalid syntax|f-string|unexpected)"
    r"|'type' object is not subscriptable|unsupported operand type\(s\) for \|: 'type'"
    r"|No module named 'dataclasses'|cannot import name '(?:Literal|TypedDict|Self|override|ParamSpec|TypeAlias"
    r"|Annotated|cached_property)' from|No module named '(?:tomllib|zoneinfo|importlib\.metadata)'"
)
_NONE = Expression(
    r"(?i)Could not find a version that satisfies the requirement (?!torch\b|torchvision\b"
    r"|torchaudio\b)(\S{1,80})|No matching distribution found for (?!torch\b|torchvision\b"
    r"|torchaudio\b)(\S{1,80})"
)
_NEEDS = Expression(
    r"(?i)\b(?:needs?|requires?|requiring|wants?)\b[^.\n]{0,20}\bPython ?(3\.\d{1,2})"
    r"|\bPython ?(3\.\d{1,2})[^.\n]{0,20}\b(?:needed|required)\b"
)
_TORCH = Expression(r"(?i)\btorch(?:vision|audio)?\b")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when a package's releases exclude this Python."""
    requires = hit(facts, _REQUIRES)
    syntax = hit(facts, _SYNTAX)
    none = hit(facts, _NONE)
    impossible = signature(facts, tables, "resolution-impossible")
    python = facts.torch.python
    major = jetpack_major(facts)
    old = (major or 9) <= 5 or bool(
        facts.torch.python.value and facts.torch.python.value.startswith(("3.6", "3.7", "3.8"))
    )
    if requires and (none or impossible or not _about_torch(requires.match)):
        yield _finding(facts, tables, (requires.because, none, python), LITERAL, Confidence.LIKELY)
    elif none and (old or _listed(none.message.text)):
        yield _finding(facts, tables, (none.because, python), SHARED, Confidence.LIKELY)
    elif syntax and old:
        yield _finding(facts, tables, (syntax.because, python), SHARED, Confidence.LIKELY)
    elif (needs := hit(facts, _NEEDS)) and _above(facts, tables, needs.match.group(1) or needs.match.group(2)):
        yield _finding(facts, tables, (needs.because, python), SHARED, Confidence.LIKELY)
    elif none:
        yield _finding(facts, tables, (none.because, python), GUESS, Confidence.POSSIBLE)
    elif impossible and not _TORCH.search(impossible.message.text):
        yield _finding(facts, tables, (impossible.because, python), SYMPTOM, Confidence.POSSIBLE)


def _above(facts: Facts, tables: Tables, wanted: str) -> bool:
    """Whether this Python, else the one that JetPack brings, is older."""
    own = facts.torch.python.value or vendor_python(facts, tables)
    return own is not None and numbers(own)[:2] < numbers(wanted)


def _listed(text: str) -> bool:
    """Whether pip lists releases that this Python could have: the wanted one is then among those that it cannot."""
    return bool(re.search(r"\(from versions: (?!none)[\d]", text))


def _about_torch(found: re.Match[str]) -> bool:
    clause = re.split(r"\n|;|\.\s", found.string[max(0, found.start() - 80) : found.start()])[-1]
    return bool(re.search(r"(?i)\btorch(?:vision|audio)?[ =<>~-]", clause))


def _finding(
    facts: Facts, tables: Tables, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence
) -> Finding:
    own = facts.torch.python.value or vendor_python(facts, tables) or "3.X"
    short = ".".join(own.split(".")[:2])
    return ABOUT.finding(
        f"The wanted release does not support Python {short}, which is JetPack's interpreter here.",
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        remedy=(
            Remedy(
                text=f"See which releases support Python {short} and take the last of them.",
                command=f"python3 -m pip index versions PACKAGE --python-version {short}",
            ),
            Remedy(
                text="Or take a JetPack with a newer Python, if the module can have it (6: 3.10, 7: 3.12); another "
                "Python on this JetPack loses the vendor's torch."
            ),
        ),
        missing=() if facts.torch.python.known else ("python",),
    )


RULE = ABOUT.rule(check)
