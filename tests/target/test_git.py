"""git is asked about the folder that was named, whatever else the environment tells it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from jetproof.errors import UsageError
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


def git(folder: Path, *words: str, stdin: str = "") -> str:
    """Run git and return what it says."""
    done = subprocess.run(["git", "-C", str(folder), *words], check=True, input=stdin, capture_output=True, text=True)
    return done.stdout.strip()


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


def test_what_a_partial_clone_lacks_is_not_fetched_by_the_checkouts_programs(tmp_path: Path) -> None:
    commit = made(tmp_path, "one")
    blob = git(tmp_path, "rev-parse", "HEAD:one")
    (tmp_path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for name, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": "ssh://host.example/x",
        "core.sshCommand": f"touch {tmp_path}/sprung; false",
        "protocol.ext.allow": "always",
    }.items():
        git(tmp_path, "config", name, value)
    with pytest.raises(UsageError, match="does not give one"):
        GitRepository(tmp_path).file(commit, "one")
    for url in (f"ext::touch {tmp_path}/sprung", "git://host.example/x", f"file://{tmp_path}"):
        git(tmp_path, "config", "remote.origin.url", url)
        git(tmp_path, "config", "remote.origin.uploadpack", f"touch {tmp_path}/sprung; false")
        git(tmp_path, "config", "core.gitProxy", f"touch {tmp_path}/sprung; false")
        with pytest.raises(UsageError, match="does not give one"):
            GitRepository(tmp_path).file(commit, "one")
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("name", ["evil", "E.v i", "e=v"])
@pytest.mark.parametrize("kind", ["clean", "process"])
def test_a_filter_of_the_checkout_is_not_run_and_hides_nothing(tmp_path: Path, name: str, kind: str) -> None:
    made(tmp_path, "one")
    (tmp_path / ".git/info/attributes").write_text(f"one filter={name}\n" if " " not in name else "one text\n")
    git(tmp_path, "config", f"filter.{name}.{kind}", f"touch {tmp_path}/.git/sprung; printf one")
    git(tmp_path, "config", f"filter.{name}.required", "true")
    (tmp_path / "one").write_text("two")
    assert GitRepository(tmp_path).changes() in (("one",), ("(git status failed)",))
    assert not (tmp_path / ".git/sprung").exists()


def test_no_grafts_change_a_history(tmp_path: Path) -> None:
    first = made(tmp_path, "one")
    second = made(tmp_path, "two")
    (tmp_path / ".git/info/grafts").write_text(f"{second}\n")
    done = ask_git(tmp_path, "log", "--format=%H", timeout=30, limit=1 << 20)
    assert done.stdout.split() == [second.encode(), first.encode()]


@pytest.mark.parametrize("when", ["253402300800", "99999999999999", "18446744073709551615", "-5"])
def test_a_commit_of_no_calendar_has_a_tree_and_no_time(tmp_path: Path, when: str) -> None:
    made(tmp_path, "one")
    tree = git(tmp_path, "rev-parse", "HEAD^{tree}")
    text = f"tree {tree}\nauthor a <a@example.org> {when} +0000\ncommitter a <a@example.org> {when} +0000\n\nx\n"
    commit = git(tmp_path, "hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=text)
    repository = GitRepository(tmp_path)
    assert (repository.tree(commit), repository.committed(commit)) == (tree, None)
