"""What a target is: a place where the worker reads a machine and runs items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from jetproof_worker.process import Completed

if TYPE_CHECKING:
    from jetproof.target.snapshot import Snapshot

OnRecord = Callable[[dict[str, object]], None]


@dataclass(frozen=True, kw_only=True)
class CollectRequest:
    """How a machine is to be read."""

    trials: bool = True
    """Whether torch and its neighbours are imported and tried; else they are only read."""
    patience: float = 1.0
    """Stretches every time limit; for slow storage."""
    progress: Callable[[str], None] | None = None
    """Told, in words, what has been done so far."""
    meanwhile: Callable[[], None] | None = None
    """Called while the machine is read, where that takes time: whoever asks can get ready for the answer."""


class Target(Protocol):
    """A machine with an interpreter. Other kinds of target are added beside these, not above them."""

    def collect(self, request: CollectRequest) -> Snapshot:
        """Read the machine. Raises UsageError when there is nothing to read, Undecided when it could not be read."""
        ...

    def serve(self, request: Mapping[str, object], on_record: OnRecord, timeout: float) -> Completed:
        """Run the request's items in the chosen interpreter and hand on each record that bears its nonce.

        Raises Undecided on a target that can run nothing.
        """
        ...
