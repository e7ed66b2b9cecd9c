"""Put a project's own tests into a policy that is there: their ids into a selection, the selection into the gates."""

from __future__ import annotations

import json
from typing import Any

from jetproof.errors import UsageError
from jetproof.policy.model import Platform, Policy, PytestItem

DEVICE, CPU = "gpu", "cpu"
"""Selections that a first policy has: tests that need the board, and tests for the ARM64 preflight."""


_MACHINES = {Platform.JETSON: "a Jetson", Platform.LINUX_ARM64: "ARM64"}


def selection(name: str, tests: tuple[str, ...]) -> dict[str, Any]:
    """Return a selection of tests by their ids, as the policy's file has it."""
    paths = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    return {"id": name, "paths": paths, "tests": list(tests), "timeout": 600.0}


def with_tests(data: bytes, policy: Policy, *, device: tuple[str, ...], cpu: tuple[str, ...]) -> bytes:
    """Return the policy's file with these tests in its gates for a Jetson and for ARM64; the same if it has them.

    Raises UsageError when no gate could run them, or when a gate's selection counts tests instead of naming them.
    """
    value: dict[str, Any] = json.loads(data)
    before = json.dumps(value)
    for platform, name, tests in ((Platform.JETSON, DEVICE, device), (Platform.LINUX_ARM64, CPU, cpu)):
        if tests:
            _put(value, policy, platform, name, tests)
    return data if json.dumps(value) == before else (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _put(value: dict[str, Any], policy: Policy, platform: Platform, name: str, tests: tuple[str, ...]) -> None:
    numbers = [n for n, gate in enumerate(policy.gates) if gate.platform is platform and gate.carries_claim]
    if not numbers:
        raise UsageError(
            f"the policy has no gate for {_MACHINES[platform]} that may carry a claim, so nothing would run {tests[0]}",
            hint="add the gate to the policy first",
            reason="no-gate-for-tests",
        )
    gate = policy.gates[numbers[0]]
    used = next((item.pytest for item in gate.items if isinstance(item, PytestItem)), name)
    selections: list[dict[str, Any]] = value.setdefault("host", {}).setdefault("pytest", [])
    known = next((one for one in selections if one["id"] == used), None)
    if known is None:
        selections.append(selection(used, tests))
    elif "tests" not in known:
        raise UsageError(
            f"the selection {used} counts tests (at_least) instead of naming them",
            hint="list their ids in it by hand",
            reason="selection-counts",
        )
    else:
        known["tests"] += [test for test in tests if test not in known["tests"]]
        known["paths"] += [path for path in selection(used, tests)["paths"] if path not in known["paths"]]
    items = value["gates"][numbers[0]]["items"]
    if {"pytest": used} not in items:
        items.append({"pytest": used})
