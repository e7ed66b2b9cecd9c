"""Installing over SSH: a real sshd, old Pythons with a stand-in for the vendor's torch, wheels of an own index."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.target.board import USER, Board, board

from jetproof.cli.main import main
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
    releases = ("3.6", "3.8", "3.10")
    with board(tmp_path_factory.mktemp("board"), tmp_path_factory.mktemp("none"), releases, vendor=vendor) as one:
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


def test_what_would_replace_torch_is_planned_without_it(lab: Lab) -> None:
    lab.wants("server-app", "vision-app")
    planned = lab.result("3.10", "--dry-run")
    assert planned["status"] == "planned"
    assert _names(planned) == ["helper", "server-app", "vision-app"]
    assert planned["plan"]["dropped"] == ["nvidia-unlisted", "torch", "torchvision"]
    assert [one["name"] for one in planned["plan"]["absent"]] == ["nvidia-unlisted", "torchvision"]
    assert lab.home() == set()


def test_a_project_goes_there_as_its_own_wheel(lab: Lab, stand_in: Any) -> None:
    (lab.project / "backend.py").write_text(stand_in.BACKEND.format(name="own", release="3.0", top="", body="'A = 1'"))
    (lab.project / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "own"\nversion = "3.0"\ndependencies = ["helper", "torch"]\n'
    )
    lab.orin.path(HOME).joinpath("kept").mkdir()
    lab.orin.path(HOME).joinpath("kept").chmod(0o777)
    result = lab.result("3.8", "--venv", "kept/environment")
    place = f"{HOME}/kept/environment"
    assert result["target"]["path"] == place
    assert lab.says("import own; print(own.A)", place) == "1"
    assert lab.result("3.8", "--venv", "kept/environment")["status"] == "unchanged"


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [("compiled", "needs-build"), ("newest", "alpha"), ("pinned", "unfit"), ("nothing", "no-solution")],
)
def test_what_cannot_be_installed_is_refused_before_anything_is_sent(lab: Lab, wanted: str, reason: str) -> None:
    lab.wants(wanted)
    error = lab.error("3.10")
    assert error["reason"] == reason
    assert error["hint"]
    assert lab.home() == set()
    lab.idle()


def test_a_python_of_jetpack_4_is_told_as_such(lab: Lab) -> None:
    lab.wants("helper")
    assert lab.error("3.6")["reason"] == "python-too-old"
    lab.idle()


def test_a_file_that_is_not_what_was_planned_is_not_sent(lab: Lab) -> None:
    lab.wants("helper")
    lab.index.changed = {"helper-2.0-py3-none-any.whl"}
    assert lab.error("3.10")["reason"] == "wrong-hash"
    assert lab.home() == set()


def test_what_breaks_torch_is_undone(lab: Lab) -> None:
    lab.wants("helper")
    lab.result("3.10")
    before = lab.environments()
    lab.wants("shadow")
    done = lab.install("3.10", "--json")
    assert done.returncode == ExitCode.NO
    told = json.loads(done.stdout)
    assert told["status"] == "undone"
    assert told["proof"]["broken"]
    assert lab.environments() == before
    assert lab.says("import helper; print(helper.__version__)") == "2.0"


def test_places_that_are_somebody_elses_are_left_alone(lab: Lab, tmp_path: Path) -> None:
    home = lab.orin.path(HOME)
    (home / "file").write_text("mine")
    (home / "away").symlink_to("/usr")
    (home / "odd.d").mkdir()
    (home / "odd.d" / "note").write_text("mine")
    lab.wants("helper")
    for place, reason in (
        ("file", "target-exists"),
        ("away", "target-is-link"),
        ("odd", "target-folder"),
        (HOME, "target-precious"),
        ("/", "target-precious"),
        ("/proc/x", "target-precious"),
        ("no/such/folder", "target-no-parent"),
    ):
        assert lab.error("3.10", "--venv", place)["reason"] == reason, place
    assert (home / "file").read_text() == "mine"
    assert lab.home() == {"file", "away", "odd.d"}

    lab.result("3.10", "--venv", f"{HOME}/place")
    other = tmp_path / "other"
    other.mkdir()
    lab.project = other
    lab.wants("helper")
    assert lab.error("3.10", "--venv", f"{HOME}/place")["reason"] == "target-other-project"
    lab.idle()


def test_what_has_no_board_is_wrong_usage(lab: Lab) -> None:
    lab.wants("helper")
    for words in (
        ["--stack", "jp6.2"],
        ["--target", "container:x"],
        ["--torch", "--torch-index", "https://index.example"],
    ):
        assert lab.install("3.10", *words).returncode == ExitCode.USAGE


HARM = ("cut", "worker", "keeper", "controller", "interrupt")
SHORT_GRACE = "import sys; from jetproof.target import ssh; ssh.SshTarget.__init__.__kwdefaults__['grace'] = 2.0"


def test_ten_harms_at_random_moments_leave_the_old_or_the_new(lab: Lab, tmp_path: Path) -> None:
    dice = random.Random(7)
    script = f"{SHORT_GRACE}; from jetproof.cli.main import main; sys.exit(main(sys.argv[1:]))"
    statuses = []
    whole: str | None = None
    for turn in range(10):
        wanted = "small-lib" if whole == "many" else "many"
        lab.wants(wanted)
        argv = [sys.executable, "-c", script, *lab.argv("3.8")[3:]]
        said = tmp_path / f"said-{turn}"
        with said.open("wb") as file:
            run = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=file, env=lab.variables)
        while b"wheels to ssh" not in said.read_bytes():
            assert run.poll() is None, said.read_text()
            time.sleep(0.02)
        time.sleep(dice.uniform(0.0, 2.5))
        _harm(HARM[turn % len(HARM)], lab.orin, run)
        statuses.append(run.wait(timeout=200))
        lab.idle()
        now = _whole(lab)
        assert now in (whole, wanted)
        whole = now
    assert lab.result("3.8")["status"] in ("installed", "unchanged")
    assert _whole(lab) == wanted
    assert 0 in statuses
    assert set(statuses) - {0}


def _harm(kind: str, orin: Board, run: subprocess.Popen[bytes]) -> None:
    if kind == "cut":
        orin.cut()
    elif kind == "controller":
        run.kill()
    elif kind == "interrupt":
        run.send_signal(signal.SIGINT)
    else:
        for pid, command in orin.processes().items():
            if "worker.pyz install" in command:
                parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
                os.kill(pid if kind == "worker" else parent, signal.SIGKILL)


def _whole(lab: Lab) -> str | None:
    """Return which project the place holds, having used it; None when there is nothing at all."""
    if not (lab.orin.path(LINK)).is_symlink():
        assert lab.home() <= {".venv-jetson.d"}
        return None
    assert len(lab.environments()) == 1
    found = lab.says('import importlib.util as u; print(*[n for n in ("many", "small_lib") if u.find_spec(n)])')
    wanted = {"many": "many", "small_lib": "small-lib"}[found]
    if wanted == "many":
        assert lab.says("import many, many0.m59, many11.m59, torch; print(many11.m59.V)") == "59"
    return wanted


def test_every_command_that_speaks_of_a_board_reads_this_one(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", lab.variables["PATH"])
    lab.wants("torch==2.9.1")
    where = ["--target", lab.orin.target, "--python", lab.orin.pythons["3.10"]]
    # it is no Jetson, and each command that needs one says so of this very board
    for words in (["audit", str(lab.project)], ["image", "choose"], ["install", "--torch"]):
        assert main([*words, "--json", *where]) == ExitCode.UNDECIDED
        assert json.loads(capsys.readouterr().err.splitlines()[-1])["reason"] == "no-l4t"
    assert main(["report", "--json", *where]) == ExitCode.OK
    assert "2.8.0a0" in capsys.readouterr().out
    lab.idle()
