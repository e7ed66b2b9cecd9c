"""Facts about hardware and releases: rows with a source, never branches in code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Tables:
    """All tables, loaded once."""
