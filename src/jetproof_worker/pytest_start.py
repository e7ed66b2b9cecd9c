"""Starts a host's pytest in a fresh interpreter with a scrubbed environment, and waits beside it until it has ended.

The keeper is an item's process like any other: what it returns says how pytest's process ended. What happened inside
comes over the journal's pipe from `pytest_journal`, and both are judged by `pytest_verdict`.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Dict, Mapping

from jetproof_worker import process, start
from jetproof_worker.pytest_surroundings import SCRUBBED

_KEPT_BACK = 3600.0
_OUTPUT = 16384


def environment(inherited: Mapping[str, str], seed: int) -> "tuple[Dict[str, str], list[str]]":
    """Return the environment for pytest, and the names that were taken out of it."""
    gone = sorted(name for name in inherited if name.startswith(SCRUBBED))
    kept = {name: value for name, value in inherited.items() if name not in gone}
    kept["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    kept["PYTHONHASHSEED"] = str(seed % (1 << 32))
    kept["PYTHONFAULTHANDLER"] = "1"
    return kept, gone


def keep(job: Mapping[str, Any], fds: Mapping[str, int]) -> Dict[str, Any]:
    """Run one selection and return how its process ended."""
    selection = job["pytest"]
    environ, gone = environment(os.environ, job["seed"])
    settings = dict(selection, journal=fds["journal"], dump=fds["dump"], scrubbed=gone, seed=job["seed"])
    completed = process.run(
        start.command(sys.executable, "pytest"),
        timeout=job["timeout"] + _KEPT_BACK,  # the supervisor holds the item's limit
        stdin=json.dumps(settings).encode("ascii"),
        env=environ,
        cwd="/",
        limit=_OUTPUT,
        pass_fds=(fds["journal"], fds["dump"]),
    )
    sys.stderr.write(completed.stderr.decode("utf-8", "replace"))
    return {
        "outcome": "PASS",
        "reason": "ok",
        "message": completed.detail,
        "pytest": {
            "status": completed.status,
            "code": completed.code,
            "output": completed.stdout.decode("utf-8", "replace"),
            "scrubbed": gone,
        },
    }
