"""
A file that nobody here can read: what it wants is not known, and never taken for nothing.

What is read
    Nothing. The answer is UNDETERMINED, with the formats that can be read.
"""

from __future__ import annotations

import re
from pathlib import Path

from jetproof.install.locked import Kind, Project, Unknown, Where
from jetproof.install.readers.document import content, where_of
from jetproof.install.readers.reader import Reader

NAMES = ("environment.yml", "environment.yaml", "conda-lock.yml", "Pipfile", "pixi.toml")
"""Files that are known to want packages, though they are not read."""


def read(path: Path, root: Path) -> Project:
    """Say that a file is not read. UsageError when it is no text at all."""
    text = content(path)
    known = ", ".join(kind.value for kind in Kind if kind is not Kind.UNREAD)
    those = f"those that are: {known}"
    why = f"this file format is not read; {those}"
    if path.suffix in (".yml", ".yaml") and re.search(r"^(?:dependencies|package):", text, re.MULTILINE):
        why = f"conda environment files are not read, neither what conda installs nor what pip does there; {those}"
    file = where_of(path, root)
    unknown = Unknown(what=path.name, why=why, where=Where(file=file, line=1))
    return Project(kind=Kind.UNREAD, path=str(path), locked=False, packages=(), unknowns=(unknown,))


READER = Reader(kind=Kind.UNREAD, recognises=Path.is_file, read=read)
