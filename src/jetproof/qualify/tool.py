"""Which program ran: its release, and one digest over its own files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import jetproof
import jetproof_worker
from jetproof.qualify.plan_model import ToolFacts


def tool() -> ToolFacts:
    """Return what this copy of jetproof is, read from its own files."""
    return ToolFacts(
        release=jetproof.__version__,
        sha256=files_digest(Path(jetproof.__file__).parent),
        worker_sha256=files_digest(Path(jetproof_worker.__file__).parent),
    )


def files_digest(folder: Path) -> str:
    """Return SHA-256 over the names and contents of all files below a folder, compiled ones left out."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".pyc", ".so"):
            name = path.relative_to(folder).as_posix()
            digest.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
