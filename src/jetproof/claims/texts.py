"""The documents of a project in which a claim can stand. Links are not followed, and what is not looked at is told."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from jetproof.claims.blocks import LARGEST
from jetproof.errors import UsageError
from jetproof.target.recorded import read

_FRONT = re.compile(r"(?:readme|changelog|changes|history|news|release[-_ ]?notes|releases)[^/]*", re.IGNORECASE)
_SUFFIXES = (".md", ".markdown", ".rst", ".txt")
_FOLDERS = ("docs", "doc", ".github")
_LEFT_OUT = frozenset({".git", "node_modules", ".venv", "venv", "site-packages", "__pycache__", "_build"})
_DEEPEST = 8
_MOST = 5000


@dataclass(frozen=True, kw_only=True)
class Document:
    """One document with its bytes."""

    path: str
    """Relative to the project, with slashes."""
    data: bytes


@dataclass(frozen=True, kw_only=True)
class Passed:
    """A document that was not looked at, and why."""

    path: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Documents:
    """All documents of a project."""

    documents: tuple[Document, ...]
    passed: tuple[Passed, ...] = ()

    def get(self, path: str) -> Document | None:
        """Return the document at a path."""
        return next((document for document in self.documents if document.path == path), None)


def documents(project: Path, skip: Sequence[str] = ()) -> Documents:
    """Return front pages, notes, all below docs, and pyproject. `skip` names paths that are left out, and told."""
    found: list[Document] = []
    passed: list[Passed] = []
    for path in _paths(project):
        if any(path == named or path.startswith(named.rstrip("/") + "/") for named in skip):
            passed.append(Passed(path=path, why="left out by --skip"))
            continue
        file = project / path
        if file.is_symlink():
            passed.append(Passed(path=path, why="it is a link, and links are not followed"))
            continue
        try:
            found.append(Document(path=path, data=read(file, LARGEST)))
        except UsageError as error:
            passed.append(Passed(path=path, why=error.message.removeprefix(f"{file} ").removeprefix(f"{file}: ")))
    return Documents(documents=tuple(found), passed=tuple(passed))


def is_document(path: str) -> bool:
    """Whether it is a text that people read, other than pyproject."""
    return path != "pyproject.toml"


def _paths(project: Path) -> Iterator[str]:
    for name in sorted(entry.name for entry in project.iterdir()):
        plain = _FRONT.fullmatch(name) and (name.lower().endswith(_SUFFIXES) or "." not in name)
        if (plain or name == "pyproject.toml") and not (project / name).is_dir():
            yield name
    count = 0
    for folder in _FOLDERS:
        if (project / folder).is_symlink():
            continue
        for path in _below(project, folder):
            count += 1
            if count > _MOST:
                raise UsageError(
                    f"{project} holds more than {_MOST} documents", hint="name what is left out with --skip"
                )
            yield path


def _below(project: Path, folder: str) -> Iterator[str]:
    for root, folders, files in os.walk(project / folder, followlinks=False):
        inside = PurePosixPath(Path(root).relative_to(project).as_posix())
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT) if len(inside.parts) < _DEEPEST else []
        for name in sorted(files):
            if name.lower().endswith(_SUFFIXES):
                yield (inside / name).as_posix()
