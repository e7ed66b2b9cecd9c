"""What git says of the checkout under test: what it tracks, what has changed, what is in the way."""

from __future__ import annotations

from pathlib import Path

from jetproof.errors import Undecided
from jetproof.target.git import ask_git
from jetproof_worker.process import Completed


def git(folder: Path, timeout: float, *words: str) -> Completed:
    """Run git in a folder. Raises `Undecided` when it is missing or takes longer than `timeout` seconds."""
    done = ask_git(folder, *words, timeout=timeout, limit=32 << 20)
    if done.status in ("missing", "timed-out", "denied"):
        what = {"missing": "git is not installed", "denied": "git may not be started"}.get(
            done.status, f"git {words[0]} took longer than {timeout:g} s"
        )
        raise Undecided(f"the checkout {folder} cannot be read: {what}", hint="install git", reason="git-failed")
    return done


def entries(folder: Path, timeout: float, *words: str) -> list[bytes]:
    """Return what git lists with `-z`. Raises `Undecided` when it fails or lists too much."""
    done = git(folder, timeout, *words)
    if not done.ok or done.truncated:
        raise Undecided(f"git {words[0]} failed in {folder}", hint="run `git status` there", reason="git-failed")
    return [name for name in done.stdout.split(b"\0") if name]


def names(folder: Path, timeout: float, *words: str) -> list[str]:
    """Return what git lists with `-z`, as text."""
    return [shown(name) for name in entries(folder, timeout, *words)]


def shown(name: bytes) -> str:
    """Return a path as text; bytes that are no UTF-8 are shown as escapes."""
    return name.decode("utf-8", "backslashreplace")
