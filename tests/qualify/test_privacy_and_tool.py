"""What is written down names no person and no place of this machine; the tool names itself by digest."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests.qualify.runs import ran
from tests.qualify.streams import Scripted, end, good_stream

from jetproof.policy.load import built_in
from jetproof.qualify.locks import gpu_lock_path
from jetproof.qualify.privacy import redactor
from jetproof.qualify.pytest_folder import pytest_folder
from jetproof.qualify.tool import files_digest, tool
from jetproof.target.canonical import sha256


def test_project_and_home_are_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/maria")

    redacted = redactor("/srv/lab")(
        {"file": "/srv/lab/tests/a.py", "list": ["/home/maria/.cache/x", 3], "/home/maria/x": True}
    )

    assert redacted == {"file": "<project>/tests/a.py", "list": ["~/.cache/x", 3], "~/x": True}


def test_what_the_worker_says_is_redacted_before_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/maria")
    told = end("probe::numerics", seed=12, stderr="in /home/maria/lab and /project/x", message="/home/maria")
    stream = [told if r["record"] == "end" and r["item"] == "probe::numerics" else r for r in good_stream()]

    data = ran(Scripted(stream), tmp_path)

    assert b"maria" not in data
    assert b"<project>/x" in data


def test_the_tool_s_digest_is_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    first = files_digest(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("compiled")
    assert files_digest(tmp_path) == first
    (tmp_path / "a.py").write_text("2")
    assert files_digest(tmp_path) != first

    assert tool() == tool()
    assert tool().sha256 != tool().worker_sha256


def test_the_digest_is_of_canonical_json() -> None:
    assert sha256({"b": 1, "a": [1.0, "ü"]}) == sha256(json.loads('{"a": [1, "\\u00fc"], "b": 1.0}'))


def test_the_lock_is_one_for_all_unless_named() -> None:
    assert gpu_lock_path({}) == Path("/tmp/jetproof-gpu.lock")
    assert gpu_lock_path({"JETPROOF_GPU_LOCK": "/run/x"}) == Path("/run/x")


def test_a_folder_with_pytest_is_reused_and_missing_means_none(tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    assert pytest_folder(sys.executable, "not a release", environment) is None


@pytest.mark.process
def test_without_an_index_there_is_no_folder_and_nothing_is_left(tmp_path: Path) -> None:
    environment = {
        "XDG_CACHE_HOME": str(tmp_path),
        "UV_CACHE_DIR": str(tmp_path / "uv"),
        "UV_OFFLINE": "1",
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
    }

    assert pytest_folder(sys.executable, "3.11.7", environment) is None
    assert list((tmp_path / "jetproof").iterdir()) == []


def test_every_probe_of_the_shipped_gates_exists() -> None:
    from jetproof_worker.catalogue import PROBES

    known = {probe.id: probe for probe in PROBES}
    for gate in built_in().policy.gates:
        for item in gate.items:
            name = getattr(item, "probe", None)
            if name is not None:
                assert name in known
                assert set(item.params) <= {*known[name].params, "bounds"}  # type: ignore[union-attr]
