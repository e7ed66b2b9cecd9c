"""This L4T point release is not in the tables.

Why it matters
    It is understood by its family, but its exact parts (cuDNN, driver) were not looked up.

How it is decided
    The release's numbers against the table of releases.

What to do
    Nothing on the board. Tell the project, so that a row is added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.diagnosis.known import jetpack_major
from jetproof.diagnosis.rule import About, Confidence, Finding, Layer, Remedy, Severity, because
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD021", name="unlisted-point-release", root_cause="torch-ok-problem-elsewhere", layer=Layer.L4T)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a note for an L4T release of three numbers that no row has."""
    l4t = facts.platform.l4t
    if facts.platform.is_jetson.value is not True or not l4t.value or not re.fullmatch(r"\d+\.\d+\.\d+", l4t.value):
        return
    if any(row.l4t == l4t.value for row in tables.releases):
        return
    major = jetpack_major(facts)
    known_as = f"family {l4t.value.split('.')[0]}" + (f", JetPack {major}" if major else "")
    yield ABOUT.finding(
        f"L4T {l4t.value} is an unlisted point release; it is judged as {known_as}.",
        because=(because(l4t),),
        remedy=(
            Remedy(
                text="Report the release file's first line to the project.", command="head -1 /etc/nv_tegra_release"
            ),
        ),
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
    )


RULE = ABOUT.rule(check)
