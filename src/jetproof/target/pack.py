"""The worker as one file: the same sources always give the same bytes."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jetproof_worker

_WHEN = (1980, 1, 1, 0, 0, 0)
_SHEBANG = b"#!/usr/bin/env python3\n"
_MAIN = b"""import sys

if sys.version_info < (3, 6):
    sys.exit("jetproof: this needs Python 3.6 or later; start it with python3")

from jetproof_worker.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
"""

COLLECTOR: tuple[str, ...] = (
    "__init__.py",
    "__main__.py",
    "answers.py",
    "ask.py",
    "collect.py",
    "commands.py",
    "emulation.py",
    "environments.py",
    "files.py",
    "frames.py",
    "loader.py",
    "memory_groups.py",
    "names.py",
    "places.py",
    "process.py",
    "program.py",
    "redact.py",
    "start.py",
    "step_watch.py",
    "steps.py",
    "trials.py",
    "trying.py",
)
"""The modules that read a machine and run nothing else; these run on Python 3.6."""


@dataclass(frozen=True, kw_only=True)
class Packed:
    """A packed worker and the SHA-256 of its bytes, in hex."""

    content: bytes
    sha256: str


def worker() -> Packed:
    """Return the whole worker."""
    folder = _folder()
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
    return _packed(folder, names)


def collector() -> Packed:
    """Return the collector alone: one file to carry to a board that is offline or holds only an old Python."""
    return _packed(_folder(), COLLECTOR)


def _folder() -> Path:
    return Path(jetproof_worker.__file__).parent


def _packed(folder: Path, names: Sequence[str]) -> Packed:
    buffer = io.BytesIO()
    buffer.write(_SHEBANG)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_STORED) as archive:
        archive.writestr(_entry("__main__.py"), _MAIN)
        for name in sorted(names):
            archive.writestr(_entry(f"jetproof_worker/{name}"), (folder / name).read_bytes())
    content = buffer.getvalue()
    return Packed(content=content, sha256=hashlib.sha256(content).hexdigest())


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an entry that says nothing about when, where and by whom it was packed."""
    entry = zipfile.ZipInfo(name, _WHEN)
    entry.create_system = 3
    entry.external_attr = 0o100644 << 16
    return entry
