"""What a rule is and what it finds. Rules do not know one another; the engine is handed them."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jetproof.facts.fact import Fact
from jetproof.facts.model import Facts
from jetproof.tables import Tables

DOCS_URL = "https://github.com/jetproof/jetproof/blob/main/"
"""Where the project's pages are read; a page's path in the repository follows."""


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
    START = 10
    """CUDA's start in the process."""
    OPERATION = 11
    """A single operation, or memory."""
    PROGRAM = 12
    """Neither the board nor torch."""


@dataclass(frozen=True, kw_only=True)
class Because:
    """One fact that shows a fault: its value and the place it was read from."""

    fact: str
    value: str
    read_from: str


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


def because(fact: Fact[object], value: str | None = None) -> Because:
    """Quote a fact as the reason of a finding; an absent one is quoted as "absent"."""
    if value is None:
        value = "absent" if fact.absent else f"unknown ({fact.reason.value})" if fact.reason else str(fact.value)
    return Because(fact=fact.name, value=value, read_from=fact.read_from)
