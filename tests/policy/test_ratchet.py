"""Each way of asking less is named; asking more, or the same, is silent."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from tests.evidence.sample import policy_bytes, policy_value

from jetproof.policy.load import parse
from jetproof.policy.model import Policy
from jetproof.policy.ratchet import Weakening, weakenings

Value = dict[str, Any]


def policy(value: Value) -> Policy:
    return parse(policy_bytes(value), what="policy")[0]


def edited(change: Callable[[Value], None]) -> Value:
    value = copy.deepcopy(policy_value())
    change(value)
    return value


def kinds(old: Value, new: Value) -> list[Weakening]:
    return [item.kind for item in weakenings(policy(old), policy(new))]


def put(path: str, content: Any) -> Callable[[Value], None]:
    def change(value: Value) -> None:
        target: Any = value
        *way, last = path.split(".")
        for part in way:
            target = target[int(part)] if isinstance(target, list) else target[part]
        if isinstance(target, list):
            target[int(last)] = content
        else:
            target[last] = content

    return change


def cut(path: str) -> Callable[[Value], None]:
    def change(value: Value) -> None:
        target: Any = value
        *way, last = path.split(".")
        for part in way:
            target = target[int(part)] if isinstance(target, list) else target[part]
        del target[int(last) if isinstance(target, list) else last]

    return change


WAIVER = {
    "id": "w",
    "gate": "cuda-runtime",
    "owner": "o",
    "reason": "r",
    "issue": "i",
    "opened": "2026-11-01",
    "expires": "2026-11-20",
}
SELECTION = {"id": "more", "paths": ["tests/more.py"], "at_least": 5}

CASES: list[tuple[Weakening, Callable[[Value], None], Callable[[Value], None]]] = [
    (Weakening.AGE, put("maximum_evidence_age_days", 30), put("maximum_evidence_age_days", 31)),
    (Weakening.RETENTION, put("evidence_retention_days", 60), put("evidence_retention_days", 59)),
    (Weakening.CADENCE, put("cadence", "weekly"), put("cadence", "monthly")),
    (Weakening.MATERIAL, put("owner", "o"), put("host.material_paths", ["src"])),
    (Weakening.MATERIAL, put("host.material_paths", ["src", "lib"]), put("host.material_paths", ["src"])),
    (Weakening.RESOLVER, put("owner", "o"), put("host.device_resolver", "other.module:get")),
    (Weakening.PLUGIN, put("owner", "o"), put("host.plugins", ["pytest_rerun"])),
    (Weakening.GATE_REMOVED, put("owner", "o"), cut("gates.2")),
    (Weakening.ITEM_REMOVED, put("owner", "o"), cut("gates.0.items.0")),
    (Weakening.PARAMETERS, put("owner", "o"), put("gates.0.items.0.params", {"bounds": {"error": 1.0}})),
    (Weakening.ATTEMPTS, put("owner", "o"), put("gates.0.attempts", 2)),
    (Weakening.PLATFORM, put("owner", "o"), put("gates.1.platform", "linux-arm64")),
    (Weakening.CLAIM, put("gates.1.carries_claim", False), put("gates.1.carries_claim", True)),
    (Weakening.CLAIM, cut("gates.1"), put("owner", "o")),
    (Weakening.MODULE, put("gates.0.modules", ["torch"]), put("gates.0.modules", [])),
    (Weakening.LABEL, put("owner", "o"), put("gates.0.runner.labels", ["self-hosted"])),
    (Weakening.TEST_REMOVED, put("owner", "o"), put("host.pytest.0.tests", ["tests/test_gpu.py::other"])),
    (Weakening.SELECTION, put("owner", "o"), put("host.pytest.0.paths", ["tests/other.py"])),
    (Weakening.TIER_PROMOTED, put("tiers.0.stage", "evaluate"), put("tiers.0.stage", "target")),
    (Weakening.TIER_PROMOTED, cut("tiers.0"), put("owner", "o")),
    (Weakening.TIER_CHANGED, put("owner", "o"), put("tiers.0.l4t", "36.4.4")),
    (Weakening.RUNTIME, put("owner", "o"), put("tiers.0.runtime.digest", "sha256:" + "0" * 64)),
    (Weakening.BITSANDBYTES, put("owner", "o"), put("tiers.0.bitsandbytes", "unsupported: no build")),
    (Weakening.COMPILE, put("tiers.0.torch_compile", True), put("tiers.0.torch_compile", False)),
    (Weakening.WAIVER, put("owner", "o"), put("environment_waivers", [WAIVER])),
    (
        Weakening.WAIVER_LONGER,
        put("environment_waivers", [WAIVER]),
        put("environment_waivers", [{**WAIVER, "expires": "2026-11-25"}]),
    ),
]


@pytest.mark.parametrize(("kind", "before", "after"), CASES, ids=lambda value: getattr(value, "name", ""))
def test_asking_less_is_named(kind: Weakening, before: Callable[[Value], None], after: Callable[[Value], None]) -> None:
    old, new = edited(before), edited(after)

    found = weakenings(policy(old), policy(new))
    assert kind in [item.kind for item in found]
    assert all(item.message for item in found)


def test_a_lower_count_floor_is_named() -> None:
    old = edited(lambda value: value["host"]["pytest"].append(SELECTION))
    new = edited(lambda value: value["host"]["pytest"].append({**SELECTION, "at_least": 4}))

    assert kinds(old, new) == [Weakening.FLOOR]
    assert kinds(new, old) == []
    assert kinds(old, policy_value()) == [Weakening.SELECTION]


def test_the_same_is_silent() -> None:
    assert kinds(policy_value(), policy_value()) == []


@pytest.mark.parametrize(
    "change",
    [
        put("maximum_evidence_age_days", 7),
        put("cadence", "daily"),
        put("evidence_retention_days", 400),
        put("tiers.0.stage", "legacy"),
        put("tiers.0.torch_compile", True),
        put("gates.0.modules", ["torch"]),
        put("gates.1.carries_claim", False),
        lambda value: value["gates"][0]["items"].append({"probe": "numerics"}),
        cut("tiers.0"),
    ],
)
def test_asking_more_is_silent(change: Callable[[Value], None]) -> None:
    assert kinds(policy_value(), edited(change)) == []


def test_filling_a_pin_is_what_the_policy_waits_for() -> None:
    assert kinds(edited(cut("tiers.0.runtime.digest")), policy_value()) == []


def test_every_kind_has_a_case() -> None:
    assert {kind for kind, _, _ in CASES} | {Weakening.FLOOR} == set(Weakening)
