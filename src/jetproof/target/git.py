"""Asks git about one repository, with whatever could make it answer of another one, or otherwise, out of play."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from jetproof_worker.process import Completed, run

_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    # with these weakened, a changed file of the same size and time passes for the committed one
    "core.trustctime=true",
    "core.checkStat=default",
    "core.quotePath=false",
    "log.showSignature=false",
)
_SURROUNDINGS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # what a partial clone lacks would be fetched with programs that the checkout's own configuration names
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    # other parents than a commit's own would give a history that nobody made
    "GIT_GRAFT_FILE": os.devnull,
    "LC_ALL": "C",
}
_OPTIONS = ("--no-pager", "--no-replace-objects", *(word for setting in _SETTINGS for word in ("-c", setting)))
_FILTERS = ("config", "--name-only", "-z", "--get-regexp", r"^filter\..*\.(clean|smudge|process|required)$")
"""Programs that the configuration names and that `git status` would run; a file that they change counts as changed."""


def ask_git(
    folder: Path,
    *words: str,
    timeout: float,
    limit: int,
    stdin: bytes = b"",
    extra: Mapping[str, str] | None = None,
) -> Completed:
    """Run git in a folder, for at most `timeout` seconds and `limit` bytes of each output.

    What the environment says to git is left out, so that it speaks of the repository that `folder` lies in, whether
    or not a hook of another one is running; `extra` is set instead.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment.update(_SURROUNDINGS, **(extra or {}))
    start = ["git", "-C", str(folder), *_OPTIONS]
    if "status" in words:
        found = run([*start, *_FILTERS], timeout, env=environment, limit=1 << 20)
        names = found.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
        if found.truncated or any("=" in name for name in names):  # such a name cannot be set to nothing
            return Completed(start, "failed", None, b"", b"", found.seconds, detail="filters with odd names")
        start += (word for name in names for word in ("-c", f"{name}={'false' if name.endswith('required') else ''}"))
    return run([*start, *words], timeout, stdin=stdin, env=environment, limit=limit)
