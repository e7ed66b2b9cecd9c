"""What the host's pytest sessions had around them that the commit does not hold, as the worker told it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jetproof.qualify.journal import Journal
from jetproof.qualify.shape import misshapen

_LISTED = 100


@dataclass(frozen=True, kw_only=True)
class Sessions:
    """All sessions of a run together; names only, in order, each once."""

    outside: tuple[str, ...]
    """The project's modules whose code was not that of its tree."""
    scrubbed: tuple[str, ...]
    """Variables that were taken out before pytest started."""
    unclean: tuple[str, ...]
    """What was left that could hide or change tests."""


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
    )


def _modules(end: Mapping[str, Any]) -> Iterator[str]:
    listed = end.get("outside")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            yield from _texts([one.get("module")])


def _texts(listed: Any) -> Iterator[str]:
    yield from (one[:200] for one in (listed if isinstance(listed, list) else ()) if isinstance(one, str))


def _once(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names))[:_LISTED])
