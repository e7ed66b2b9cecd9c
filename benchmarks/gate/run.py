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
        sys.exit(
            f"the plain process ended with {completed.status} {completed.code}:\n{completed.stderr.decode()[-3000:]}"
        )
    return seconds, json.loads(completed.stdout.decode().strip().splitlines()[-1])


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default="python3", help="interpreter that holds torch")
    parser.add_argument("--cpus", default="all", help="all, or how many cores to use")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--parallel", type=int, help="items side by side, instead of the worker's own choice")
    parser.add_argument("--probes", help="comma-separated, instead of all for the device")
    parser.add_argument("--leave-out", default="", help="comma-separated probes to leave out")
    parser.add_argument("--each-repeats", type=int, default=3, help="how often one process a probe is timed (0: not)")
    return parser.parse_args()


class Figures:
    """All times, what did not pass, and the last isolated run."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {"isolated": [], "plain": [], "each": []}
        self.alone: dict[str, float] = {}
        self.bad: list[str] = []
        self.last = gate.Run([], 0.0, "", "")

    def take(self, how: str, ends: list[dict[str, Any]]) -> None:
        for end in ends:
            if end["outcome"] != "PASS":
                self.bad.append(f"{how} {end['item']}: {end['outcome']} {end['reason']} {end['message'][:300]}")


def measure(arguments: argparse.Namespace, probes: tuple[str, ...]) -> Figures:
    figures, root = Figures(), gate.project()
    gate.isolated(arguments.python, gate.plan(("torch-import",), arguments.device, root))  # files into the page cache
    for turn in range(arguments.repeats):
        request = gate.plan(probes, arguments.device, root, arguments.parallel)
        figures.last = run = gate.isolated(arguments.python, request)
        figures.times["isolated"].append(run.seconds)
        figures.take("isolated", list(run.ends.values()))
        if not run.first("finish"):
            figures.bad.append(f"isolated: no finish ({run.status})\n{run.stderr[-2000:]}")
        seconds, told = plain(arguments.python, request)
        figures.times["plain"].append(seconds)
        figures.take("plain", told)
        if turn < arguments.each_repeats:
            began = time.monotonic()
            for item in request["items"]:
                figures.alone[item["id"]], _ = plain(arguments.python, {**request, "items": [item]})
            figures.times["each"].append(time.monotonic() - began)
        words = (f"{name} {values[-1]:.2f} s" for name, values in figures.times.items() if values)
        print(f"turn {turn + 1}: {', '.join(words)}", flush=True)
    return figures


def show(figures: Figures, title: str) -> tuple[dict[str, float], float]:
    run = figures.last
    torch, planned = run.first("torch"), run.first("plan")
    longest = max(run.ends.values(), key=lambda end: float(end["seconds"]))
    floor = torch["t"] + longest["seconds"]
    median = {name: statistics.median(values) for name, values in figures.times.items() if values}
    ours = median["isolated"]
    print(f"\n{title}, medians")
    print(f"  isolated gate       {ours:7.2f} s  {torch['data'].get('mode')}, {planned.get('parallel')} side by side")
    for name, words in (("plain", "one plain process   "), ("each", "one process a probe ")):
        if name in median:
            print(f"  {words}{median[name]:7.2f} s  ratio {ours / median[name]:.2f}")
    chain = f"torch {torch['t']:.2f} s + {longest['item']} {longest['seconds']:.2f} s"
    print(f"  floor               {floor:7.2f} s  {chain}; the last run took {run.seconds / floor:.2f} of it")
    print("\n  probe                 starts    takes    alone  peak MB")
    starts = {record["item"]: record["t"] for record in run.records if record["record"] == "start"}
    for id_, end in sorted(run.ends.items(), key=lambda one: starts.get(one[0], 0.0)):
        peak = (end["peak_memory_bytes"] or 0) / 1e6
        alone = figures.alone.get(id_, float("nan"))
        print(f"  {id_:20} {starts.get(id_, 0.0):6.2f} s {end['seconds']:6.2f} s {alone:6.2f} s {peak:8.0f}")
    for line in dict.fromkeys(figures.bad):
        print("NOT PASSED:", line)
    return median, floor


def main() -> int:
    arguments = options()
    cores = sorted(os.sched_getaffinity(0))
    if arguments.cpus != "all":
        cores = cores[: int(arguments.cpus)]
        os.sched_setaffinity(0, cores)
    probes = gate.ON_CUDA if arguments.device == "cuda" else gate.ON_CPU
    if arguments.probes:
        probes = tuple(arguments.probes.split(","))
    probes = tuple(probe for probe in probes if probe not in arguments.leave_out.split(","))
    figures = measure(arguments, probes)
    title = f"{len(probes)} probes on {arguments.device}, {len(cores)} cores, {arguments.repeats} repeats"
    median, floor = show(figures, title)
    if os.environ.get("OUT"):
        told = {
            "median": median,
            "floor": floor,
            "cores": len(cores),
            "times": figures.times,
            "alone": figures.alone,
            "bad": figures.bad,
            "records": figures.last.records,
        }
        Path(os.environ["OUT"], f"gate-{arguments.cpus}.json").write_text(json.dumps(told, indent=1))
    return 1 if figures.bad else 0


if __name__ == "__main__":
    sys.exit(main())
