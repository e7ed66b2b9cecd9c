"""What a report can stand for besides the cause that was found and what tells them apart; what is usual where none was.

Only for reports: a machine is asked for the facts themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jetproof.diagnosis.evidence import SAID, TYPED, exact, hit, reported
from jetproof.diagnosis.known import capability, numbers, vendor_python
from jetproof.diagnosis.packages import package, with_trait
from jetproof.diagnosis.rule import GUESS, Because, Confidence, Finding, Layer, Remedy, Rule, Severity, because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

_MOST = 3
"""Causes that a diagnosis of a report names, at least as far as there are neighbours."""


_NO_WHEEL = "wrong-python-tag"
_TORCH = Expression(r"(?i)\b(?:py)?torch\b")
_ELSEWHERE = "torch-ok-problem-elsewhere"
_OF_ONE_GPU = {"torch-sbsa-wheel-no-sm87": "8.7", "torch-wheel-no-sm110": "11.0"}
"""Causes that a GPU of another compute capability cannot have."""
_CHECK = "python3 -c 'import torch; print(torch.version.cuda, torch.cuda.is_available())'"
_USUAL = (
    (
        "cpu-wheel",
        "sibling-wheel-no-cuda",
        "What usually ails this package on a Jetson: its aarch64 wheel has no CUDA.",
    ),
    ("asks-nvml", "nvml-missing", "What usually ails this program on a Jetson: it asks NVML, which does not answer."),
    (
        "backend-switch",
        "app-backend-not-selected",
        "What usually ails this program on a Jetson: its backend is not set.",
    ),
)


def alternatives(
    facts: Facts, tables: Tables, findings: Sequence[Finding], rules: Sequence[Rule]
) -> tuple[Finding, ...]:
    """Return notes on what else it can be, the likeliest first, unless the first finding is certain."""
    named = {finding.root_cause for finding in findings}
    gpu = capability(facts)
    blocking = [finding for finding in findings if finding.severity is Severity.BLOCKING]
    if not reported(facts) or len(named) >= _MOST or (blocking and blocking[0].confidence is Confidence.CERTAIN):
        return ()
    if not blocking and named:
        return ()
    ids = {rule.name: rule.id for rule in rules}
    found: dict[str, Finding] = {}
    for cause, message, look, why in _candidates(facts, tables, blocking):
        if gpu is not None and _OF_ONE_GPU.get(cause, gpu) != gpu:
            continue
        if cause not in named and cause not in found and cause in ids and len(named) + len(found) < _MOST:
            found[cause] = Finding(
                rule=ids[cause],
                name=cause,
                root_cause=cause,
                layer=Layer.PROGRAM,
                severity=Severity.NOTE,
                confidence=Confidence.POSSIBLE,
                message=message,
                because=why,
                remedy=(Remedy(text="This shows it.", command=look),) if look else (),
                specificity=GUESS,
            )
    return tuple(found.values())


def usual(facts: Facts, tables: Tables, rules: Sequence[Rule]) -> tuple[Finding, ...]:
    """Return what is usual for what a report about a Jetson names, where no rule found anything."""
    if not reported(facts) or facts.platform.is_jetson.value is False:
        return ()
    ids = {rule.name: rule.id for rule in rules}
    told = _of_package(facts, tables) or (_of_board(facts, tables) if facts.platform.is_jetson.value else None)
    if told is None or told[0] not in ids:
        return ()
    cause, message, why = told
    return (
        Finding(
            rule=ids[cause],
            name=cause,
            root_cause=cause,
            layer=Layer.PROGRAM,
            severity=Severity.BLOCKING,
            confidence=Confidence.POSSIBLE,
            message=message,
            because=(why,),
            remedy=(
                Remedy(
                    text="Check torch itself first; then take the message to the package's project.", command=_CHECK
                ),
            ),
            missing=("the error's text",),
            specificity=GUESS,
        ),
    )


def _of_package(facts: Facts, tables: Tables) -> tuple[str, str, Because] | None:
    """Return what usually ails the package that the report gives."""
    given = package(facts)
    if given is None:
        return None
    cause, message = next(
        (
            (cause, message)
            for trait, cause, message in _USUAL
            if with_trait(tables, trait).search(given.text) and facts.platform.is_jetson.value
        ),
        (_ELSEWHERE, "Nothing here speaks against torch or the board; it is the package's own build or files."),
    )
    return cause, message, Because(fact="package", value=given.text[:200], read_from=given.read_from)


def _of_board(facts: Facts, tables: Tables) -> tuple[str, str, Because] | None:
    """Return what the interpreter rules out, or else that an error of no known kind is another program's."""
    python = facts.torch.python
    if python.value and not _served(facts, tables, python.value) and hit(facts, _TORCH):
        return _NO_WHEEL, f"No JetPack's torch is built for Python {python.value}.", because(python)
    said = next((message for message in facts.messages if message.kind in (*SAID, *TYPED)), None)
    if said is None or facts.torch.available.value is False:
        return None
    shown = said.text.strip().partition("\n")[0][:200]
    return (
        _ELSEWHERE,
        "No known fault of torch, the container or the board shows in what is told; so another program's is likelier.",
        Because(fact=said.kind.value, value=shown, read_from=said.read_from),
    )


def _served(facts: Facts, tables: Tables, python: str) -> bool:
    """Whether the board's JetPack, or any where it is not known, brings this Python."""
    own = vendor_python(facts, tables)
    theirs = {own} if own else {row.python for row in tables.releases if row.python}
    return ".".join(map(str, numbers(python)[:2])) in theirs or not numbers(python)[1:]


def _candidates(
    facts: Facts, tables: Tables, blocking: Sequence[Finding]
) -> Iterator[tuple[str, str, str | None, tuple[Because, ...]]]:
    meaning = {row.id: row.meaning for row in tables.root_causes}
    for finding in blocking[:1]:
        for row in tables.neighbours:
            if row.cause == finding.root_cause:
                yield row.neighbour, f"It is {row.neighbour} instead if {row.holds_if}.", row.look, ()
    for signature in tables.signatures:
        if signature.root_causes and (seen := exact(facts, signature)):
            for cause in signature.root_causes:
                yield cause, f"It can also be {cause}: {meaning.get(cause, '')}", None, (seen.because,)
