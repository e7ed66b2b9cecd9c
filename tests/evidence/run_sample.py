"""A scripted run through the real runner: journal, record and side files in a folder, as the gate leaves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.evidence.sample import COMMIT, MODULE, POLICY_SHA256, RUNTIME, TREE
from tests.qualify.runs import ticking
from tests.qualify.streams import Scripted, a_plan, end

from jetproof.qualify.code import Code
from jetproof.qualify.journal import Writer, read
from jetproof.qualify.plan_model import Plan, ProbeStep, PytestStep, Selection, Source
from jetproof.qualify.record import record, to_bytes
from jetproof.qualify.run import After, Surroundings, run

TEST = "tests/test_gpu.py::test_edit"
PROBES = ("architecture", "cuda-available", "bitsandbytes-nf4")
SOURCE = Source(
    commit=COMMIT,
    tree=TREE,
    committed_at="2026-11-30T11:00:00Z",
    ref="refs/heads/main",
    repository="https://git.example/owner/project",
)


def fact(value: Any) -> dict[str, Any]:
    return {"state": "known", "value": value}


FACTS = {
    "platform_class": fact("jetson"),
    "arch": fact("aarch64"),
    "module": fact(MODULE),
    "module_part_number": fact("p3701-0005"),
    "soc": fact("tegra234"),
    "compute_capability": fact("8.7"),
    "l4t": fact("36.4.3"),
    "jetpack": fact("6.2"),
    "kernel": fact("5.15.148-tegra"),
    "cuda.toolkit": fact("12.6"),
    "memory.total": fact(61 * (1 << 30)),
}
X86 = {
    "platform_class": fact("x86"),
    "arch": fact("x86_64"),
    "cuda.toolkit": fact("12.6"),
    "memory.total": fact(31 * (1 << 30)),
}


def context(**changes: Any) -> dict[str, Any]:
    members: dict[str, Any] = {
        "device_id": "f" * 32,
        "facts": FACTS,
        "state": {"clock_synchronised": True},
        "image_digest": f"sha256:{RUNTIME}",
    }
    told = {**members, **changes}
    # the tier says which of the two it pins; a run without either has no runtime
    return {"torch_wheel_sha256": RUNTIME if told["image_digest"] else None, **told}


def plan(**changes: Any) -> Plan:
    items: list[ProbeStep | PytestStep] = [
        ProbeStep(id=f"probe::{name}", probe=name, params={}, timeout=30.0, seed=1) for name in PROBES
    ]
    items.append(
        PytestStep(id="pytest::gpu", timeout=60.0, seed=1, pytest=Selection(args=(TEST,), expected=(TEST,), plugins=()))
    )
    members: dict[str, Any] = {"source": SOURCE, "policy_sha256": POLICY_SHA256, "items": tuple(items)}
    return a_plan(**{**members, **changes})


def stream(steps: Sequence[str], bad: Mapping[str, tuple[str, str]] | None = None) -> list[dict[str, Any]]:
    """Return a good stream; `bad` maps an item to (outcome, reason) of its end."""
    told: list[dict[str, Any]] = [
        {"record": "hello", "worker": "0.1.0", "python": "3.10.12", "pid": 1, "executable": "/usr/bin/python3"},
        {"record": "plan", "order": list(steps), "parallel": 1},
    ]
    for item in steps:
        told.append({"record": "start", "item": item, "pid": 2})
        if item.startswith("pytest::"):
            told.append({"record": "collected", "item": item, "ids": [TEST]})
            told += [
                {
                    "record": "test",
                    "item": item,
                    "id": TEST,
                    "phase": p,
                    "outcome": "PASS",
                    "reason": "ok",
                    "seconds": 0.1,
                }
                for p in ("setup", "call", "teardown")
            ]
            told.append({"record": "pytest-finish", "item": item, "status": 0, "counts": {"passed": 1}})
        outcome, reason = (bad or {}).get(item, ("PASS", "ok"))
        told.append(end(item, outcome, reason, seed=1))
    told.append({"record": "finish", "items": len(steps), "seconds": 3.5})
    return told


def made(
    folder: Path,
    chosen: Plan | None = None,
    *,
    about: Mapping[str, Any] | None = None,
    bad: Mapping[str, tuple[str, str]] | None = None,
    now: Any = None,
) -> Path:
    """Run into `folder` and leave journal, plan and record there."""
    folder.mkdir(parents=True)
    chosen = chosen or plan()
    writer = Writer(folder / "journal.jsonl", now or ticking(), sync=lambda file: None)
    run(
        Scripted(stream([step.id for step in chosen.items], bad)),
        chosen,
        writer,
        context=about or context(),
        surroundings=Surroundings(project_root="/project"),
        after=lambda _: After(source=chosen.source, state={}, code=Code().as_json()),
    )
    writer.close()
    (folder / "plan.json").write_bytes(to_bytes(chosen.as_json()))
    (folder / "record.json").write_bytes(to_bytes(record(read((folder / "journal.jsonl").read_bytes()))))
    return folder
