"""Bad targets and bad surroundings: a clear error, and nothing changed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from jetproof.errors import Refused, UsageError
from jetproof.facts.model import Outcome
from jetproof.install.interpreter import Interpreter, Torch
from jetproof.install.journal import State
from jetproof.install.venv import pointed, swap, target

HASH = "sha256:" + "0" * 64


def _interpreter(prefix: Path, **members: Any) -> Interpreter:
    settled: dict[str, Any] = {
        "executable": prefix / "bin" / "python",
        "release": "3.10.12",
        "prefix": prefix,
        "base_prefix": prefix,
        "is_venv": False,
        "is_conda": False,
        "user_site": None,
        "machine": "aarch64",
        "glibc": "2.35",
        "distributions": (),
        "torch": Torch(outcome=Outcome.OK),
    }
    return Interpreter(**{**settled, **members})


@pytest.fixture
def place(tmp_path: Path) -> Path:
    project = tmp_path / "home" / "project"
    project.mkdir(parents=True)
    return project


def _target(place: Path, asked: Path) -> Any:
    return target(asked, _interpreter(place.parent / "python"), place, State(root=place / ".jetproof"))


def test_precious_places_are_refused(place: Path, own_home: Path) -> None:
    for asked in (Path("/"), Path("/usr"), own_home, own_home.parent, place, place.parent, place / ".." / "project"):
        with pytest.raises(UsageError, match="nothing was changed") as caught:
            _target(place, asked)
        assert caught.value.reason == "target-precious", asked
    with pytest.raises(UsageError):
        _target(place, place / ".jetproof" / "venvs" / "x")


def test_what_is_there_already_is_refused(place: Path) -> None:
    cases = {}
    (place / "file").write_text("")
    cases["file"] = "target-is-file"
    (place / "folder").mkdir()
    cases["folder"] = "target-is-folder"
    (place / "venv").mkdir()
    (place / "venv" / "pyvenv.cfg").write_text("")
    cases["venv"] = "target-is-venv"
    (place / "conda" / "conda-meta").mkdir(parents=True)
    cases["conda"] = "target-is-conda"
    (place / "link").symlink_to("folder")
    cases["link"] = "target-is-link"
    cases["absent/venv"] = "target-no-parent"
    for name, reason in cases.items():
        with pytest.raises(UsageError) as caught:
            _target(place, place / name)
        assert caught.value.reason == reason


def test_a_free_name_and_a_link_made_here_are_taken(place: Path) -> None:
    assert not _target(place, place / ".venv-jetson").in_place
    built = place / ".jetproof" / "venvs" / "1"
    built.mkdir(parents=True)
    assert pointed(place / ".venv-jetson") is None
    swap(place / ".venv-jetson", built)
    assert _target(place, place / ".venv-jetson").path == place / ".venv-jetson"
    assert pointed(place / ".venv-jetson") == built


@pytest.mark.process
def test_the_command_refuses_precious_places(machine: Any) -> None:
    machine.wants("helper")
    for asked in ("/", str(machine.project), machine.variables["HOME"]):
        error = machine.error("--venv", asked)
        assert error["reason"] == "target-precious"
        assert error["exit_code"] == 2
    assert sorted(path.name for path in machine.project.iterdir()) == [".jetproof", "requirements.txt"]


@pytest.mark.process
def test_a_wrong_hash_in_a_lock(machine: Any) -> None:
    machine.wants(f"helper==1.0 --hash={HASH}")
    error = machine.error()
    assert error["reason"] == "wrong-hash", error
    assert not (machine.project / ".venv-jetson").exists()
    assert list((machine.project / ".jetproof" / "venvs").glob("2*")) == []


@pytest.mark.process
def test_a_file_that_was_changed_on_the_index(machine: Any) -> None:
    machine.wants("helper==1.0")
    machine.index.changed.add("helper-1.0-py3-none-any.whl")
    error = machine.error()
    assert error["reason"] in ("wrong-hash", "uv-failed"), error
    assert not (machine.project / ".venv-jetson").exists()


@pytest.mark.process
def test_an_index_that_answers_500(machine: Any) -> None:
    machine.wants("helper")
    machine.index.trouble = "500"
    error = machine.error()
    assert error["reason"] == "index-error", error


@pytest.mark.process
def test_an_index_that_hangs(machine: Any) -> None:
    machine.wants("helper")
    machine.index.trouble = "hang"
    machine.variables["UV_HTTP_TIMEOUT"] = "1"
    assert machine.error()["reason"] in ("index-timeout", "no-network")
    machine.variables["UV_HTTP_TIMEOUT"] = "60"
    error = machine.error("--timeout", "1")
    assert error["reason"] == "time-limit"
    assert error["exit_code"] == 124


@pytest.mark.process
def test_no_network(machine: Any) -> None:
    machine.wants("helper")
    machine.index.server.server_close()
    assert machine.error()["reason"] == "no-network"
    assert machine.error("--offline")["reason"] == "offline"


@pytest.mark.process
def test_a_wheelhouse_needs_no_index(machine: Any, shelf: Path) -> None:
    machine.wants("small-lib")
    result = machine.result("--offline", "--no-index", "--find-links", str(shelf))
    assert [item["name"] for item in result["plan"]["items"]] == ["helper", "small-lib"]


@pytest.mark.process
def test_a_full_disk(machine: Any) -> None:
    machine.wants("big")
    before = machine.vendor()

    def small_files() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    error = machine.error(preexec_fn=small_files)
    assert error["reason"] in ("disk-full", "uv-crashed"), error
    assert not (machine.project / ".venv-jetson").exists()
    assert list((machine.project / ".jetproof" / "venvs").glob("2*")) == []
    assert machine.vendor() == before
    assert machine.result()["status"] == "installed"


@pytest.mark.process
def test_a_disk_that_is_really_full(machine: Any, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(small)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("needs the right to mount a small file system")
    try:
        machine.project = small / "project"
        machine.project.mkdir()
        machine.wants("big")
        error = machine.error()
        assert error["reason"] == "disk-full", error
        assert not (machine.project / ".venv-jetson").exists()
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


@pytest.mark.process
def test_a_read_only_project(machine: Any, tmp_path: Path) -> None:
    machine.wants("helper")
    (machine.project / ".jetproof").write_text("in the way\n")
    error = machine.error()
    assert error["reason"] == "state-unwritable"


@pytest.mark.process
def test_two_at_once(machine: Any) -> None:
    machine.wants("many")
    machine.index.trouble = "hang"
    first = subprocess.Popen(machine.argv(), env=machine.variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert first.stderr is not None
    try:
        for line in first.stderr:
            if b"planning" in line:
                break
        error = machine.error()
        assert error["reason"] == "locked"
        assert re.search(rf"process {first.pid}\b", error["message"])
    finally:
        first.terminate()
        first.wait()
        first.stderr.close()


@pytest.mark.process
def test_a_missing_interpreter(machine: Any) -> None:
    machine.wants("helper")
    machine.python = Path("/nowhere/python3")
    assert machine.error()["reason"] == "no-python"


def test_an_unwritable_state_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / ".jetproof").write_text("")
    with pytest.raises(Refused):
        State(root=tmp_path / ".jetproof").prepare()


def test_a_state_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".jetproof").symlink_to("elsewhere")
    with pytest.raises(Refused) as caught:
        State(root=tmp_path / ".jetproof").prepare()
    assert caught.value.reason == "state-is-link"
    assert list((tmp_path / "elsewhere").iterdir()) == []
