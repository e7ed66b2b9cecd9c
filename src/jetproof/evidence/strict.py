"""Reads JSON that can be read in one way only; everything else is refused by name.

Two readers that disagree about the same bytes are how a signature comes to cover something other than what was
checked: a doubled name, a NaN, a lone surrogate, text behind the end.
"""

from __future__ import annotations

import json
import math
from typing import Any

from jetproof.evidence.reason import Reason, Unreadable

MAX_BYTES = 8 << 20
"""No envelope comes near this; logs and reports travel as side files."""
MAX_DEPTH = 24


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise Unreadable(Reason.DUPLICATE_NAME, f"the name {name[:80]!r} stands twice in one object")
            seen.add(name)
    return found


def _constant(text: str) -> Any:
    raise Unreadable(Reason.NOT_FINITE, f"{text} is not a JSON number")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise Unreadable(Reason.NOT_FINITE, f"the number {text[:40]} is beyond what can be held")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_constant=_constant, parse_float=_number)


def parsed(data: bytes, limit: int = MAX_BYTES) -> Any:
    """Return the one JSON value that `data` holds, or raise Unreadable with the reason."""
    if len(data) > limit:
        raise Unreadable(Reason.TOO_LARGE, f"{len(data)} bytes, at most {limit} are read")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(Reason.NOT_UTF8, f"byte {error.start} is not UTF-8") from None
    try:
        value, end = _DECODER.raw_decode(text, len(text) - len(text.lstrip(" \t\r\n")))
    except RecursionError:
        raise Unreadable(Reason.TOO_DEEP, f"nested deeper than {MAX_DEPTH}") from None
    except json.JSONDecodeError as error:
        raise Unreadable(
            Reason.NOT_JSON, f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except ValueError as error:
        raise Unreadable(Reason.NOT_FINITE, f"a number cannot be held: {error}") from None
    if text[end:].strip(" \t\r\n"):
        raise Unreadable(Reason.TRAILING_DATA, f"more text after the value, from character {end}")
    _bounded(value)
    if "\\u" in text or "\\U" in text:
        _paired(value)
    return value


def _bounded(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        deeper: list[Any] = []
        for item in level:
            if type(item) is dict:
                deeper.extend(part for part in item.values() if type(part) is dict or type(part) is list)
            elif type(item) is list:
                deeper.extend(part for part in item if type(part) is dict or type(part) is list)
        if not deeper:
            return
        level = deeper
    raise Unreadable(Reason.TOO_DEEP, f"nested deeper than {MAX_DEPTH}")


def _paired(value: Any) -> None:
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending.extend(item.keys())
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
        elif isinstance(item, str) and not _encodes(item):
            raise Unreadable(Reason.LONE_SURROGATE, "half of a surrogate pair stands alone")


def _encodes(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
