"""Starts the real worker as the controller does, with a stand-in for torch or with a real one."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from jetproof_worker import frames, process, start

FAKE_TORCH = Path(__file__).parent / "fake_torch"


class Served:
    """All that came of one run of the worker."""

    def __init__(self, completed: process.Completed, records: list[dict[str, Any]]) -> None:
        self.completed = completed
        self.records = records

    def all(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self.records if record["record"] == kind]

    def one(self, kind: str) -> dict[str, Any]:
        (record,) = self.all(kind)
        return record

    @property
    def ends(self) -> dict[str, dict[str, Any]]:
        ends = {record["item"]: record for record in self.all("end")}
        assert len(ends) == len(self.all("end")), "an item ended twice"
        return ends

    @property
    def verdict(self) -> tuple[str, str]:
        (end,) = self.all("end")
        return end["outcome"], end["reason"]


Serve = Callable[..., Served]


def serve_with(
    request: Mapping[str, Any],
    python: str = sys.executable,
    env: Mapping[str, str] | None = None,
    timeout: float = 90,
    on_record: Callable[[dict[str, Any]], None] = lambda record: None,
) -> Served:
    """Start the worker, feed it the request and gather its records."""
    records: list[dict[str, Any]] = []
    reader = frames.Reader()

    def take(data: bytes) -> None:
        for record in reader.feed(data):
            assert record["nonce"] == "nonce"
            records.append(record)
            on_record(record)

    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    environment["PYTHONPATH"] = str(FAKE_TORCH)
    environment.update(env or {})
    completed = process.run(
        start.command(python, "serve"),
        timeout=timeout,
        stdin=json.dumps({"nonce": "nonce", "grace": 0.3, **request}).encode(),
        env=environment,
        cwd="/",
        on_stdout=take,
    )
    assert reader.skipped == 0, "something else stood between the records"
    return Served(completed, records)


@pytest.fixture
def serve() -> Serve:
    return serve_with


@pytest.fixture
def host(tmp_path: Path) -> Callable[[str], dict[str, Any]]:
    """Makes a host project whose device resolver has the given body, and the request that has it run."""

    def make(body: str, **item: Any) -> dict[str, Any]:
        package = tmp_path / "src" / "hostproject"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        code = "import ctypes, os, signal, subprocess, sys, threading, time\n\ndef resolve(name):\n"
        (package / "device.py").write_text(code + textwrap.indent(textwrap.dedent(body), "    "))
        wanted = {
            "id": "probe::device-resolver",
            "probe": "device-resolver",
            "params": {"expected": "cpu"},
            "timeout": 30,
        }
        return {
            "items": [{**wanted, **item}],
            "resolver": "hostproject.device:resolve",
            "project_root": str(tmp_path),
        }

    return make
