"""Asks a store of fleet results: ready views, or SQL of one's own, read-only."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from jetproof.errors import TimeLimitReached, UsageError
from jetproof.fleet.store import attach, duckdb_module

LIMIT_SECONDS = 120.0

_LATEST = """
SELECT * FROM runs WHERE status NOT IN ('broke', 'not-checked')
QUALIFY row_number() OVER (PARTITION BY board, gate ORDER BY finished DESC, run) = 1
"""

VIEWS: Mapping[str, tuple[str, str]] = {
    "passes": (
        "per module, L4T release and torch: on how many boards the gate's latest run is green, and proves something",
        """
SELECT gate, module, l4t, torch, count(*) AS boards, count(*) FILTER (WHERE green) AS green,
       count(*) FILTER (WHERE proves) AS proves, max(finished) AS latest,
       string_agg(DISTINCT reason, ', ' ORDER BY reason) FILTER (WHERE NOT green) AS reasons
FROM latest GROUP BY gate, module, l4t, torch ORDER BY gate, module, l4t, torch
""",
    ),
    "outcomes": (
        "per module, L4T release, torch and item: how often it passed in the boards' latest runs, and why not",
        """
SELECT gate, module, l4t, torch, item, count(*) AS boards,
       count(*) FILTER (WHERE items.outcome = 'PASS') AS passed,
       string_agg(DISTINCT items.outcome || ' ' || items.reason, ', ')
           FILTER (WHERE items.outcome <> 'PASS') AS otherwise
FROM latest JOIN items USING (run)
GROUP BY gate, module, l4t, torch, item ORDER BY gate, module, l4t, torch, item
""",
    ),
    "stale": (
        "boards whose last green run is older than the evidence may be, or that never were green",
        """
SELECT gate, board, any_value(module) AS module, max(finished) FILTER (WHERE green) AS last_green,
       date_diff('day', max(finished) FILTER (WHERE green), {now}) AS days,
       arg_max(status, finished) AS latest, arg_max(reason, finished) AS reason
FROM runs GROUP BY gate, board
HAVING last_green IS NULL OR last_green < {now} - INTERVAL {days} DAY
ORDER BY last_green NULLS FIRST, gate, board
""",
    ),
    "differs": (
        "items that pass on some boards and not on others of the same module, L4T release and torch",
        """
SELECT gate, module, l4t, torch, item, count(*) FILTER (WHERE items.outcome = 'PASS') AS passed,
       count(*) FILTER (WHERE items.outcome <> 'PASS') AS otherwise,
       list(board ORDER BY board) FILTER (WHERE items.outcome <> 'PASS')[1:5] AS boards,
       string_agg(DISTINCT items.reason, ', ') FILTER (WHERE items.outcome <> 'PASS') AS reasons
FROM latest JOIN items USING (run)
GROUP BY gate, module, l4t, torch, item HAVING passed > 0 AND otherwise > 0
ORDER BY otherwise DESC, gate, module, l4t, torch, item
""",
    ),
    "drift": (
        "modules whose boards do not all have the same L4T release, torch, CUDA or Python",
        """
SELECT gate, module, count(*) AS boards, list(DISTINCT l4t ORDER BY l4t) AS l4t,
       list(DISTINCT torch ORDER BY torch) AS torch, list(DISTINCT cuda ORDER BY cuda) AS cuda,
       list(DISTINCT python ORDER BY python) AS python
FROM latest GROUP BY gate, module
HAVING count(DISTINCT l4t) > 1 OR count(DISTINCT torch) > 1 OR count(DISTINCT cuda) > 1 OR count(DISTINCT python) > 1
ORDER BY gate, module
""",
    ),
    "boards": (
        "each board's latest result",
        """
SELECT DISTINCT ON (board, gate) gate, board, status, reason, module, l4t, torch, origin, proves, finished
FROM runs ORDER BY board, gate, finished DESC
""",
    ),
}
"""Name of each ready view: what it tells, and its SQL over `runs`, `items` and `latest`."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """An answer: columns, rows, and whether more rows were left out."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    cut: bool


def query(store: Path, what: str, *, now: datetime, days: int = 30, limit: int = 1000) -> Table:
    """Return the answer to a view's name or one SELECT. `days` is how old evidence may be.

    Nothing can be written: the store is read-only, and no other file can be reached from SQL.
    Raises UsageError for a view that does not exist, more than one statement, anything but a SELECT, or wrong SQL.
    """
    duckdb = duckdb_module()
    with duckdb.connect() as connection:
        if store.is_dir():
            connection.execute("SET allowed_directories = [?]", [f"{store.resolve()}/"])
        attach(connection, store.resolve() if store.exists() else store)
        connection.execute(f"CREATE VIEW latest AS {_LATEST}")
        stamp = f"TIMESTAMP '{now.strftime('%Y-%m-%d %H:%M:%S')}'"
        for name, (_, text) in VIEWS.items():
            filled = text.replace("{now}", stamp).replace("{days}", str(int(days)))
            connection.execute(f"CREATE VIEW {name} AS {filled}")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        statement = f"SELECT * FROM {what}" if what in VIEWS else what  # noqa: S608 - a name of our own
        _check(duckdb, connection, statement)
        timer = threading.Timer(LIMIT_SECONDS, connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            found = connection.execute(statement)
            rows = found.fetchmany(limit + 1)
            columns = tuple(str(entry[0]) for entry in found.description or ())
        except duckdb.InterruptException:
            raise TimeLimitReached(
                f"the query took longer than {LIMIT_SECONDS:g} s", hint="ask for less: a WHERE, a view, fewer columns"
            ) from None
        except duckdb.Error as error:
            raise _wrong(error) from None
        finally:
            timer.cancel()
    return Table(columns=columns, rows=tuple(tuple(row) for row in rows[:limit]), cut=len(rows) > limit)


def _check(duckdb: Any, connection: Any, statement: str) -> None:
    if not any(char.isspace() for char in statement.strip()):
        raise UsageError(f"there is no view {statement[:80]!r}", hint=f"views: {', '.join(VIEWS)}; or give a SELECT")
    try:
        statements = connection.extract_statements(statement)
    except duckdb.Error as error:
        raise _wrong(error) from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise UsageError("one SELECT is expected", hint="the store is only read here; fleet load adds to it")


def _wrong(error: Exception) -> UsageError:
    lines = str(error).splitlines() or [type(error).__name__]
    return UsageError(
        f"DuckDB refuses the query: {lines[0][:500]}",
        hint="tables: runs, items, latest; jetproof fleet query STORE 'DESCRIBE runs' is: SELECT * FROM runs LIMIT 1",
        reason="query-wrong",
    )
