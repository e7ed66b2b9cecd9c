"""Wheels that reach for the vendor's torch or out of their environment: refused or undone, and nothing of it stays."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.process

SHORT = f"{sys.version_info.major}.{sys.version_info.minor}"
_TORCH = "__version__ = '0'\n"
_HOOK = "import sys, types\nsys.modules['torch'] = types.ModuleType('torch')\nsys.modules['torch'].__version__ = '0'\n"
WHEELS: Mapping[str, Mapping[str, str]] = {
    "another name": {"sneaky/__init__.py": "", "torch/__init__.py": _TORCH},
    "purelib": {"sneaky-1.0.data/purelib/torch/__init__.py": _TORCH},
    "platlib": {"sneaky-1.0.data/platlib/torch/__init__.py": _TORCH},
    "data": {f"sneaky-1.0.data/data/lib/python{SHORT}/site-packages/torch/__init__.py": _TORCH},
    "a module": {"torch.py": _TORCH},
    "a pth that imports": {"sneaky.pth": "import sneaky_hook\n", "sneaky_hook.py": _HOOK},
    "its metadata": {"torch-9.9.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 9.9\n"},
}
BESIDE = ("another name", "platlib", "a module", "a pth that imports", "its metadata")
IN_PLACE = ("another name", "purelib", "data", "a pth that imports", "its metadata")


def _install(machine: Any, stand_in: Any, tmp_path: Path, name: str, files: Mapping[str, str]) -> Any:
    house = tmp_path / "house"
    house.mkdir(exist_ok=True)
    stand_in.wheel(house, name, "1.0", files)
    machine.wants(name)
    machine.index_option = ("--no-index", "--find-links", str(house))
    done = machine.install()
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("name", BESIDE)
def test_a_wheel_that_hides_torch_beside(machine: Any, stand_in: Any, tmp_path: Path, name: str) -> None:
    before = machine.vendor()
    done = _install(machine, stand_in, tmp_path, "sneaky", WHEELS[name])
    assert done.returncode == 1, done.stdout + done.stderr
    assert not (machine.project / ".venv-jetson").exists()
    assert list((machine.project / ".jetproof" / "venvs").glob("2*")) == []
    assert machine.vendor() == before


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_wheel_that_overwrites_torch_in_place(
    machine: Any, stand_in: Any, tmp_path: Path, venv_with_torch: Callable[[], Path], name: str
) -> None:
    own = venv_with_torch()
    before = machine.vendor()
    everything = {path for path in own.rglob("*") if path.suffix != ".pyc"}
    done = _install(machine, stand_in, tmp_path, "sneaky", WHEELS[name])
    assert done.returncode == 1, done.stdout + done.stderr
    assert machine.vendor() == before
    assert {path for path in own.rglob("*") if path.suffix != ".pyc"} == everything


@pytest.mark.parametrize("above", ["../../../../", "/"])
def test_a_wheel_that_climbs_out(machine: Any, stand_in: Any, tmp_path: Path, above: str) -> None:
    before = machine.vendor()
    target = "climbed.py" if above != "/" else f"{tmp_path}/climbed.py".lstrip("/")
    _install(machine, stand_in, tmp_path, "sneaky", {"sneaky/__init__.py": "", f"{above}{target}": "X = 1\n"})
    # refused, or put inside the environment: never outside of it
    found = {path.resolve() for path in tmp_path.rglob("climbed.py")}
    inside = (machine.project / ".jetproof" / "venvs").resolve()
    assert all(path.is_relative_to(inside) or "cache" in path.parts for path in found), found
    assert machine.vendor() == before


@pytest.mark.parametrize("claim", ["torch/version.py", "../../../../precious.txt"])
def test_a_package_that_claims_files_of_others_is_not_replaced(
    machine: Any, tmp_path: Path, venv_with_torch: Callable[[], Path], claim: str
) -> None:
    venv_with_torch()
    precious = tmp_path / "precious.txt"
    precious.write_text("mine")
    claims = machine.site / "helper-0.5.dist-info"
    claims.mkdir()
    (claims / "METADATA").write_text("Metadata-Version: 2.1\nName: helper\nVersion: 0.5\n")
    # uv would delete what RECORD names
    (claims / "RECORD").write_text(f"{claim},,\nhelper-0.5.dist-info/METADATA,,\nhelper-0.5.dist-info/RECORD,,\n")
    before = machine.vendor()
    machine.wants("helper==1.0")
    error = machine.error()
    assert error["reason"] == "collision"
    assert "helper 0.5" in error["message"]
    assert machine.vendor() == before
    assert claims.is_dir()
    assert precious.read_text() == "mine"


def test_an_environment_behind_a_link_is_changed_where_it_is(
    machine: Any, tmp_path: Path, venv_with_torch: Callable[[], Path]
) -> None:
    own = venv_with_torch()
    link = tmp_path / "linked"
    link.symlink_to(own)
    machine.python = link / "bin" / "python"
    machine.wants("helper")
    before = machine.vendor()
    result = machine.result()
    assert result["target"]["in_place"] is True
    assert machine.says("import helper; print(helper.__version__)", own) == "2.0"
    assert machine.vendor() == before
    assert link.is_symlink()


def test_a_link_to_elsewhere_is_no_place_to_install_to(machine: Any, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (machine.project / ".venv-jetson").symlink_to(elsewhere)
    machine.wants("helper")
    assert machine.error()["reason"] == "target-is-link"
    assert list(elsewhere.iterdir()) == []


def test_a_file_system_that_cannot_be_written(machine: Any, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(small)], check=False, capture_output=True).returncode:
        pytest.skip("needs the right to mount a small file system")
    try:
        machine.project = small / "project"
        machine.project.mkdir()
        machine.wants("helper")
        subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True)
        error = machine.error()
        assert error["reason"] == "read-only", error
        assert machine.result("--dry-run")["status"] == "planned"
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)
