"""Runs one gate on many boards: a process a board, so many at once, each with its own folder and time limit."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from jetproof.errors import ExitCode, Undecided
from jetproof.evidence.statement import time_text
from jetproof.fleet.ended import Ended, ended, from_journal
from jetproof.fleet.inventory import Board, Inventory
from jetproof.fleet.state import BoardResult, State, Status, asked, results
from jetproof.qualify.folder import Folder
from jetproof.qualify.locks import held
from jetproof_worker import process

_STDERR = 1 << 16
_GRACE = 30.0
"""Seconds that a run gets beyond its own limit: it ends its worker itself and writes its journal's finish."""
_POLL = 0.5
_AGAIN = 5.0
"""Seconds between two tries of a board that the run of a killed controller still holds."""

OnResult = Callable[[BoardResult, int, int], None]
"""Told each result as it comes, with how many are done and how many there are."""


@dataclass(frozen=True, kw_only=True)
class FleetRequest:
    """What is to be run where."""

    inventory: Inventory
    gate: str
    """The gate's id, not an alias: folders are named for it."""
    project: Path
    state: Path
    policy: str | None = None
    rehearsal: bool = False
    parallel: int | None = None
    resume: bool = False
    command: tuple[str, ...] = (sys.executable, "-m", "jetproof")
    """How this very program is started for one board."""


@dataclass(frozen=True, kw_only=True)
class FleetResult:
    """What became of all boards."""

    results: tuple[BoardResult, ...]
    """In the inventory's order."""
    missing: tuple[str, ...]
    """Boards without a result: the run was interrupted."""
    seconds: float
    resumed: int
    """How many results an earlier controller had left."""

    @property
    def interrupted(self) -> bool:
        """Whether boards are left to run."""
        return bool(self.missing)


def run(request: FleetRequest, on_result: OnResult | None = None) -> FleetResult:
    """Run the gate on every board that has no verdict yet, and return all results.

    Ctrl-C ends the boards' processes and returns what was reached: those boards stay without a result, and a later
    call with `resume` runs them. Raises Undecided when another controller works in the same state folder.
    """
    started = time.monotonic()
    state = State(folder=request.state)
    request.state.mkdir(parents=True, exist_ok=True)
    boards = request.inventory.boards
    with held(state.lock, "this fleet's state folder"):
        about = asked(
            request.inventory,
            request.gate,
            str(request.project.resolve()),
            request.policy,
            rehearsal=request.rehearsal,
        )
        state.begin(about, resume=request.resume)
        found = {board.name: state.result(board) for board in boards}
        # what said nothing of the board is asked again: an unreachable board, a fault of our own
        done = {name: result for name, result in found.items() if result is not None and result.decided}
        resumed = len(done)
        todo = [board for board in boards if board.name not in done]
        try:
            for result in _each(request, state, todo):
                done[result.board] = result
                if on_result is not None:
                    on_result(result, len(done), len(boards))
        except KeyboardInterrupt:
            pass  # what was reached lies in the folder, and the boards that are missing are told
    return FleetResult(
        results=tuple(done[board.name] for board in boards if board.name in done),
        missing=tuple(board.name for board in boards if board.name not in done),
        seconds=round(time.monotonic() - started, 3),
        resumed=resumed,
    )


def reached(folder: Path) -> tuple[FleetResult, str]:
    """Return what a state folder holds so far, and the gate that it is about. Raises UsageError when it is none."""
    found, missing, gate = results(folder)
    return FleetResult(results=found, missing=missing, seconds=0.0, resumed=len(found)), gate


def exit_code(found: FleetResult) -> ExitCode:
    """Return the code of a whole fleet: interrupted 130, any gate not green 1, any not checked 4, else 0."""
    statuses = {Status(result.status) for result in found.results}
    if found.interrupted:
        return ExitCode.INTERRUPTED
    if statuses & {Status.NOT_GREEN, Status.TIMED_OUT}:
        return ExitCode.NO
    if Status.BROKE in statuses:
        return ExitCode.INTERNAL
    return ExitCode.UNDECIDED if Status.NOT_CHECKED in statuses else ExitCode.OK


def _each(request: FleetRequest, state: State, todo: Sequence[Board]) -> Iterator[BoardResult]:
    """Yield results as they come. Whatever ends this early, every process that was started is ended too."""
    if not todo:
        return
    stop = threading.Event()
    parallel = request.parallel or request.inventory.limits.parallel
    pool = ThreadPoolExecutor(min(parallel, len(todo)), thread_name_prefix="jetproof-fleet")
    waiting = {pool.submit(_one, request, state, board, stop) for board in todo}
    try:
        while waiting:
            over, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in over:
                result = future.result()
                if result is not None:
                    yield result
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
        # asked one by one: wait() does not count what was cancelled before it began
        while not all(future.done() for future in waiting):
            process.kill_descendants()
            time.sleep(0.02)
        pool.shutdown()


def _one(request: FleetRequest, state: State, board: Board, stop: threading.Event) -> BoardResult | None:
    """Run one board to a result that is written down; None when the fleet is to stop."""
    limit = board.seconds or request.inventory.limits.board_seconds
    began = time.monotonic()
    result = None
    while not stop.is_set():
        if request.resume:
            result = _outlived(request, state, board, stop, until=began + limit + _GRACE)
            if result is not None or stop.is_set():
                break
        completed = process.run(
            _argv(request, state, board),
            limit + _GRACE,
            env={**os.environ, **_environment(state, board)},
            limit=_STDERR,
        )
        if stop.is_set() and completed.status != "exited":
            return None
        result = _result(request, state, board, ended(_folder(request, state, board), completed))
        # an earlier controller's run of this board may have been quicker to take the folder: then that one counts
        if not (request.resume and result.reason == "busy" and time.monotonic() < began + limit):
            break
        result = None
        stop.wait(_AGAIN)
    if result is not None:
        state.keep(board, result)
    return result


def _argv(request: FleetRequest, state: State, board: Board) -> list[str]:
    words = [*request.command, "run", request.gate, "--json", "--output", str(state.output(board))]
    words += ["--project", board.project or str(request.project)]
    if board.target != "local":
        words += ["--target", board.target]
    if board.python is not None:
        words += ["--python", board.python]
    if request.policy is not None:
        words += ["--policy", request.policy]
    return [*words, "--rehearsal"] if request.rehearsal else words


def _environment(state: State, board: Board) -> dict[str, str]:
    """Return what a board's run is told: the GPU that it must have alone is the board's, unless it runs here."""
    if not board.target.startswith(("ssh:", "simulated:")):
        return {}
    state.of(board).mkdir(parents=True, exist_ok=True)
    return {"JETPROOF_GPU_LOCK": str(state.of(board).resolve() / "gpu.lock")}


def _outlived(
    request: FleetRequest, state: State, board: Board, stop: threading.Event, *, until: float
) -> BoardResult | None:
    """Return the result of a run that an earlier controller began, once it has ended; None when there is none."""
    folder = _folder(request, state, board)
    while folder.out.is_dir() and not stop.is_set():
        try:
            with held(folder.lock, "this board's folder"):
                found = from_journal(folder)
                return None if found is None else _result(request, state, board, found, adopted=True)
        except Undecided:
            if time.monotonic() > until:
                return None
            stop.wait(_POLL)
    return None


def _folder(request: FleetRequest, state: State, board: Board) -> Folder:
    return Folder(out=state.output(board), gate=request.gate)


def _result(request: FleetRequest, state: State, board: Board, found: Ended, *, adopted: bool = False) -> BoardResult:
    record = _folder(request, state, board).record
    # only what this very run wrote: a board that could not be checked has no record, whatever lies there
    ran = found.status in (Status.GREEN, Status.NOT_GREEN)
    data = record.read_bytes() if ran and record.is_file() else None
    return BoardResult(
        board=board.name,
        target=board.target,
        gate=request.gate,
        status=found.status.value,
        exit_code=found.exit_code,
        reason=found.reason,
        message=found.message,
        hint=found.hint,
        proves=found.proves,
        seconds=round(found.seconds, 3),
        finished=time_text(datetime.now(timezone.utc)),
        record=None if data is None else str(record.relative_to(state.folder)),
        record_sha256=None if data is None else hashlib.sha256(data).hexdigest(),
        adopted=adopted,
    )
