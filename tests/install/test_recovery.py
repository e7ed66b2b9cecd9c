"""Killed at any moment: the vendor's files are what they were, and the next run ends well."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jetproof.errors import Refused
from jetproof.install import inplace
from jetproof.install.journal import Entry, Phase, State
from jetproof.install.recovery import recover


def _kill_at(machine: Any, delay: float) -> bool:
    """Start an installation and kill it; whether it was still running then."""
    running = subprocess.Popen(
        machine.argv(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=machine.variables,
        start_new_session=True,
    )
    try:
        running.wait(delay)
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGKILL)
        running.wait()
        return True
    return False


def _round(machine: Any, moments: list[float], check: Callable[[], None]) -> int:
    before = machine.vendor()
    killed = 0
    for moment in moments:
        killed += _kill_at(machine, moment)
        assert machine.vendor() == before
        done = machine.install()
        assert done.returncode == 0, done.stderr
        assert machine.vendor() == before
        check()
        state = machine.project / ".jetproof"
        assert not (state / "install" / "journal.json").exists()
        assert len(list((state / "venvs").glob("2*"))) <= 1
    return killed


def _moments(machine: Any, count: int, seed: int) -> list[float]:
    started = time.monotonic()
    assert machine.install().returncode == 0
    whole = time.monotonic() - started
    chosen = random.Random(seed)
    # from the first third on: before that only the interpreter of jetproof itself starts
    return [whole * chosen.uniform(0.25, 0.85) for _ in range(count)]


@pytest.mark.process
def test_killed_while_it_builds_beside(machine: Any) -> None:
    machine.wants("many")
    moments = _moments(machine, 5, 1)
    # how many moments hit a running process is the machine's speed's to say; that one did is ours
    assert _round(machine, moments, lambda: machine.says("import many0, many11, torch"))


@pytest.mark.process
def test_killed_while_it_changes_in_place(machine: Any, venv_with_torch: Callable[[], Path]) -> None:
    own = venv_with_torch()
    machine.wants("many", "helper==1.0")
    moments = _moments(machine, 5, 2)
    assert _round(machine, moments, lambda: machine.says("import many0, many11, torch, helper", own))


@pytest.mark.soak
def test_killed_a_hundred_times(machine: Any, venv_with_torch: Callable[[], Path], capsys: Any) -> None:
    machine.wants("many")
    killed = _round(machine, _moments(machine, 50, 3), lambda: machine.says("import many0, many11, torch"))
    own = venv_with_torch()
    machine.project = machine.project.with_name("second")
    machine.project.mkdir()
    machine.wants("many")
    killed += _round(machine, _moments(machine, 50, 4), lambda: machine.says("import many0, many11, torch", own))
    with capsys.disabled():
        sys.stdout.write(f"\nkilled while running: {killed} of 100\n")
    assert killed >= 60


def _state(tmp_path: Path) -> State:
    state = State(root=tmp_path / ".jetproof")
    state.prepare()
    return state


def test_half_built_is_dropped(tmp_path: Path) -> None:
    state = _state(tmp_path)
    half = state.venvs / "20261130-1"
    (half / "bin").mkdir(parents=True)
    state.write(Entry(id="1", phase=Phase.BUILDING, environment=str(half), link=str(tmp_path / ".venv-jetson")))
    told = recover(state)
    assert told is not None
    assert told.endswith("undone")
    assert not half.exists()
    assert recover(state) is None


def test_proved_is_finished_and_the_old_one_goes(tmp_path: Path) -> None:
    state = _state(tmp_path)
    old, new = state.venvs / "1", state.venvs / "2"
    old.mkdir()
    new.mkdir()
    link = tmp_path / ".venv-jetson"
    link.symlink_to(".jetproof/venvs/1")
    state.write(Entry(id="2", phase=Phase.PROVED, environment=str(new), link=str(link), replaces=str(old)))
    told = recover(state)
    assert told is not None
    assert told.endswith("finished")
    assert link.resolve() == new
    assert not old.exists()


def test_half_written_files_and_links_do_not_stay(tmp_path: Path) -> None:
    state = _state(tmp_path)
    new = state.venvs / "2"
    new.mkdir()
    link = tmp_path / ".venv-jetson"
    (tmp_path / "..venv-jetson.new").symlink_to("nowhere")
    (state.folder / ".journal.json.0123456789ab").write_text("{")
    state.write(Entry(id="2", phase=Phase.PROVED, environment=str(new), link=str(link)))
    recover(state)
    assert link.resolve() == new
    assert sorted(path.name for path in tmp_path.iterdir()) == [".jetproof", ".venv-jetson"]
    assert [path.name for path in state.folder.iterdir()] == [".gitignore"]


def test_swapped_and_killed_before_the_old_one_went(tmp_path: Path) -> None:
    state = _state(tmp_path)
    old, new = state.venvs / "1", state.venvs / "2"
    old.mkdir()
    new.mkdir()
    link = tmp_path / ".venv-jetson"
    link.symlink_to(".jetproof/venvs/2")
    state.write(Entry(id="2", phase=Phase.PROVED, environment=str(new), link=str(link), replaces=str(old)))
    recover(state)
    assert link.resolve() == new
    assert not old.exists()


def test_a_link_that_became_a_folder_meanwhile_is_left_alone(tmp_path: Path) -> None:
    state = _state(tmp_path)
    new = state.venvs / "2"
    new.mkdir()
    taken = tmp_path / ".venv-jetson"
    taken.mkdir()
    state.write(Entry(id="2", phase=Phase.PROVED, environment=str(new), link=str(taken)))
    told = recover(state)
    assert told is not None
    assert told.endswith("undone")
    assert taken.is_dir()
    assert not new.exists()


def test_what_is_not_ours_is_never_dropped(tmp_path: Path) -> None:
    state = _state(tmp_path)
    precious = tmp_path / "precious"
    precious.mkdir()
    state.write(Entry(id="1", phase=Phase.BUILDING, environment=str(precious)))
    recover(state)
    assert precious.is_dir()


def test_a_change_in_place_is_undone_to_the_byte(tmp_path: Path) -> None:
    state = _state(tmp_path)
    environment = tmp_path / "own"
    (environment / "lib" / "package").mkdir(parents=True)
    kept = environment / "lib" / "package" / "old.py"
    kept.write_text("old\n")
    vendor = environment / "lib" / "torch.py"
    vendor.write_text("vendor\n")
    backup = state.folder / "backup"
    (backup / "lib" / "package").mkdir(parents=True)
    (backup / "lib" / "package" / "old.py").write_text("old\n")
    before = inplace.listing(environment)
    inode = vendor.stat().st_ino
    state.write(Entry(id="1", phase=Phase.CHANGING, environment=str(environment), before=before, backup=str(backup)))
    kept.unlink()
    kept.write_text("new\n")
    (environment / "lib" / "added" / "__pycache__").mkdir(parents=True)
    (environment / "lib" / "added" / "__init__.py").write_text("")
    (environment / "lib" / "added" / "__pycache__" / "x.pyc").write_text("")
    told = recover(state)
    assert told is not None
    assert told.endswith("undone")
    assert kept.read_text() == "old\n"
    assert not (environment / "lib" / "added").exists()
    assert vendor.stat().st_ino == inode
    assert not backup.exists()


def test_a_loss_that_cannot_be_undone_is_said_and_the_journal_stays(tmp_path: Path) -> None:
    state = _state(tmp_path)
    environment = tmp_path / "own"
    environment.mkdir()
    (environment / "gone.py").write_text("")
    before = inplace.listing(environment)
    (environment / "gone.py").unlink()
    state.write(Entry(id="1", phase=Phase.CHANGING, environment=str(environment), before=before, backup=str(tmp_path)))
    with pytest.raises(Refused, match="no copy of them was kept, like gone"):
        recover(state)
    assert state.read() is not None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "other"}', '{"schema": "jetproof/install-journal/1"}'])
def test_a_broken_journal_is_an_error_with_a_way_out(tmp_path: Path, text: str) -> None:
    state = _state(tmp_path)
    (state.folder / "journal.json").write_text(text)
    with pytest.raises(Refused) as caught:
        recover(state)
    assert caught.value.reason == "journal-broken"


def test_the_lock_is_held_once(tmp_path: Path) -> None:
    state = _state(tmp_path)
    with state.lock(), pytest.raises(Refused, match="another installation runs here"), state.lock():
        pass
    with state.lock():
        pass
