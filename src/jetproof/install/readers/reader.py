"""What a reader of one file format is. Readers do not know one another, save for those that files include."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jetproof.install.locked import Kind, Project


@dataclass(frozen=True, kw_only=True)
class Reader:
    """One file format: which paths it takes and how they are read."""

    kind: Kind
    recognises: Callable[[Path], bool]
    read: Callable[[Path, Path], Project]
    """From the file and the root of the project; UsageError when the file is not what its name says."""


def unshadowed(name: str) -> Callable[[Path], bool]:
    """Recognise a file by its name."""
    return lambda path: path.name == name
