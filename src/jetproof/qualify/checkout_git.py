"""Asks git about a checkout, with whatever could make it answer of another one, or overlook a change, out of play."""

from __future__ import annotations

import os
from pathlib import Path

from jetproof.errors import Undecided
from jetproof_worker.process import Completed, run

_SETTINGS = (
    *("-c", "core.fsmonitor=false", "-c", "core.quotePath=true", "-c", "core.untrackedCache=false"),
    # with these weakened, a changed file of the same size and time passes for the committed one
    *("-c", "core.trustctime=true", "-c", "core.checkStat=default"),
)


def git(folder: Path, timeout: float, *words: str) -> Completed:
    """Run git in a folder. Raises `Undecided` when it is missing or takes longer than `timeout` seconds."""
    # nothing in the environment may point git at another checkout, index or configuration
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment.update(GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", GIT_NO_REPLACE_OBJECTS="1", LC_ALL="C")
    done = run(["git", *_SETTINGS, "-C", str(folder), *words], timeout=timeout, env=environment, limit=32 << 20)
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
