"""What a worker sends in a good run, and a target that plays any such stream back."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jetproof.qualify.plan_model import (
    GateFacts,
    Note,
    Plan,
    ProbeStep,
    PytestStep,
    Selection,
    Source,
    TierFacts,
    ToolFacts,
)
from jetproof_worker.process import Completed

TESTS = ("tests/test_gpu.py::test_matmul", "tests/test_gpu.py::test_edit[nf4]")
A_TIER = TierFacts(
    id="agx-orin-64gb-jp62",
    name="Jetson AGX Orin 64 GB on JetPack 6.2",
    module="Jetson AGX Orin 64GB",
    jetpack="6.2",
    l4t="36.4.3",
    cuda="12.6",
    stage="target",
    runtime={"kind": "wheel", "source": "https://index.example/torch.whl", "digest": "sha256:" + "0" * 64},
    bitsandbytes="required",
)
CLEAN = Source(commit="a" * 40, tree="b" * 40, committed_at="2026-11-29T10:00:00Z")
Record = dict[str, Any]


def a_plan(**changes: Any) -> Plan:
    """Return a plan of two probes and one selection with two tests."""
    members: dict[str, Any] = {
        "run": "0123456789abcdef" * 2,
        "gate": GateFacts(
            id="jetson-cuda-runtime",
            platform="jetson",
            carries_claim=True,
            attempts=1,
            job="jetson",
            tracking_issue="#31",
        ),
        "tier": A_TIER,
        "origin": "live",
        "rehearsal": (),
        "policy_sha256": "c" * 64,
        "policy_path": "ci/conditional-test-policy.json",
        "host": "weightlab",
        "resolver": "weightlab.device:get_device",
        "source": CLEAN,
        "tool": ToolFacts(release="0.1.0", sha256="d" * 64, worker_sha256="e" * 64),
        "items": (
            ProbeStep(id="probe::cuda-available", probe="cuda-available", params={}, timeout=30.0, seed=11),
            ProbeStep(id="probe::numerics", probe="numerics", params={}, timeout=30.0, seed=12),
            PytestStep(
                id="pytest::gpu", timeout=60.0, seed=13, pytest=Selection(args=TESTS, expected=TESTS, plugins=())
            ),
        ),
        "excluded": (),
    }
    members.update(changes)
    return Plan(**members)


def with_attempts(number: int) -> Plan:
    """Return the same plan with more attempts allowed."""
    gate = a_plan().gate.model_copy(update={"attempts": number})
    return a_plan(gate=gate)


def rehearsal() -> Plan:
    """Return the same plan as a rehearsal."""
    return a_plan(rehearsal=(Note(reason="rehearsal", message="asked for with --rehearsal"),))


def good_stream(items: Sequence[str] | None = None) -> list[Record]:
    """Return what the worker sends when all is well, without the nonce."""
    wanted = [step.id for step in a_plan().items] if items is None else list(items)
    seeds = {step.id: step.seed for step in a_plan().items}
    stream: list[Record] = [
        {"record": "hello", "worker": "0.1.0", "python": "3.10.12", "pid": 4242, "executable": "/usr/bin/python3"},
        {
            "record": "torch",
            "outcome": "PASS",
            "reason": "ok",
            "message": "",
            "data": {"torch": "2.5.0a0", "cuda": "12.6"},
        },
        {"record": "plan", "order": wanted, "parallel": 2},
    ]
    for item in wanted:
        stream.append({"record": "start", "item": item, "pid": 4243})
        if item.startswith("pytest::"):
            stream += tests_of(item)
        stream.append(end(item, seed=seeds.get(item, 0)))
    stream.append({"record": "finish", "items": len(wanted), "seconds": 3.5})
    return stream


def tests_of(item: str) -> list[Record]:
    """Return the records of a session in which both tests pass."""
    told: list[Record] = [{"record": "collected", "item": item, "ids": list(TESTS)}]
    for test in TESTS:
        told += [
            {
                "record": "test",
                "item": item,
                "id": test,
                "phase": phase,
                "outcome": "PASS",
                "reason": "ok",
                "seconds": 0.01,
            }
            for phase in ("setup", "call", "teardown")
        ]
    told.append({"record": "pytest-finish", "item": item, "status": 0, "counts": {"passed": 2}})
    return told


def end(item: str, outcome: str = "PASS", reason: str = "ok", **more: Any) -> Record:
    """Return an end record."""
    seed = more.pop("seed", 0)
    measurements = [{"name": "error", "value": 1e-7, "unit": "", "bound": 1e-5, "sense": "at-most"}]
    return {
        "record": "end",
        "item": item,
        "outcome": outcome,
        "reason": reason,
        "message": "",
        "seconds": 0.5,
        "measurements": measurements if item.startswith("probe::") else [],
        "peak_memory_bytes": 1 << 20,
        "detail": {"seed": seed},
        **more,
    }


class Scripted:
    """A target whose worker sends what it is told to, run after run."""

    def __init__(
        self,
        *streams: Sequence[Record],
        status: str = "exited",
        code: int | None = 0,
        raises: BaseException | None = None,
        nonce: str | None = None,
    ) -> None:
        self._streams = list(streams)
        self._status = status
        self._code = code
        self._raises = raises
        self._nonce = nonce
        self.requests: list[Mapping[str, object]] = []

    def serve(
        self, request: Mapping[str, object], on_record: Callable[[dict[str, object]], None], timeout: float
    ) -> Completed:
        self.requests.append(request)
        for record in self._streams.pop(0):
            told = copy.deepcopy(record)
            told.setdefault("nonce", self._nonce or request["nonce"])
            on_record(told)
        if self._raises is not None:
            raise self._raises
        return Completed(["worker"], self._status, self._code, b"", b"the end of stderr\n", 3.6)
