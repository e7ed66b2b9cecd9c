"""What can become of an item, of a test, and of a whole gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from jetproof.qualify.reach import Reach


class Outcome(Enum):
    """How an item ended. Only PASS is a pass."""

    PASS = "PASS"  # noqa: S105 - not a password
    FAIL = "FAIL"
    """The code is wrong."""
    ERROR = "ERROR"
    """The test broke: a crash, a hang, an exception outside an assertion."""
    MISS = "MISS"
    """Planned and not run; a skip of a planned item is a MISS."""
    FLAKY = "FLAKY"
    """Passed only on a later attempt that the policy allowed."""

    @property
    def weight(self) -> int:
        """How bad it is: the worst of a set stands for the set."""
        return _WEIGHTS[self]


_WEIGHTS = {Outcome.PASS: 0, Outcome.FLAKY: 1, Outcome.MISS: 2, Outcome.ERROR: 3, Outcome.FAIL: 4}


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """One figure that a probe measured, with the bound that it had to keep."""

    name: str
    value: float | int | str
    """A value that is not finite is told as "nan", "inf" or "-inf"."""
    unit: str
    bound: float | int | None = None
    sense: str | None = None
    """`at-most` or `at-least`; None without a bound."""


@dataclass(frozen=True, kw_only=True)
class TestResult:
    """What became of one of the host's tests."""

    __test__ = False  # not a test of our own

    id: str
    outcome: Outcome
    reason: str
    message: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One try of an item."""

    number: int
    outcome: Outcome
    reason: str
    message: str = ""
    seconds: float = 0.0
    peak_memory_bytes: int | None = None
    signal: str | None = None
    stderr: str = ""
    traceback: str = ""
    kernel: str = ""
    measurements: tuple[Measurement, ...] = ()
    tests: tuple[TestResult, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ItemResult:
    """What became of one planned item, with all its attempts."""

    id: str
    outcome: Outcome
    reason: str
    message: str
    attempts: tuple[Attempt, ...] = ()

    @property
    def last(self) -> Attempt | None:
        """The attempt that decided, if there was one."""
        return self.attempts[-1] if self.attempts else None


@dataclass(frozen=True, kw_only=True)
class Objection:
    """One reason, beyond the items, why a gate is not green."""

    reason: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a journal says about its gate."""

    gate: str
    green: bool
    """Every planned item passed, each exactly once, and the run finished with nothing changed."""
    items: tuple[ItemResult, ...]
    objections: tuple[Objection, ...]
    """Why it is not green, apart from items that did not pass."""
    not_proven: tuple[Objection, ...]
    """Why it proves nothing even when green: a rehearsal, a recording, another tree than a commit."""
    reach: Reach | None = None
    """How far its green reaches; None when the gate is of no machine."""

    @property
    def proves(self) -> bool:
        """Whether it may become evidence."""
        return self.green and not self.not_proven

    def count(self, outcome: Outcome) -> int:
        """Return how many items had this outcome."""
        return sum(item.outcome is outcome for item in self.items)
