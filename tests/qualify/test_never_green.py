"""Each way of not running something is not green, and has its own reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.qualify.never_green import WAYS
from tests.qualify.runs import judged, ran


@pytest.mark.parametrize("name", WAYS)
def test_no_way_is_green(name: str, tmp_path: Path) -> None:
    way = WAYS[name]

    verdict = judged(ran(way.target(), tmp_path))

    assert not verdict.green
    if way.item is None:
        assert way.reason in [entry.reason for entry in verdict.objections]
    else:
        item = next(item for item in verdict.items if item.id == way.item)
        assert (item.outcome.value, item.reason) == (way.outcome, way.reason)


def test_there_are_enough_ways() -> None:
    assert len(WAYS) >= 25
    assert len({way.reason for way in WAYS.values()}) >= 25
