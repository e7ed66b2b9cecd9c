"""Starts the worker on the probes under measurement, and reads what comes back; standard library and worker only."""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

from jetproof_worker import frames, process, start  # noqa: E402 - found beside the checkout

ON_CUDA = (
    "torch-import",
    "cuda-available",
    "arch-list",
    "device-resolver",
    "numerics",
    "transfers",
    "streams-events",
    "torch-compile",
    "torchvision-nms",
    "offloaded-edit",
    "bitsandbytes-nf4",
    "bitsandbytes-int8",
    "tiny-transformer",
    "memory",
)
ON_CPU = ("torch-import", "device-resolver", "numerics", "offloaded-edit", "tiny-transformer", "memory")

_TAKE_DEVICE = frozenset(ON_CUDA) - {"torch-import", "cuda-available", "arch-list", "device-resolver"}


def params(probe: str, device: str) -> dict[str, Any]:
    """Return what a probe is given on that device."""
    if probe in _TAKE_DEVICE:
        return {"device": device}
    if probe == "device-resolver":
        return {"expected": device}
    if probe == "torch-import" and device == "cpu":
        return {"cuda": False}
    return {}


def project() -> str:
    """Make a host project with a device resolver; return its folder."""
    folder = Path(tempfile.mkdtemp(prefix="jetproof-benchmark-"))
    (folder / "benchmark_host.py").write_text(
        "import torch\n\ndef resolve(name):\n    return 'cuda' if torch.cuda.is_available() else 'cpu'\n"
    )
    return str(folder)


def plan(probes: tuple[str, ...], device: str, root: str, parallel: int | None = None) -> dict[str, Any]:
    """Return a request with fresh seeds."""
    items = [
        {"id": probe, "probe": probe, "params": params(probe, device), "seed": secrets.randbits(48), "timeout": 280}
        for probe in probes
    ]
    return {
        "nonce": secrets.token_hex(8),
        "items": items,
        "parallel": parallel or "auto",
        "resolver": "benchmark_host:resolve",
        "project_root": root,
        "project_paths": ["."],
    }


class Run:
    """One run of the worker: its records and its wall time."""

    def __init__(self, records: list[dict[str, Any]], seconds: float, stderr: str, status: str) -> None:
        self.records = records
        self.seconds = seconds
        self.stderr = stderr
        self.status = status

    def first(self, kind: str) -> dict[str, Any]:
        """Return the first record of a kind, an empty one when there is none."""
        return next((record for record in self.records if record["record"] == kind), {})

    @property
    def ends(self) -> dict[str, dict[str, Any]]:
        """Return each item's end."""
        return {record["item"]: record for record in self.records if record["record"] == "end"}


def isolated(
    python: str, request: dict[str, Any], env: dict[str, str] | None = None, wrap: tuple[str, ...] = ()
) -> Run:
    """Run the worker on a request."""
    records: list[dict[str, Any]] = []
    reader = frames.Reader()
    began = time.monotonic()
    completed = process.run(
        [*wrap, *start.command(python, "serve")],
        timeout=290,
        stdin=json.dumps(request).encode(),
        env={**os.environ, **(env or {})},
        cwd="/",
        on_stdout=lambda data: records.extend(reader.feed(data)),
    )
    return Run(records, time.monotonic() - began, completed.stderr.decode("utf-8", "replace"), completed.status)
