"""What all tests share: no program starts unasked, and what a machine lacks is told, or fails where all must run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"
PYENV = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
COMPLETE = os.environ.get("JETPROOF_TESTS_COMPLETE") == "1"


def lacking(what: str) -> None:
    """Skip for lack of something, or fail where the whole suite was promised to run."""
    if COMPLETE:
        pytest.fail(f"the complete suite needs {what}")
    pytest.skip(f"needs {what}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long tests out unless they are asked for."""
    if "soak" in (config.getoption("markexpr") or ""):
        return
    soak = [item for item in items if item.get_closest_marker("soak")]
    if soak:
        config.hook.pytest_deselected(items=soak)
        items[:] = [item for item in items if item not in soak]


_PROGRAMS = ("process", "torch", "pythons", "browser", "docker", "soak")


@pytest.fixture(autouse=True)
def no_programs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail a test that starts a real program without saying so by its marker."""
    if any(request.node.get_closest_marker(marker) for marker in _PROGRAMS):
        return

    def refused(*arguments: object, **_: object) -> object:
        pytest.fail(f"a unit test started a program: {arguments[1:2]}; mark it `process` if it must")

    monkeypatch.setattr(subprocess.Popen, "__init__", refused)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test an empty HOME, and none of the variables by which jetproof finds a Python."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return home


def python_of(release: str) -> str:
    """Path of a real CPython of that release, like "3.8"."""
    if sys.version.startswith(f"{release}."):
        return sys.executable
    # the shims of a version manager answer for interpreters that are not there: look behind them
    found = sorted(PYENV.glob(f"versions/{release}.*/bin/python{release}"))
    if found:
        return str(found[-1])
    named = shutil.which(f"python{release}")
    if named and "shims" not in named:
        return named
    lacking(f"a CPython {release}")
    raise AssertionError


@pytest.fixture(scope="session")
def torch_python() -> str:
    """Path of an interpreter that holds the CPU build of torch."""
    named = os.environ.get("JETPROOF_TEST_TORCH_PYTHON") or str(ROOT / ".venv-torch/bin/python")
    if not Path(named).exists():
        lacking("an interpreter with torch: make torch-env, or JETPROOF_TEST_TORCH_PYTHON")
    return named


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of other people's files beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip("needs the folder ../shared")
    return SHARED
