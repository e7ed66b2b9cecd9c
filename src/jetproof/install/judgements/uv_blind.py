"""
The vendor's torch satisfies the project, as long as the installer can see it.

Why it matters
    pip sees the packages of the base interpreter from a venv made with `--system-site-packages`, and so does uv in the
    vendor's own prefix. uv in such a venv does not: in 22 of 22 dry runs it added another torch, with about 19 of
    NVIDIA's libraries. `-U` replaces it with either.

What to do
    Use `jetproof install`, or give uv the names to leave out: `uv pip install --excludes FILE`.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.install.case import Case
from jetproof.install.finding import Because, Finding, Remedy, Severity
from jetproof.install.judgements.judgement import Judgement
from jetproof.install.torch_build import newest_from_index


def check(case: Case) -> Iterator[Finding]:
    """Remind that a satisfied requirement on torch is not enough for uv."""
    if case.project.locked:
        return
    for one in case.selection.named("torch")[:1]:
        release, what = newest_from_index(case)
        yield Finding(
            rule=JUDGEMENT.id,
            name=JUDGEMENT.name,
            severity=Severity.NOTE,
            package="torch",
            wanted_by=one.wanted_by,
            where=one.package.where,
            message=f"uv in a venv with --system-site-packages cannot see the vendor's torch: it would add torch {release} "
            f"and about 19 of NVIDIA's packages ({what.what})",
            because=(
                case.because(one),
                Because(
                    fact="dry runs", value="22 of 22 added another torch", read_from="measured 2026-11-30, uv 0.13.9"
                ),
            ),
            remedy=(
                Remedy(
                    text="write the names that uv has to leave out",
                    command=f"jetproof audit {case.project.path} --stack {case.board.stack} --emit excludes",
                ),
            ),
        )


JUDGEMENT = Judgement(id="JA014", name="uv-does-not-see-vendor", check=check)
