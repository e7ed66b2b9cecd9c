"""Groups that a lock's own tool installs along: told where they replace torch, left aside else."""

from __future__ import annotations

from pathlib import Path

import pytest

from jetproof.install import readers
from jetproof.install.audit import Audit, audit
from jetproof.install.case import held
from jetproof.install.finding import Verdict
from jetproof.install.stack_environment import board
from jetproof.tables import load

TABLES = load()
JP62 = board(TABLES.stack("jp6.2"))
VENDOR = [held("torch==2.8.0a0+5228986c39.nv25.6")]
UV = """version = 1
requires-python = ">=3.10"
[[package]]
name = "rover"
source = { virtual = "." }
dependencies = [{ name = "tqdm" }]
[package.dev-dependencies]
dev = [{ name = "metrics" }]
gpu = [{ name = "torch" }]
[[package]]
name = "metrics"
version = "1.0"
source = { registry = "https://index.example/simple" }
dependencies = [{ name = "torch" }]
[[package]]
name = "torch"
version = "2.5.1"
source = { registry = "https://index.example/simple" }
[[package]]
name = "tqdm"
version = "4.0"
source = { registry = "https://index.example/simple" }
"""
POETRY = """[[package]]
name = "torch"
version = "2.5.1"
python-versions = ">=3.8"
groups = ["main", "gpu"]
markers = {main = "extra == 'ml'"}
files = []
[[package]]
name = "tqdm"
version = "4.0"
python-versions = ">=3.8"
groups = ["main"]
files = []
[metadata]
lock-version = "2.1"
python-versions = ">=3.9"
content-hash = "00"
"""
POETRY_PROJECT = """[tool.poetry]
name = "rover"
[tool.poetry.dependencies]
python = ">=3.9"
tqdm = "*"
torch = {{version = "*", optional = true}}
[tool.poetry.extras]
ml = ["torch"]
[tool.poetry.group.gpu]
optional = {optional}
[tool.poetry.group.gpu.dependencies]
torch = "*"
"""
PDM = """[metadata]
groups = [{groups}]
lock_version = "4.5.0"
[[package]]
name = "torch"
version = "2.5.1"
groups = ["dev"]
files = []
[[package]]
name = "tqdm"
version = "4.0"
groups = ["default"]
files = []
"""
PDM_PROJECT = """[project]
name = "rover"
version = "1"
requires-python = ">=3.9"
dependencies = ["tqdm"]
[dependency-groups]
dev = ["torch"]
[tool.pdm]
distribution = false
"""


def judged(folder: Path, lock: str, text: str, beside: str | None = None, **asked: object) -> Audit:
    (folder / lock).write_text(text)
    if beside is not None:
        (folder / "pyproject.toml").write_text(beside)
    groups = asked.pop("groups", ())
    extras = asked.pop("extras", ())
    assert isinstance(groups, tuple)
    assert isinstance(extras, tuple)
    along = asked.pop("default_groups", True)
    return audit(
        readers.read(folder / lock),
        JP62,
        TABLES,
        held=VENDOR,
        groups=groups,
        extras=extras,
        default_groups=along is True,
    )


def test_uv_takes_dev_along_and_the_finding_says_how_to_leave_it_out(tmp_path: Path) -> None:
    found = judged(tmp_path, "uv.lock", UV)
    assert found.verdict is Verdict.REPLACES_TORCH
    [finding] = found.findings
    assert finding.wanted_by == ("rover (group dev)", "metrics")
    assert "through the group dev" in finding.message
    assert finding.remedy[-1].command == "uv sync --no-group dev"
    assert [one.package.name for one in found.selection.selected] == ["tqdm"]
    assert any("group dev" in note for note in found.project.notes)


def test_groups_may_be_left_aside_or_asked_for(tmp_path: Path) -> None:
    assert judged(tmp_path, "uv.lock", UV, default_groups=False).verdict is Verdict.OK
    asked = judged(tmp_path, "uv.lock", UV, groups=("dev",))
    assert asked.verdict is Verdict.REPLACES_TORCH
    assert all("--no-group" not in (step.command or "") for one in asked.findings for step in one.remedy)


@pytest.mark.parametrize(
    ("setting", "verdict"),
    [
        ("default-groups = []", Verdict.OK),
        ('default-groups = ["gpu"]', Verdict.REPLACES_TORCH),
        ('default-groups = "all"', Verdict.REPLACES_TORCH),
        ('default-groups = ["docs"]', Verdict.OK),
    ],
)
def test_the_project_says_which_groups_uv_takes_along(tmp_path: Path, setting: str, verdict: Verdict) -> None:
    beside = f'[project]\nname = "rover"\nversion = "1"\ndependencies = ["tqdm"]\n[tool.uv]\n{setting}\n'
    assert judged(tmp_path, "uv.lock", UV, beside).verdict is verdict


def test_what_both_ask_for_is_told_once(tmp_path: Path) -> None:
    text = UV.replace('dependencies = [{ name = "tqdm" }]', 'dependencies = [{ name = "torch" }]')
    [finding] = judged(tmp_path, "uv.lock", text).findings
    assert finding.wanted_by == ("rover",)
    assert "group" not in finding.message


@pytest.mark.parametrize(("optional", "verdict"), [("true", Verdict.OK), ("false", Verdict.REPLACES_TORCH)])
def test_poetry_takes_along_what_is_not_optional(tmp_path: Path, optional: str, verdict: Verdict) -> None:
    found = judged(tmp_path, "poetry.lock", POETRY, POETRY_PROJECT.format(optional=optional))
    assert found.verdict is verdict


def test_poetrys_marker_of_one_group_does_not_hold_for_another(tmp_path: Path) -> None:
    beside = POETRY_PROJECT.format(optional="true")
    assert judged(tmp_path, "poetry.lock", POETRY, beside, groups=("gpu",)).verdict is Verdict.REPLACES_TORCH
    assert judged(tmp_path, "poetry.lock", POETRY, beside, extras=("ml",)).verdict is Verdict.REPLACES_TORCH


@pytest.mark.parametrize(
    ("groups", "verdict"), [('"default", "dev"', Verdict.REPLACES_TORCH), ('"default"', Verdict.OK)]
)
def test_pdm_takes_along_what_it_locked(tmp_path: Path, groups: str, verdict: Verdict) -> None:
    assert judged(tmp_path, "pdm.lock", PDM.format(groups=groups), PDM_PROJECT).verdict is verdict


def test_a_pylock_names_its_default_groups(tmp_path: Path) -> None:
    text = (
        'lock-version = "1.0"\ndependency-groups = ["default"]\n{}[[packages]]\nname = "torch"\nversion = "2.5.1"\n'
        'marker = "\'default\' in dependency_groups"\nindex = "https://index.example/simple"\n'
    )
    assert judged(tmp_path, "pylock.toml", text.format("")).verdict is Verdict.OK
    named = text.format('default-groups = ["default"]\n')
    assert judged(tmp_path, "pylock.toml", named).verdict is Verdict.REPLACES_TORCH


def test_without_a_lock_the_groups_are_named_and_not_judged(tmp_path: Path) -> None:
    text = '[project]\nname = "rover"\nversion = "1"\ndependencies = []\n[dependency-groups]\ndev = ["torch==2.5.1"]\n'
    found = judged(tmp_path, "pyproject.toml", text)
    assert found.verdict is Verdict.OK
    assert any("--group dev" in note for note in found.project.notes)
