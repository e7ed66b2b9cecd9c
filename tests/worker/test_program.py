from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from jetproof_worker import __main__ as entry
from jetproof_worker import collect, frames, loader, process, program, start, trials

SNAPSHOT = {"schema": "jetproof/snapshot/1", "files": {}}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    calls: list[tuple[object, ...]] = []

    def fake(*arguments: object) -> dict[str, object]:
        calls.append(arguments)
        return SNAPSHOT

    monkeypatch.setattr(collect, "collect", fake)
    return calls


def test_by_default_the_running_python_is_meant(
    asked: list[tuple[object, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert entry.main([]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == SNAPSHOT
    assert "jetproof doctor --from snapshot.json" in said.err
    assert asked[0][:5] == (sys.executable, "running", True, 1.0, None)


def test_options(asked: list[tuple[object, ...]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.json"
    assert entry.main(["--python", "/p", "--no-trials", "--patience", "3", "--output", str(path)]) == 0
    assert json.loads(path.read_text()) == SNAPSHOT
    assert capsys.readouterr().out == ""
    assert asked[0][:4] == ("/p", "--python", False, 3.0)


def test_ctrl_c_ends_what_was_started(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    ended: list[bool] = []

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(collect, "collect", interrupted)
    monkeypatch.setattr(process, "kill_descendants", lambda: ended.append(True))
    assert program.main([]) == 130
    assert ended == [True]
    assert capsys.readouterr().out == ""


def test_a_full_disk_is_told(
    asked: list[tuple[object, ...]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    assert program.main([]) == 2
    assert "No space left" in capsys.readouterr().err


def test_one_request_gives_one_record(asked: list[tuple[object, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    monkeypatch.setattr(frames, "take_stdout", lambda: write)
    request = {
        "nonce": "n",
        "python": "/p",
        "asked": "PATH",
        "trials": False,
        "patience": 2,
        "sha256": "s",
        "packed": "/w",
    }
    monkeypatch.setattr(entry, "_request", lambda _words: request)
    monkeypatch.setattr(start, "_packed", [])
    assert entry.main(["collect"]) == 0
    assert frames.Reader().feed(os.read(read, 1 << 16)) == [{"record": "snapshot", "nonce": "n", "snapshot": SNAPSHOT}]
    assert asked[0][:5] == ("/p", "PATH", False, 2.0, "s")
    assert start.command("python3", "try") == ["python3", "-B", "/w", "try"]
    os.close(read)
    os.close(write)


def test_the_childrens_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "loads", len)
    monkeypatch.setattr(trials, "main", lambda: 7)
    assert entry.main(["load", "a", "b"]) == 2
    assert entry.main(["try"]) == 7


def test_the_workers_place_leaves_the_module_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [start.HOME, "/usr/lib/python3", ""])
    start.leave_path()
    assert sys.path == ["/usr/lib/python3", ""]


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    collect.told("reading")
    collect.silent("nothing")
    assert capsys.readouterr() == ("", "jetproof: reading\n")
