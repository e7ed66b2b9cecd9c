"""Detection on read-outs of real machines, on made ones, and on both with evidence taken away or falsified."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from jetproof.facts.from_snapshot import facts
from jetproof.facts.model import Platform
from jetproof.tables import Tables, load
from jetproof.target.snapshot import parse

FIXTURES = Path(__file__).parents[2] / "fixtures"
ANSWERS = {
    "is_jetson": "is_jetson",
    "l4t": "l4t",
    "jetpack": "jetpack",
    "module": "module",
    "module_part_number": "module_pn",
    "soc": "soc",
    "compute_capability": "compute_capability",
}
TABLES: Tables = load()

Board = dict[str, Any]


@cache
def _read_boards() -> tuple[Board, ...]:
    return tuple(_read_board(path) for path in sorted((FIXTURES / "boards").glob("*.json")))


def _read_board(path: Path) -> Board:
    board: Board = json.loads(path.read_text("utf-8"))
    missing = [name for name in ("id", "source", "expected") if name not in board]
    missing += [f"expected.{name}" for name in ANSWERS.values() if name not in board.get("expected", {})]
    if missing:
        raise ValueError(f"{path} lacks {', '.join(missing)}: see 'A board is a row' in CONTRIBUTING.md")
    return board


@cache
def _made_boards() -> tuple[Board, ...]:
    return tuple(json.loads((FIXTURES / "made_boards.json").read_text("utf-8")))


def _platform(board: Board) -> Platform:
    return facts(parse(board, what=board["id"], origin="recorded"), TABLES).platform


def _without(board: Board, member: str, name: str) -> Board:
    less = copy.deepcopy(board)
    del less[member][name]
    return less


def _ids(board: Board) -> str:
    return str(board["id"])


def _pieces() -> list[tuple[Board, str, str]]:
    return [
        (board, member, name)
        for board in (*_read_boards(), *_made_boards())
        for member in ("files", "commands")
        for name in board[member]
    ]


def test_a_read_out_as_it_was_saved_is_refused_with_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "board.json").write_text('{"files": {}, "commands": {}}')
    with pytest.raises(ValueError, match=r"board\.json lacks id, source, expected, .*CONTRIBUTING"):
        _read_board(tmp_path / "board.json")


def test_all_read_outs_are_there() -> None:
    assert len(_read_boards()) >= 62
    assert all(board["source"]["title"] for board in _read_boards())


@pytest.mark.parametrize("board", _read_boards(), ids=_ids)
def test_a_real_machine_is_told_or_left_open(board: Board) -> None:
    found, expected = _platform(board), board["expected"]
    for ours, theirs in ANSWERS.items():
        fair = expected.get(f"{theirs}_acceptable", [expected[theirs]])
        fact = getattr(found, ours)
        assert fact.value in fair, f"{ours}: {fact}"


@pytest.mark.parametrize("board", _made_boards(), ids=_ids)
def test_a_made_machine_is_told_exactly(board: Board) -> None:
    found = _platform(board)
    for name, expected in board["expected"].items():
        value = getattr(found, name).value
        if name == "platform_class":
            value = value.value if value else "unknown"
        assert value == expected, f"{name}: {getattr(found, name)}"


@pytest.mark.parametrize("board", [*_read_boards(), *_made_boards()], ids=_ids)
def test_what_is_not_known_says_why(board: Board) -> None:
    found = _platform(board)
    for name in ANSWERS:
        fact = getattr(found, name)
        assert fact.known or fact.absent or fact.reason is not None, name
        assert not fact.known or fact.read_from, name


_HARDWARE_AGAINST_TREE = {
    "011-agx-orin-r39.2.0-p3701-0001": "without its EEPROM the board can only be what the flashed tree says",
    "unlisted-sku-in-eeprom": "the flashed tree names a SKU that the hardware does not have",
    "eeprom-family-conflict": "without one of the two boards the other one is left",
}
"""Boards on which taking one of two contradicting signs away must change the answer."""


def test_less_evidence_never_gives_another_answer() -> None:
    """Any piece taken away: the answer stays, gets coarser, or becomes unknown."""
    for board, member, name in _pieces():
        before, after = _platform(board), _platform(_without(board, member, name))
        where = f"{board['id']} without {name}"
        if before.is_jetson.value is not None:
            assert after.is_jetson.value in (before.is_jetson.value, None), where
        for answer in ("module", "soc", "compute_capability", "module_part_number"):
            was, now = getattr(before, answer).value, getattr(after, answer).value
            if was is None or now is None or was == now or board["id"] in _HARDWARE_AGAINST_TREE:
                continue
            families = {row.family_name for row in TABLES.modules if was in (row.name, row.family_name)}
            assert answer == "module", f"{where}: {answer} {was} became {now}"
            assert now in families, f"{where}: {was} became {now}"


def test_a_machine_that_is_no_jetson_never_becomes_one() -> None:
    for board, member, name in _pieces():
        if board["expected"].get("is_jetson") is False:
            assert _platform(_without(board, member, name)).is_jetson.value is not True, f"{board['id']} without {name}"


@pytest.mark.parametrize(
    "planted",
    [
        {"files": {"/etc/nv_tegra_release": "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic"}},
        {"commands": {"dpkg-query -W nvidia-l4t-core": "nvidia-l4t-core 36.4.3-20250107174145"}},
        {"commands": {"apt-cache show nvidia-jetpack": "Package: nvidia-jetpack\nVersion: 6.2+b77"}},
        {"commands": {"env": "L4T_VERSION=36.4.3", "hostname": "jetson-agx-orin"}},
        {"commands": {"pip list": "Jetson.GPIO 2.1.7"}},
    ],
    ids=["release file", "package", "candidate", "environment", "pip"],
)
def test_planted_signs_make_no_jetson(planted: dict[str, dict[str, str]]) -> None:
    for board in _read_boards():
        if board["expected"]["is_jetson"] is not False:
            continue
        more = copy.deepcopy(board)
        for member, texts in planted.items():
            more[member].update(texts)
        found = _platform(more)
        assert found.is_jetson.value is not True, board["id"]
        assert found.jetpack.value is None or found.is_jetson.value is None, board["id"]


def test_a_part_number_of_another_soc_is_a_conflict() -> None:
    """EEPROM and device tree of two boards: neither is believed."""
    for board in _read_boards():
        if board["expected"]["is_jetson"] is not True or "/proc/device-tree/compatible" not in board["files"]:
            continue
        soc = board["expected"]["soc"]
        for row in TABLES.modules:
            if row.soc == soc or not row.is_jetson:
                continue
            board_number, sku = row.part_numbers[0].removeprefix("p").split("-")
            swapped = copy.deepcopy(board)
            swapped["files"]["eeprom/699-part-number"] = f"699-1{board_number}-{sku}-300 A.0"
            found = _platform(swapped)
            assert found.soc.value is None, (board["id"], row.name)
            assert found.compute_capability.value is None, (board["id"], row.name)
            assert found.notes, (board["id"], row.name)


def test_each_part_number_gives_its_own_module() -> None:
    for row in TABLES.modules:
        for part in row.part_numbers:
            number, sku = part.removeprefix("p").split("-")
            board = {"id": part, "files": {"eeprom/699-part-number": f"699-1{number}-{sku}-400 B.1"}, "commands": {}}
            found = _platform(board)
            assert found.module_part_number.value == part
            assert found.module.value == (row.name if row.is_jetson else None)
            assert found.soc.value == row.soc
            assert found.compute_capability.value == row.compute_capability
            assert found.is_jetson.value is row.is_jetson


def test_each_listed_release_gives_its_jetpack() -> None:
    for row in TABLES.releases:
        line = f"# R{row.l4t_major} (release), REVISION: {row.l4t.split('.', 1)[1]}, GCID: 1, BOARD: generic"
        found = _platform({"id": row.l4t, "files": {"/etc/nv_tegra_release": line}, "commands": {}})
        assert found.l4t.value == row.l4t
        assert found.jetpack.value == row.jetpack
        assert found.is_jetson.value is None, "the file alone never decides"


@pytest.mark.parametrize("l4t", ["36.4.9", "35.6.9", "39.9.9", "40.1.0", "32.7.99"])
def test_an_unlisted_release_is_told_and_never_mapped(l4t: str) -> None:
    major, revision = l4t.split(".", 1)
    line = f"# R{major} (release), REVISION: {revision}, GCID: 1, BOARD: generic"
    found = _platform({"id": l4t, "files": {"/etc/nv_tegra_release": line}, "commands": {}})
    assert (found.l4t.value, found.jetpack.value) == (l4t, None)
    assert any("not listed" in note for note in found.notes)


@pytest.mark.shared
def test_the_shared_read_outs_are_all_told() -> None:
    """Those beside the checkout may be more than those kept here."""
    folder = Path(__file__).parents[4] / "shared" / "platforms"
    if not folder.is_dir():
        pytest.skip("needs the shared read-outs beside the checkout")
    for path in sorted(folder.glob("*.json")):
        test_a_real_machine_is_told_or_left_open(json.loads(path.read_text("utf-8")))
