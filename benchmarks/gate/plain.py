"""Does the probes' work in one plain process, one after another, without isolation: what the gate is held against."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from jetproof_worker import catalogue, item_process
from jetproof_worker.probe import Context


def main() -> None:
    request = json.loads(sys.stdin.read())
    told = []
    for item in request["items"]:
        probe = catalogue.find(item["probe"])
        assert probe is not None
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as scratch:
            context = Context(
                params=item["params"],
                seed=item["seed"],
                scratch=scratch,
                threads=len(os.sched_getaffinity(0)),
                resolver=request["resolver"],
                project_root=request["project_root"],
                project_paths=tuple(request["project_paths"]),
            )
            outcome, _ = item_process.judged(probe.run, context)
        told.append({"item": item["id"], **outcome, "seconds": time.monotonic() - began})
    print("\n" + json.dumps(told))


main()
