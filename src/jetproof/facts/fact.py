"""A value with the place it was read from, in three states: known, absent, unknown with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from jetproof.target.reading import Reading, Reason

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, kw_only=True)
class Fact(Generic[T_co]):
    """One thing about a machine.

    Known: `value` is not None. Absent: `absent` is true (the machine is known not to have it).
    Unknown: neither, and `reason` says why. `read_from` names the file, command or line of a report;
    `detail` adds what a person should know about how it was derived.
    """

    name: str
    value: T_co | None = None
    absent: bool = False
    reason: Reason | None = None
    read_from: str = ""
    detail: str = ""

    @property
    def known(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    @property
    def unknown(self) -> bool:
        """Whether nothing is known either way."""
        return self.value is None and not self.absent

    def as_json(self) -> dict[str, Any]:
        """Return the members that say something, for `inspect --json`."""
        state = "known" if self.known else "absent" if self.absent else "unknown"
        members: dict[str, Any] = {"state": state}
        if self.known:
            members["value"] = self.value
        if self.reason is not None:
            members["reason"] = self.reason.value
        if self.read_from:
            members["read_from"] = self.read_from
        if self.detail:
            members["detail"] = self.detail
        return members


def known(name: str, value: T, read_from: str, detail: str = "") -> Fact[T]:
    """Return a fact whose value was read from `read_from`."""
    return Fact(name=name, value=value, read_from=read_from, detail=detail)


def absent(name: str, read_from: str, detail: str = "") -> Fact[Any]:
    """Return a fact that the machine is known not to have."""
    return Fact(name=name, absent=True, read_from=read_from, detail=detail)


def unknown(name: str, reason: Reason = Reason.NOT_READ, read_from: str = "", detail: str = "") -> Fact[Any]:
    """Return a fact about which nothing is known, with the reason."""
    return Fact(name=name, reason=reason, read_from=read_from, detail=detail)


def not_read(name: str, reading: Reading) -> Fact[Any]:
    """Return the fact of a reading that gave no text: absent, or unknown with the reading's reason."""
    if reading.absent:
        return absent(name, reading.read_from)
    return unknown(name, reading.reason or Reason.NOT_READ, reading.read_from, reading.detail)
