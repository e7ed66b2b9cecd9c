"""Which files make a project, for places that have no copy of it: what git tracks, as it lies in the checkout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from jetproof.errors import Undecided, UsageError
from jetproof.target.git import ask_git

_LIMIT = 60.0
_MOST = 100_000
_LEFT_OUT = frozenset({"__pycache__", "node_modules", "venv"})


def project_files(root: Path) -> tuple[str, ...]:
    """Return the paths of the project's files, relative to `root`, sorted.

    Of a git checkout: what is tracked, submodules included; a clean checkout is then exactly its commit, which an
    archive of git's own need not be (it leaves out what `export-ignore` names). Of any other folder: all files but
    hidden folders and caches. Raises `Undecided` when there are too many, or git takes too long.
    """
    done = ask_git(root, "ls-files", "-z", "--cached", "--recurse-submodules", timeout=_LIMIT, limit=64 << 20)
    if done.status == "timed-out" or done.truncated:
        raise Undecided(f"git could not list the files of {root}", hint="run `git status` there", reason="git-failed")
    tracked = [os.fsdecode(name) for name in done.stdout.split(b"\0") if name] if done.ok else []
    names = sorted({name for name in tracked if os.path.lexists(root / name)} or set(_walked(root)))
    if len(names) > _MOST:
        raise Undecided(f"{root} holds more than {_MOST} files", hint="name the project's own folder with --project")
    return tuple(names)


def link_target(root: Path, name: str) -> str:
    """Return where a link of the project leads. Raises `UsageError` when that is not inside the project."""
    target = os.fspath((root / name).readlink())
    led = os.path.normpath(Path(name).parent / target)
    if target.startswith("/") or led.split("/", 1)[0] == "..":
        raise UsageError(
            f"{root / name} is a link that leads out of the project, and cannot be sent along",
            hint="replace it by the file itself, or run jetproof on the board",
            reason="link-leads-out",
        )
    return target


def _walked(root: Path) -> Iterator[str]:
    for place, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT and not name.startswith("."))
        for name in names:
            yield str((Path(place) / name).relative_to(root))
