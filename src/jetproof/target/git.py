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
_OPTIONS = ("--no-pager", "--no-replace-objects", *(word for setting in _SETTINGS for word in ("-c", setting)))


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
    environment.update(GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", LC_ALL="C", **(extra or {}))
    return run(["git", "-C", str(folder), *_OPTIONS, *words], timeout, stdin=stdin, env=environment, limit=limit)
