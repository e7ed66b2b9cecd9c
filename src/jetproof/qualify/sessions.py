"""What the host's pytest sessions had around them that the commit does not hold, as the worker told it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jetproof.qualify.journal import Journal
from jetproof.qualify.shape import misshapen

_LISTED = 100
MOST_MODULES = 2000
"""Modules that a session tells; one that tells so many may have left some out."""


@dataclass(frozen=True, kw_only=True)
class Module:
    """A module of the project that a session had imported."""

    name: str
    file: str
    """Below the top of the project."""
    sha256: str | None
    """None when the file was too large or could not be read."""


@dataclass(frozen=True, kw_only=True)
class Sessions:
    """All sessions of a run together; names only, in order, each once."""

    outside: tuple[str, ...]
    """The project's modules whose code was not that of its tree."""
    scrubbed: tuple[str, ...]
    """Variables that were taken out before pytest started."""
    unclean: tuple[str, ...]
    """What was left that could hide or change tests."""
    modules: tuple[Module, ...]
    """What of the project was imported."""
    modules_cut: bool
    """Whether there may have been more."""


def sessions(journal: Journal) -> Sessions:
    """Return what the sessions told at their ends."""
    ends = [
        entry.body["record"]
        for entry in journal.of("record")
        if misshapen(entry) is None and entry.body["record"]["record"] == "pytest-finish"
    ]
    around = [told for end in ends if isinstance(told := end.get("environment"), dict)]
    return Sessions(
        outside=_once(name for end in ends for name in _modules(end)),
        scrubbed=_once(name for told in around for name in _texts(told.get("scrubbed"))),
        unclean=_once(name for told in around for name in _texts(told.get("unclean"))),
        modules=tuple(module for end in ends for module in _imported(end.get("modules"))),
        modules_cut=any(isinstance(end.get("modules"), list) and len(end["modules"]) >= MOST_MODULES for end in ends),
    )


def _imported(listed: Any) -> Iterator[Module]:
    """Yield the project's modules; those of pytest itself are told by whole paths."""
    for one in listed if isinstance(listed, list) else ():
        file = one.get("file") if isinstance(one, dict) else None
        if isinstance(file, str) and file and not file.startswith(("/", "~", "<")):
            digest = one.get("sha256")
            yield Module(name=str(one.get("module")), file=file, sha256=digest if isinstance(digest, str) else None)


def _modules(end: Mapping[str, Any]) -> Iterator[str]:
    listed = end.get("outside")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            yield from _texts([one.get("module")])


def _texts(listed: Any) -> Iterator[str]:
    yield from (one[:200] for one in (listed if isinstance(listed, list) else ()) if isinstance(one, str))


def _once(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names))[:_LISTED])
