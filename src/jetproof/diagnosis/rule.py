"""What a rule is and what it finds. Rules do not know one another; the engine is handed them."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from jetproof.facts.fact import Fact
from jetproof.facts.model import Facts
from jetproof.tables import Tables

DOCS_URL = "https://github.com/jetproof/jetproof/blob/main/"
"""Where the project's pages are read; a page's path in the repository follows."""

GUESS, SYMPTOM, SHARED, LITERAL, UNSEEN = 0, 1, 2, 3, 4
"""How literally evidence names a cause: what is usual; a symptom that many have; a message that several causes print
with a fact that separates them; a message or a fact that only this cause has; what lets nothing else be seen."""


class Severity(enum.Enum):
    """How much a finding matters."""

    BLOCKING = "blocking"
    WARNING = "warning"
    NOTE = "note"


class Confidence(enum.Enum):
    """How sure a finding is."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


class Layer(enum.IntEnum):
    """The causal chain, lowest first: of several faults the lowest is the one to mend first."""

    MACHINE = 0
    """Another machine altogether."""
    MODULE = 1
    """What is asked can never run on this module."""
    L4T = 2
    PARTS = 3
    """JetPack's CUDA, cuDNN, TensorRT."""
    ACCESS = 4
    """Device nodes and groups."""
    CONTAINER = 5
    INTERPRETER = 6
    TORCH_BUILD = 7
    TORCH_LIBRARIES = 8
    NEIGHBOURS = 9
    """Packages beside torch."""
    OPERATION = 10
    """A single operation, or memory."""
    PROGRAM = 11
    """Neither the board nor torch."""


@dataclass(frozen=True, kw_only=True)
class Because:
    """One fact that shows a fault: its value and the place it was read from."""

    fact: str
    value: str
    read_from: str


class Shown(Protocol):
    """Something found that can say what it is and where it stands."""

    @property
    def because(self) -> Because:
        """What was found, as a reason."""


Reason: TypeAlias = Because | Shown | Fact[object] | None
"""What a finding rests on. What is None, or a fact that is not known, is left out."""


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """One step that mends a fault. `command` is exact and can be pasted; None where there is none."""

    text: str
    command: str | None = None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One fault, the facts that show it, and what to do."""

    rule: str
    """Like JD012."""
    name: str
    """The fault in a few words with hyphens, like torch-cpu-build."""
    root_cause: str
    """An id of the root-cause taxonomy."""
    layer: Layer
    severity: Severity
    confidence: Confidence
    message: str
    because: tuple[Because, ...] = ()
    remedy: tuple[Remedy, ...] = ()
    missing: tuple[str, ...] = ()
    """Names of facts that would decide, were they known."""
    specificity: int = 0
    """How literally the evidence names this cause: a message that only one cause prints beats a symptom."""

    @property
    def url(self) -> str:
        """Address of the rule's page."""
        return f"{DOCS_URL}docs/rules/{self.rule}.md"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule: its docstring (its module's) is its documentation page."""

    id: str
    name: str
    check: Callable[[Facts, Tables], Iterator[Finding]]


@dataclass(frozen=True, kw_only=True)
class About:
    """What all findings of one rule share."""

    id: str
    name: str
    root_cause: str
    layer: Layer

    def rule(self, check: Callable[[Facts, Tables], Iterator[Finding]]) -> Rule:
        """Return the rule that looks for this fault."""
        return Rule(id=self.id, name=self.name, check=check)

    def finding(
        self,
        message: str,
        *,
        because: tuple[Reason, ...] = (),
        remedy: tuple[Remedy, ...] = (),
        severity: Severity = Severity.BLOCKING,
        confidence: Confidence = Confidence.LIKELY,
        specificity: int = SYMPTOM,
        missing: tuple[str, ...] = (),
    ) -> Finding:
        """Return one finding of this rule; each reason is told once."""
        reasons = [told for reason in because if (told := _told(reason)) is not None]
        return Finding(
            rule=self.id,
            name=self.name,
            root_cause=self.root_cause,
            layer=self.layer,
            severity=severity,
            confidence=confidence,
            message=message,
            because=tuple(dict.fromkeys(reasons)),
            remedy=remedy,
            missing=missing,
            specificity=specificity,
        )


def _told(reason: Reason) -> Because | None:
    if isinstance(reason, Fact):
        return because(reason) if reason.known else None
    return reason.because if reason is not None and not isinstance(reason, Because) else reason


def because(fact: Fact[object], value: str | None = None) -> Because:
    """Quote a fact as the reason of a finding; an absent one is quoted as "absent"."""
    if value is None:
        value = _quoted(fact)
    return Because(fact=fact.name, value=value, read_from=fact.read_from)


def _quoted(fact: Fact[object]) -> str:
    if fact.absent:
        return "absent"
    if fact.value is None:
        return f"unknown ({fact.reason.value})" if fact.reason else "unknown"
    if isinstance(fact.value, enum.Enum):
        return str(fact.value.value)
    if isinstance(fact.value, tuple):
        return " ".join(map(str, fact.value)) or "none"
    return str(fact.value)
