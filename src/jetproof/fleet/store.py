"""Keeps fleet results: in one DuckDB file, or in a folder of Parquet files that many may add to."""
# ruff: noqa: S608 - tables and columns are named above, and paths are quoted

from __future__ import annotations

import json
import re
import secrets
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jetproof.errors import Undecided, UsageError
from jetproof.fleet.rows import ITEMS, RUNS, Rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_PLAIN_PATH = re.compile(r"[^\x00-\x1f\x7f]+")


def duckdb_module() -> Any:
    """Return the module duckdb. Raises UsageError, with the command that mends it, where it is not installed."""
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            "results are kept with DuckDB, which is not installed here",
            hint="in the checkout of jetproof: pip install '.[fleet]', or uv tool install '.[fleet]'",
            reason="duckdb-missing",
        ) from None
    return duckdb


def is_parquet(store: Path) -> bool:
    """Whether a store is a folder of Parquet files: it is a folder, or is named like one."""
    return store.is_dir() or (not store.exists() and store.suffix == "")


def add(store: Path, rows: Iterable[Rows]) -> int:
    """Keep the runs that are not there yet, each with its items, and return how many those were.

    Either all of them are kept or none. Raises Undecided when another process writes into the file.
    """
    duckdb = duckdb_module()
    _plain(store)
    with tempfile.TemporaryDirectory(prefix="jetproof-fleet-") as folder:
        runs, items = Path(folder) / "runs.ndjson", Path(folder) / "items.ndjson"
        with runs.open("w", encoding="utf-8") as to_runs, items.open("w", encoding="utf-8") as to_items:
            for row in rows:
                to_runs.write(json.dumps(row.run) + "\n")
                to_items.writelines(json.dumps(item) + "\n" for item in row.items)
        try:
            return (_add_parquet if is_parquet(store) else _add_file)(duckdb, store, runs, items)
        except duckdb.IOException as error:
            if "lock" in str(error).lower():
                raise Undecided(
                    f"another process has {store} open",
                    hint="wait until it has ended, then load again",
                    reason="busy",
                ) from None
            raise UsageError(f"{store} cannot be written: {_first_line(error)}", hint="check the path") from None
        except duckdb.Error as error:
            raise UsageError(
                f"{store} is no store of fleet results: {_first_line(error)}",
                hint="name another file; a new one is made",
                reason="store-malformed",
            ) from None


def attach(connection: DuckDBPyConnection, store: Path) -> None:
    """Make the store's tables `runs` and `items` readable in a connection, and nothing writable. Raises UsageError."""
    duckdb = duckdb_module()
    _plain(store)
    if not store.exists():
        raise UsageError(f"{store}: there is no such store", hint="jetproof fleet load STORE STATE makes one")
    try:
        if store.is_dir():
            for name in ("runs", "items"):
                connection.execute(f"CREATE VIEW {name} AS SELECT * FROM {_parquet(store, name)}")
        else:
            connection.execute(f"ATTACH {_quoted(str(store))} AS store (READ_ONLY)")
            for name in ("runs", "items"):
                connection.execute(f"CREATE VIEW {name} AS SELECT * FROM store.{name}")
    except duckdb.Error as error:
        raise UsageError(
            f"{store} is no store of fleet results: {_first_line(error)}",
            hint="jetproof fleet load STORE STATE makes one",
            reason="store-malformed",
        ) from None


def _add_file(duckdb: Any, store: Path, runs: Path, items: Path) -> int:
    with duckdb.connect(str(store)) as connection:
        for name, columns in (("runs", RUNS), ("items", ITEMS)):
            told = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
            connection.execute(f"CREATE TABLE IF NOT EXISTS {name} ({told})")
        connection.begin()
        _fresh(connection, runs, "SELECT run FROM runs")
        connection.execute(f"INSERT INTO items SELECT new.* FROM {_json(items, ITEMS)} new SEMI JOIN fresh USING (run)")
        connection.execute("INSERT INTO runs SELECT * FROM fresh")
        count = _count(connection)
        connection.commit()
    return count


def _add_parquet(duckdb: Any, store: Path, runs: Path, items: Path) -> int:
    store.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as connection:
        there = any(store.glob("runs-*.parquet"))
        _fresh(connection, runs, f"SELECT run FROM {_parquet(store, 'runs')}" if there else "SELECT NULL LIMIT 0")
        count = _count(connection)
        if count:
            part = secrets.token_hex(8)
            # items first: a run that can be seen has its items
            query = f"SELECT new.* FROM {_json(items, ITEMS)} new SEMI JOIN fresh USING (run)"
            _write_parquet(connection, query, store / f"items-{part}.parquet")
            _write_parquet(connection, "SELECT * FROM fresh", store / f"runs-{part}.parquet")
    return count


def _write_parquet(connection: DuckDBPyConnection, query: str, path: Path) -> None:
    draft = path.with_name(f".{path.name}.draft")
    try:
        connection.execute(f"COPY ({query}) TO {_quoted(str(draft))} (FORMAT parquet, COMPRESSION zstd)")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _fresh(connection: DuckDBPyConnection, runs: Path, known: str) -> None:
    """Make the temporary table `fresh` of the runs that the store does not hold, each once."""
    connection.execute(
        f"CREATE TEMP TABLE fresh AS SELECT DISTINCT ON (run) * FROM {_json(runs, RUNS)} WHERE run NOT IN ({known})"
    )


def _count(connection: DuckDBPyConnection) -> int:
    found = connection.execute("SELECT count(*) FROM fresh").fetchone()
    return int(found[0]) if found is not None else 0


def _json(path: Path, columns: Mapping[str, str]) -> str:
    told = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    return f"read_json({_quoted(str(path))}, format = 'newline_delimited', columns = {{{told}}})"


def _parquet(store: Path, name: str) -> str:
    return f"read_parquet({_quoted(str(store / f'{name}-*.parquet'))}, union_by_name = true)"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _plain(store: Path) -> None:
    """Refuse names that DuckDB would take for a pattern or another place than a file here."""
    text = str(store)
    if not _PLAIN_PATH.fullmatch(text) or any(char in text for char in "*?[]{}") or "://" in text:
        raise UsageError(f"{text!r} is no name for a store", hint="name a file like fleet.duckdb, or a folder")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
