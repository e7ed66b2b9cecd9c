"""Which named stack the facts of a machine mean."""

from __future__ import annotations

import pytest

from jetproof.facts.fact import known
from jetproof.facts.model import Facts, Origin, Platform
from jetproof.facts.stack import stack_of
from jetproof.tables import load

TABLES = load()


@pytest.mark.parametrize(
    ("jetpack", "module", "soc", "name"),
    [
        ("6.2.1", "Jetson AGX Orin 64GB", None, "jp6.2.1/agx-orin-64gb"),
        ("6.2.9", None, None, "jp6.2"),
        ("5.1", None, "tegra234", "jp5.1-orin"),
        ("5.1", None, "tegra194", "jp5.1-xavier"),
        ("6", "Jetson Nano", None, "jp6"),  # a module that does not run it says nothing
        ("99.1", None, None, None),
    ],
)
def test_the_stack_of_a_machine(jetpack: str, module: str | None, soc: str | None, name: str | None) -> None:
    platform = Platform(module=known("module", module, "somewhere")) if module else Platform()
    found = stack_of(Facts(origin=Origin.LIVE, platform=platform), TABLES, jetpack, soc)
    assert (found.name if found else None) == name
