"""The Dockerfile that installs a project over a base image and keeps the base image's torch. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from jetproof.image.reference import Reference

WORKER = "jetproof-worker.pyz"
GUARD = f"/opt/jetproof/{WORKER}"
PROJECT = "/opt/jetproof/project"
WHEELS = "/opt/jetproof/wheels"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What goes into an image."""

    base: Reference
    python: str = "python3"
    """The interpreter of the base image that holds its torch."""
    extras: tuple[str, ...] = ()
    wheels: bool = False
    """Whether packages come from the folder `wheels` beside the Dockerfile and from nowhere else."""
    reason: str = ""
    """Why this base, for the reader of the file."""


def dockerfile(recipe: Recipe) -> str:
    """Return the text; beside the file lie the packed worker, the folder `project` and, if asked for, `wheels`."""
    wanted = f"{PROJECT}[{','.join(recipe.extras)}]" if recipe.extras else PROJECT
    local = ("--no-index", "--find-links", WHEELS) if recipe.wheels else ()
    lines = [
        "# Made by jetproof image dockerfile: the project goes in, and the base image's own torch stays what it is.",
        *([f"# {_one_line(recipe.reason)}"] if recipe.reason else []),
        f"FROM {recipe.base}",
        "# what guards it: notes torch and its siblings, holds them while pip runs, fails the build if one has changed",
        _copy(WORKER, GUARD),
        _run(recipe.python, "-B", GUARD, "guard", "note"),
        *([_copy("wheels", WHEELS)] if recipe.wheels else []),
        _copy("project", PROJECT),
        _run(recipe.python, "-B", GUARD, "guard", "install", *local, wanted),
        _run(recipe.python, "-B", GUARD, "guard", "check"),
        f"LABEL io.jetproof.base={json.dumps(str(recipe.base))}",
    ]
    return "\n".join(lines) + "\n"


def _run(*words: str) -> str:
    """Return a step in exec form: a JSON list, in which no shell has a say."""
    return "RUN " + _json(words)


def _copy(source: str, target: str) -> str:
    return "COPY " + _json((source, target))


def _json(words: Sequence[str]) -> str:
    return json.dumps(list(words))


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)[:300]
