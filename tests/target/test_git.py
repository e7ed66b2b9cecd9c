"""git is asked about the folder that was named, whatever else the environment tells it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from jetproof.evidence.git import GitRepository
from jetproof.target.git import ask_git

pytestmark = pytest.mark.process


def made(folder: Path, name: str) -> str:
    """Make a repository with one commit and return the commit's id."""
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / name).write_text(name)
    subprocess.run(["git", "-C", str(folder), "add", name], check=True)
    subprocess.run(["git", "-C", str(folder), *who, "commit", "-q", "-m", name], check=True)
    found = subprocess.run(["git", "-C", str(folder), "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"])
def test_a_hook_of_another_repository_changes_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    own = made(tmp_path / "own", "one")
    made(tmp_path / "other", "two")
    led = {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index", "GIT_OBJECT_DIRECTORY": ".git/objects"}
    monkeypatch.setenv(variable, str(tmp_path / "other" / led[variable]))
    repository = GitRepository(tmp_path / "own")
    assert repository.resolve("HEAD") == own
    assert repository.file(own, "one") == b"one"
    assert repository.changes() == ()


def test_a_program_that_the_checkout_names_is_not_run(tmp_path: Path) -> None:
    made(tmp_path, "one")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    subprocess.run(["git", "-C", str(tmp_path), "config", "core.fsmonitor", str(trap)], check=True)
    done = ask_git(tmp_path, "status", "--porcelain", timeout=30, limit=1 << 20)
    assert done.ok
    assert not (tmp_path / "sprung").exists()


def test_a_folder_that_is_not_there_is_no_missing_git(tmp_path: Path) -> None:
    assert ask_git(tmp_path / "absent", "status", timeout=30, limit=1 << 20).status == "exited"
