"""The state of the project's git checkout: which commit it is, and whether what lies there is exactly that."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from jetproof.errors import Undecided
from jetproof.qualify.checkout_git import git, names
from jetproof.qualify.committed import committed, differing
from jetproof.qualify.plan_model import Source, Submodule
from jetproof_worker.redact import without_secrets

_LISTED = 200
"""Paths of one kind that are written down; more than that is told by the last entry."""
_STEERS_PYTEST = (":(glob)**/conftest.py", ":(glob)**/pytest.ini", ":(glob)**/.pytest.ini", ":(glob)**/pytest.toml")
"""Files that change what pytest runs, and so count as untracked even where git ignores them."""

SubmoduleState = Literal["same", "other-commit", "not-checked-out", "conflict"]
_STATES: dict[str, SubmoduleState] = {" ": "same", "+": "other-commit", "-": "not-checked-out", "U": "conflict"}


def source(project: Path, *, ours: Callable[[Path], bool] | None = None, timeout: float = 60.0) -> Source:
    """Return the state of the checkout that holds `project`; commit None when it is none.

    `ours` tells the files that jetproof itself wrote, which are no change of the project.
    Raises `Undecided` when git is missing, refuses, or takes longer than `timeout` seconds.
    """
    top = git(project, timeout, "rev-parse", "--show-toplevel")
    if not top.ok:
        said = top.stderr.decode("utf-8", "replace")
        if "not a git repository" in said:
            return Source(commit=None, tree=None)
        raise Undecided(
            f"git cannot read the checkout {project}: {said.strip() or top.detail or top.status}",
            hint="run `git status` there and mend what it says",
            reason="git-failed",
        )
    root = Path(os.fsdecode(top.stdout.rstrip(b"\n")))
    if not project.resolve().is_relative_to(root.resolve()):
        raise Undecided(
            f"git takes {root} for the checkout of {project}, which lies elsewhere",
            hint="git config --unset core.worktree",
            reason="checkout-elsewhere",
        )
    head = git(root, timeout, "rev-parse", "HEAD", "HEAD^{tree}").stdout.decode().split()
    if len(head) != 2:
        return Source(commit=None, tree=None)
    changed, untracked = _status(root, timeout)
    hidden = [
        entry[2:] for entry in names(root, timeout, "ls-files", "-v", "-z") if entry[:1] in "hsS" or entry[:1].islower()
    ]
    steering = names(
        root, timeout, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", *_STEERS_PYTEST
    )
    # git status asks the clean filters, and trusts times: what lies there is held against the commit itself, too
    hidden += [path for path in differing(root, committed(root, timeout), timeout) if path not in changed]
    untracked += [path for path in steering if "site-packages" not in path.split("/")]
    ref = git(root, timeout, "symbolic-ref", "--quiet", "HEAD")
    return Source(
        commit=head[0],
        tree=head[1],
        committed_at=_committed_at(root, timeout),
        ref=ref.stdout.decode().strip() if ref.ok else None,
        repository=_repository(root, timeout),
        shallow=git(root, timeout, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true",
        changed=_listed(changed),
        untracked=_listed([path for path in untracked if ours is None or not ours(root / path)]),
        hidden=_listed(hidden),
        submodules=_submodules(root, timeout),
    )


def _status(root: Path, timeout: float) -> tuple[list[str], list[str]]:
    """Return changed and untracked paths."""
    entries = names(
        root,
        timeout,
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--ignore-submodules=none",
        "--no-renames",
    )
    changed = [entry.split(" ", 8 if entry[0] == "1" else 10)[-1] for entry in entries if entry[0] in "1u"]
    untracked = [entry[2:] for entry in entries if entry[0] == "?"]
    return changed, untracked


def _listed(paths: list[str]) -> tuple[str, ...]:
    ordered = sorted(set(paths))
    if len(ordered) > _LISTED:
        return (*ordered[: _LISTED - 1], f"... and {len(ordered) - _LISTED + 1} more")
    return tuple(ordered)


def _submodules(root: Path, timeout: float) -> tuple[Submodule, ...]:
    if not (root / ".gitmodules").is_file():
        return ()
    done = git(root, timeout, "submodule", "status", "--recursive")
    if not done.ok:
        return (Submodule(path="(could not be read)", commit="", state="conflict"),)
    found = []
    for line in done.stdout.decode("utf-8", "backslashreplace").splitlines():
        match = re.fullmatch(r"([ +\-U])([0-9a-f]{40,64}) (.+?)(?: \([^()]*\))?", line)
        if match is not None:
            found.append(Submodule(path=match[3], commit=match[2], state=_STATES[match[1]]))
    return tuple(found)


def _committed_at(root: Path, timeout: float) -> str | None:
    told = git(root, timeout, "show", "--no-patch", "--format=%ct", "HEAD").stdout.decode().strip()
    try:
        return datetime.fromtimestamp(int(told), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return None


def _repository(root: Path, timeout: float) -> str | None:
    told = git(root, timeout, "config", "--get", "remote.origin.url").stdout.decode("utf-8", "replace").strip()
    if not told or told.startswith(("/", ".", "file:", "~")):
        return None  # a path of this machine is nobody else's business
    return without_secrets(told)
