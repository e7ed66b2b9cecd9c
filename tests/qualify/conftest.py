"""Each test has a GPU lock of its own: several suites may run on one machine."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_gpu_lock(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name a lock that nobody else has."""
    place = tmp_path_factory.mktemp("lock") / "gpu.lock"
    monkeypatch.setenv("JETPROOF_GPU_LOCK", str(place))
    return place
