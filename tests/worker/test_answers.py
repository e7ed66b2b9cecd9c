"""The shape that an interpreter's description of itself must have."""

from __future__ import annotations

from typing import Any

import pytest

from jetproof_worker import answers, ask


def test_this_interpreter_is_understood() -> None:
    assert answers.fault(ask.interpreter()) == ""


@pytest.mark.parametrize(
    "change",
    [
        {"executable": 5},
        {"executable": ""},
        {"version": "three"},
        {"prefix": 1},
        {"is_venv": "yes"},
        {"site_paths": None},
        {"site_paths": [1]},
        {"distributions": {}},
        {"distributions": [{"name": "torch"}]},
        {"distributions": [{"name": "torch", "release": "1", "location": "/", "tags": [1]}]},
        {"modules": [None]},
    ],
)
def test_a_wrong_shape_is_named(change: dict[str, Any]) -> None:
    assert answers.fault({**ask.interpreter(), **change})


def test_no_object_at_all() -> None:
    assert answers.fault(None)
    assert answers.fault([1])
