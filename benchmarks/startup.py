"""How long a person waits: `--help`, `doctor` and `explain`, beside the programs that do the nearest thing.

    python benchmarks/startup.py [--torch-python PATH] [--runs N]

Whole processes, medians. The torch rows need an interpreter that holds a torch (make torch-env).
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
JETPROOF = [str(Path(sys.executable).parent / "jetproof")]


def median(argv: list[str], runs: int, stdin: bytes = b"") -> float:
    """Median wall time of a command in seconds, after one run that is not counted."""
    times = []
    for _ in range(runs + 1):
        started = time.perf_counter()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(argv, input=stdin, timeout=120, check=False, **quiet)
        times.append(time.perf_counter() - started)
    return statistics.median(times[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch-python", default=str(ROOT / ".venv-torch/bin/python"))
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    runs = options.runs

    bare = median([sys.executable, "-c", "pass"], runs)
    help_ = median([*JETPROOF, "--help"], runs)
    doctor = median([*JETPROOF, "doctor", "--python", sys.executable], runs)
    print(f"python -c pass                        {bare:6.3f} s")
    print(f"jetproof --help                       {help_:6.3f} s   aim 0.10")
    print(f"jetproof doctor, no torch             {doctor:6.3f} s   aim 0.40")

    report = b"RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
    explain = median([*JETPROOF, "explain"], runs, report)
    print(f"jetproof explain, one line            {explain:6.3f} s")
    cases = sorted((ROOT / "../shared/cases").resolve().glob("*.json"))
    if cases:
        started = time.perf_counter()
        for case in cases:
            argv = [*JETPROOF, "explain", "--json", str(case)]
            subprocess.run(argv, stdout=subprocess.DEVNULL, check=False, timeout=60)
        took = time.perf_counter() - started
        print(f"jetproof explain, {len(cases)} cases         {took:6.3f} s   {took / len(cases):.3f} s each")

    if not Path(options.torch_python).exists():
        print(f"no interpreter with torch at {options.torch_python}: rows left out")
        return
    imported = median([options.torch_python, "-c", "import torch"], runs)
    collect_env = median([options.torch_python, "-m", "torch.utils.collect_env"], runs)
    with_torch = median([*JETPROOF, "doctor", "--python", options.torch_python], runs)
    print(f"python -c 'import torch'              {imported:6.3f} s")
    print(f"python -m torch.utils.collect_env     {collect_env:6.3f} s")
    print(
        f"jetproof doctor, CPU torch            {with_torch:6.3f} s   "
        f"import + {with_torch - imported:.2f} (aim import + 0.7); "
        f"{with_torch / imported:.2f} x the import, {with_torch / collect_env:.2f} x collect_env"
    )


if __name__ == "__main__":
    main()
