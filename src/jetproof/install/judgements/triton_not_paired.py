"""
triton comes from the index, beside a torch that it was not made for.

Why it matters
    Each torch works with one triton. The index has aarch64 wheels of triton from 3.5.0 on, made for server builds of
    torch; beside the vendor's torch `torch.compile` fails with them or compiles for the wrong GPU.

What to do
    Leave triton out where `torch.compile` is not used, or build the one that belongs to the vendor's torch.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.install.case import Case
from jetproof.install.finding import Finding, Severity
from jetproof.install.held import Family, family
from jetproof.install.judgements.judgement import Judgement, hold


def check(case: Case) -> Iterator[Finding]:
    """Find triton among what would be installed."""
    for one in case.selection.selected:
        if family(one.package.name) is Family.TRITON and one.package.name not in case.held and case.by_index(one):
            yield Finding(
                rule=JUDGEMENT.id,
                name=JUDGEMENT.name,
                severity=Severity.WARNING,
                package=one.package.name,
                release=one.package.release,
                wanted_by=one.wanted_by,
                where=one.package.where,
                message=f"{one.package.wanted} comes from the index and was not made for {case.torch.told}",
                because=(case.because(one), case.because_held),
                remedy=hold(case),
            )


JUDGEMENT = Judgement(id="JA008", name="triton-not-paired", check=check)
