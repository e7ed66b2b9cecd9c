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
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from jetproof import tables
from jetproof.facts.from_snapshot import facts
from jetproof.target.interface import CollectRequest
from jetproof.target.recorded import RecordedTarget
from jetproof_worker.process import descendants

ROOT = Path(__file__).parent.parent
TABLES = tables.load()
GATE = "board-check"
TEST = "import time\n\ndef test_one():\n    time.sleep({nap})\n"


def project(folder: Path, nap: float) -> Path:
    """Write and commit a small project whose gate asks for a Jetson; its test takes `nap` seconds of no processor."""
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
    (folder / "test_own.py").write_text(TEST.format(nap=nap))
    (folder / ".gitignore").write_text("__pycache__/\n")
    identity = ["-c", "user.name=b", "-c", "user.email=b@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(folder), *identity, *words], check=True)
    return folder


def fits(recording: Path) -> bool:
    """Whether a recording tells enough that the machine is a Jetson."""
    read = RecordedTarget(recording).collect(CollectRequest(trials=False))
    return facts(read, TABLES).platform.is_jetson.value is True


def memory(root: int) -> tuple[float, float]:
    """Return the MiB that a process takes, and those of it with all its descendants, shared pages counted once."""
    pids = {root, *descendants(root)}
    sizes = {}
    for pid in pids:
        try:
            told = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        found = [line.split()[1] for line in told.splitlines() if line.startswith("Pss:")]
        sizes[pid] = int(found[0]) / 1024 if found else 0.0
    return sizes.get(root, 0.0), sum(sizes.values())


def inventory(folder: Path, boards: int, parallel: int) -> Path:
    """Write an inventory of simulated boards: recordings of Jetsons, and of one Raspberry Pi among them."""
    kept = [path for path in sorted((ROOT / "tests" / "fixtures" / "boards").glob("*.json")) if fits(path)]
    recordings = [*kept, ROOT / "tests" / "fixtures" / "boards" / "080-raspberry-pi-5.json"]
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
    top = project(folder / "project", arguments.nap)
    state = folder / "state"
    words = [
        sys.executable,
        "-m",
        "jetproof",
        "fleet",
        "run",
        str(inventory(folder, arguments.boards, arguments.parallel)),
    ]
    words += [GATE, "--project", str(top), "--output", str(state), "--json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    first = subprocess.run(
        [*words[:-2], str(folder / "alone"), "--json", "--parallel", "1", *(f"--board=board-{n:03}" for n in range(4))],
        env=environment,
        stdout=subprocess.PIPE,
        check=False,
    )
    alone = [board["seconds"] for board in json.loads(first.stdout)["boards"]]
    one = sum(alone) / len(alone)
    print(
        f"one board alone takes {one:.1f} s, so {arguments.boards} one after the other {one * arguments.boards:.0f} s",
        flush=True,
    )
    peaks = [0.0, 0.0]
    started = time.monotonic()
    kills, resume = 0, False
    while True:
        with (folder / "told.json").open("wb") as out:
            child = subprocess.Popen([*words, *(["--resume"] if resume else [])], env=environment, stdout=out)
        if kills < arguments.kills:
            time.sleep(random.uniform(1.0, 25.0))
            if child.poll() is None:
                child.send_signal(signal.SIGKILL)
                child.wait()
                kills += 1
                resume = (state / "fleet.json").exists()
                print(f"killed: {len(list(state.glob('boards/*/result.json')))} results lie there", flush=True)
                continue
        while child.poll() is None:
            peaks = [max(pair) for pair in zip(peaks, memory(child.pid), strict=True)]
            time.sleep(2.0)
        break
    wall = time.monotonic() - started
    told = json.loads((folder / "told.json").read_bytes())
    adopted = sum(board["adopted"] for board in told["boards"])
    names = [board["board"] for board in told["boards"]]
    runs = sorted(
        path.parent.parent.parent.name
        for path in state.glob("boards/*/evidence/*/journal.jsonl")
        if "." not in path.parent.name
    )
    spare = len([path for path in state.glob("boards/*/evidence/*/journal.jsonl") if "." in path.parent.name])
    print(f"boards told once each: {len(names) == len(set(names)) == arguments.boards}")
    print(f"boards with a run {len(runs)}, runs begun again because a kill cut them {spare}")
    print(f"boards {len(told['boards'])}, missing {len(told['missing'])}, counts {told['counts']}")
    print(f"kills {kills}, results that outlived their controller {adopted}")
    sum_ = one * arguments.boards
    print(f"wall {wall:.1f} s against {sum_:.0f} s, {sum_ / wall:.1f} times; {os.cpu_count()} cores")
    print(f"memory at most: controller {peaks[0]:.0f} MiB, with all {arguments.parallel} runs {peaks[1]:.0f} MiB")
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


def made(connection: Any, records: int, runs: Mapping[str, str], items: Mapping[str, str]) -> None:
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
    parser.add_argument("--nap", type=float, default=5.0, help="seconds that a board works by itself")
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
