"""Times the isolated gate beside one plain process doing the same work, and beside one process a probe.

    python3 benchmarks/gate/run.py --python python3 --cpus 6

Prints medians, ratios, the floor (one import of torch and the longest chain) and each probe's peak memory; writes
gate-CPUS.json into $OUT if that is set. Exit status 1 when a probe did not pass: then no time counts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import gate
from jetproof_worker import process

PLAIN = str(Path(__file__).with_name("plain.py"))


def plain(python: str, request: dict[str, Any]) -> tuple[float, list[dict[str, Any]]]:
    began = time.monotonic()
    completed = process.run([python, "-B", PLAIN], timeout=290, stdin=json.dumps(request).encode(), cwd="/")
    seconds = time.monotonic() - began
    if not completed.ok:
        sys.exit(f"the plain process ended with {completed.status} {completed.code}:\n{completed.stderr.decode()[-3000:]}")
    return seconds, json.loads(completed.stdout.decode().strip().splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default="python3", help="interpreter that holds torch")
    parser.add_argument("--cpus", default="all", help="all, or how many cores to use")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--parallel", type=int, help="items side by side, instead of the worker's own choice")
    parser.add_argument("--probes", help="comma-separated, instead of all for the device")
    parser.add_argument("--leave-out", default="", help="comma-separated probes to leave out")
    parser.add_argument("--skip-each", action="store_true", help="do not time one process a probe")
    arguments = parser.parse_args()

    cores = sorted(os.sched_getaffinity(0))
    if arguments.cpus != "all":
        cores = cores[: int(arguments.cpus)]
        os.sched_setaffinity(0, cores)
    probes = gate.ON_CUDA if arguments.device == "cuda" else gate.ON_CPU
    if arguments.probes:
        probes = tuple(arguments.probes.split(","))
    probes = tuple(probe for probe in probes if probe not in arguments.leave_out.split(","))
    root = gate.project()
    times: dict[str, list[float]] = {"isolated": [], "plain": [], "each": []}
    bad: list[str] = []
    last: gate.Run | None = None
    alone: dict[str, float] = {}

    gate.isolated(arguments.python, gate.plan(("torch-import",), arguments.device, root))  # files into the page cache
    for turn in range(arguments.repeats):
        request = gate.plan(probes, arguments.device, root, arguments.parallel)
        last = gate.isolated(arguments.python, request)
        times["isolated"].append(last.seconds)
        bad += [f"isolated {id_}: {end['outcome']} {end['reason']} {end['message'][:300]}" for id_, end in last.ends.items() if end["outcome"] != "PASS"]
        if not last.first("finish"):
            bad.append(f"isolated: no finish ({last.status})\n{last.stderr[-2000:]}")
        seconds, told = plain(arguments.python, request)
        times["plain"].append(seconds)
        bad += [f"plain {one['item']}: {one['outcome']} {one['reason']} {one['message'][:300]}" for one in told if one["outcome"] != "PASS"]
        if not arguments.skip_each:
            began = time.monotonic()
            for item in request["items"]:
                alone[item["id"]], _ = plain(arguments.python, {**request, "items": [item]})
            times["each"].append(time.monotonic() - began)
        print(f"turn {turn + 1}: " + ", ".join(f"{name} {values[-1]:.2f} s" for name, values in times.items() if values), flush=True)
    assert last is not None

    torch, planned = last.first("torch"), last.first("plan")
    longest = max(last.ends.values(), key=lambda end: end["seconds"])
    floor = torch["t"] + longest["seconds"]
    median = {name: statistics.median(values) for name, values in times.items() if values}
    print(f"\n{len(probes)} probes on {arguments.device}, {len(cores)} cores, {arguments.repeats} repeats, medians")
    print(f"  isolated gate        {median['isolated']:7.2f} s   {torch['data'].get('mode')}, {planned.get('parallel')} side by side")
    print(f"  one plain process    {median['plain']:7.2f} s   ratio {median['isolated'] / median['plain']:.2f}")
    if "each" in median:
        print(f"  one process a probe  {median['each']:7.2f} s   ratio {median['isolated'] / median['each']:.2f}")
    print(f"  floor                {floor:7.2f} s   torch {torch['t']:.2f} s + {longest['item']} {longest['seconds']:.2f} s; the gate is at {last.seconds / floor:.2f} of it")
    print("\n  probe                starts    seconds   alone      peak MB")
    starts = {record["item"]: record["t"] for record in last.records if record["record"] == "start"}
    for id_, end in sorted(last.ends.items(), key=lambda one: starts.get(one[0], 0)):
        peak = (end["peak_memory_bytes"] or 0) / 1e6
        print(f"  {id_:20} {starts.get(id_, 0):6.2f} s {end['seconds']:8.2f} s {alone.get(id_, float('nan')):7.2f} s {peak:10.0f}")
    for line in dict.fromkeys(bad):
        print("NOT PASSED:", line)
    if os.environ.get("OUT"):
        told_all = {"times": times, "median": median, "floor": floor, "cores": len(cores), "probes": probes, "alone": alone, "bad": bad, "records": last.records}
        Path(os.environ["OUT"], f"gate-{arguments.cpus}.json").write_text(json.dumps(told_all, indent=1))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
