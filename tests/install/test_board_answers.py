"""Boards that answer in another form than their worker: each is told as such, whatever it says."""

from __future__ import annotations

import copy
import json
import random
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from jetproof.errors import JetproofError, Undecided
from jetproof.install.board_answers import checked
from jetproof.install.on_board import BoardAsker
from jetproof_worker import board_environment
from jetproof_worker.process import Completed

_OTHERS: tuple[Any, ...] = (None, 0, -1, 1e308, "", "\x1b[31m", "\ud800", [], {}, [[]], {"a": 1}, True, 10**30)


class FakeBoard:
    """Tells one record."""

    def __init__(self, record: dict[str, Any]) -> None:
        self._record = record

    def install(self, request: object, on_record: Any, timeout: float, files: object = ()) -> Completed:
        """Hand on the record."""
        on_record(self._record)
        return Completed(["ssh"], "exited", 0, b"", b"", 0.1)


@pytest.fixture(scope="module")
def looked() -> dict[str, Any]:
    """What the worker tells of this very interpreter."""
    told = board_environment.look({"python": sys.executable, "venv": None, "patience": 1.0})
    told["distributions"] = told["distributions"][:2]
    read: dict[str, Any] = json.loads(json.dumps({**told, "record": "looked", "nonce": "n"}))
    return read


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if place:
        yield place
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield from _places(member, (*place, name))


@pytest.mark.process
def test_what_the_worker_tells_is_taken(looked: dict[str, Any]) -> None:
    assert checked(looked, "looked") == "looked"
    after = {name: looked[name] for name in ("python", "tried", "distributions")}
    installed = {
        "record": "installed",
        "holds": True,
        "link": "/home/a/v",
        "files": 3,
        "differences": [["/a", "gone"]],
        "broken": [],
        "after": after,
        "recovered": [],
    }
    assert checked(installed, "installed") == "installed"
    looked["tried"]["steps"].append({"name": "import cv2", "outcome": "ok", "data": {"cuda": True, "file": None}})
    assert checked(looked, "looked") == "looked"
    for wrong in ({"holds": 1}, {"differences": [["a"]]}, {"after": None}, {"files": "3"}, {"link": None}):
        with pytest.raises(Undecided):
            checked({**installed, **wrong}, "installed")


@pytest.mark.process
def test_any_other_form_is_told(looked: dict[str, Any]) -> None:
    """Each member in turn is taken out and replaced; nothing but a told error may come of it."""
    chance = random.Random(5)
    places = list(_places(looked))
    refused = 0
    for _ in range(1500):
        answer = copy.deepcopy(looked)
        place = chance.choice(places)
        holder: Any = answer
        for name in place[:-1]:
            holder = holder[name]
        if chance.random() < 0.3 and isinstance(holder, dict):
            del holder[place[-1]]
        else:
            holder[place[-1]] = chance.choice(_OTHERS)
        try:
            BoardAsker(board=FakeBoard(answer), venv=".v", asked="PATH").ask(None)
        except JetproofError:
            refused += 1
    assert refused > 300


@pytest.mark.parametrize(
    "record",
    [
        {"record": "installed", "holds": True},
        {"record": "refused", "message": "x"},
        {"record": "step"},
        {"record": ["looked"]},
        {},
    ],
)
def test_a_record_that_was_not_asked_for_is_told(record: dict[str, Any]) -> None:
    with pytest.raises(Undecided, match="its worker never says"):
        BoardAsker(board=FakeBoard(record), venv=".v", asked="PATH").ask(None)


@pytest.mark.process
@pytest.mark.parametrize("release", ["", "3", "x.y", "3.10; rm", "-1.2"])
def test_a_release_of_python_is_one(looked: dict[str, Any], release: str) -> None:
    answer = copy.deepcopy(looked)
    answer["python"]["interpreter"]["version"] = release
    with pytest.raises(Undecided, match="no release of Python"):
        checked(answer, "looked")
