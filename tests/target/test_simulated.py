"""A simulated board: read from a recording, so that the run's origin says so, and run by this machine's worker."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from jetproof.cli.source import named
from jetproof.errors import UsageError
from jetproof.target.interface import CollectRequest
from jetproof.target.simulated import SimulatedTarget

ORIN = Path(__file__).parent.parent / "fixtures" / "boards" / "028-orin-nx-16gb-super-r36.4.3.json"


def test_what_is_read_is_recorded_whatever_runs_here() -> None:
    target = named(f"simulated:{ORIN}", sys.executable)

    assert isinstance(target, SimulatedTarget)
    assert target.collect(CollectRequest()).origin == "recorded"


@pytest.mark.process
def test_items_run_in_the_interpreter_that_was_named() -> None:
    records: list[dict[str, object]] = []
    items = [
        {"id": "probe::architecture", "probe": "architecture", "params": {"machine": "none"}, "timeout": 30, "seed": 1}
    ]
    request = {"schema": "jetproof/serve-request/1", "nonce": "n" * 32, "items": items, "parallel": 1}

    completed = SimulatedTarget(ORIN, sys.executable).serve(request, records.append, 60.0)

    assert completed.ok, completed.stderr
    (end,) = [record for record in records if record["record"] == "end"]
    assert (end["item"], end["outcome"], end["reason"]) == ("probe::architecture", "FAIL", "wrong-architecture")


def test_a_recording_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="no such file"):
        SimulatedTarget(Path("none.json"), sys.executable).collect(CollectRequest())
