from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from jetproof.target import shape


@dataclass(frozen=True, kw_only=True)
class Inner:
    name: str
    size: float | None = None


@dataclass(frozen=True, kw_only=True)
class Outer:
    text: str = ""
    flag: bool = False
    count: int = 0
    inner: tuple[Inner, ...] = ()
    by_name: Mapping[str, str | tuple[str, ...] | Inner | None] = field(default_factory=dict)
    anything: Any = None


def test_members_are_read_and_unknown_ones_ignored() -> None:
    value = {
        "text": "a",
        "flag": True,
        "inner": [{"name": "x", "size": 1, "serial": "secret"}],
        "by_name": {"a": "t", "b": ["u"], "c": None, "d": {"name": "y"}},
        "anything": {"deep": [1]},
        "not known": 1,
    }
    outer = shape.read(Outer, value)
    assert outer == Outer(
        text="a",
        flag=True,
        inner=(Inner(name="x", size=1),),
        by_name={"a": "t", "b": ("u",), "c": None, "d": Inner(name="y")},
        anything={"deep": [1]},
    )
    assert "secret" not in repr(shape.plain(outer))
    assert shape.read(Outer, shape.plain(outer)) == outer


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([], ": expected an object, found a list"),
        ({"text": 1}, "text: expected text, found a number"),
        ({"flag": 1}, "flag: expected true or false, found a number"),
        ({"count": True}, "count: expected a whole number, found true or false"),
        ({"count": 1.5}, "count: expected a whole number, found a number"),
        ({"count": "1"}, "count: expected a whole number, found text"),
        ({"inner": {}}, "inner: expected a list, found an object"),
        ({"inner": [{}]}, "inner[0]: the member name is missing"),
        ({"inner": [{"name": "x", "size": "big"}]}, "inner[0].size: expected a number or null, found text"),
        ({"by_name": {"a": 1}}, "by_name.a: expected text or a list or an object or null, found a number"),
        ({"by_name": {"a": ["x", 1]}}, "by_name.a[1]: expected text, found a number"),
        ({"by_name": []}, "by_name: expected an object, found a list"),
    ],
)
def test_a_misfit_names_the_place(value: object, told: str) -> None:
    with pytest.raises(shape.Misfit) as raised:
        shape.read(Outer, value)
    assert str(raised.value) == told


def test_an_annotation_that_json_cannot_give_is_a_mistake_of_ours() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Wrong:
        when: bytes = b""

    with pytest.raises(TypeError, match="no JSON value"):
        shape._reader(bytes)
    assert shape.read(Wrong, {}) == Wrong()


def test_a_missing_member_is_named_also_where_null_would_do() -> None:
    with pytest.raises(shape.Misfit, match=r"by_name\.a: the member name is missing"):
        shape.read(Outer, {"by_name": {"a": {"size": 1}}})
