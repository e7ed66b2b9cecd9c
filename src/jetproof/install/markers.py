"""Environment markers, evaluated for a board that is not at hand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import lru_cache

from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName

from jetproof_worker.names import normalised

_EXTRA = re.compile(r"""\bextra\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)")|(?:'([^']*)'|"([^"]*)")\s*(==|!=)\s*\bextra\b""")
MAX_LENGTH = 20_000
"""Of one marker; uv's longest for many conflicting extras have a few thousand characters."""


class Markers:
    """Says whether markers hold; equal ones are evaluated once, since a lock repeats few markers thousands of times."""

    def __init__(
        self, values: Mapping[str, str], extras: Set[str] = frozenset(), groups: Set[str] = frozenset()
    ) -> None:
        self._values = values
        self._items = frozenset(values.items())
        self._extras = frozenset(extras)
        self._groups = frozenset(groups)
        self._known: dict[tuple[str, frozenset[str]], bool | None] = {}

    def holds(self, marker: str | None, active: frozenset[str] = frozenset()) -> bool | None:
        """Whether a marker holds with the extras in `active` asked for; None when it is no marker."""
        if not marker:
            return True
        # only markers that speak of extras differ with what is asked for
        key = (marker, active if "extra" in marker else frozenset())
        if key not in self._known:
            self._known[key] = self._evaluate(*key)
        return self._known[key]

    def _evaluate(self, marker: str, active: frozenset[str]) -> bool | None:
        if len(marker) > MAX_LENGTH:
            return None
        try:
            if "extras" in marker or "dependency_groups" in marker:
                values: dict[str, str | Set[str]] = {
                    **self._values,
                    "extras": self._extras,
                    "dependency_groups": self._groups,
                }
                return Marker(marker).evaluate(values, context="lock_file")
            if "extra" in marker:
                marker = _without_extras(marker, active | self._extras)
            # "requirement" knows no extra: one that is left over is an error and not a silent False
            return _holds(marker, self._items)
        except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, RecursionError, ValueError, KeyError):
            return None


@lru_cache(maxsize=10_000)
def _holds(marker: str, values: frozenset[tuple[str, str]]) -> bool:
    """Evaluate a marker; a lock that is looked at twice, with other groups, has the same markers for the most part."""
    return Marker(marker).evaluate(dict(values), context="requirement")


def _without_extras(marker: str, active: Set[str]) -> str:
    """Put true or false in the place of each `extra == "…"`: several can be asked for at once, `extra` is one text."""

    def decided(match: re.Match[str]) -> str:
        operator = match[1] or match[6]
        name = next(group for group in (match[2], match[3], match[4], match[5]) if group is not None)
        plain = normalised(name)
        return "os_name == 'posix'" if (plain in active) is (operator == "==") else "os_name == 'none'"

    return _EXTRA.sub(decided, marker)


def names_machine(marker: str | None) -> bool:
    """Whether a marker picks by processor, which cannot tell a Jetson from a server with the same processor."""
    return marker is not None and "platform_machine" in marker
