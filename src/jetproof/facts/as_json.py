"""Facts as `inspect --json` prints them: plain answers of the platform, and every fact with its state and place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from typing import Any

from jetproof.facts.fact import Fact
from jetproof.facts.model import Facts

SCHEMA = "jetproof/facts/1"

PLATFORM = (
    "is_jetson",
    "platform_class",
    "l4t",
    "jetpack",
    "module",
    "module_part_number",
    "soc",
    "compute_capability",
)
"""Members of the platform answer, each a plain value, null where it is not known."""


def _plain(value: Any) -> Any:
    match value:
        case Enum():
            return value.value
        case tuple() | list():
            return [_plain(one) for one in value]
        case _:
            return value


def _facts(facts: Facts) -> Iterator[tuple[str, Fact[Any]]]:
    for part in (
        facts.platform,
        facts.cuda,
        facts.torch,
        facts.container,
        facts.permissions,
        facts.memory,
    ):
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, Fact):
                yield value.name, value


def _installs(facts: Facts) -> list[dict[str, Any]]:
    return [{field.name: _plain(getattr(one, field.name)) for field in fields(one)} for one in facts.torch.installs]


def as_json(facts: Facts) -> dict[str, Any]:
    """Return the JSON object of schema jetproof/facts/1."""
    details: dict[str, Any] = {}
    for name, fact in _facts(facts):
        members = fact.as_json()
        if "value" in members:
            members["value"] = _plain(members["value"])
        details[name] = members
    platform_class = facts.platform.platform_class.value
    answer = {name: _plain(getattr(facts.platform, name).value) for name in PLATFORM}
    answer["platform_class"] = platform_class.value if platform_class else "unknown"
    return {
        "schema": SCHEMA,
        "origin": facts.origin.value,
        "platform": answer,
        "notes": list(facts.platform.notes),
        "details": details,
        "installs": _installs(facts),
        "other_interpreters": list(facts.torch.others),
        "nodes": [
            {field.name: getattr(node, field.name) for field in fields(node)} for node in facts.permissions.nodes
        ],
        "trials": [
            {"name": one.name, "outcome": one.outcome.value, "message": one.message, "seconds": one.seconds}
            for one in facts.torch.trials
        ],
    }
