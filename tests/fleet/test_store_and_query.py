"""Results in a store, each once, and what may be asked of it: read-only, one SELECT, no other file."""

from __future__ import annotations

import dataclasses
import shutil
import threading
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.qualify.runs import journal_of, ran
from tests.qualify.streams import Scripted, a_plan, end, good_stream

from jetproof.errors import TimeLimitReached, UsageError
from jetproof.fleet import query as querying
from jetproof.fleet.query import VIEWS, Table, query
from jetproof.fleet.rows import Rows, of_folder, of_result
from jetproof.fleet.state import BoardResult
from jetproof.fleet.store import add
from jetproof.qualify.record import record
from jetproof.render.fleet import table, table_json

NOW = datetime(2026, 11, 30, 18, 0, tzinfo=timezone.utc)


def fact(value: str | None) -> dict[str, Any]:
    return {"state": "known", "value": value}


def a_row(tmp_path: Path, board: str, *, number: int, green: bool = True, day: int = 29, l4t: str = "36.4.3") -> Rows:
    """Return a board's rows, from a real journal."""
    folder = tmp_path / f"run-{number}"
    folder.mkdir()
    stream = good_stream()
    if not green:
        at = next(n for n, one in enumerate(stream) if one["record"] == "end")
        stream[at] = end(stream[at]["item"], "FAIL", "bound-exceeded", seed=11)
    told = record(journal_of(ran(Scripted(stream), folder, plan=a_plan(run=f"{number:032x}"))))
    told["machine"] = {"module": fact("Jetson AGX Orin 64GB"), "l4t": fact(l4t)}
    result = BoardResult(
        board=board,
        target="ssh://somebody@host.example",
        gate="jetson-cuda-runtime",
        status="green" if green else "not-green",
        exit_code=0,
        reason="ok" if green else "bound-exceeded",
        seconds=3.0,
        finished=f"2026-11-{day:02}T12:00:00Z",
    )
    return of_result(result, told)


@pytest.fixture(scope="module", params=["file", "folder"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with four boards: one red, one stale, one of another release."""
    tmp_path = tmp_path_factory.mktemp("store")
    place = tmp_path / ("fleet.duckdb" if request.param == "file" else "fleet")
    add(place, [a_row(tmp_path, "a", number=1), a_row(tmp_path, "b", number=2, green=False)])
    add(place, [a_row(tmp_path, "c", number=3, day=1), a_row(tmp_path, "d", number=4, l4t="36.5.0", day=1)])
    add(place, [a_row(tmp_path, "d", number=5, l4t="36.5.0", day=2)])
    return place


def ask(store: Path, what: str, **more: Any) -> list[dict[str, Any]]:
    found = query(store, what, now=NOW, **{"days": 20, **more})
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def test_the_ready_views_say_what_passes_what_is_stale_and_what_differs(store: Path) -> None:
    passes = {row["l4t"]: row for row in ask(store, "passes")}
    assert (passes["36.4.3"]["boards"], passes["36.4.3"]["green"], passes["36.4.3"]["reasons"]) == (
        3,
        2,
        "bound-exceeded",
    )
    assert (passes["36.5.0"]["boards"], passes["36.5.0"]["torch"]) == (1, "2.5.0a0")
    assert [(row["board"], row["days"]) for row in ask(store, "stale")] == [("b", None), ("c", 29), ("d", 28)]
    differs = ask(store, "differs")
    assert [(row["item"], row["passed"], row["otherwise"], row["boards"]) for row in differs] == [
        ("probe::cuda-available", 2, 1, ["b"])
    ]
    assert [row["l4t"] for row in ask(store, "drift")] == [["36.4.3", "36.5.0"]]
    assert {row["board"]: row["status"] for row in ask(store, "boards")} == {
        "a": "green",
        "b": "not-green",
        "c": "green",
        "d": "green",
    }
    outcomes = {(row["l4t"], row["item"]): row for row in ask(store, "outcomes")}
    assert outcomes["36.4.3", "probe::cuda-available"]["otherwise"] == "FAIL bound-exceeded"
    assert outcomes["36.5.0", "probe::numerics"]["passed"] == 1


def test_a_run_is_kept_once_and_without_addresses(store: Path, tmp_path: Path) -> None:
    own = tmp_path / store.name
    (shutil.copytree if store.is_dir() else shutil.copy)(store, own)
    store = own

    assert add(store, [a_row(tmp_path, "a", number=1), a_row(tmp_path, "e", number=6)]) == 1
    assert [row["n"] for row in ask(store, "SELECT count(*) AS n FROM runs")] == [6]
    assert [row["n"] for row in ask(store, "SELECT count(*) AS n FROM items")] == [18]
    assert {row["reached_by"] for row in ask(store, "SELECT reached_by FROM runs")} == {"ssh"}
    assert not [row for row in ask(store, "SELECT * FROM runs") if "somebody" in str(row)]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("nothing", "no view"),
        ("DELETE FROM runs", "one SELECT"),
        ("SELECT 1; SELECT 2", "one SELECT"),
        ("DROP VIEW runs", "one SELECT"),
        ("SET lock_configuration = false", "one SELECT"),
        ("COPY runs TO 'x.csv'", "one SELECT"),
        ("ATTACH 'x.duckdb'", "one SELECT"),
        ("INSTALL httpfs", "one SELECT"),
        ("SELECT * FROM read_text('/etc/hostname')", "refuses"),
        ("SELECT * FROM '/etc/passwd'", "refuses"),
        ("SELECT * FROM read_csv('/proc/self/environ')", "refuses"),
        ("SELECT * FROM nobody", "refuses"),
        ("SELECT FROM WHERE", "refuses"),
    ],
)
def test_only_one_select_and_only_of_the_store(store: Path, sql: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        query(store, sql, now=NOW)


def test_rows_beyond_the_limit_are_told(store: Path) -> None:
    found = query(store, "SELECT item FROM items ORDER BY 1", now=NOW, limit=2)

    assert (len(found.rows), found.cut) == (2, True)
    assert "2 rows; only the first 2 (--limit)" in table(found, 2)


def test_a_query_without_end_is_ended(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(querying, "LIMIT_SECONDS", 0.3)

    with pytest.raises(TimeLimitReached):
        query(store, "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b", now=NOW)
    assert not [one for one in threading.enumerate() if isinstance(one, threading.Timer) and one.is_alive()]


def test_what_is_no_store_is_told(tmp_path: Path) -> None:
    (tmp_path / "text.duckdb").write_text("hello")
    (tmp_path / "empty").mkdir()

    with pytest.raises(UsageError, match="no such store"):
        query(tmp_path / "none.duckdb", "passes", now=NOW)
    with pytest.raises(UsageError, match="no store of fleet results"):
        query(tmp_path / "text.duckdb", "passes", now=NOW)
    with pytest.raises(UsageError, match="no store of fleet results"):
        query(tmp_path / "empty", "passes", now=NOW)
    with pytest.raises(UsageError, match="no name for a store"):
        add(tmp_path / "a*b", [])
    for place in ("text.duckdb", "missing/x.duckdb"):
        with pytest.raises(UsageError):
            add(tmp_path / place, [])


def test_runs_that_another_engine_drove_are_read_from_their_journals(tmp_path: Path) -> None:
    for number, board in enumerate(("orin-1", "orin-2")):
        folder = tmp_path / "results" / board / "jetson-cuda-runtime"
        folder.mkdir(parents=True)
        stream = good_stream()
        if board == "orin-2":
            stream = stream[:-1]  # no last record
        ran(Scripted(stream), folder, plan=a_plan(run=f"{number:032x}"))

    found = {rows.run["board"]: rows.run for rows in of_folder(tmp_path / "results")}

    assert (found["orin-1"]["status"], found["orin-1"]["reason"]) == ("green", "ok")
    assert (found["orin-2"]["status"], found["orin-2"]["reason"]) == ("not-green", "worker-unfinished")
    with pytest.raises(UsageError, match="neither a fleet run"):
        list(of_folder(tmp_path))


def test_a_board_that_could_not_be_checked_has_a_row_of_its_own(tmp_path: Path) -> None:
    result = BoardResult(
        board="off", target="ssh://x", gate="g", status="not-checked", exit_code=4, reason="no-link", finished=""
    )

    row = of_result(result, None).run

    assert (row["module"], row["green"], row["proves"], row["finished"]) == (None, False, False, None)
    assert row["run"] == of_result(result, None).run["run"]
    assert row["run"] != of_result(dataclasses.replace(result, board="other"), None).run["run"]


def test_cells_are_shown_as_they_are() -> None:
    found = Table(columns=("a", "b"), rows=((None, ["x", "\x1b[31m"]), (True, 1.5), (NOW, 3)), cut=False)

    assert table(found, 9) == (
        "3 rows\n"
        "a                          b\n"
        "unknown                    x, \\x1b[31m\n"
        "yes                        1.500\n"
        "2026-11-30 18:00:00+00:00  3\n"
    )
    assert table_json(found)["rows"][2] == {"a": "2026-11-30T18:00:00+00:00", "b": 3}
    assert sorted(VIEWS) == ["boards", "differs", "drift", "outcomes", "passes", "stale"]
