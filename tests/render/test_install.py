"""An installation in words, compared with golden files."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jetproof.facts.model import Outcome
from jetproof.install.apply import Result, Status
from jetproof.install.elsewhere import interpreter
from jetproof.install.fit import Demand, Fit
from jetproof.install.held import Family
from jetproof.install.interpreter import Installed, Interpreter, Torch
from jetproof.install.merged import Unmet, Why
from jetproof.install.plan import Absent, Backtracked, Item, Plan
from jetproof.install.proof import Proof
from jetproof.install.protected import Difference
from jetproof.install.quantization import Build, Ruling
from jetproof.install.torch_source import Answer, checks, choices
from jetproof.install.venv import Target
from jetproof.render import install, torch_source
from jetproof.render.style import Style
from jetproof.tables import load

GOLDEN = Path(__file__).parent.parent / "golden" / "install"
SITE = Path("/usr/local/lib/python3.10/dist-packages")
TORCH = Torch(
    outcome=Outcome.OK,
    release="2.8.0a0+5228986c39.nv25.6",
    file=f"{SITE}/torch/__init__.py",
    built_for_cuda="12.6",
    available=True,
)
PYTHON = Interpreter(
    executable=Path("/usr/bin/python3"),
    release="3.10.12",
    prefix=Path("/usr"),
    base_prefix=Path("/usr"),
    is_venv=False,
    is_conda=False,
    user_site=None,
    machine="aarch64",
    glibc="2.35",
    distributions=(
        Installed(name="torch", release="2.8.0a0+5228986c39.nv25.6", location=SITE, active=True),
        Installed(name="triton", release="3.4.0", location=SITE, active=False),
    ),
    torch=TORCH,
    asked="PATH",
)
ALPHA = Demand(by="newest 1.0", requirement="torch>=2.8", name="torch", present=TORCH.release, fit=Fit.ALPHA)
UNFIT = Demand(by="old 1.0", requirement="torch==2.7.1", name="torch", present=TORCH.release, fit=Fit.UNFIT)
PLAN = Plan(
    items=(
        Item(name="accelerate", release="1.15.0", hashes=("sha256:aa",), wheel="a.whl", size=400_000),
        Item(name="compiled", release="1.0", hashes=("sha256:bb",), build=True, size=100_000),
        Item(name="thing", release=None, address="git+https://git.example/thing@0123abc"),
    ),
    project="/home/u/project",
    dropped=("bitsandbytes", "torch", "torchvision"),
    absent=(
        Absent(name="torchvision", family=Family.SIBLING, wanted_by=("accelerate",)),
        Absent(name="bitsandbytes", family=Family.QUANTIZATION, wanted_by=("the project",)),
    ),
    demands=(ALPHA, UNFIT),
    backtracked=(Backtracked(name="accelerate", chosen="1.15.0", free="1.16.0"),),
    constraints=("numpy<2 (PIP_CONSTRAINT, /etc/pip/constraint.txt)",),
    notes=("uv.lock was read",),
    quantization=Ruling(tier=None, required=False, told="the project has no policy that asks for it"),
)


def _result(status: Status, **members: Any) -> Result:
    target = Target(path=Path("/home/u/project/.venv-jetson"), in_place=False)
    return Result(**{"status": status, "interpreter": PYTHON, "target": target, "plan": PLAN, **members})


PROVEN = Proof(
    files=12254,
    deep=False,
    differences=(),
    broken=(),
    before=TORCH,
    after=TORCH,
    unmet=(Unmet(by="newest 1.0", requirement="torch>=2.8", present=TORCH.release, why=Why.ALPHA),),
)
BROKEN = Proof(
    files=12254,
    deep=True,
    differences=(Difference(path=f"{SITE}/torch/version.py", what="content changed"),),
    broken=("torch was imported from /a and is now imported from /b",),
    before=TORCH,
    after=TORCH,
    unmet=(Unmet(by="a 1", requirement="b>=2", present=None, why=Why.OTHER),),
    notes=("import cv2 ends with: failed: libGL.so.1",),
)
RESULTS = {
    "planned": _result(Status.PLANNED, refused=(ALPHA, UNFIT)),
    "installed": _result(
        Status.INSTALLED, proof=PROVEN, recovered="an earlier installation (1) was interrupted: undone"
    ),
    "undone": _result(Status.UNDONE, proof=replace(BROKEN, differences=())),
    "undone-changed": _result(Status.UNDONE, proof=BROKEN, log=Path("/home/u/project/.jetproof/install/1.log")),
}


def _same(name: str, text: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("JETPROOF_WRITE_GOLDEN") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_text(name: str) -> None:
    _same(name, install.text(RESULTS[name]))


def test_a_plan_that_was_agreed_to_does_not_announce_a_stop() -> None:
    assert "It will stop" not in install.text(_result(Status.PLANNED))


WHEEL = Build(
    filename="bitsandbytes-0.46.1-cp310-cp310-linux_aarch64.whl",
    address="file:///w/bitsandbytes-0.46.1-cp310-cp310-linux_aarch64.whl",
    sha256="aa",
    place="/w/bitsandbytes-0.46.1-cp310-cp310-linux_aarch64.whl",
)
RULINGS = {
    "unsupported": Ruling(tier="orin", required=False, told="unsupported: no build is pinned yet"),
    "required-unmet": Ruling(tier="orin", required=True, told="no build was named", compute_capabilities=("8.7",)),
    "required-met": Ruling(tier="orin", required=True, told="WHEEL (yes: it is built for 8.7)", build=WHEEL),
    "required-there": Ruling(tier="orin", required=True, told="bitsandbytes 0.46.1 is there already", present=True),
}


@pytest.mark.parametrize("name", sorted(RULINGS))
def test_what_a_tier_says_of_bitsandbytes(name: str) -> None:
    plan = Plan(items=(), quantization=RULINGS[name])
    _same(f"tier-{name}", install.text(_result(Status.INSTALLED, plan=plan, proof=PROVEN)))
    told = install.json_object(_result(Status.PLANNED, plan=plan))["plan"]["bitsandbytes"]
    assert told["met"] is (name != "required-unmet")
    assert bool(told["recipe"]) is (name == "required-unmet")


def test_what_did_not_come_is_told_apart_from_a_broken_torch() -> None:
    proof = replace(PROVEN, missing=("helper 2.0 was planned and is not there",))
    told = install.text(_result(Status.UNDONE, proof=proof))
    assert told.startswith("Undone: what was planned did not come as planned (below);")
    assert "\nMissing: helper 2.0 was planned and is not there\n" in told


def test_a_board_elsewhere_is_told_as_one() -> None:
    tables = load()
    python = interpreter(tables.stack("jp6.2"), tables)
    _same("planned-elsewhere", install.text(_result(Status.PLANNED, interpreter=python, plan=Plan(items=()))))


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_json(name: str) -> None:
    body = json.loads(json.dumps(install.json_object(RESULTS[name])))
    assert body["schema"] == "jetproof/install/1"
    assert body["status"] == name.partition("-")[0]
    assert [one["fit"] for one in body["plan"]["demands"]] == ["alpha", "unfit"]


def test_colour_marks_the_answer_alone() -> None:
    text = install.text(RESULTS["undone"], Style(colour=True))
    assert text.startswith("\x1b[1;31mUndone")
    assert text.count("\x1b[") == 2


def test_control_characters_of_others_are_shown() -> None:
    plan = Plan(items=(Item(name="evil", release="1\x1b[2J"),))
    assert "\x1b" not in install.text(_result(Status.PLANNED, plan=plan))


def test_the_right_torch() -> None:
    tables = load()
    stack = tables.stack("jp6.2/agx-orin-64gb")
    named = Answer(stack=stack, choices=choices(stack, tables)[:1])
    _same("torch", torch_source.text(named))
    assert torch_source.json_object(named)["choices"][0]["kind"] == "nvidia-wheel"
    _same("torch-undone", torch_source.text(Answer(stack=stack, choices=(), undone=True, checks=checks(TORCH, stack))))
    assert torch_source.text(Answer(stack=stack, choices=())).startswith("No source of torch is known")
