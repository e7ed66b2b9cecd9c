"""The tables: in order as they are, and each kind of fault in them is told."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jetproof.tables import check, load, reading
from jetproof.tables.check import problems

ROOT = Path(__file__).parents[2]
BOARDS = ROOT / "tests" / "fixtures" / "boards"
SHARED = ROOT.parent / "shared"


def _names() -> list[str]:
    expected = (json.loads(path.read_text("utf-8"))["expected"]["module"] for path in BOARDS.glob("*.json"))
    return [name for name in expected if name]


def test_the_tables_are_in_order() -> None:
    assert problems(load(), _names()) == ()


def test_an_unknown_module_name_is_told() -> None:
    assert problems(load(), ["Jetson Nope"]) == ("modules: no row bears the name Jetson Nope",)


@pytest.fixture
def spoilt(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[dict[str, Any]], None]], str]:
    """Return a function that changes one file of a copy and returns what the check then says."""

    def spoil(name: str, change: Callable[[dict[str, Any]], None]) -> str:
        real = reading.document
        changed = copy.deepcopy(real(name))
        change(changed)
        for module in ("jetproof.tables.reading", "jetproof.tables", "jetproof.tables.check"):
            monkeypatch.setattr(f"{module}.document", lambda asked: changed if asked == name else real(asked))
        return "\n".join(problems(load()))

    return spoil


@pytest.mark.parametrize(
    ("name", "row", "member", "value", "told"),
    [
        ("releases", 3, "l4t", "36.4", "three numbers"),
        ("releases", 3, "l4t_major", 99, "l4t_major is 99"),
        ("releases", 3, "jetpack", "JetPack 6", "JetPack 'JetPack 6'"),
        ("releases", 3, "jetpack", 6, "jetpack"),
        ("releases", 3, "socs", ["tegra999"], "SoCs"),
        ("releases", 10, "python", "3.9", "Python 3.9 on Ubuntu"),
        ("releases", 3, "sources", [], "no source"),
        ("releases", 3, "confidence", "sure", "confidence 'sure'"),
        ("modules", 3, "part_numbers", ["p34480000"], "is not like p3701-0005"),
        ("modules", 3, "part_numbers", [], "no part number"),
        ("modules", 3, "id", "tx1", "tx1 stands 2 times"),
        ("modules", 3, "soc", "tegra000", "is not in socs.json"),
        ("modules", 3, "compute_capability", "8.9", "not exactly one compute capability"),
        ("modules", 3, "family_name", None, "a Jetson has a family_name"),
        ("modules", 3, "colour", "green", "unknown members colour"),
        ("modules", 2, "memory_gb", 5, "differs from another row"),
        ("failure_signatures", 3, "root_causes", ["no-such-cause"], "is not in root_causes.json"),
        ("failure_signatures", 3, "signature_regex", "(", "failure_signatures"),
        ("failure_signatures", 3, "signature_regex", "x*", "matches the empty text"),
        ("other_machines", 3, "sources", [{"title": "", "url": "x"}], "without title or address"),
        ("root_causes", 3, "layer", "nowhere", "layer nowhere"),
        ("modules", 3, "compute_capability", "sm_87", "compute capability 'sm_87'"),
        ("modules", 3, "compatible_strings", ["Jetson Nano"], "compatible entry 'Jetson Nano'"),
        ("releases", 3, "ubuntu", "99.04", "Ubuntu 99.04 is not in ubuntu.json"),
        ("images", 0, "id", "nobody", "no container of torch_builds.json"),
        ("images", 0, "tag", "other", "is not what torch_builds.json names"),
        ("images", 0, "group", "nobody", "group nobody"),
        ("images", 0, "tag", "latest", "tag latest"),
    ],
)
def test_each_kind_of_fault_is_told(
    spoilt: Callable[[str, Callable[[dict[str, Any]], None]], str],
    name: str,
    row: int,
    member: str,
    value: object,
    told: str,
) -> None:
    def change(document: dict[str, Any]) -> None:
        document["rows"][row][member] = value

    assert told in spoilt(name, change)


def test_a_second_part_number_is_told(spoilt: Callable[[str, Callable[[dict[str, Any]], None]], str]) -> None:
    def change(document: dict[str, Any]) -> None:
        document["rows"][3]["part_numbers"] = ["p2180-1000"]

    assert "part number p2180-1000 stands 2 times" in spoilt("modules", change)


def test_a_word_of_judgement_that_nobody_knows_is_told(
    spoilt: Callable[[str, Callable[[dict[str, Any]], None]], str],
) -> None:
    def change(document: dict[str, Any]) -> None:
        document["rows"][0]["works_on"]["orin_jp62"]["verdict"] = "maybe"

    assert "'maybe'" in spoilt("torch_builds", change)


@pytest.mark.shared
def test_nothing_of_the_shared_facts_was_dropped() -> None:
    if not SHARED.is_dir():
        pytest.skip("needs the shared facts beside the checkout")
    for path in sorted((SHARED / "facts").glob("*.json")):
        theirs, ours = json.loads(path.read_text("utf-8")), reading.document(path.stem)
        for member, rows in theirs.items():
            if isinstance(rows, list) and rows and isinstance(rows[0], dict):
                assert len(ours[member]) >= len(rows), (path.stem, member)
                assert {row.get("id") for row in rows} <= {row.get("id") for row in ours[member]}, (path.stem, member)


@pytest.mark.shared
def test_root_causes_are_those_of_the_taxonomy() -> None:
    if not SHARED.is_dir():
        pytest.skip("needs the shared taxonomy beside the checkout")
    import re

    text = (SHARED / "cases" / "TAXONOMY.md").read_text("utf-8")
    ids = set(re.findall(r"^\| ([a-z0-9-]+) \| \d+ \|", text, re.MULTILINE))
    assert {row.id for row in load().root_causes} == ids


def test_rows_are_read_once_and_only_when_asked() -> None:
    tables = load()
    assert tables.__dict__ == {}
    assert tables.modules is tables.modules
    assert tables.release("36.4.3") is not None
    assert tables.release("99.9.9") is None
    assert tables.module_of_part("p9999-0000") is None
    assert tables.compute_capability("tegra999") is None
    assert tables.compute_capability("tegra210b01") == "5.3"
    assert len(tables.look_alikes) == 11
    assert len(tables.detection) == 27


@pytest.mark.parametrize(
    ("member", "value", "told"),
    [("socs", ["tegra999"], "SoCs"), ("l4t_low", "r36", "L4T r36"), ("driver", "other", "driver other")],
)
def test_faults_of_a_group_of_images_are_told(
    spoilt: Callable[[str, Callable[[dict[str, Any]], None]], str], member: str, value: object, told: str
) -> None:
    def change(document: dict[str, Any]) -> None:
        document["groups"][0][member] = value

    assert told in spoilt("images", change)


def test_a_pattern_that_takes_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "_SECONDS", -1.0)
    assert check._faults.__wrapped__("y") == ("slow on hostile texts",)
