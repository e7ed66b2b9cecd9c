"""
A package that the project asks for is known to bring another torch.

Why it matters
    A requirements file shows only what is asked for directly. Some packages ask for torchvision, or pin torch, in
    their own metadata; dry runs with pip and uv have shown what they make of a vendor's torch.

What to do
    Hold torch and its siblings, then install the rest; or write a lock and audit that, which shows all.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.install.case import Case
from jetproof.install.finding import Because, Confidence, Finding, Severity, Verdict
from jetproof.install.judgements.judgement import Judgement, hold
from jetproof.install.known_projects import NEEDS, SEEN_WITH


def check(case: Case) -> Iterator[Finding]:
    """Find packages, asked for without a lock, that replace torch through their own requirements."""
    if case.project.locked:
        return
    left_out = {package.name for package in case.project.overrides}
    for one in case.selection.selected:
        needs = NEEDS.get(one.package.name)
        if needs is None or needs.through in left_out or not case.by_index(one):
            continue
        if needs.through != "torch" and needs.through in case.held:
            continue
        python = ".".join(map(str, SEEN_WITH))
        seen = "seen was" if case.board.python == SEEN_WITH else f"seen with Python {python} was"
        through = "itself" if needs.through == "torch" else f"through {needs.through}"
        yield Finding(
            rule=JUDGEMENT.id,
            name=JUDGEMENT.name,
            severity=Severity.BLOCKING,
            confidence=Confidence.LIKELY,
            verdict=Verdict.REPLACES_TORCH,
            package=one.package.name,
            release=one.package.release,
            wanted_by=one.wanted_by,
            where=one.package.where,
            message=f"{one.package.wanted} brings another torch {through}: {seen} {needs.seen}",
            because=(
                case.because(one),
                Because(fact="seen", value=needs.seen, read_from=f"resolved on 2026-11-30, Python {python}"),
                case.because_held,
            ),
            remedy=hold(case),
        )


JUDGEMENT = Judgement(id="JA006", name="replaces-torch-through", check=check)
