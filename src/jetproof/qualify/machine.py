"""What the record says of the machine: facts and nothing that names the machine or its owner. Pure."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from jetproof.facts.fact import Fact
from jetproof.facts.model import Facts
from jetproof.target.snapshot import Snapshot


def told(facts: Facts) -> dict[str, Any]:
    """Return every fact that the record carries, by its name: value, absence or the reason why it is not known."""
    members: dict[str, Any] = {}
    for part in (facts.platform, facts.cuda, facts.container, facts.memory, facts.torch):
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, Fact):
                members[value.name] = _plain(value.as_json())
    members["notes"] = list(facts.platform.notes)
    members["origin"] = facts.origin.value
    return members


def nvcc(snapshot: Snapshot) -> str | None:
    """Return the release that `nvcc --version` tells, like 12.6.85; None where there is no nvcc."""
    said = snapshot.command("nvcc --version").text or ""
    found = re.search(r"\bV(\d+(?:\.\d+)+)", said) or re.search(r"\brelease (\d+(?:\.\d+)+)", said)
    return found[1] if found else None


def _plain(value: Any) -> Any:
    """Return the value as JSON holds it."""
    if isinstance(value, dict):
        return {str(name): _plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    if hasattr(value, "value") and not isinstance(value, str | int | float | bool):
        return value.value
    return value
