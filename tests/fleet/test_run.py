"""Many boards: each its own process and folder, bounded, judged by its journal, and nothing lost to a kill."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import accumulate
from pathlib import Path

import pytest

from jetproof.errors import ExitCode, UsageError
from jetproof.fleet.inventory import Board, Inventory, Limits
from jetproof.fleet.run import FleetRequest, FleetResult, exit_code, reached, run
from jetproof.fleet.state import BoardResult, State, Status

pytestmark = pytest.mark.process

STAND_IN = Path(__file__).parent / "stand_in.py"
GATE = "jetson-cuda-runtime"


def boards(*names: str, parallel: int = 4, seconds: float = 900.0) -> Inventory:
    return Inventory(
        boards=tuple(Board(name=name, target="simulated:x.json") for name in names),
        limits=Limits(parallel=parallel, board_seconds=seconds),
        read_from="boards.toml",
    )


def request(folder: Path, inventory: Inventory, *, resume: bool = False) -> FleetRequest:
    return FleetRequest(
        inventory=inventory,
        gate=GATE,
        project=folder,
        state=folder / "state",
        resume=resume,
        command=(sys.executable, str(STAND_IN)),
    )


def started(folder: Path) -> Counter[str]:
    return Counter((folder / "state" / "started.txt").read_text().split())


def test_each_board_gets_its_own_answer(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []

    found = run(
        request(tmp_path, boards("ok-1", "red-1", "off-1", "lie-1", "dies-1")),
        lambda result, done, total: told.append((result.board, done, total)),
    )

    answers = {result.board: (result.status, result.reason) for result in found.results}
    assert answers == {
        "ok-1": ("green", "ok"),
        "red-1": ("not-green", "bound-exceeded"),
        "off-1": ("not-checked", "no-link"),
        "lie-1": ("broke", "no-journal"),
        "dies-1": ("broke", "run-signalled"),
    }
    assert [result.board for result in found.results] == ["ok-1", "red-1", "off-1", "lie-1", "dies-1"]
    assert sorted(done for _, done, _ in told) == [1, 2, 3, 4, 5]
    off = next(result for result in found.results if result.board == "off-1")
    assert (off.message, off.hint, off.record) == ("no route", "plug it in", None)
    ok = found.results[0]
    assert ok.record == f"boards/ok-1/evidence/{GATE}.json"
    assert json.loads((tmp_path / "state" / ok.record).read_bytes())["green"] is True
    assert exit_code(found) == ExitCode.NO
    assert reached(tmp_path / "state")[0].results == found.results


def test_a_board_that_hangs_is_ended_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jetproof.fleet.run._GRACE", 0.1)

    found = run(request(tmp_path, boards("hang-1", seconds=1.0)))

    assert [(result.status, result.reason) for result in found.results] == [("timed-out", "fleet-time-limit")]
    assert exit_code(found) == ExitCode.NO


def test_no_more_run_at_once_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_SECONDS", "0.3")
    found = run(request(tmp_path, boards(*(f"ok-{n}" for n in range(4)), parallel=2)))

    assert len(found.results) == 4
    order = (tmp_path / "state" / "order.txt").read_text().split()
    assert Counter(order) == Counter(begin=4, end=4)
    at_once = list(accumulate(1 if word == "begin" else -1 for word in order))
    assert max(at_once) <= 2


def test_a_state_folder_is_one_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no fleet run to resume"):
        run(request(tmp_path, boards("ok-1"), resume=True))
    run(request(tmp_path, boards("ok-1")))

    with pytest.raises(UsageError, match="holds a fleet run already"):
        run(request(tmp_path, boards("ok-1")))
    with pytest.raises(UsageError, match="another gate, project or set of boards"):
        run(request(tmp_path, boards("ok-1", "ok-2"), resume=True))
    again = run(request(tmp_path, boards("ok-1"), resume=True))

    assert (again.resumed, started(tmp_path)) == (1, Counter({"ok-1": 1}))
    assert (tmp_path / "state" / ".gitignore").read_text() == "*\n"


def test_what_was_not_decided_is_asked_again(tmp_path: Path) -> None:
    run(request(tmp_path, boards("ok-1", "off-1", "red-1")))

    run(request(tmp_path, boards("ok-1", "off-1", "red-1"), resume=True))

    assert started(tmp_path) == Counter({"off-1": 2, "ok-1": 1, "red-1": 1})


def test_a_result_that_was_changed_is_not_believed(tmp_path: Path) -> None:
    run(request(tmp_path, boards("ok-1")))
    path = tmp_path / "state" / "boards" / "ok-1" / "result.json"
    path.write_text(path.read_text().replace('"green"', '"splendid"'))

    with pytest.raises(UsageError, match="not as expected"):
        run(request(tmp_path, boards("ok-1"), resume=True))


CONTROLLER = """
import sys
sys.path[0:0] = [{root!r}, {src!r}]
from pathlib import Path
from tests.fleet.test_run import boards, request
from jetproof.cli.interruption import polite_kill_is_ctrl_c
from jetproof.fleet.run import run
names = [f"ok-{{n}}" for n in range(8)]
with polite_kill_is_ctrl_c():
    found = run(request(Path(sys.argv[1]), boards(*names, parallel=3), resume=sys.argv[2] == "resume"))
print(len(found.results), len(found.missing))
"""


def controller(folder: Path, *, resume: bool, seconds: float = 0.4) -> subprocess.Popen[bytes]:
    root = STAND_IN.parent.parent.parent
    code = CONTROLLER.format(root=str(root), src=str(root / "src"))
    words = [sys.executable, "-c", code, str(folder), "resume" if resume else "new"]
    environment = {**os.environ, "STAND_IN_SECONDS": str(seconds)}
    return subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_nothing_is_lost_when_the_controller_is_killed_ten_times(tmp_path: Path) -> None:
    chance = random.Random(20261130)
    kills = 0
    for fleet in range(10):
        kills += _killed_until_done(tmp_path / str(fleet), chance, most=10 - kills)
        if kills == 10:
            return
    pytest.fail(f"only {kills} kills came before the end")


def _killed_until_done(folder: Path, chance: random.Random, *, most: int) -> int:
    """Kill a fleet's controller at random moments and resume it until all is done; return how often."""
    state = State(folder=folder / "state")
    kept: dict[str, bytes] = {}
    kills = 0
    while True:
        child = controller(folder, resume=state.file.exists())
        if kills < most:
            try:
                child.wait(timeout=chance.uniform(0.2, 1.2))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
                child.communicate()
                kills += 1
                for path in state.folder.glob("boards/*/result.json"):
                    # what was kept stays, byte for byte
                    assert kept.setdefault(path.parent.name, path.read_bytes()) == path.read_bytes()
                continue
        output, errors = child.communicate(timeout=900)
        assert output.split() == [b"8", b"0"], errors.decode()
        break
    found, _ = reached(state.folder)
    assert Counter(result.status for result in found.results) == Counter({"green": 8})
    runs = {json.loads((state.folder / str(result.record)).read_bytes())["run"] for result in found.results}
    assert len(runs) == 8
    for name, data in kept.items():
        assert (state.folder / "boards" / name / "result.json").read_bytes() == data
    return kills


def test_a_polite_kill_ends_every_board_and_tells_what_is_left(tmp_path: Path) -> None:
    child = controller(tmp_path, resume=False, seconds=600)  # so that none is done before the kill
    while child.poll() is None and not (tmp_path / "state" / "started.txt").exists():
        time.sleep(0.05)
    child.send_signal(signal.SIGTERM)
    output, errors = child.communicate(timeout=900)

    assert output.split() == [b"0", b"8"], errors.decode()
    assert not [line for line in _processes() if str(tmp_path) in line]


def _processes() -> list[str]:
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        except OSError:
            continue
    return lines


def test_codes_of_a_whole_fleet() -> None:
    def of(*statuses: Status, missing: tuple[str, ...] = ()) -> ExitCode:
        results = tuple(
            BoardResult(board=str(n), target="local", gate="g", status=status.value, exit_code=None, reason="r")
            for n, status in enumerate(statuses)
        )
        return exit_code(FleetResult(results=results, missing=missing, seconds=1.0, resumed=0))

    assert of(Status.GREEN) == ExitCode.OK
    assert of(Status.GREEN, Status.NOT_CHECKED) == ExitCode.UNDECIDED
    assert of(Status.NOT_CHECKED, Status.BROKE) == ExitCode.INTERNAL
    assert of(Status.BROKE, Status.TIMED_OUT) == ExitCode.NO
    assert of(Status.GREEN, missing=("a",)) == ExitCode.INTERRUPTED
