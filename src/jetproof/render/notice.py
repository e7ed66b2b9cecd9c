"""One remark about a line of a file, whichever command makes it; SARIF and annotations are made of these."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Level(Enum):
    """How a reader of code-scanning results sees a remark."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, kw_only=True)
class Notice:
    """A remark with its rule and its place. Lines and columns count from 1."""

    rule: str
    name: str
    """The rule in a few words with hyphens."""
    level: Level
    message: str
    path: str
    """Relative to the repository's root, with slashes."""
    line: int | None = None
    column: int | None = None
    url: str | None = None
    """The page that explains the rule."""
