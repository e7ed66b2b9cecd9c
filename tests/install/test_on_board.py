"""Installing over SSH: a real sshd, old Pythons with a stand-in for the vendor's torch, wheels of an own index."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.target.board import USER, Board, board

from jetproof.errors import ExitCode

pytestmark = [pytest.mark.process, pytest.mark.pythons, pytest.mark.xdist_group("board")]

HOME = f"/home/{USER}"
LINK = f"{HOME}/.venv-jetson"


@pytest.fixture(scope="module")
def vendor(stand_in: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is installed in the board's Pythons: the vendor's torch, and no pip."""
    folder = tmp_path_factory.mktemp("vendor")
    with zipfile.ZipFile(stand_in.torch_wheel(tmp_path_factory.mktemp("wheel"))) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def orin(tmp_path_factory: pytest.TempPathFactory, vendor: Path) -> Iterator[Board]:
    with board(tmp_path_factory.mktemp("board"), tmp_path_factory.mktemp("none"), vendor=vendor) as one:
        yield one


@dataclass
class Lab:
    """A project here, its index, and the board."""

    orin: Board
    index: Any
    project: Path
    variables: dict[str, str]

    def wants(self, *requirements: str) -> None:
        (self.project / "requirements.txt").write_text("".join(f"{one}\n" for one in requirements))

    def argv(self, release: str, *words: str) -> list[str]:
        where = ["--target", self.orin.target, "--python", self.orin.pythons[release]]
        sources = ["--index-url", self.index.url]
        return [sys.executable, "-m", "jetproof", "install", str(self.project), *where, *sources, *words]

    def install(self, release: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.argv(release, *words), capture_output=True, text=True, timeout=300, env=self.variables, check=False
        )

    def result(self, release: str, *words: str) -> Mapping[str, Any]:
        done = self.install(release, "--json", *words)
        assert done.returncode == 0, done.stderr
        body: Mapping[str, Any] = json.loads(done.stdout)
        return body

    def error(self, release: str, *words: str, code: int = ExitCode.NO) -> Mapping[str, Any]:
        done = self.install(release, "--json", *words)
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        body: Mapping[str, Any] = json.loads(done.stderr.strip().splitlines()[-1])
        return body

    def says(self, line: str, place: str = LINK) -> str:
        """Run a line in the environment on the board, as its user."""
        done = subprocess.run(
            [str(self.orin.ssh), "-p", str(self.orin.port), f"{USER}@127.0.0.1", f"{place}/bin/python -B -c '{line}'"],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def home(self) -> set[str]:
        """Return what lies in the account's home folder."""
        return {entry.name for entry in self.orin.path(HOME).iterdir()}

    def environments(self) -> list[str]:
        return [entry.name for entry in self.orin.path(LINK + ".d").iterdir()]

    def idle(self, seconds: float = 120.0) -> None:
        """Assert that soon nothing is in the board's /tmp and no process of the account runs."""
        until = time.monotonic() + seconds
        while True:
            left = [f"/tmp/{entry.name}" for entry in self.orin.path("/tmp").iterdir()]
            left += [command for command in self.orin.processes().values() if not command.startswith("sshd:")]
            if not left:
                return
            assert time.monotonic() < until, left
            time.sleep(0.05)


@pytest.fixture
def lab(orin: Board, index: Any, own_home: Path, tmp_path: Path) -> Iterator[Lab]:
    project = tmp_path / "hostproject"
    project.mkdir()
    kept = ("LANG", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG", "COVERAGE_FILE", "LD_LIBRARY_PATH")
    variables = {name: os.environ[name] for name in kept if name in os.environ}
    variables |= {"HOME": str(own_home), "PATH": f"{orin.ssh.parent}:{os.environ['PATH']}", "UV_HTTP_RETRIES": "0"}
    yield Lab(orin=orin, index=index, project=project, variables=variables)
    for entry in orin.path(HOME).iterdir():
        subprocess.run(["rm", "-rf", str(entry)], check=True)


def _names(result: Mapping[str, Any]) -> list[str]:
    return [item["name"] for item in result["plan"]["items"]]


@pytest.mark.parametrize("release", ["3.8", "3.10"])
def test_a_project_is_installed_over_the_boards_torch_and_nothing_else_stays(lab: Lab, release: str) -> None:
    lab.wants("small-lib")
    result = lab.result(release)
    assert result["status"] == "installed"
    assert result["target"] == {"path": LINK, "in_place": False, "board": lab.orin.target}
    assert _names(result) == ["helper", "small-lib"]
    assert result["proof"]["holds"] is True
    assert result["proof"]["files"] > 20
    assert lab.says("import small_lib, helper, torch; print(helper.__version__, torch.__file__)").startswith("2.0 ")
    assert "site-packages/torch/" in lab.says("import torch; print(torch.__file__)")
    assert lab.home() == {".venv-jetson", ".venv-jetson.d"}
    assert len(lab.environments()) == 1
    lab.idle()

    first = lab.environments()
    again = lab.result(release)
    assert again["status"] == "unchanged"
    assert lab.environments() == first
    lab.idle()
