"""Facts as they are gathered from one report: the first source of a fact wins, derived ones come last."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jetproof.facts.fact import Fact, absent, known
from jetproof.facts.model import (
    Container,
    CudaStack,
    Distribution,
    Facts,
    Memory,
    Message,
    Origin,
    Permissions,
    Platform,
    TorchStack,
)

GROUPS: dict[str, Any] = {
    "platform": Platform,
    "cuda": CudaStack,
    "torch": TorchStack,
    "container": Container,
    "permissions": Permissions,
    "memory": Memory,
}


@dataclass(kw_only=True)
class Gathered:
    """A report's facts while they are being read."""

    groups: dict[str, dict[str, Fact[Any]]] = field(default_factory=lambda: {name: {} for name in GROUPS})
    messages: list[Message] = field(default_factory=list)
    installs: list[Distribution] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def put(self, path: str, value: object, read_from: str, detail: str = "") -> None:
        """Keep a value for "group.field" unless one is there already."""
        group, _, name = path.partition(".")
        if value is not None and name not in self.groups[group]:
            self.groups[group][name] = known(self._fact_name(group, name), value, read_from, detail)

    def put_absent(self, path: str, read_from: str) -> None:
        """Keep that the machine is known not to have "group.field"."""
        group, _, name = path.partition(".")
        if name not in self.groups[group]:
            self.groups[group][name] = absent(self._fact_name(group, name), read_from)

    def value(self, path: str) -> Any:
        """Return the value of "group.field" so far, None where there is none."""
        group, _, name = path.partition(".")
        fact = self.groups[group].get(name)
        return fact.value if fact else None

    def origin_of(self, path: str) -> str:
        """Return where "group.field" was read."""
        group, _, name = path.partition(".")
        return self.groups[group][name].read_from

    def facts(self) -> Facts:
        """Return the frozen facts."""
        extra: dict[str, dict[str, Any]] = {
            "torch": {"installs": tuple(self.installs)},
            "platform": {"notes": tuple(self.notes)},
        }
        built = {name: kind(**self.groups[name], **extra.get(name, {})) for name, kind in GROUPS.items()}
        return Facts(origin=Origin.REPORTED, messages=tuple(self.messages), **built)

    def _fact_name(self, group: str, name: str) -> str:
        default = GROUPS[group].__dataclass_fields__[name].default
        return str(default.name)
