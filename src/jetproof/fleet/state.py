"""What a fleet's run has reached so far, in a folder: one small file a board, each written whole or not at all.

A controller that is killed at any moment leaves finished results finished. A board's run that outlived its controller
is waited for and taken over: its journal, not the controller's memory, says how it ended.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from jetproof.errors import UsageError
from jetproof.fleet.inventory import Board, Inventory
from jetproof.target import shape, strict_json
from jetproof.target.canonical import sha256
from jetproof.target.recorded import read
from jetproof.target.write import write_atomically

SCHEMA = "jetproof/fleet-state/1"
RESULT_SCHEMA = "jetproof/fleet-result/1"


class Status(Enum):
    """What became of one board's run."""

    GREEN = "green"
    NOT_GREEN = "not-green"
    """The gate ran, and is not green."""
    NOT_CHECKED = "not-checked"
    """The gate could not be run there: not the platform, no link, busy, memory."""
    TIMED_OUT = "timed-out"
    """The fleet's time limit for this board."""
    BROKE = "broke"
    """jetproof itself ended in a way that says nothing of the board."""


@dataclass(frozen=True, kw_only=True)
class BoardResult:
    """How one board's run ended."""

    board: str
    target: str
    gate: str
    status: str
    """A `Status`'s value."""
    exit_code: int | None
    reason: str
    message: str = ""
    hint: str = ""
    proves: bool = False
    """Whether the run may become evidence; a green rehearsal, recording or emulation proves nothing."""
    seconds: float = 0.0
    finished: str = ""
    """RFC 3339 in UTC."""
    record: str | None = None
    """The record's path below the state folder; None when nothing ran."""
    record_sha256: str | None = None
    adopted: bool = False
    """Whether the run outlived the controller that began it."""

    @property
    def decided(self) -> bool:
        """Whether it says something of the board, so that it need not be asked again."""
        return Status(self.status) not in (Status.NOT_CHECKED, Status.BROKE)


@dataclass(frozen=True, kw_only=True)
class State:
    """A fleet run's folder."""

    folder: Path

    @property
    def file(self) -> Path:
        """What is being run, written before the first board."""
        return self.folder / "fleet.json"

    @property
    def lock(self) -> Path:
        """Held by the one controller that works here."""
        return self.folder / ".lock"

    def of(self, board: Board) -> Path:
        """Return the folder of one board."""
        return self.folder / "boards" / board.name

    def output(self, board: Board) -> Path:
        """Return the folder that the board's own run writes into."""
        return self.of(board) / "evidence"

    def begin(self, asked: Mapping[str, Any], *, resume: bool) -> None:
        """Write down what is asked, or hold it to what an earlier call wrote. Raises UsageError when they differ."""
        digest = sha256(dict(asked))
        if self.file.exists():
            told = _object(self.file)
            if not resume:
                raise UsageError(
                    f"{self.folder} holds a fleet run already",
                    hint="--resume goes on with it; --output names another folder",
                    reason="fleet-exists",
                )
            if told.get("schema") != SCHEMA or told.get("asked_sha256") != digest:
                raise UsageError(
                    f"{self.folder} holds a run of another gate, project or set of boards",
                    hint="resume with the same inventory and options, or name another folder with --output",
                    reason="fleet-differs",
                )
            return
        if resume:
            raise UsageError(
                f"{self.folder} holds no fleet run to resume", hint="leave --resume out", reason="fleet-missing"
            )
        body = {"schema": SCHEMA, "asked": dict(asked), "asked_sha256": digest}
        # git must not take what lies here for a change of the project
        write_atomically(self.folder / ".gitignore", b"*\n")
        write_atomically(self.file, _bytes(body))

    def keep(self, board: Board, result: BoardResult) -> None:
        """Write one board's result; whole or not at all."""
        self.of(board).mkdir(parents=True, exist_ok=True)
        write_atomically(self._result(board), _bytes({"schema": RESULT_SCHEMA, **asdict(result)}))

    def result(self, board: Board) -> BoardResult | None:
        """Return the board's result, None when it has none yet. Raises UsageError when the file is not as written."""
        path = self._result(board)
        if not path.exists():
            return None
        value = _object(path)
        try:
            found = shape.read(BoardResult, value)
            Status(found.status)
        except ValueError as error:
            raise UsageError(
                f"{path} is not as expected: {error}", hint="remove it and resume: the board is run again"
            ) from None
        return found

    def _result(self, board: Board) -> Path:
        return self.of(board) / "result.json"


def asked(inventory: Inventory, gate: str, project: str, policy: str | None, *, rehearsal: bool) -> dict[str, Any]:
    """Return what a fleet run is about: the same must be asked again to go on with it."""
    return {
        "gate": gate,
        "project": project,
        "policy": policy,
        "rehearsal": rehearsal,
        "boards": [
            {"name": board.name, "target": board.target, "python": board.python, "project": board.project}
            for board in inventory.boards
        ],
    }


def results(folder: Path) -> tuple[tuple[BoardResult, ...], tuple[str, ...], str]:
    """Return the results in a state folder, the boards that have none yet, and the gate.

    Raises UsageError when it is none.
    """
    state = State(folder=folder)
    if not state.file.exists():
        raise UsageError(f"{folder} holds no fleet run", hint="jetproof fleet run writes one", reason="fleet-missing")
    told = _object(state.file).get("asked", {})
    rows = told.get("boards", []) if isinstance(told, dict) else []
    found: list[BoardResult] = []
    open_ones: list[str] = []
    for row in rows:
        board = Board(name=str(row["name"]), target=str(row["target"]))
        result = state.result(board)
        if result is None:
            open_ones.append(board.name)
        else:
            found.append(result)
    return tuple(found), tuple(open_ones), str(told.get("gate"))


def _object(path: Path) -> dict[str, Any]:
    value = strict_json.loads(read(path, 32 << 20), what=str(path), max_bytes=32 << 20)
    if not isinstance(value, dict):
        raise UsageError(f"{path} holds no JSON object")
    return value


def _bytes(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode("ascii")
