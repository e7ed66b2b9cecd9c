"""Runs all probes several times with fresh seeds and prints how near each figure comes to its bound.

    python3 benchmarks/gate/seeds.py --python python3 --seeds 5
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import gate


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default="python3")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--leave-out", default="")
    arguments = parser.parse_args()
    probes = gate.ON_CUDA if arguments.device == "cuda" else gate.ON_CPU
    probes = tuple(probe for probe in probes if probe not in arguments.leave_out.split(","))
    root = gate.project()
    worst: dict[str, tuple[float, float | None, str | None]] = {}
    bad = 0
    runs = []
    for turn in range(arguments.seeds):
        run = gate.isolated(arguments.python, gate.plan(probes, arguments.device, root))
        runs.append(run.records)
        if turn == 0:
            hello, torch = run.first("hello"), run.first("torch")
            data = torch.get("data", {})
            print(f"Python {hello.get('python')}, torch {data.get('torch')}, {torch.get('outcome')} {torch.get('message')}")
            print(f"after the import: {data.get('threads')} threads, device nodes {data.get('device_nodes')}, mode {data.get('mode')} {data.get('why')}")
        if not run.first("finish"):
            bad += 1
            print(f"run {turn + 1}: no finish ({run.status})\n{run.stderr[-3000:]}")
        print(f"run {turn + 1}: {run.seconds:.1f} s, " + ", ".join(f"{id_} {end['outcome']}" for id_, end in run.ends.items()), flush=True)
        for id_, end in run.ends.items():
            if end["outcome"] != "PASS":
                bad += 1
                print(f"  {id_}: {end['outcome']} {end['reason']} {end['signal'] or ''} {end['message'][:1500]}\n{end['traceback'][-1500:]}\n{end['stderr'][-800:]}")
            for one in end["measurements"]:
                name, value = f"{id_} {one['name']}", float(one["value"])
                known = worst.get(name)
                higher = one["sense"] != "at-least"
                if known is None or (value > known[0] if higher else value < known[0]):
                    worst[name] = (value, one["bound"], one["sense"])
    print(f"\nworst of {arguments.seeds} seeds{'':36}measured      bound     share")
    for name, (value, bound, sense) in worst.items():
        if bound is None:
            print(f"  {name:50} {value:12.4g}")
        else:
            share = (value / bound if bound else (0.0 if value == 0 else float("inf"))) if sense == "at-most" else (bound / value if value else float("inf"))
            print(f"  {name:50} {value:12.4g} {bound:10.4g} {share:9.2f} {'' if sense == 'at-most' else '(at least)'}")
    if os.environ.get("OUT"):
        Path(os.environ["OUT"], "seeds.json").write_text(json.dumps(runs))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
