"""Two hundred simulated boards through `jetproof fleet run`, and a million records through `fleet query`.

    .venv/bin/python benchmarks/fleet.py [--boards 200] [--parallel 8] [--kills 3] [--records 1000000]

Boards are recorded read-outs with this machine's worker, so nothing here is evidence of any board: what is measured is
the fleet's own machinery. With `--kills N` the controller is killed (SIGKILL) at N random moments and resumed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).parent.parent
GATE = "board-check"
TEST = "def test_one():\n    assert sum(range(10)) == 45\n"


def project(folder: Path) -> Path:
    """Write and commit a small project whose gate runs on a Jetson, and here by rehearsal."""
    value = {
        "schema_version": 1,
        "owner": "the benchmark",
        "cadence": "weekly",
        "evidence_retention_days": 31,
        "host": {
            "name": "bench",
            "pytest": [{"id": "own", "paths": ["test_own.py"], "tests": ["test_own.py::test_one"], "timeout": 60.0}],
        },
        "gates": [
            {
                "id": GATE,
                "description": "runs a test",
                "job": GATE,
                "tracking_issue": "#1",
                "runner": {"labels": ["jetson"]},
                "platform": "jetson",
                "items": [{"probe": "architecture", "params": {"machine": platform.machine()}}, {"pytest": "own"}],
                "expected_cost": {"minutes": 1},
            }
        ],
    }
    (folder / "ci").mkdir(parents=True)
    (folder / "ci" / "conditional-test-policy.json").write_text(json.dumps(value))
    (folder / "test_own.py").write_text(TEST)
    (folder / ".gitignore").write_text("__pycache__/\n")
    identity = ["-c", "user.name=b", "-c", "user.email=b@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(folder), *identity, *words], check=True)
    return folder


def inventory(folder: Path, boards: int, parallel: int) -> Path:
    """Write an inventory of simulated boards: recorded Jetsons, and some machines that are none."""
    recordings = sorted((ROOT / "tests" / "fixtures" / "boards").glob("*.json"))
    lines = ['schema = "jetproof/fleet-inventory/1"', "[limits]", f"parallel = {parallel}", "board_seconds = 300"]
    for number in range(boards):
        recording = recordings[number % len(recordings)]
        lines += ["[[board]]", f'name = "board-{number:03}"', f'target = "simulated:{recording}"']
        lines += [f'python = "{sys.executable}"', 'labels = ["simulated"]']
    path = folder / "boards.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def fleet(folder: Path, arguments: argparse.Namespace) -> None:
    """Run all boards, with kills if asked for, and print the figures."""
    top = project(folder / "project")
    state = folder / "state"
    words = [
        sys.executable,
        "-m",
        "jetproof",
        "fleet",
        "run",
        str(inventory(folder, arguments.boards, arguments.parallel)),
    ]
    words += [GATE, "--project", str(top), "--state", str(state), "--json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    started = time.monotonic()
    kills, resume = 0, False
    while True:
        child = subprocess.Popen([*words, *(["--resume"] if resume else [])], env=environment, stdout=subprocess.PIPE)
        if kills < arguments.kills:
            time.sleep(random.uniform(2.0, 12.0))
            if child.poll() is None:
                child.send_signal(signal.SIGKILL)
                child.wait()
                kills += 1
                resume = (state / "fleet.json").exists()
                print(f"killed: {len(list(state.glob('boards/*/result.json')))} results lie there", flush=True)
                continue
        output, _ = child.communicate()
        break
    wall = time.monotonic() - started
    told = json.loads(output)
    spent = sum(board["seconds"] for board in told["boards"])
    adopted = sum(board["adopted"] for board in told["boards"])
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"boards {len(told['boards'])}, missing {len(told['missing'])}, counts {told['counts']}")
    print(f"kills {kills}, results that outlived their controller {adopted}")
    print(f"wall {wall:.1f} s, sum of runs {spent:.1f} s, {spent / wall:.1f} times; {os.cpu_count()} cores")
    print(f"largest process {peak:.0f} MiB")
    from jetproof.fleet.rows import of_results
    from jetproof.fleet.state import results
    from jetproof.fleet.store import add

    started = time.monotonic()
    new = add(folder / "fleet.duckdb", of_results(state, results(state)[0]))
    print(f"{new} results into DuckDB in {time.monotonic() - started:.2f} s")


def million(folder: Path, records: int) -> None:
    """Make a store of so many records and time each view."""
    import duckdb

    from jetproof.fleet.query import VIEWS, query
    from jetproof.fleet.rows import ITEMS, RUNS

    for store in (folder / "many.duckdb", folder / "parquet"):
        if store.suffix:
            with duckdb.connect(str(store)) as connection:
                made(connection, records, RUNS, ITEMS)
        else:
            store.mkdir()
            with duckdb.connect() as connection:
                connection.execute(f"ATTACH '{folder / 'many.duckdb'}' AS many (READ_ONLY)")
                for name in ("runs", "items"):
                    connection.execute(f"COPY many.{name} TO '{store / name}-0.parquet' (FORMAT parquet)")
        size = store.stat().st_size if store.is_file() else sum(file.stat().st_size for file in store.iterdir())
        print(f"{records} records, {5 * records} items in {store.name}: {size >> 20} MiB")
        for name in VIEWS:
            started = time.monotonic()
            found = query(store, name, now=datetime.now(timezone.utc))
            print(f"  {name:<9} {len(found.rows):>5} rows  {time.monotonic() - started:6.2f} s")


def made(connection, records: int, runs, items) -> None:  # type: ignore[no-untyped-def]
    """Fill the tables by SQL: boards in modules, releases and torch builds, one failure in fifty."""
    for name, columns in (("runs", runs), ("items", items)):
        told = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
        connection.execute(f"CREATE TABLE {name} ({told})")
    connection.execute(
        """
INSERT INTO runs BY NAME
SELECT md5(i::VARCHAR) AS run, 'board-' || (i % 20000) AS board, 'ssh' AS reached_by, 'jetson-cuda-runtime' AS gate,
       CASE WHEN hash(i) % 50 = 0 THEN 'not-green' ELSE 'green' END AS status,
       CASE WHEN hash(i) % 50 = 0 THEN 'bound-exceeded' ELSE 'ok' END AS reason, hash(i) % 50 <> 0 AS green,
       hash(i) % 50 <> 0 AS proves, 'live' AS origin,
       TIMESTAMP '2026-11-30 00:00:00' - to_hours((i // 20000)::BIGINT * 24 + (hash(i % 20000) % 900)::BIGINT)
           AS finished,
       60.0 AS seconds, ['Jetson AGX Orin 64GB', 'Jetson Orin NX 16GB', 'Jetson T5000'][(i % 20000) % 3 + 1] AS module,
       ['36.4.3', '36.4.4', '38.2.0', '39.2.0'][(i % 20000) % 4 + 1] AS l4t,
       ['2.5.0a0', '2.8.0', '2.9.1'][(i % 20000) % 3 + 1] AS torch, '12.6' AS cuda, '3.10.12' AS python
FROM range(?) t(i)""",
        [records],
    )
    connection.execute(
        """
INSERT INTO items BY NAME
SELECT run, 'probe::' || ['numerics', 'memory', 'transfers', 'arch-list', 'cuda-available'][j + 1] AS item,
       CASE WHEN green OR j > 0 THEN 'PASS' ELSE 'FAIL' END AS outcome,
       CASE WHEN green OR j > 0 THEN 'ok' ELSE 'bound-exceeded' END AS reason, 1.0 AS seconds
FROM runs, range(5) t(j)"""
    )


def main() -> int:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=24)
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--records", type=int, default=1_000_000)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="jetproof-fleet-bench-"))
    try:
        if arguments.boards:
            fleet(folder, arguments)
        if arguments.records:
            million(folder, arguments.records)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
