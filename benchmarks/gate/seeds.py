"""Runs all probes several times with fresh seeds and prints how near each figure comes to its bound.

python3 benchmarks/gate/seeds.py --python python3 --seeds 5
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import gate


def share(value: float, bound: float, sense: str) -> float:
    """How much of its bound a figure uses."""
    if sense == "at-least":
        return bound / value if value else float("inf")
    return value / bound if bound else 0.0 if value == 0 else float("inf")


def show(run: gate.Run, turn: int) -> int:
    """Print one run's outcomes; return how many did not pass."""
    if turn == 0:
        data = run.first("torch").get("data", {})
        print(
            f"Python {run.first('hello').get('python')}, torch {data.get('torch')}", run.first("torch").get("message")
        )
        left = f"{data.get('threads')} threads, device nodes {data.get('device_nodes')}"
        print(f"after the import: {left}, mode {data.get('mode')} {data.get('why')}")
    outcomes = ", ".join(f"{id_} {end['outcome']}" for id_, end in run.ends.items())
    print(f"run {turn + 1}: {run.seconds:.1f} s, {outcomes}", flush=True)
    bad = [end for end in run.ends.values() if end["outcome"] != "PASS"]
    for end in bad:
        print(f"  {end['item']}: {end['outcome']} {end['reason']} {end['signal'] or ''} {end['message'][:1500]}")
        print(end["traceback"][-1500:], end["stderr"][-800:], sep="\n")
    if not run.first("finish"):
        print(f"  no finish ({run.status})\n{run.stderr[-3000:]}")
        return len(bad) + 1
    return len(bad)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default="python3")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--leave-out", default="")
    arguments = parser.parse_args()
    probes = gate.ON_CUDA if arguments.device == "cuda" else gate.ON_CPU
    probes = tuple(probe for probe in probes if probe not in arguments.leave_out.split(","))
    root, bad, runs = gate.project(), 0, []
    figures: dict[str, list[dict[str, Any]]] = {}
    for turn in range(arguments.seeds):
        run = gate.isolated(arguments.python, gate.plan(probes, arguments.device, root))
        runs.append(run.records)
        bad += show(run, turn)
        for id_, end in run.ends.items():
            for one in end["measurements"]:
                figures.setdefault(f"{id_} {one['name']}", []).append(one)
    print(f"\nworst of {arguments.seeds} seeds{'':36}measured      bound     share")
    for name, several in figures.items():
        values = [float(one["value"]) for one in several]
        bound, sense = several[0]["bound"], several[0]["sense"]
        if bound is None:
            print(f"  {name:50} {max(values):12.4g}")
            continue
        worst = max(values, key=lambda value: share(value, bound, sense))
        print(f"  {name:50} {worst:12.4g} {bound:10.4g} {share(worst, bound, sense):9.2f} ({sense})")
    if os.environ.get("OUT"):
        Path(os.environ["OUT"], "seeds.json").write_text(json.dumps(runs))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
