"""Breaks the stack on purpose in several ways and shows that the gate finds each: none may be green.

    python3 benchmarks/gate/broken.py --python python3

Hiding a library needs root: an empty file is mounted over it, in a mount namespace of that one run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

import gate

from jetproof_worker import process

SHIM = str(Path(__file__).with_name("broken"))
_WHERE = "import torch, pathlib; print(pathlib.Path(torch.__file__).parent)"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default="python3")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    arguments = parser.parse_args()
    python, root = arguments.python, gate.project()
    path = os.pathsep.join(filter(None, [SHIM, os.environ.get("PYTHONPATH")]))
    shim = {"PYTHONPATH": path}
    trials: list[tuple[str, tuple[str, ...], dict[str, str], tuple[str, ...]]] = [
        ("nothing broken", ("cuda-available", "arch-list", "numerics"), shim, ()),
        ("arch list of another board", ("arch-list",), {**shim, "JETPROOF_BREAK": "arch"}, ()),
        ("softmax one percent off", ("numerics",), {**shim, "JETPROOF_BREAK": "softmax"}, ()),
        ("FFT gives NaN", ("numerics",), {**shim, "JETPROOF_BREAK": "nan"}, ()),
        ("torch sees no device", ("cuda-available", "numerics"), {**shim, "JETPROOF_BREAK": "device"}, ()),
        ("no device visible", ("cuda-available", "transfers", "device-resolver"), {"CUDA_VISIBLE_DEVICES": ""}, ()),
    ]
    if arguments.device == "cpu":
        trials = [
            ("nothing broken", ("numerics",), shim, ()),
            *[(name, ("numerics",), env, wrap) for name, _, env, wrap in trials[2:4]],
        ]
    found = process.run([python, "-c", _WHERE], timeout=120, cwd="/")
    torch = Path(found.stdout.decode().strip())
    for pattern in ("libcusolver.so*", "libcufft.so*", "libcublas.so*", "libtorch_cuda_linalg.so"):
        places = sorted([*torch.glob("lib/" + pattern), *torch.parent.glob("nvidia/**/" + pattern)])
        if not places or shutil.which("unshare") is None or os.geteuid() != 0:
            print(f"{pattern}: {'not found' if not places else 'needs root and unshare'}, not tried")
            continue
        covers = "; ".join(f"mount --bind /dev/null '{place}'" for place in places)
        wrap = ("unshare", "-m", "sh", "-c", f'{covers}; exec "$@"', "sh")
        trials.append((f"{pattern} hidden", ("numerics",), {}, wrap))
    wrong = 0
    for name, probes, env, wrap in trials:
        run = gate.isolated(python, gate.plan(probes, arguments.device, root), env, wrap)
        ends = run.ends
        green = (
            bool(run.first("finish"))
            and set(ends) == set(probes)
            and all(end["outcome"] == "PASS" for end in ends.values())
        )
        right = green == (name == "nothing broken")
        wrong += not right
        print(f"\n{name}: {'green' if green else 'not green'}{'' if right else '   <-- WRONG'}  ({run.seconds:.1f} s)")
        torch_record = run.first("torch")
        if torch_record.get("outcome") != "PASS":
            print(f"  torch: {torch_record.get('reason')} {torch_record.get('message', '')[:300]}")
        for id_, end in ends.items():
            print(f"  {id_}: {end['outcome']} {end['reason']} {end['signal'] or ''} {end['message'][:300]}")
        if not run.records:
            print(run.stderr[-1000:])
    print(f"\n{len(trials)} trials, {wrong} judged wrongly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
