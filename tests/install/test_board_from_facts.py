"""The stack that a recorded board tells, and the tier of a policy that fits it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jetproof.facts.fact import unknown
from jetproof.facts.from_snapshot import facts
from jetproof.facts.model import Facts
from jetproof.install import board_from_facts
from jetproof.install.board_from_facts import stack_of, this_stack
from jetproof.install.quantization import tier_of
from jetproof.policy.model import Policy
from jetproof.tables import load
from jetproof.target.interface import CollectRequest
from jetproof.target.recorded import RecordedTarget

TESTS = Path(__file__).parents[1]
TABLES = load()


def _facts(name: str) -> Facts:
    target = RecordedTarget(next((TESTS / "fixtures" / "boards").glob(f"{name}-*.json")))
    return facts(target.collect(CollectRequest(trials=False)), TABLES)


def _policy(**tier: Any) -> Policy:
    body = json.loads((TESTS.parent / "ci" / "conditional-test-policy.json").read_text(encoding="utf-8"))
    body["tiers"][0] |= tier
    return Policy.model_validate_json(json.dumps(body))


def test_the_tier_of_a_recorded_board() -> None:
    stack = stack_of(_facts("028"), TABLES)
    assert stack.module is not None
    assert stack.module.name == "Jetson Orin NX 16GB"
    # the policy's tier is about another module with the same release
    assert tier_of(_policy(), stack, None, TABLES) is None
    own = tier_of(_policy(module="Jetson Orin NX 16GB", bitsandbytes="required"), stack, None, TABLES)
    assert own is not None
    assert own.bitsandbytes == "required"


def test_the_module_may_be_known_without_its_part_number() -> None:
    found = _facts("028")
    named = replace(found, platform=replace(found.platform, module_part_number=unknown("module_part_number")))
    assert stack_of(named, TABLES).name == "jp6.2/orin-nx-16gb"


def test_this_machines_stack_has_its_one_release(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _facts("014")
    monkeypatch.setattr(board_from_facts, "this_machine", lambda: found)
    stack = this_stack()
    assert stack is not None
    assert stack.l4t_releases == ("36.4.4",)
    # 36.4.7 carries the same JetPack, and is another release
    assert tier_of(_policy(l4t="36.4.7", jetpack=stack.jetpack), stack, None, TABLES) is None


def test_a_machine_that_tells_no_release_has_no_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _facts("014")
    silent = replace(found, platform=replace(found.platform, l4t=unknown("l4t")))
    monkeypatch.setattr(board_from_facts, "this_machine", lambda: silent)
    assert this_stack() is None
