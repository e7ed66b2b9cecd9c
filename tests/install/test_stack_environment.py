"""The Python of a board, as markers and wheel tags see it."""

from __future__ import annotations

import pytest

from jetproof.errors import Undecided, UsageError
from jetproof.facts.fact import known
from jetproof.facts.model import Distribution, Facts, Origin, Platform, TorchStack
from jetproof.install.board_from_facts import board_of, held_of
from jetproof.install.stack_environment import WheelFit, board, python_number
from jetproof.tables import load

TABLES = load()


@pytest.mark.parametrize(
    ("stack", "python", "fits", "does_not"),
    [
        ("jp4.6", "3.6", "a-1-cp36-cp36m-linux_aarch64.whl", "a-1-cp36-cp36m-manylinux_2_28_aarch64.whl"),
        ("jp5.1", "3.8", "a-1-cp38-cp38-manylinux_2_31_aarch64.whl", "a-1-cp38-cp38-manylinux_2_35_aarch64.whl"),
        ("jp6.2", "3.10", "a-1-cp310-cp310-manylinux_2_35_aarch64.whl", "a-1-cp310-cp310-manylinux_2_39_aarch64.whl"),
        ("jp7.2-orin", "3.12", "a-1-cp312-cp312-manylinux_2_39_aarch64.whl", "a-1-cp310-cp310-linux_aarch64.whl"),
        ("jp7-thor", "3.12", "a-1-py3-none-any.whl", "a-1-cp312-cp312-manylinux_2_17_x86_64.whl"),
        ("jp6.2", "3.10", "a-1-2-cp310-cp310-manylinux2014_aarch64.manylinux_2_17_aarch64.whl", "a-1.tar.gz"),
        ("jp6.2", "3.10", "a-1-cp32-abi3-linux_aarch64.whl", "broken.whl"),
        ("jp6.2", "3.10", "a-1-py2.py3-none-any.whl", "a-1-cp310-cp310-musllinux_1_2_aarch64.whl"),
    ],
)
def test_markers_and_tags(stack: str, python: str, fits: str, does_not: str) -> None:
    made = board(TABLES.stack(stack))
    assert made.markers["python_version"] == python
    assert made.markers["platform_machine"] == "aarch64"
    assert made.kernel.endswith("-tegra")
    fit = WheelFit(made)
    assert fit(fits)
    assert fit(fits)
    assert not fit(does_not)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3.10", ((3, 10), "3.10.12")),
        ("cp312", ((3, 12), "3.12.3")),
        ("38", ((3, 8), "3.8.10")),
        ("python3.11", ((3, 11), "3.11.0")),
        ("3.10.4", ((3, 10), "3.10.4")),
        ("2.7", None),
        ("three", None),
    ],
)
def test_ways_to_write_a_python(text: str, expected: tuple[tuple[int, int], str] | None) -> None:
    assert python_number(text) == expected


def test_another_python_can_be_asked_for() -> None:
    assert board(TABLES.stack("jp6.2"), "3.12").python == (3, 12)
    with pytest.raises(UsageError, match="no Python"):
        board(TABLES.stack("jp6.2"), "2.7")


def facts(l4t: str | None, part: str | None = None) -> Facts:
    platform = Platform(
        **({"l4t": known("l4t", l4t, "f")} if l4t else {}),  # type: ignore[arg-type]
        **({"module_part_number": known("module_part_number", part, "f")} if part else {}),  # type: ignore[arg-type]
        kernel=known("kernel", "5.15.148-tegra", "f"),
    )
    torch = TorchStack(
        python=known("python", "3.10.6", "f"),
        torchaudio=known("torchaudio", "2.8.0", "f"),
        installs=(
            Distribution(name="torch", release="2.8.0a0+5228986c39.nv25.06", location="/usr/lib"),
            Distribution(name="torch", release="1.0", location="/elsewhere", active=False),
            Distribution(name="numpy", release="1.26.4", location="/usr/lib"),
        ),
    )
    return Facts(origin=Origin.RECORDED, platform=platform, torch=torch)


def test_a_read_out_gives_board_and_held() -> None:
    made = board_of(facts("36.4.3", "p3701-0005"), TABLES)
    assert made.stack.startswith("jp6.2/")
    assert made.python_full == "3.10.6"
    assert [one.told for one in held_of(facts("36.4.3"))] == ["torch 2.8.0a0+5228986c39.nv25.06", "torchaudio 2.8.0"]
    assert all(one.named for one in held_of(facts("36.4.3")))


def test_an_unlisted_point_release_is_judged_as_its_family() -> None:
    assert board_of(facts("36.9.9"), TABLES).target.l4t.startswith("36.")


@pytest.mark.parametrize("l4t", [None, "99.1.0"])
def test_without_a_known_release_nothing_is_guessed(l4t: str | None) -> None:
    with pytest.raises(Undecided):
        board_of(facts(l4t), TABLES)
