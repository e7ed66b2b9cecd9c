"""Where an environment is put on a board: places that are refused, links that are swapped, what is tidied."""

from __future__ import annotations

from pathlib import Path

import pytest

from jetproof_worker import board_place
from jetproof_worker.board_place import Place, Refusal


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def made(place: Place) -> str:
    environment = place.new()
    Path(environment).mkdir()
    Path(environment, "file").write_text("x")
    return environment


def test_a_relative_place_is_of_the_home_folder(home: Path) -> None:
    assert Place("a/../b").link == Place("~/b").link == Place(f"{home}/b").link == f"{home}/b"


def test_the_link_is_the_journal(home: Path) -> None:
    place = Place("env")
    place.check()
    with place.held():
        first = made(place)
        place.lead_to(first)
        second = made(place)
        assert place.current == first
        assert place.tidy() == [Path(second).name]
        second = made(place)
        place.lead_to(second)
        assert place.tidy() == [Path(first).name]
    place.check()
    assert Path(place.link, "file").read_text() == "x"
    assert sorted(entry.name for entry in home.iterdir()) == ["env", "env.d"]


def test_undo_leaves_what_the_link_leads_to_and_no_empty_folder(home: Path) -> None:
    board_place.undo("env")
    place = Place("env")
    with place.held():
        made(place)
        board_place.undo("env")  # somebody holds it, who tidies himself
        assert len(list(Path(place.folder).iterdir())) == 1
    (home / ".env.new").symlink_to("nowhere")
    board_place.undo("env")
    assert list(home.iterdir()) == []


def test_two_cannot_hold_it(home: Path) -> None:
    del home
    with Place("env").held(), pytest.raises(Refusal) as caught, Place("env").held():
        pass
    assert caught.value.reason == "locked"


def test_what_is_not_ours_is_left_alone(home: Path) -> None:
    (home / "there").mkdir()
    (home / "linked").symlink_to("there")
    (home / "odd.d").mkdir()
    (home / "odd.d" / "note").write_text("mine")
    (home / "other").symlink_to("other.d/../there")
    for asked, reason in (
        ("there", "target-exists"),
        ("linked", "target-is-link"),
        ("other", "target-is-link"),
        ("odd", "target-folder"),
        ("~", "target-precious"),
        ("/", "target-precious"),
        ("/dev/x", "target-precious"),
        ("a/b", "target-no-parent"),
    ):
        with pytest.raises(Refusal) as caught:
            Place(asked).check()
        assert caught.value.reason == reason, asked
        board_place.undo(asked)
    assert (home / "odd.d" / "note").read_text() == "mine"
