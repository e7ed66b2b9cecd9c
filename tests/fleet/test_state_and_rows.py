"""A state folder is believed only as it was written, and runs that outlived their controller are taken over."""

from __future__ import annotations

import builtins
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.fleet.test_run import GATE, STAND_IN, boards, request, started

from jetproof.errors import UsageError
from jetproof.fleet import store
from jetproof.fleet.inventory import Board
from jetproof.fleet.rows import of_folder
from jetproof.fleet.run import run
from jetproof.fleet.state import BoardResult, State, asked, results


def begun(folder: Path) -> State:
    """Return the state of a fleet of one board whose controller died before anything was told."""
    state = State(folder=folder / "state")
    state.folder.mkdir()
    about = asked(boards("ok-1"), GATE, str(folder.resolve()), None, rehearsal=False)
    state.begin(about, resume=False)
    return state


def result(**changes: Any) -> BoardResult:
    members: dict[str, Any] = {
        "board": "ok-1",
        "target": "local",
        "gate": GATE,
        "status": "green",
        "exit_code": 0,
        "reason": "ok",
    }
    return BoardResult(**{**members, **changes})


@pytest.mark.process
def test_a_run_that_outlived_its_controller_is_taken_over(tmp_path: Path) -> None:
    state = begun(tmp_path)
    out = state.output(Board(name="ok-1"))
    words = [sys.executable, str(STAND_IN), "run", GATE, "--output", str(out)]
    (state.of(Board(name="ok-1"))).mkdir(parents=True)
    orphan = subprocess.Popen(words, env={**os.environ, "STAND_IN_SECONDS": "1.5"})
    while orphan.poll() is None and not (out / GATE).exists():  # made with the lock held
        time.sleep(0.02)

    found = run(request(tmp_path, boards("ok-1"), resume=True))

    assert orphan.wait(timeout=900) == 0
    assert [(one.status, one.adopted) for one in found.results] == [("green", True)]
    assert started(tmp_path)["ok-1"] == 1


@pytest.mark.process
def test_a_run_that_was_cut_is_begun_again(tmp_path: Path) -> None:
    state = begun(tmp_path)
    side = state.output(Board(name="ok-1")) / GATE
    side.mkdir(parents=True)
    (side / "journal.jsonl").write_bytes(b'{"half a li')

    found = run(request(tmp_path, boards("ok-1"), resume=True))

    assert [(one.status, one.adopted) for one in found.results] == [("green", False)]
    assert len(list(side.parent.glob(f"{GATE}.*/journal.jsonl"))) == 1  # what was cut is kept, not written over


def test_what_is_no_state_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no fleet run"):
        results(tmp_path)
    (tmp_path / "fleet.json").write_text("[]")
    with pytest.raises(UsageError, match="holds no JSON object"):
        results(tmp_path)


def test_boards_without_a_result_are_told(tmp_path: Path) -> None:
    state = begun(tmp_path)

    assert results(state.folder) == ((), ("ok-1",), GATE)
    state.keep(Board(name="ok-1"), result())
    assert results(state.folder) == ((result(),), (), GATE)


@pytest.mark.parametrize(
    ("record", "text", "said"),
    [
        ("../../etc/passwd", "", "outside its folder"),
        ("/etc/passwd", "", "outside its folder"),
        ("boards/ok-1/r.json", '{"schema": "jetproof/record/1"}', "not the record that the fleet wrote down"),
    ],
)
def test_a_record_that_is_another_is_not_stored(tmp_path: Path, record: str, text: str, said: str) -> None:
    state = begun(tmp_path)
    state.keep(Board(name="ok-1"), result(record=record, record_sha256="0" * 64))
    (state.folder / "boards" / "ok-1" / "r.json").write_text(text)

    with pytest.raises(UsageError, match=said):
        list(of_folder(state.folder))


def test_a_record_that_is_none_is_not_stored(tmp_path: Path) -> None:
    state = begun(tmp_path)
    state.keep(Board(name="ok-1"), result(record="boards/ok-1/r.json"))
    (state.folder / "boards" / "ok-1" / "r.json").write_text(json.dumps({"schema": "x"}))

    with pytest.raises(UsageError, match="no record of a run"):
        list(of_folder(state.folder))


def test_where_duckdb_is_missing_the_command_that_mends_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **more: Any) -> Any:
        if name == "duckdb":
            raise ImportError(name)
        return real(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError) as error:
        store.duckdb_module()
    assert error.value.hint == "in the checkout of jetproof: pip install '.[fleet]', or uv tool install '.[fleet]'"
