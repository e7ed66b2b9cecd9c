"""Where a gate runs: its lock, its image, the pytest that is lent to an interpreter without one."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from tests.qualify.boards import ORIN, RecordedBoard, snapshot
from tests.qualify.test_gate import TABLES, loaded

from jetproof.errors import JetproofError, Undecided, UsageError
from jetproof.facts.from_snapshot import facts as facts_of
from jetproof.policy.model import Platform
from jetproof.qualify import preflight, pytest_folder
from jetproof.qualify.locks import held
from jetproof.qualify.machine import nvcc
from jetproof.qualify.place import image_around, place_of

DIGEST = "sha256:" + "ab" * 32


def test_a_lock_is_held_by_one_run_only(tmp_path: Path) -> None:
    with (
        held(tmp_path / "lock", "the GPU"),
        pytest.raises(Undecided, match="another jetproof run has the GPU"),
        held(tmp_path / "lock", "the GPU"),
    ):
        pass
    with held(tmp_path / "lock", "the GPU"):
        pass


def test_a_lock_whose_file_was_taken_away_is_on_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "lock"
    monkeypatch.setattr("fcntl.flock", lambda descriptor, how: lock.unlink())
    with pytest.raises(Undecided), held(lock, "the GPU"):
        pass


def test_a_lock_that_cannot_be_taken_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(JetproofError, match="cannot open the lock"), held(tmp_path / "link", "the GPU"):
        pass

    def refused(descriptor: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr("fcntl.flock", refused)
    with pytest.raises(JetproofError, match="cannot lock"), held(tmp_path / "lock", "the GPU"):
        pass


def test_another_users_lock_is_opened_for_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "lock"
    real = os.open

    def sticky(path: Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, "sticky")
        return real(path, flags, mode)

    monkeypatch.setattr("os.open", sticky)
    with pytest.raises(JetproofError, match="cannot open the lock"), held(lock, "the GPU"):
        pass
    lock.write_text("")
    with held(lock, "the GPU"):
        pass


def test_an_image_is_named_by_its_digest_or_not_at_all() -> None:
    assert image_around({}) is None
    told = image_around({"JETPROOF_IMAGE_DIGEST": f"runtime@{DIGEST}"})
    assert told == {"digest": DIGEST, "told_by": "JETPROOF_IMAGE_DIGEST"}
    with pytest.raises(UsageError, match="JETPROOF_IMAGE_DIGEST"):
        image_around({"JETPROOF_IMAGE_DIGEST": "runtime:latest"})


def test_a_place_here_has_the_gpus_lock(tmp_path: Path) -> None:
    place = place_of(RecordedBoard(tmp_path / "board.json"))
    assert place.here
    assert place.gpu_lock is not None
    assert len(place.told()["device_id"]) == 32


@pytest.mark.parametrize(
    ("said", "release"),
    [
        ("Cuda compilation tools, release 12.6, V12.6.68\nBuild cuda_12.6.r12.6/compiler.0\n", "12.6.68"),
        ("Cuda compilation tools, release 10.2\n", "10.2"),
        ("bash: nvcc: not found", None),
    ],
)
def test_nvcc_tells_its_release(said: str, release: str | None) -> None:
    assert nvcc(snapshot(commands={**ORIN["commands"], "nvcc --version": said})) == release
    assert nvcc(snapshot()) is None


@pytest.mark.parametrize(
    ("gate", "machine", "needs"),
    [
        ("cuda-runtime", "aarch64", "needs an x86-64 machine"),
        ("cuda-runtime", "x86_64", "needs an NVIDIA GPU"),
        ("linux-arm64-preflight", "x86_64", "needs an ARM64 machine"),
        ("jetson-cuda-runtime", "x86_64", "needs a Jetson"),
    ],
)
def test_another_machine_is_refused_by_what_it_lacks(gate: str, machine: str, needs: str) -> None:
    found = loaded().policy.gate(gate)
    assert found is not None
    read = snapshot({"schema": "jetproof/snapshot/1", "files": {}, "commands": {"uname -m": f"{machine}\n"}})
    with pytest.raises(Undecided, match=needs):
        preflight.require_platform(found, facts_of(read, TABLES), TABLES, read)


def test_any_machine_will_do_for_a_rehearsal_and_arm_for_its_preflight() -> None:
    for gate, machine in (("cpu-rehearsal", "riscv64"), ("linux-arm64-preflight", "aarch64")):
        found = loaded().policy.gate(gate)
        assert found is not None
        assert found.platform in (Platform.ANY, Platform.LINUX_ARM64)
        read = snapshot({"schema": "jetproof/snapshot/1", "files": {}, "commands": {"uname -m": f"{machine}\n"}})
        preflight.require_platform(found, facts_of(read, TABLES), TABLES, read)


def installer(folder: Path, body: str) -> str:
    """Return a program in uv's place that does as told with the folder it is given."""
    program = folder / "uv"
    program.write_text(f'#!/bin/sh\nwhile [ "$1" != --target ]; do shift; done\ntarget=$2\ncat > /dev/null\n{body}\n')
    program.chmod(0o755)
    return str(program)


MAKES = 'mkdir -p "$target/pytest" && : > "$target/pytest/__init__.py"'


@pytest.mark.process
def test_a_pytest_is_made_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": os.environ["PATH"]}
    uv = installer(tmp_path, MAKES)
    monkeypatch.setattr(pytest_folder, "_uv", lambda: uv)

    made = pytest_folder.pytest_folder("/usr/bin/python3", "3.8.18", cache)

    assert made is not None
    assert made.endswith("-3.8")
    Path(uv).unlink()
    assert pytest_folder.pytest_folder("/usr/bin/python3", "3.8.10", cache) == made
    assert [entry.name for entry in Path(made).parent.iterdir()] == [Path(made).name]  # no draft is left


@pytest.mark.process
def test_a_pytest_for_another_machine_is_made_by_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    uv = installer(tmp_path, MAKES)
    monkeypatch.setattr(pytest_folder, "_uv", lambda: uv)
    made = pytest_folder.pytest_folder_elsewhere("/usr/bin/python3", "3.10.12")
    assert made is not None
    assert made.endswith("-3.10")


@pytest.mark.process
@pytest.mark.parametrize("body", ["exit 1", "exit 0", f'{MAKES}; rm -r "$target"'])
def test_no_pytest_where_none_can_be_made(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": os.environ["PATH"]}
    uv = installer(tmp_path, body)
    monkeypatch.setattr(pytest_folder, "_uv", lambda: uv)
    assert pytest_folder.pytest_folder("/usr/bin/python3", "3.8.18", cache) is None
    assert pytest_folder.pytest_folder("/usr/bin/python3", "unknown", cache) is None
    monkeypatch.setattr(pytest_folder, "_uv", lambda: None)
    assert pytest_folder.pytest_folder("/usr/bin/python3", "3.8.18", cache) is None
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(pytest_folder, "_uv", lambda: uv)
    nowhere = {"XDG_CACHE_HOME": str(tmp_path / "file")}
    assert pytest_folder.pytest_folder("/usr/bin/python3", "3.8.18", nowhere) is None
