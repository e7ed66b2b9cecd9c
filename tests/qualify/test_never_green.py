"""Each way of not running something is not green, and has its own reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.qualify.never_green import WAYS
from tests.qualify.runs import judged, ran

from jetproof.qualify import acceptance, judge


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


def test_the_page_has_every_reason_that_keeps_a_run_from_being_green() -> None:
    """`scripts/never-green-table --check` keeps the page as its tables; this keeps the tables whole."""
    page = (Path(__file__).parent.parent.parent / "docs" / "never-green.md").read_text()
    given = set()
    for module in (judge, acceptance):
        source = Path(module.__file__).read_text()
        given |= set(re.findall(r"(?:Objection\(reason|Fault\(code)=\"([a-z-]+)\"", source))

    assert len(given) > 20
    assert {reason for reason in given if f"`{reason}`" not in page} == set()
