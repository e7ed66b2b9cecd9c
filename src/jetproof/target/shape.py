"""Make frozen dataclasses out of JSON values and back: strict about types, deaf to members that the class lacks."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")

_Reader = Callable[[Any, str], Any]
_WORDS: dict[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


class Misfit(ValueError):
    """A value that does not have the expected type; the text says where, and what was expected."""

    incomplete = False
    """Whether the value is of the right kind and only lacks a member."""


def read(kind: type[T], value: object, place: str = "") -> T:
    """Return `value`, made of what JSON gives, as a `kind`. Raises Misfit; numbers in texts are not converted."""
    return cast("T", _reader(cast("Any", kind))(value, place))


def plain(value: Any) -> Any:
    """Return a dataclass as JSON values; members that have their default are left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = {}
        for field in dataclasses.fields(value):
            member = getattr(value, field.name)
            default = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
            if member != default or type(member) is not type(default):
                members[field.name] = plain(member)
        return members
    if isinstance(value, Mapping):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    return value


@cache
def _reader(hint: Any) -> _Reader:
    if hint is Any:
        return lambda value, _: value
    if hint in _WORDS:
        return _scalar(hint)
    if dataclasses.is_dataclass(hint):
        return _object(cast("type[Any]", hint))
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is tuple:
        return _list(arguments[0])
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(arguments[1])
    raise TypeError(f"no JSON value is read as {hint}")


def _scalar(kind: Any) -> _Reader:
    def convert(value: Any, place: str) -> Any:
        # true is an int to Python, and no number to JSON
        fits = isinstance(value, (int, float) if kind is float else kind) and (
            kind is bool or not isinstance(value, bool)
        )
        if not fits:
            raise _misfit(place, _WORDS[kind], value)
        return value

    return convert


def _list(item: Any) -> _Reader:
    inner = _reader(item)

    def convert(value: Any, place: str) -> Any:
        if not isinstance(value, list):
            raise _misfit(place, "a list", value)
        return tuple(inner(member, f"{place}[{number}]") for number, member in enumerate(value))

    return convert


def _mapping(item: Any) -> _Reader:
    inner = _reader(item)

    def convert(value: Any, place: str) -> Any:
        if not isinstance(value, dict):
            raise _misfit(place, "an object", value)
        return {name: inner(member, f"{place}.{name}") for name, member in value.items()}

    return convert


def _union(members: tuple[Any, ...]) -> _Reader:
    readers = [_reader(member) for member in members]

    def convert(value: Any, place: str) -> Any:
        deepest: Misfit | None = None
        for reader in readers:
            try:
                return reader(value, place)
            except Misfit as misfit:
                # the member that got furthest into the value is the one that was meant
                if deepest is None or _fit(misfit) > _fit(deepest):
                    deepest = misfit
        if deepest is not None and (deepest.incomplete or not str(deepest).startswith(f"{place}:")):
            raise deepest
        raise _misfit(place, " or ".join(_words(member) for member in members), value)

    return convert


def _fit(misfit: Misfit) -> tuple[int, bool]:
    return len(str(misfit).partition(":")[0]), misfit.incomplete


def _object(kind: type[Any]) -> _Reader:
    hints = get_type_hints(kind)
    fields = [(field.name, _required(field)) for field in dataclasses.fields(kind) if field.init]
    readers: dict[str, _Reader] = {}

    def convert(value: Any, place: str) -> Any:
        if not isinstance(value, dict):
            raise _misfit(place, "an object", value)
        members = {}
        for name, required in fields:
            if name in value:
                reader = readers.get(name)
                if reader is None:
                    reader = readers[name] = _reader(hints[name])
                members[name] = reader(value[name], f"{place}.{name}" if place else name)
            elif required:
                misfit = Misfit(f"{place}: the member {name} is missing")
                misfit.incomplete = True
                raise misfit
        return kind(**members)

    return convert


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _words(hint: Any) -> str:
    if hint in _WORDS:
        return _WORDS[hint]
    if dataclasses.is_dataclass(hint) or get_origin(hint) is not tuple:
        return "an object"
    return "a list"


def _misfit(place: str, expected: str, value: object) -> Misfit:
    found = {dict: "an object", list: "a list", bool: "true or false", type(None): "null", str: "text"}.get(
        type(value), "a number"
    )
    return Misfit(f"{place}: expected {expected}, found {found}")
