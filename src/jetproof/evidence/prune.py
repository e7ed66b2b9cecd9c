"""Which evidence a store may let go: what is older than the policy keeps, but never a failure that nothing cleared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from jetproof.evidence.checks.clock import age_days


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What pruning looks at."""

    sha256: str
    signer: str
    seq: int | None
    gate: str
    commit: str
    passed: bool
    finished: datetime


@dataclass(frozen=True, kw_only=True)
class Pruning:
    """What is to go, and up to which number each signer's evidence was let go on purpose."""

    sha256s: tuple[str, ...]
    floors: Mapping[str, int]
    held_back: tuple[str, ...]
    """Old failures that no later pass clears: they stay, since failures do not age."""


def pruning(held: Iterable[Kept], now: datetime, retention_days: int) -> Pruning:
    """Return what may go at that time."""
    items = list(held)
    latest: dict[tuple[str, str, str], datetime] = {}
    for item in items:
        if item.passed:
            place = (item.signer, item.gate, item.commit)
            latest[place] = max(latest.get(place, item.finished), item.finished)
    gone: list[str] = []
    stay: list[str] = []
    floors: dict[str, int] = {}
    for item in items:
        if age_days(item.finished, now) <= retention_days:
            continue
        cleared = latest.get((item.signer, item.gate, item.commit))
        if not item.passed and (cleared is None or cleared <= item.finished):
            stay.append(item.sha256)
            continue
        gone.append(item.sha256)
        if item.seq is not None:
            floors[item.signer] = max(item.seq, floors.get(item.signer, 0))
    return Pruning(sha256s=tuple(gone), floors=floors, held_back=tuple(stay))
