"""What an interpreter says, put together."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from jetproof.errors import Undecided
from jetproof.facts.model import Outcome
from jetproof.install.asking import LocalAsker, installed, torch


def _metadata(site: Path, name: str, release: str, *requires: str) -> None:
    folder = site / f"{name}-{release}.dist-info"
    folder.mkdir(parents=True)
    lines = "".join(f"Requires-Dist: {one}\n" for one in requires)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {release}\n{lines}")


def test_the_first_copy_on_the_path_is_the_active_one(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    _metadata(first, "Torch_Vision", "1", "torch>=2")
    _metadata(second, "torch_vision", "2")
    (second / "half-1.0.dist-info").mkdir()
    found = installed([str(first), str(second), str(first), str(tmp_path / "gone")])
    assert [(dist.name, dist.release, dist.active) for dist in found] == [
        ("torch-vision", "1", True),
        ("torch-vision", "2", False),
    ]
    assert found[0].requires == ("torch>=2",)


def _step(name: str, outcome: str = "ok", **data: Any) -> dict[str, Any]:
    return {"name": name, "outcome": outcome, "message": "why", "data": data}


def test_torch_works_when_it_imports_and_computes() -> None:
    told = {"torch": "2.8.0", "cuda": "12.6", "file": "/t", "arch_list": ["sm_87"]}
    steps = [_step("import torch", **told), _step("cuda available", available=True), _step("matmul")]
    found = torch({"steps": steps})
    assert (found.outcome, found.release, found.available, found.arch_list) == (
        Outcome.OK,
        "2.8.0",
        True,
        ("sm_87",),
    )


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([_step("import torch", "failed")], Outcome.FAILED),
        ([_step("import torch"), _step("matmul", "crashed")], Outcome.CRASHED),
        ([_step("import torch", "timed-out")], Outcome.TIMED_OUT),
        ([_step("import torch", "something new")], Outcome.FAILED),
        ([], Outcome.NOT_RUN),
    ],
)
def test_anything_less_does_not(steps: list[dict[str, Any]], expected: Outcome) -> None:
    assert torch({"steps": steps, "stderr": ""}).outcome is expected


@pytest.mark.process
def test_a_real_interpreter_answers() -> None:
    found = LocalAsker(choose=lambda python: (python, "--python")).ask(sys.executable)
    assert found.release == sys.version.split()[0]
    assert found.active("pytest") is not None
    assert found.torch.outcome is not Outcome.OK


def test_no_python_at_all() -> None:
    with pytest.raises(Undecided, match="no Python was found"):
        LocalAsker(choose=lambda python: (None, "PATH")).ask(None)


@pytest.mark.process
def test_a_program_that_is_no_python() -> None:
    with pytest.raises(Undecided, match="/bin/true does not answer"):
        LocalAsker(choose=lambda python: ("/bin/true", "--python")).ask(None)
