"""Which torch to have in the first place: named from the tables, and checked when one is given."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jetproof.errors import ExitCode, Undecided
from jetproof.facts.fact import known
from jetproof.facts.model import Facts, Origin, Outcome, Platform
from jetproof.install.interpreter import Torch
from jetproof.install.torch_source import Answer, board, checks, choices, code
from jetproof.tables import load

TABLES = load()
ORIN = TABLES.stack("jp6.2/agx-orin-64gb")


def test_the_vendors_newest_wheel_with_its_conditions() -> None:
    best = choices(ORIN, TABLES)[0]
    assert best.on_stack.build.torch_version == "2.5.0a0+872d972e41.nv24.08"
    told = " ".join(condition.text for condition in best.conditions)
    assert "Python 3.10" in told
    assert "libcusparseLt.so.0" in told
    assert "numpy below 2" in told
    assert best.command is not None
    assert best.command.startswith("jetproof install --torch --stack jp6.2/agx-orin-64gb --torch-wheel https://")


@pytest.mark.parametrize("name", ["jp5.1", "jp6.0", "jp6.2", "jp7-thor", "jp7.2-orin", "jp4.6"])
def test_every_stack_has_a_source_and_none_that_cannot_work(name: str) -> None:
    found = choices(TABLES.stack(name), TABLES)
    assert found
    assert all(choice.on_stack.verdict.verdict != "no" for choice in found)
    assert all(choice.on_stack.build.sources for choice in found)


def test_what_must_be_built_comes_after_what_is_ready() -> None:
    kinds = [choice.on_stack.build.kind for choice in choices(TABLES.stack("jp7.2-orin"), TABLES)]
    yes = [one.on_stack for one in choices(TABLES.stack("jp7.2-orin"), TABLES) if one.on_stack.verdict.verdict == "yes"]
    assert yes[-1].build.kind == "source"
    assert "nvidia-wheel" not in kinds


def test_an_old_python_is_told_to_use_its_own_pip() -> None:
    commands = [choice.command for choice in choices(TABLES.stack("jp4.6"), TABLES) if choice.command]
    assert not any("--torch-wheel" in command for command in commands)


def _facts(**members: Any) -> Facts:
    told = {name: known(name, value, "test") for name, value in members.items()}
    return Facts(origin=Origin.LIVE, platform=Platform(**told))


def test_the_boards_own_stack() -> None:
    assert board(_facts(is_jetson=True, jetpack="6.2", module="Jetson AGX Orin 64GB"), TABLES).name.startswith("jp6.2/")
    assert board(_facts(is_jetson=True, jetpack="6.2", soc="tegra234"), TABLES).soc == "tegra234"
    assert board(_facts(is_jetson=True, jetpack="6.2.99", soc="other"), TABLES).jetpack == "6.2"


@pytest.mark.parametrize(
    "members", [{"is_jetson": False}, {}, {"is_jetson": True}, {"is_jetson": True, "jetpack": "9.9"}]
)
def test_no_stack_can_be_named(members: dict[str, Any]) -> None:
    with pytest.raises(Undecided):
        board(_facts(**members), TABLES)


GOOD = {
    "outcome": Outcome.OK,
    "release": "2.8.0",
    "file": "/t",
    "built_for_cuda": "12.6",
    "available": True,
    "arch_list": ("sm_87",),
}


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({}, ExitCode.OK),
        ({"available": False}, ExitCode.UNDECIDED),
        ({"arch_list": None}, ExitCode.UNDECIDED),
        ({"arch_list": ("sm_80", "sm_90")}, ExitCode.NO),
        ({"built_for_cuda": None}, ExitCode.NO),
        ({"outcome": Outcome.CRASHED, "message": "matmul: died"}, ExitCode.NO),
        ({"release": None, "message": "no such library"}, ExitCode.NO),
    ],
)
def test_a_given_torch_is_judged(members: dict[str, Any], expected: ExitCode) -> None:
    settled: dict[str, Any] = {**GOOD, **members}
    assert code(Answer(stack=ORIN, choices=(), checks=checks(Torch(**settled), ORIN))) is expected


def _run(machine: Any, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "jetproof", "install", "--torch", "--stack", "jp6.2", *words]
    return subprocess.run(
        argv, capture_output=True, text=True, env=machine.variables, cwd=machine.project, check=False, timeout=120
    )


@pytest.mark.process
def test_a_given_wheel_is_installed_and_checked(machine: Any, vendor_torch: Path) -> None:
    place = ["--python", str(machine.python), "--index-url", machine.index.url]
    done = _run(machine, "--torch-wheel", str(vendor_torch), *place, "--json")
    body = json.loads(done.stdout)
    # the stand-in does not tell its architectures
    assert done.returncode == 4
    assert body["schema"] == "jetproof/install-torch/1"
    assert {check["name"]: check["passed"] for check in body["checks"]} == {
        "imports": True,
        "built for CUDA": True,
        "built for this GPU": None,
        "a device answers": True,
        "one operation passes": True,
    }
    assert machine.says("import torch; print(torch.__version__)", machine.project / ".venv-torch").startswith("2.8.0a0")


@pytest.mark.process
def test_a_given_wheel_without_cuda_is_removed_again(machine: Any, stand_in: Any, tmp_path: Path) -> None:
    plain = stand_in.torch_wheel(tmp_path, "2.8.0+cpu", None)
    done = _run(machine, "--torch-wheel", str(plain), "--python", str(machine.python), "--index-url", machine.index.url)
    assert done.returncode == 1
    assert done.stdout.startswith("This torch is not right for jp6.2; it was removed again.")
    assert "built for CUDA: NO (built without CUDA)" in done.stdout
    assert not (machine.project / ".venv-torch").exists()


@pytest.mark.process
def test_a_given_index(machine: Any) -> None:
    done = _run(
        machine, "--torch-index", machine.index.url, "--python", str(machine.python), "--index-url", machine.index.url
    )
    assert done.returncode == 4, done.stderr
    assert "torch 2.14.1" in done.stdout


@pytest.mark.process
def test_nothing_is_fetched_unasked(machine: Any) -> None:
    machine.index.trouble = "500"
    done = _run(machine)
    assert done.returncode == 0
    assert done.stdout.startswith("For jp6.2: NVIDIA Jetson wheel, torch 2.5.0a0+872d972e41.nv24.08\n")
    assert "Nothing was downloaded." in done.stdout
    assert _run(machine, "--torch-wheel", "a", "--torch-index", "b").returncode == 2
