"""What is asked for can never run on this module: its line of JetPack has ended.

Why it matters
    Nano, TX1 and TX2 end with JetPack 4.6 (CUDA 10.2, Python 3.6, torch 1.10), Xavier with JetPack 5.1
    (CUDA 11.4, Python 3.8). No wheel and no container brings a newer CUDA to them.

How it is decided
    The module's line against what is wanted: a JetPack, CUDA, Ubuntu or torch of a later generation, or a package
    that needs one. A report that names a pair which cannot exist (TX2 with JetPack 5) holds one wrong fact; that
    alone comes after any fault that is shown.

What to do
    Use releases of that generation, a source build for it, or a newer module.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit
from jetproof.diagnosis.known import jetpack_major, jetpack_reason, line, numbers
from jetproof.diagnosis.packages import package, with_trait
from jetproof.diagnosis.rule import GUESS, LITERAL, SHARED, SYMPTOM, About, Confidence, Finding, Layer, Remedy, because
from jetproof.diagnosis.symptoms import on_cpu
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts, MessageKind
from jetproof.tables import Tables

ABOUT = About(
    id="JD010", name="unsupported-module-for-jetpack", root_cause="unsupported-module-for-jetpack", layer=Layer.MODULE
)

_LAST = {4: ("4.6", "10.2", "3.6", "1.10"), 5: ("5.1", "11.4", "3.8", "2.1")}
_WANT = (
    r"(?i)\b(?:upgrad\w{1,3}|updat\w{1,3}|flash\w{0,3}|mov\w{1,3} to|install\w{0,3}|run\w{0,4}|support\w{0,3}"
    r"|need\w{0,2}|requir\w{1,3}|want\w{0,2}|port\w{0,3}|get\w{0,4}|us(?:e|ing)|for|minimum"
    r"|(?:is|are) there|can I|possible)\b[^.\n]{0,60}?"
)
_LATER = {
    4: Expression(
        _WANT + r"(?:\bJetPack ?[567]\b|\bJP ?[567]\b|\bL4T ?R?3[4-9]\b|\bCUDA ?(?:>=? ?)?1[123]\b"
        r"|\bCUDA ?(?:>=? ?)?1[123]\.|\bUbuntu 2[024]\.04|\bPython ?(?:>=? ?)?3\.(?:[7-9]|1\d)\b"
        r"|\b(?:py)?torch ?(?:>=? ?)?(?:2\.|1\.1[1-9]))"
    ),
    5: Expression(
        _WANT + r"(?:\bJetPack ?[67]\b|\bJP ?[67]\b|\bL4T ?R?3[6-9]\b|\bCUDA(?: \w{1,9}){0,3}[ (]{0,2}"
        r"(?:e\.g\.,? ?)?(?:CUDA )?(?:>=? ?)?1[23]\b|\bUbuntu 2[24]\.04)"
    ),
}
_BARE = {
    4: Expression(
        r"(?i)\bPython ?3\.(?:[7-9]|1\d)\b[^.\n]{0,60}\b(?:needed|required|wanted)\b|\bCUDA ?(?:>=|≥|>) ?1[123]"
        r"|\b(?:py)?torch ?(?:>=|≥|>) ?(?:2\.|1\.1[1-9])|\bJetPack ?(?:>=|≥|>) ?[567]"
        r"|\bJetPack [567](?:\.\d)? (?:or|and) (?:newer|later)"
    ),
    5: Expression(
        r"(?i)\bCUDA ?(?:>=|≥|>) ?1[23]|\bJetPack ?(?:>=|≥|>) ?[67]|\bJetPack [67](?:\.\d)? (?:or|and) (?:newer|later)"
    ),
}
_NEVER = {
    4: Expression(r"(?i)\b(?:JetPack|JP) ?[567]\b|\bCUDA\b\D{0,20}1[123]\b|\bL4T ?R?3[4-9]"),
    5: Expression(r"(?i)\b(?:JetPack|JP) ?[67]\b|\bCUDA\b\D{0,20}1[23]\b|\bL4T ?R?3[6-9]"),
}
"""What no other Python or package could bring."""
_UNSEEN_BY = Expression(r"(?i)\b(?:not|n't|never|cannot|fails? to) (?:detect|find|see|recogni[sz]e|show)\w{0,3}\b")
"""Words that tell of another fault than a release that is wanted."""
_NEWER_TORCH = Expression(r"No module named 'torch\.(?:ao|fx|_dynamo|compiler|export|distributed\.\w{2,30})")
"""Parts of torch that came after the last release for these modules, or that its builds lack."""
_ENDED = Expression(
    r"(?i)\bno (?:suitable|matching|compatible|newer) (?:py)?torch\b|\bonly (?:supports?|has"
    r"|comes with) Python ?3\.[68]\b"
    r"|\b(?:goes|go|get|up) (?:only )?(?:up )?to JetPack [45][\d.]{0,4} (?:only|at most)\b"
    r"|\b(?:JetPack|L4T)(?: support)?\b[^.\n]{0,40}\b(?:ends?(?! with)|ended|stops?"
    r"|stopped)\b|\b(?:no longer|not|never|un)[- ]?(?:be )?(?:supported|supports?|available"
    r"|released)\b[^.\n]{0,60}\b(?:Nano|TX[12]|Xavier)\b|\b(?:Nano|TX[12]"
    r"|Xavier)\b[^.\n]{0,60}\b(?:end[- ]of[- ]life|EOL|not supported|unsupported|no longer supported"
    r"|stops? at)\b"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when the module's line cannot have what is asked."""
    found = line(facts)
    if found is None or found.last_jetpack not in _LAST:
        return
    jetpack, cuda, python, torch = _LAST[found.last_jetpack]
    ends = f"{found.name} ends with JetPack {jetpack}: CUDA {cuda}, Python {python}, NVIDIA's torch {torch}"
    remedy = (
        Remedy(
            text=f"Take releases that still support Python {python} and torch {torch}, or NVIDIA's image of that "
            "generation."
        ),
        Remedy(text="What needs a newer CUDA needs a newer module (Orin or Thor)."),
    )
    wish = (
        hit(facts, _NEWER_TORCH)
        or hit(facts, _LATER[found.last_jetpack])
        or hit(facts, _BARE[found.last_jetpack])
        or hit(facts, _ENDED)
    )
    major = jetpack_major(facts)
    impossible = major is not None and major > found.last_jetpack
    board = because(facts.platform.model)
    if wish and not impossible:
        yield ABOUT.finding(
            f"What is asked for needs more than this module can have. {ends}.",
            because=(board, wish.because),
            remedy=remedy,
            specificity=LITERAL
            if _NEVER[found.last_jetpack].search(wish.because.value) and not _errors(facts)
            else SHARED,
        )
    elif impossible:
        yield ABOUT.finding(
            f"{ends}; JetPack {major} cannot be on it, so one of the stated facts is wrong or this is another module.",
            because=(board, jetpack_reason(facts)),
            remedy=remedy,
            confidence=Confidence.POSSIBLE,
            specificity=GUESS,
            missing=("platform.module_part_number", "l4t"),
        )
    elif _package_beside_last_torch(facts, tables, torch, found.last_jetpack):
        yield ABOUT.finding(
            f"The package asks for a newer torch than this module can have. {ends}.",
            because=(board, because(facts.torch.torch)),
            remedy=remedy,
            specificity=SYMPTOM,
            missing=("requirement",),
        )


def _errors(facts: Facts) -> bool:
    return any(message.kind in (MessageKind.ERROR, MessageKind.OUTPUT) for message in facts.messages)


def _package_beside_last_torch(facts: Facts, tables: Tables, last: str, jetpack: int) -> bool:
    """Whether a package on top of torch is named, torch is the line's last, and no error says what else is wrong."""
    given = package(facts)
    if given is None or with_trait(tables, "cpu-wheel").search(given.text):
        return False
    torch = facts.torch.torch.value
    if torch is None and (facts.torch.available.value is False or on_cpu(facts) or hit(facts, _UNSEEN_BY)):
        return False
    if (torch is None and jetpack > 4) or (torch is not None and numbers(torch)[:2] < numbers(last)):
        return False
    return not _errors(facts)


RULE = ABOUT.rule(check)
