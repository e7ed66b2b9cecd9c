"""What the boards' results say, as rows of two tables: one a run, one an item. Pure but for reading the files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jetproof.errors import UsageError
from jetproof.fleet.state import BoardResult, State, Status, results
from jetproof.qualify.journal import load
from jetproof.qualify.journal import read as journal_of
from jetproof.qualify.record import SCHEMA as RECORD_SCHEMA
from jetproof.qualify.record import record
from jetproof.target import strict_json
from jetproof.target.recorded import read

RUNS: Mapping[str, str] = {
    "run": "VARCHAR",
    "board": "VARCHAR",
    "reached_by": "VARCHAR",
    "gate": "VARCHAR",
    "status": "VARCHAR",
    "reason": "VARCHAR",
    "message": "VARCHAR",
    "green": "BOOLEAN",
    "proves": "BOOLEAN",
    "origin": "VARCHAR",
    "finished": "TIMESTAMP",
    "seconds": "DOUBLE",
    "commit": "VARCHAR",
    "module": "VARCHAR",
    "part_number": "VARCHAR",
    "soc": "VARCHAR",
    "l4t": "VARCHAR",
    "jetpack": "VARCHAR",
    "cuda": "VARCHAR",
    "torch": "VARCHAR",
    "python": "VARCHAR",
    "device_id": "VARCHAR",
    "tool": "VARCHAR",
    "record_sha256": "VARCHAR",
}
"""Columns of the table `runs` with DuckDB's types. Boards' addresses are left out: only how they are reached stays."""

ITEMS: Mapping[str, str] = {
    "run": "VARCHAR",
    "item": "VARCHAR",
    "outcome": "VARCHAR",
    "reason": "VARCHAR",
    "message": "VARCHAR",
    "seconds": "DOUBLE",
}
"""Columns of the table `items`."""

_LARGEST = 32 << 20
_TEXT = 500


@dataclass(frozen=True, kw_only=True)
class Rows:
    """One run's row and its items' rows."""

    run: Mapping[str, Any]
    items: tuple[Mapping[str, Any], ...]


def of_folder(folder: Path) -> Iterator[Rows]:
    """Yield the rows of a fleet run's state folder, or of a folder of boards that another engine drove."""
    if State(folder=folder).file.exists():
        return of_results(folder, results(folder)[0])
    return of_outputs(folder)


def of_results(folder: Path, found: Iterable[BoardResult]) -> Iterator[Rows]:
    """Yield the rows of a fleet run's results. Raises UsageError when a record is not the one that was written down."""
    for result in found:
        told = None if result.record is None else _record(folder / _inside(result.record), result.record_sha256)
        yield of_result(result, told)


def of_outputs(folder: Path) -> Iterator[Rows]:
    """Yield the rows of runs that another engine drove: `FOLDER/<board>/<gate>/journal.jsonl`. The journals decide.

    Raises UsageError when there is none.
    """
    found = [path for path in sorted(folder.glob("*/*/journal.jsonl")) if "." not in path.parent.name]
    if not found:
        raise UsageError(
            f"{folder} holds neither a fleet run nor runs of boards",
            hint="name the folder that holds one folder a board, each with a run's output",
            reason="fleet-missing",
        )
    for path in found:
        journal = journal_of(load(path))
        told = record(journal)
        time = told["time"]
        result = BoardResult(
            board=path.parent.parent.name,
            target="elsewhere",
            gate=path.parent.name,
            status=(Status.GREEN if told["green"] else Status.NOT_GREEN).value,
            exit_code=None,
            reason="ok" if told["green"] else _why(told),
            seconds=time["seconds"] or 0.0,
            finished=str(time.get("last_line") or "")[:19],
        )
        yield of_result(result, told)


def _why(told: Mapping[str, Any]) -> str:
    """Return the reason of the first item that did not pass, else of the first objection."""
    reasons = [item["reason"] for item in told["items"] if item["outcome"] != "PASS"]
    return str((reasons or [entry["reason"] for entry in told["objections"]] or ["unknown"])[0])


def of_result(result: BoardResult, told_by_run: Mapping[str, Any] | None) -> Rows:
    """Return the rows of one board's result; without the run's record only what the fleet itself saw."""
    told = told_by_run or {}
    torch = _object(_object(told.get("torch")).get("data"))
    source, tool = _object(told.get("source")), _object(told.get("tool"))
    row = {
        "run": _text(told.get("run")) or _made_id(result),
        "board": result.board,
        "reached_by": result.target.partition(":")[0],
        "gate": result.gate,
        "status": result.status,
        "reason": result.reason[:_TEXT],
        "message": result.message[:_TEXT],
        "green": result.status == Status.GREEN.value,
        "proves": told.get("proves") is True,
        "origin": _text(told.get("origin")),
        "finished": result.finished.rstrip("Z").replace("T", " ") or None,
        "seconds": result.seconds,
        "commit": _text(source.get("commit")),
        "module": _fact(told, "module"),
        "part_number": _fact(told, "module_part_number"),
        "soc": _fact(told, "soc"),
        "l4t": _fact(told, "l4t"),
        "jetpack": _fact(told, "jetpack"),
        "cuda": _text(torch.get("cuda")) or _fact(told, "cuda.toolkit"),
        "torch": _text(torch.get("torch")),
        "python": _text(_object(told.get("worker")).get("python")),
        "device_id": _text(told.get("device_id")),
        "tool": _text(tool.get("release")),
        "record_sha256": result.record_sha256,
    }
    items = told.get("items")
    return Rows(run=row, items=tuple(_item(row["run"], item) for item in items or () if isinstance(item, dict)))


def _item(run: Any, item: Mapping[str, Any]) -> Mapping[str, Any]:
    attempts = item.get("attempts")
    last = _object(attempts[-1]) if isinstance(attempts, list) and attempts else {}
    seconds = last.get("seconds")
    return {
        "run": run,
        "item": _text(item.get("id")),
        "outcome": _text(item.get("outcome")),
        "reason": _text(item.get("reason")),
        "message": _text(item.get("message")),
        "seconds": seconds if isinstance(seconds, int | float) and not isinstance(seconds, bool) else None,
    }


def _record(path: Path, sha256: str | None) -> Mapping[str, Any]:
    data = read(path, _LARGEST)
    if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256:
        raise UsageError(
            f"{path} is not the record that the fleet wrote down",
            hint="jetproof replay gives it again from its journal",
            reason="record-differs",
        )
    value = strict_json.loads(data, what=str(path), max_bytes=_LARGEST)
    if not isinstance(value, dict) or value.get("schema") != RECORD_SCHEMA:
        raise UsageError(f"{path} is no record of a run", reason="record-malformed")
    return value


def _inside(path: str) -> str:
    if path.startswith("/") or ".." in path.split("/"):
        raise UsageError(f"a result names a record outside its folder: {path[:200]!r}", reason="record-outside")
    return path


def _made_id(result: BoardResult) -> str:
    """Return an id for what ran nothing: the same for the same result, so that it is stored once."""
    return hashlib.sha256(f"{result.board}\0{result.gate}\0{result.finished}\0{result.status}".encode()).hexdigest()[
        :32
    ]


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value[:_TEXT] if isinstance(value, str) else None


def _fact(told: Mapping[str, Any], name: str) -> str | None:
    return _text(_object(_object(told.get("machine")).get(name)).get("value"))
