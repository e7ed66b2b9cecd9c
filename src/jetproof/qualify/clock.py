"""Two clocks side by side: the wall clock that people read, and the one that never jumps."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timezone

from jetproof_worker.boot import boot_hash

LARGEST_DRIFT = 2.0
"""Seconds by which the two clocks may part between two records before it counts as a jump."""


@dataclass(frozen=True, kw_only=True)
class Instant:
    """One moment, as both clocks showed it."""

    utc: str
    """RFC 3339 with microseconds, ending in Z."""
    monotonic: float
    """Seconds since the machine was started, rounded to microseconds."""
    boot: str
    """Hash of the machine's boot id: another one means that it was restarted in between."""

    @property
    def wall(self) -> datetime:
        """The wall clock's time. Raises ValueError when the text is no time."""
        return datetime.fromisoformat(self.utc.replace("Z", "+00:00"))


def now() -> Instant:
    """Read both clocks."""
    wall = datetime.now(timezone.utc)
    return Instant(utc=wall.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), monotonic=round(time.monotonic(), 6), boot=boot_hash())


def jump(before: Instant, after: Instant) -> float | None:
    """Return by how many seconds the wall clock was moved between two moments, None when it was not.

    A restart of the machine makes the two incomparable: that is told by `boot`, not here.
    """
    if before.boot != after.boot:
        return None
    try:
        drift = (after.wall - before.wall).total_seconds() - (after.monotonic - before.monotonic)
    except ValueError:
        return None
    return round(drift, 3) if abs(drift) > LARGEST_DRIFT else None
