"""Commands that install Python packages, and whether they may put another torch in the place of the vendor's."""

from __future__ import annotations

import re
import shlex

from jetproof.workflow.shell import Command, parts

_INSTALLS = re.compile(
    r"(?:^|[\s/])(?:pip3?(?:\.\d+)?|uv\s+pip)\s+(?:--?\S+\s+){0,8}install\b"
    r"|(?:^|[\s/])(?:uv\s+sync|poetry\s+install|pdm\s+(?:install|sync)|pipenv\s+(?:install|sync)|conda\s+install)\b"
)
_JETPROOF = re.compile(r"(?:^|[\s/])(?:python3?\s+-m\s+)?jetproof\s+install\b")


def replacing(command: Command) -> str | None:
    """Return the part of a command that installs what may bring its own torch; None when there is none.

    jetproof itself needs no torch, and `--no-deps` brings none.
    """
    return next((part for part in parts(command.text) if _INSTALLS.search(part) and not _harmless(part)), None)


def by_jetproof(command: Command) -> bool:
    """Return whether the command installs through `jetproof install`."""
    return any(_JETPROOF.search(part) for part in parts(command.text))


def _harmless(part: str) -> bool:
    try:
        words = shlex.split(part)
    except ValueError:
        return False
    if "--no-deps" in words:
        return "install" in words
    if "install" not in words:
        return False
    named, option = [], ""
    for word in words[words.index("install") + 1 :]:
        if option in ("-r", "--requirement") or (not option and not word.startswith("-")):
            named.append(word.rpartition("/")[2])
        option = (
            word if word in ("-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--find-links") else ""
        )
    return bool(named) and all(re.match(r"jetproof\b", name) for name in named)
