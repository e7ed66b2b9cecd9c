"""The checkout's state, read from real git: nothing that differs from the commit goes unseen."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from jetproof.errors import Undecided
from jetproof.qualify import committed
from jetproof.qualify.checkout import source
from jetproof.qualify.folder import is_ours
from jetproof.qualify.preflight import rehearsal_notes

pytestmark = pytest.mark.process


def git(folder: Path, *words: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_ALLOW_PROTOCOL": "file"}
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    command = ["git", "-C", str(folder), *identity, "-c", "protocol.file.allow=always", *words]
    subprocess.run(command, check=True, capture_output=True, env=environment)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a clean checkout."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init")
    (folder / "a.py").write_text("1\n")
    (folder / ".gitignore").write_text("*.log\nconftest.py\n")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "first")
    return folder


def test_a_clean_checkout(checkout: Path) -> None:
    found = source(checkout)

    assert found.clean
    assert len(found.commit or "") == 40
    assert len(found.tree or "") == 40
    assert found.ref == "refs/heads/main"
    assert (found.committed_at or "").endswith("Z")


def test_changes_of_every_kind_are_seen(checkout: Path) -> None:
    (checkout / "a.py").write_text("2\n")
    (checkout / "new file.py").write_text("")
    (checkout / "sub").mkdir()
    (checkout / "sub" / "deep.py").write_text("")

    found = source(checkout / "sub")

    assert found.changed == ("a.py",)
    assert found.untracked == ("new file.py", "sub/deep.py")
    assert not found.clean


def test_what_git_was_told_to_overlook_is_seen(checkout: Path) -> None:
    git(checkout, "update-index", "--assume-unchanged", "a.py")
    (checkout / "a.py").write_text("2\n")

    assert source(checkout).hidden == ("a.py",)


def test_an_ignored_conftest_counts(checkout: Path) -> None:
    (checkout / "conftest.py").write_text("collect_ignore = ['tests']\n")
    (checkout / "harmless.log").write_text("")

    assert source(checkout).untracked == ("conftest.py",)


def test_our_own_files_are_no_change(checkout: Path) -> None:
    out = checkout / "conditional-evidence"
    (out / "gate").mkdir(parents=True)
    for name in (".lock", "gate.json", "gate/journal.jsonl", "gate/junit.xml"):
        (out / name).write_text("")
    (out / "conftest.py").write_text("")
    (out / "gate" / "test_extra.py").write_text("")

    found = source(checkout, ours=lambda path: is_ours(out, path))

    assert found.untracked == ("conditional-evidence/conftest.py", "conditional-evidence/gate/test_extra.py")


def test_a_submodule_at_another_commit_is_seen(checkout: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init")
    (inner / "b.py").write_text("1\n")
    git(inner, "add", ".")
    git(inner, "commit", "-m", "inner")
    git(checkout, "submodule", "add", str(inner), "inner")
    git(checkout, "commit", "-m", "with a submodule")
    assert [(sub.path, sub.state) for sub in source(checkout).submodules] == [("inner", "same")]
    assert source(checkout).clean

    git(checkout / "inner", "commit", "--allow-empty", "-m", "later")

    assert [sub.state for sub in source(checkout).submodules] == ["other-commit"]
    assert not source(checkout).clean


def test_credentials_and_local_paths_stay_out(checkout: Path) -> None:
    git(checkout, "remote", "add", "origin", "https://user:secret@git.example/o/r.git")
    assert source(checkout).repository == "https://git.example/o/r.git"

    git(checkout, "remote", "set-url", "origin", "/home/me/r.git")
    assert source(checkout).repository is None


def test_no_checkout_and_no_commit(tmp_path: Path) -> None:
    assert source(tmp_path).commit is None
    git(tmp_path, "init")
    assert source(tmp_path).commit is None


def test_the_environment_cannot_point_git_elsewhere(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean = source(checkout)
    (checkout / "a.py").write_text("2\n")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))

    assert source(checkout).commit == clean.commit
    assert source(checkout).changed == ("a.py",)


def test_many_paths_are_bounded(checkout: Path) -> None:
    for number in range(250):
        (checkout / f"new{number:03}").write_text("")

    found = source(checkout).untracked

    assert len(found) == 200
    assert found[-1] == "... and 51 more"


def test_git_that_is_missing_is_said(checkout: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(Undecided, match="git is not installed"):
        source(checkout)


def test_a_weakened_index_hides_no_change(checkout: Path) -> None:
    path = checkout / "a.py"
    text = path.read_text()
    os.utime(path, (1_600_000_000, 1_600_000_000))
    git(checkout, "update-index", "--refresh")
    git(checkout, "config", "core.trustctime", "false")
    git(checkout, "config", "core.checkStat", "minimal")
    time.sleep(1.1)  # git tells times of change apart by whole seconds
    path.write_text("#" * (len(text) - 1) + "\n")
    os.utime(path, (1_600_000_000, 1_600_000_000))

    assert source(checkout).changed == ("a.py",)


def test_another_folder_cannot_stand_in_for_the_checkout(checkout: Path, tmp_path: Path) -> None:
    clean = tmp_path / "clean"
    shutil.copytree(checkout, clean)
    git(checkout, "config", "core.worktree", str(clean))
    (checkout / "a.py").write_text("changed\n")

    with pytest.raises(Undecided, match="lies elsewhere"):
        source(checkout)


def test_a_replaced_commit_is_not_believed(checkout: Path) -> None:
    first = source(checkout)
    (checkout / "a.py").write_text("changed\n")
    git(checkout, "commit", "--all", "--message", "second")
    assert first.commit is not None
    git(checkout, "replace", first.commit, "HEAD")
    git(checkout, "reset", "--soft", first.commit)

    assert source(checkout).tree == first.tree
    assert source(checkout).changed == ("a.py",)


def test_a_clean_filter_hides_no_change(checkout: Path) -> None:
    git(checkout, "config", "filter.x.clean", "git cat-file blob HEAD:%f")
    (checkout / ".git" / "info" / "attributes").write_text("*.py filter=x\n")
    (checkout / "a.py").write_text("2\n")
    shown = subprocess.run(["git", "-C", str(checkout), "status", "--porcelain"], capture_output=True, check=True)
    assert shown.stdout == b""

    found = source(checkout)

    # the filter, a program that the checkout names, is not run: without it git itself sees the change
    assert found.changed == ("a.py",)
    assert not found.clean
    with pytest.raises(Undecided, match=r"changed: a\.py"):
        rehearsal_notes(found, asked=False, built_in=False)


def test_what_a_filter_made_of_a_file_is_said_to_be_hidden(checkout: Path) -> None:
    """As Git LFS leaves it: the index holds the times of a file whose bytes are not the commit's."""
    (checkout / ".git" / "info" / "attributes").write_text("*.py filter=x\n")
    git(checkout, "config", "filter.x.smudge", "echo large")
    git(checkout, "config", "filter.x.clean", "git cat-file blob HEAD:%f")
    (checkout / "a.py").unlink()
    git(checkout, "checkout", "a.py")
    assert (checkout / "a.py").read_text() == "large\n"
    os.utime(checkout / "a.py", (1_600_000_000, 1_600_000_000))
    git(checkout, "update-index", "--refresh")

    found = source(checkout)

    assert found.hidden == ("a.py",)
    with pytest.raises(Undecided, match=r"hidden from git: a\.py") as raised:
        rehearsal_notes(found, asked=False, built_in=False)
    assert "git check-attr" in (raised.value.hint or "")


def test_a_change_in_the_same_second_with_its_time_put_back_is_seen(checkout: Path) -> None:
    path = checkout / "a.py"
    os.utime(path, (1_600_000_000, 1_600_000_000))
    git(checkout, "update-index", "--refresh")
    before = path.stat()
    with path.open("r+b") as file:  # the same file, size and time
        file.write(b"2")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    found = source(checkout)

    assert {*found.changed, *found.hidden} == {"a.py"}


def test_line_endings_that_git_converts_are_said(checkout: Path) -> None:
    (checkout / ".gitattributes").write_text("*.txt text eol=crlf\n")
    (checkout / "b.txt").write_bytes(b"1\r\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "-m", "text")

    assert source(checkout).hidden == ("b.txt",)


def test_links_and_files_of_submodules_are_compared(checkout: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init")
    (inner / "b.py").write_text("1\n")
    git(inner, "add", ".")
    git(inner, "commit", "-m", "inner")
    (checkout / "link").symlink_to("a.py")
    git(checkout, "submodule", "add", str(inner), "inner")
    git(checkout, "add", "link")
    git(checkout, "commit", "-m", "both")
    assert source(checkout).clean
    git(checkout / "inner", "config", "filter.x.clean", "git cat-file blob HEAD:%f")
    (Path(checkout / ".git/modules/inner/info")).mkdir(exist_ok=True)
    (checkout / ".git/modules/inner/info/attributes").write_text("*.py filter=x\n")
    (checkout / "inner" / "b.py").write_text("2\n")

    found = source(checkout)

    assert "inner/b.py" in found.hidden


def test_a_checkout_too_large_to_compare_is_not_clean(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committed, "MOST_FILES", 1)
    assert "cannot be checked" in source(checkout).hidden[0]
    monkeypatch.setattr(committed, "MOST_FILES", 10)
    monkeypatch.setattr(committed, "MOST_BYTES", 1)
    assert "cannot be checked" in source(checkout).hidden[0]
    assert not source(checkout).clean
