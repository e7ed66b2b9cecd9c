"""A regular expression that is compiled when it is first searched: most are never needed by one command."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

_SENTENCE = r"[^.\n]"
_WITHIN = r"(?:[^.\n]|\.(?=\S))"
"""A dot inside a number, a name or "e.g." ends no sentence."""


class Expression:
    """Searches as `re.Pattern` does; its text costs nothing until then.

    `[^.\\n]` in a pattern stands for what is within one sentence.
    """

    __slots__ = ("_compiled", "_flags", "pattern")

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None

    def _ready(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self.pattern.replace(_SENTENCE, _WITHIN), self._flags)
        return self._compiled

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Return the first place in `text` from `start` to `end` that matches."""
        return self._ready().search(text, start, end)

    def match(self, text: str) -> re.Match[str] | None:
        """Return the match at the beginning of `text`."""
        return self._ready().match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return the match of the whole of `text`."""
        return self._ready().fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield all matches, none overlapping another."""
        return self._ready().finditer(text)

    def findall(self, text: str) -> list[Any]:
        """Return the matched texts, or their groups."""
        return self._ready().findall(text)

    def sub(self, replacement: str, text: str) -> str:
        """Return `text` with each match replaced."""
        return self._ready().sub(replacement, text)
