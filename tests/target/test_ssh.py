"""A real sshd, old Pythons, and links that are cut: results are whole, and nothing is left on the board."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.target.board import Board, board

from jetproof.cli.main import main
from jetproof.errors import ExitCode, Refused, Undecided, UsageError
from jetproof.target.interface import CollectRequest
from jetproof.target.ssh import SshTarget

pytestmark = [pytest.mark.process, pytest.mark.pythons, pytest.mark.xdist_group("board")]

FAKE_TORCH = Path(__file__).parent.parent / "probes" / "fake_torch"
LONG = 600
"""Seconds that nothing takes however busy the machine: what is to be cut naps so long, and limits are no shorter."""
RESOLVER = """
import os, time

def resolve(name):
    time.sleep(float(open(os.path.join(os.path.dirname(__file__), 'nap')).read()))
    return 'cpu'
"""


@pytest.fixture(scope="module")
def orin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    with board(tmp_path_factory.mktemp("board"), FAKE_TORCH, ("3.6", "3.8", "3.10")) as one:
        yield one


@pytest.fixture
def at(orin: Board, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., SshTarget]]:
    """Makes targets; at the end nothing of them is on the board."""
    monkeypatch.setenv("PATH", f"{orin.ssh.parent}:{os.environ['PATH']}")
    made: list[SshTarget] = []

    def make(release: str = "3.8", **more: Any) -> SshTarget:
        made.append(SshTarget(orin.target, orin.pythons[release], **more))
        return made[-1]

    yield make
    for one in made:
        one.close()
    assert orin.left() == []


def project(folder: Path, nap: float = 0.0) -> Path:
    """Return a project whose device resolver takes its time."""
    package = folder / "src" / "hostproject"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "device.py").write_text(RESOLVER)
    (package / "nap").write_text(str(nap))
    return folder


def request(root: Path, items: int = 1) -> dict[str, Any]:
    one = {"probe": "device-resolver", "params": {"expected": "cpu"}, "timeout": LONG}
    return {
        "items": [{"id": f"probe::device-{number}", **one} for number in range(items)],
        "resolver": "hostproject.device:resolve",
        "project_root": str(root),
        "parallel": 1,
    }


def whole(records: list[dict[str, object]], items: int) -> None:
    """Assert that a run's records are all there, each once and in order."""
    kinds = [record["record"] for record in records if record["record"] != "beat"]
    assert kinds[0] == "hello"
    assert kinds[-1] == "finish"
    assert kinds.count("hello") == kinds.count("finish") == 1
    ends = [record for record in records if record["record"] == "end"]
    assert sorted(str(record["item"]) for record in ends) == [f"probe::device-{number}" for number in range(items)]
    assert {record["outcome"] for record in ends} == {"PASS"}
    clock = [record["t"] for record in records]
    assert clock == sorted(clock)  # type: ignore[type-var]  # numbers, as the worker sends them


@pytest.mark.parametrize("release", ["3.6", "3.8", "3.10"])
def test_a_board_is_read(at: Callable[..., SshTarget], orin: Board, release: str) -> None:
    said: list[str] = []
    snapshot = at(release).collect(CollectRequest(trials=True, progress=said.append))
    assert snapshot.origin == "live"
    assert snapshot.python is not None
    assert snapshot.python.interpreter is not None
    assert snapshot.python.interpreter.version.startswith(release)
    assert snapshot.python.asked == "--python"
    assert snapshot.user is not None
    assert snapshot.user.is_root is False
    assert said
    assert orin.path("/home/jpboard").is_dir()
    assert "jpboard" not in snapshot.dumps()


@pytest.mark.parametrize("release", ["3.8", "3.10"])
def test_inspect_doctor_and_run(
    at: Callable[..., SshTarget],
    orin: Board,
    release: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    del at
    where = ["--target", orin.target, "--python", orin.pythons[release]]
    assert main(["inspect", "--json", *where]) == ExitCode.OK
    facts = json.loads(capsys.readouterr().out)
    assert facts["schema"] == "jetproof/facts/1"
    assert main(["doctor", "--json", *where]) in (ExitCode.OK, ExitCode.NO)
    diagnosis = json.loads(capsys.readouterr().out)
    assert diagnosis["verdict"] == "not-a-jetson"

    monkeypatch.chdir(checkout(tmp_path / "project"))
    assert main(["run", "board-gate", "--json", *where]) == ExitCode.OK
    record = json.loads(capsys.readouterr().out)
    assert record["green"] is True
    assert record["worker"]["python"].startswith(release)
    assert [item["outcome"] for item in record["items"]] == ["PASS"] * 3
    assert "jpboard" not in json.dumps(record)
    assert "jetproof-link" not in json.dumps(record)
    devices = list((Path.home() / ".config/jetproof/devices").iterdir())
    assert [path.read_text().strip() for path in devices] == [record["device_id"]]
    assert orin.left() == []


def checkout(folder: Path) -> Path:
    """Return a committed project with a policy whose gate needs no board."""
    project(folder)
    (folder / "ci").mkdir()
    (folder / "ci/conditional-test-policy.json").write_text(json.dumps(policy()))
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)
    return folder


def policy() -> dict[str, Any]:
    return {
        "schema_version": 1,
        "owner": "t",
        "cadence": "weekly",
        "evidence_retention_days": 31,
        "host": {"name": "hostproject", "device_resolver": "hostproject.device:resolve"},
        "gates": [
            {
                "id": "board-gate",
                "description": "d",
                "job": "j",
                "tracking_issue": "#1",
                "runner": {"labels": ["linux"]},
                "platform": "any",
                "items": [
                    {"probe": "architecture", "params": {"machine": os.uname().machine}},
                    {"probe": "device-resolver", "params": {"expected": "cpu"}},
                    {"probe": "torch-import", "params": {"cuda": False}},
                ],
                "expected_cost": {"minutes": 1},
            }
        ],
    }


def cut_at_random(at: Callable[..., SshTarget], orin: Board, root: Path, moments: int, seed: int) -> int:
    """Run while the link is cut at so many random moments; return how many cuts hit a connection."""
    dice = random.Random(seed)
    items = 4
    target = at(dice.choice(["3.8", "3.10"]))
    over = threading.Event()
    hits = 0

    def cut() -> None:
        nonlocal hits
        for _ in range(moments):
            if over.wait(dice.uniform(0.0, 2.2 / moments)):
                return
            hits += orin.cut() > 0

    records: list[dict[str, object]] = []
    thread = threading.Thread(target=cut)
    target.link.open()  # what is never reached at all is an error of its own kind
    thread.start()
    try:
        done = target.serve(request(root, items), records.append, LONG)
    finally:
        over.set()
        thread.join()
    assert (done.status, done.code) == ("exited", 0), done.detail
    whole(records, items)
    target.close()
    assert orin.left() == []
    return hits


def test_a_link_that_is_cut_costs_nothing(at: Callable[..., SshTarget], orin: Board, tmp_path: Path) -> None:
    root = project(tmp_path, nap=0.2)
    hits = [cut_at_random(at, orin, root, 2, seed) for seed in range(5)]
    assert sum(hits) > 0


@pytest.mark.soak
def test_fifty_cuts(at: Callable[..., SshTarget], orin: Board, tmp_path: Path) -> None:
    root = project(tmp_path, nap=0.2)
    hits = [cut_at_random(at, orin, root, 1, 1000 + seed) for seed in range(50)]
    print(f"{sum(hits)} of {len(hits)} cuts hit a connection")  # noqa: T201 - the figure of the measure
    assert sum(hits) > 25


def test_a_controller_that_is_gone_for_good_leaves_nothing(
    at: Callable[..., SshTarget], orin: Board, tmp_path: Path
) -> None:
    target = at(grace=1.0)
    root = project(tmp_path, nap=LONG)
    started = threading.Event()
    stop = threading.Event()

    def cut_always() -> None:
        started.wait(LONG)
        (orin.ssh.parent / "ssh").rename(orin.ssh.parent / "ssh-away")
        while not stop.wait(0.1):
            orin.cut()

    thread = threading.Thread(target=cut_always)
    thread.start()
    try:
        done = target.serve(
            request(root), lambda record: started.set() if record["record"] == "start" else None, timeout=LONG
        )
        assert done.status == "failed"
        assert "lost" in done.detail
        assert orin.left() == []
    finally:
        stop.set()
        started.set()  # the keeper may have given the run up before it began
        thread.join()
        (orin.ssh.parent / "ssh-away").rename(orin.ssh.parent / "ssh")


def test_an_interrupted_controller_ends_the_run(at: Callable[..., SshTarget], orin: Board, tmp_path: Path) -> None:
    def interrupt(record: dict[str, object]) -> None:
        if record["record"] == "start":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        at(grace=600).serve(request(project(tmp_path, nap=LONG)), interrupt, LONG)
    assert orin.left() == []


def test_two_gates_do_not_share_a_gpu(at: Callable[..., SshTarget], orin: Board, tmp_path: Path) -> None:
    first, second = at("3.8"), at("3.10")
    root = project(tmp_path, nap=LONG)
    begun, enough = threading.Event(), threading.Event()

    def take(record: dict[str, object]) -> None:
        if enough.is_set():
            raise Refused("enough")
        begun.set()

    def hold() -> None:
        with pytest.raises(Refused):  # at the next beat
            first.serve(request(root), take, LONG)

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert begun.wait(LONG)
        with pytest.raises(Undecided) as caught:
            second.serve(request(root), lambda record: None, LONG)
        assert caught.value.reason == "busy"
    finally:
        enough.set()
        thread.join()


def test_a_project_that_changes_itself_is_found(at: Callable[..., SshTarget], tmp_path: Path) -> None:
    root = project(tmp_path)
    device = root / "src/hostproject/device.py"
    device.write_text("def resolve(name):\n    open(__file__, 'a').write('#')\n    return 'cpu'\n")
    device.chmod(0o644)
    done = at().serve(request(root), lambda record: None, LONG)
    assert done.status == "failed"
    assert "src/hostproject/device.py" in done.detail
    assert not device.read_text().endswith("#")


def test_a_link_that_leads_out_of_the_project_is_not_sent(at: Callable[..., SshTarget], tmp_path: Path) -> None:
    root = project(tmp_path / "p")
    (root / "inside").symlink_to("src")
    (root / "outside").symlink_to("../../etc")
    with pytest.raises(UsageError, match="leads out"):
        at().serve(request(root), lambda record: None, LONG)


def test_what_a_dead_keeper_left_is_removed_by_the_next(
    at: Callable[..., SshTarget], orin: Board, tmp_path: Path
) -> None:
    target = at(grace=600)
    root = project(tmp_path, nap=LONG)

    def kill(record: dict[str, object]) -> None:
        if record["record"] == "start":
            for pid, command in orin.processes().items():
                if not command.startswith("sshd:") and Path(f"/proc/{pid}").stat().st_uid != 0:
                    os.kill(pid, 9)

    done = target.serve(request(root), kill, LONG)
    assert done.status == "failed"
    target.close()
    if not list(orin.path("/tmp").iterdir()):
        return  # the release found it already
    at().collect(CollectRequest(trials=False))
    assert orin.left() == []


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        ("host-key", "ssh-host-key-unknown"),
        ("key", "ssh-permission-denied"),
        ("port", "ssh-refused"),
        ("python", "no-python"),
        ("client", "ssh-missing"),
    ],
)
def test_what_goes_wrong_is_told_with_the_next_thing_to_try(
    orin: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: str, reason: str
) -> None:
    etc = orin.ssh.parent.parent
    ssh = tmp_path / "ssh"
    extra = {
        "host-key": f"-o UserKnownHostsFile={tmp_path}/none",
        "key": "-o IdentityFile=/dev/null -o PubkeyAuthentication=no",
        "port": "-p 1",
    }.get(spoil, "")
    ssh.write_text(f'#!/bin/sh\nexec {shutil.which("ssh", path="/usr/bin:/bin")} {extra} -F {etc}/config "$@"\n')
    ssh.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    python = "/no/such/python3" if spoil == "python" else orin.pythons["3.8"]
    target = SshTarget(orin.target, python, ssh="no-such-ssh" if spoil == "client" else str(ssh))
    with pytest.raises(Undecided) as caught:
        target.collect(CollectRequest(trials=False))
    target.close()
    assert caught.value.reason == reason
    assert caught.value.hint
    assert orin.left() == []
