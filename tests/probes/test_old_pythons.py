"""The worker serves on each Python from 3.8 on, without any package installed."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from tests.conftest import python_of

from .conftest import Serve

pytestmark = [pytest.mark.process, pytest.mark.pythons]


@pytest.mark.parametrize("release", ["3.8", "3.9", "3.10", "3.12", "3.13"])
def test_serving(release: str, serve: Serve, host: Callable[..., dict[str, Any]]) -> None:
    python = python_of(release)
    request = host("time.sleep(600) if name == 'hang' else None\nif name == 'crash': ctypes.string_at(0)\nreturn 'cpu'")
    one = request["items"][0]
    request["items"] = [
        {**one, "id": name, "timeout": 1.5, "params": {**one["params"], "argument": name}}
        for name in ("auto", "hang", "crash")
    ]
    request["items"].append({"id": "plain", "probe": "architecture", "params": {"machine": os.uname().machine}})
    served = serve(request, python=python)
    assert served.one("hello")["python"].startswith(release + ".")
    assert {id_: end["reason"] for id_, end in served.ends.items()} == {
        "auto": "ok",
        "hang": "timeout",
        "crash": "signal",
        "plain": "ok",
    }
    assert served.one("finish")["items"] == 4
