"""A recorded machine with the worker of this one: for rehearsing gates and fleets; never evidence of anything."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.target.interface import CollectRequest, OnRecord
from jetproof.target.local import LocalTarget
from jetproof.target.recorded import RecordedTarget
from jetproof_worker.process import Completed

if TYPE_CHECKING:
    from jetproof.target.snapshot import Snapshot


class SimulatedTarget:
    """What is read comes from a recording, so the run's origin says so; what is run is run here."""

    def __init__(self, path: Path, python: str | None = None) -> None:
        self._recorded = RecordedTarget(path)
        self._local = LocalTarget(python)

    def collect(self, request: CollectRequest) -> Snapshot:
        """Read the recording. Raises UsageError when it is no read-out."""
        return self._recorded.collect(request)

    def serve(self, request: Mapping[str, object], on_record: OnRecord, timeout: float) -> Completed:
        """Run the request's items in the chosen interpreter of this machine."""
        return self._local.serve(request, on_record, timeout)
