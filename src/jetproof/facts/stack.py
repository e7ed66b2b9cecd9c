"""The named stack that facts are about."""

from __future__ import annotations

from collections.abc import Sequence

from jetproof.facts.model import Facts
from jetproof.tables import Tables
from jetproof.tables.stacks import Stack


def stack_of(facts: Facts, tables: Tables, jetpack: str, soc: str | None = None) -> Stack | None:
    """Return the stack of a JetPack on the module that the facts tell; None where no table has that JetPack."""
    platform = facts.platform
    name = next((f"jp{text}" for text in _shorter(jetpack) if f"jp{text}" in tables.stacks), None)
    if name is None:
        return None
    row = next((row for row in tables.modules if row.is_jetson and platform.module.value == row.name), None)
    if row is not None and row.soc in tables.stacks[name].socs:
        return tables.stack(f"{name}/{row.id}")
    suffix = next((one.stack_suffix for one in tables.socs if one.soc == (platform.soc.value or soc)), None)
    return tables.stack(f"{name}-{suffix}" if suffix and f"{name}-{suffix}" in tables.stacks else name)


def _shorter(number: str) -> Sequence[str]:
    parts = number.split(".")
    return [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
