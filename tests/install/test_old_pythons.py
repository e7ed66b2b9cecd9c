"""The Pythons of JetPack 5 and 4, real ones: 3.8 is installed for, 3.6 is refused with what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import python_of

pytestmark = pytest.mark.pythons


def _machine(system: Callable[..., Any], release: str) -> Any:
    return system(Path(python_of(release)).parents[1], release)


def test_jetpack_5_from_the_plan_to_the_undoing(system: Callable[..., Any]) -> None:
    machine = _machine(system, "3.8")
    machine.wants("small-lib", "compiled")
    before = machine.vendor()
    planned = machine.result("--dry-run")
    assert planned["python"]["release"].startswith("3.8.")
    assert [item["name"] for item in planned["plan"]["items"]] == ["compiled", "helper", "small-lib"]
    assert not (machine.project / ".jetproof").exists()

    installed = machine.result()
    assert installed["proof"]["holds"]
    assert (installed["proof"]["available_before"], installed["proof"]["available_after"]) == (True, True)
    assert installed["plan"]["items"] == planned["plan"]["items"]
    says = "import sys, small_lib, compiled, torch; print(sys.version_info[1], torch.__version__, compiled.BUILT)"
    told = f"8 {installed['proof']['torch']['release']} {installed['proof']['torch']['release']}"
    assert machine.says(says) == told

    again = machine.result()
    assert again["plan"]["items"] == installed["plan"]["items"]
    assert machine.says(says) == told
    assert len(list((machine.project / ".jetproof" / "venvs").glob("2*"))) == 1

    machine.wants("shadow")
    done = machine.install()
    assert done.returncode == 1
    assert done.stdout.startswith("Undone: the installation broke the vendor's torch")
    assert machine.says(says) == told
    assert machine.vendor() == before


def test_jetpack_5_in_place(
    system: Callable[..., Any], vendor_torch: Path, tmp_path: Path, unpack: Callable[[Path, Path], None]
) -> None:
    import subprocess

    machine = _machine(system, "3.8")
    own = tmp_path / "own"
    subprocess.run([str(machine.python), "-m", "venv", "--without-pip", str(own)], check=True, env=machine.variables)
    machine.python, machine.site = own / "bin" / "python", own / "lib" / "python3.8" / "site-packages"
    unpack(vendor_torch, machine.site)
    machine.wants("small-lib")
    before = machine.vendor()
    assert machine.result()["target"]["in_place"] is True
    assert machine.says("import small_lib, helper; print(helper.__version__)", own) == "2.0"
    assert machine.vendor() == before


def test_jetpack_4_is_refused_with_what_to_do_instead(system: Callable[..., Any]) -> None:
    machine = _machine(system, "3.6")
    machine.wants("small-lib")
    before = machine.vendor()
    for words in ((), ("--dry-run",)):
        error = machine.error(*words)
        assert error["reason"] == "python-too-old"
        assert error["exit_code"] == 1
        assert "is Python 3.6." in error["message"]
        assert "uv installs for 3.8 and later: nothing was changed" in error["message"]
        assert "pip3 install --no-deps" in error["hint"]
        assert "--stack jp4.6" in error["hint"]
    assert not (machine.project / ".venv-jetson").exists()
    assert machine.vendor() == before


def test_jetpack_4_elsewhere_is_refused_too(system: Callable[..., Any]) -> None:
    machine = _machine(system, "3.6")
    machine.wants("small-lib")
    error = machine.error("--dry-run", "--stack", "jp4.6")
    assert error["reason"] == "python-too-old"
    assert "3.6.9" in error["message"]
