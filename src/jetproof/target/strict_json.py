"""Read JSON from outside: UTF-8 only, bounded in size and depth, nothing that two readers could take differently."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from jetproof.errors import UsageError

MAX_BYTES = 32 << 20
MAX_DEPTH = 64
MAX_DIGITS = 400
"""Digits of a whole number; more are an attack on whoever computes with it."""

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)
_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class _Refused(ValueError):
    """What the parser's hooks found, with its reason code; the place is looked for afterwards."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


def loads(data: bytes, *, what: str, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> object:
    """Return the value that `data` holds. `what` names the input in messages.

    Raises UsageError, with line and column, for: more than `max_bytes`, nesting beyond `max_depth`, text that is not
    UTF-8 or starts with a byte order mark, names given twice, NaN and infinity, numbers that no double can hold,
    lone surrogates, and whatever follows the value. Its reason is one code for each of these, like json-name-twice.
    """
    if len(data) > max_bytes:
        raise UsageError(
            f"{what} is too large: {len(data)} bytes, at most {max_bytes} are read",
            hint="check that this is the file you mean",
            reason="json-too-large",
        )
    if not data.strip(b" \t\r\n"):
        raise UsageError(
            f"{what} is empty", hint="the program that wrote it may have failed; write it again", reason="json-syntax"
        )
    if b"\0" in data:
        place = f"byte {data.index(bytes(1)) + 1}"
        raise UsageError(
            f"{what} holds NUL bytes, from {place} on",
            hint="it may have been cut off by a power loss",
            reason="json-syntax",
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        raise UsageError(
            f"{what} is not UTF-8: line {line}, byte {column}", hint="save it as UTF-8 text", reason="json-not-utf8"
        ) from None
    if text.startswith("\ufeff"):
        raise UsageError(
            f"{what} starts with a byte order mark: line 1, column 1",
            hint="save it as UTF-8 without BOM",
            reason="json-syntax",
        )
    _check_depth(text, what, max_depth)
    try:
        value: object = _DECODER.decode(text)
    except _Refused as refused:
        _refuse(text, what, str(refused), refused.reason)
    except json.JSONDecodeError as error:
        hint = "the file may have been cut off" if error.pos >= len(text.rstrip()) else None
        raise UsageError(
            f"{what} is not valid JSON: {error.msg.lower()} at line {error.lineno}, column {error.colno}",
            hint=hint,
            reason="json-trailing-data" if error.msg == "Extra data" else "json-syntax",
        ) from None
    if _SURROGATE.search(text):
        _check_surrogates(text, what)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Refused("a name is given twice", "json-name-twice")
    return members


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _Refused("a number is too large", "json-number")
    return number


def _int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _Refused("a number is too long", "json-number")
    return int(digits)


def _constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is no JSON value", "json-number")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_int=_int, parse_constant=_constant)
"""Made once: making one costs as much as reading a small text."""


def _check_depth(text: str, what: str, most: int) -> None:
    if text.count("[") + text.count("{") <= most:
        return
    depth = 0
    for token in _BRACKET.finditer(text):
        first = text[token.start()]
        if first in "[{":
            depth += 1
            if depth > most:
                message = f"{what} is nested deeper than {most} levels: {_place(text, token.start())}"
                raise UsageError(message, reason="json-too-deep")
        elif first in "]}":
            depth -= 1


def _refuse(text: str, what: str, message: str, reason: str) -> NoReturn:
    """Find the place that a hook objected to, and raise. Only walked when something is wrong."""
    names: list[set[str] | None] = []
    expect_name = False
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word == "{":
            names.append(set())
        elif word == "[":
            names.append(None)
        elif word in "]}":
            if names:
                names.pop()
        elif word[0] == '"':
            if expect_name and names and names[-1] is not None:
                name = json.loads(word, strict=False)
                if name in names[-1] and "twice" in message:
                    place = _place(text, token.start())
                    raise UsageError(f"{what}: the name {word[:80]} is given twice: {place}", reason=reason)
                names[-1].add(name)
        elif word not in ",:" and _is_refused(word):
            raise UsageError(f"{what}: {message}: {word[:40]}, {_place(text, token.start())}", reason=reason)
        expect_name = word == "{" or (word == "," and bool(names) and names[-1] is not None)
    raise UsageError(f"{what}: {message}", reason=reason)


def _is_refused(word: str) -> bool:
    if word in ("NaN", "Infinity", "-Infinity"):
        return True
    try:
        return len(word) > MAX_DIGITS or not math.isfinite(float(word))
    except ValueError:
        return False


def _check_surrogates(text: str, what: str) -> None:
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word[0] == '"' and _SURROGATE.search(word):
            try:
                json.loads(word, strict=False).encode("utf-8")
            except UnicodeEncodeError:
                place = _place(text, token.start())
                raise UsageError(f"{what} holds half of a surrogate pair: {place}", reason="json-surrogate") from None


def _place(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    return f"line {line}, column {position - text.rfind(chr(10), 0, position)}"
