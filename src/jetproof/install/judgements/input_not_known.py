"""
Part of what would be installed is not known.

Why it matters
    A setup.py computes its requirements, a `-r` file is missing, a marker cannot be read, a lock was made for other
    environments. Whatever stands there may replace torch, so the answer is UNDETERMINED and never OK.

What to do
    Write a lock (`uv lock`, `uv pip compile`) and audit that: it lists everything.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.install.case import Case
from jetproof.install.finding import Because, Finding, Remedy, Severity, Verdict
from jetproof.install.judgements.judgement import Judgement
from jetproof.install.locked import Kind, SourceKind, Unknown

_COMPILED = (Kind.REQUIREMENTS, Kind.PYPROJECT, Kind.SETUP_CFG, Kind.SETUP_PY)
"""What `uv pip compile` takes."""


def _of_environments(case: Case) -> Iterator[Unknown]:
    markers = case.project.environments
    if not markers or any(case.markers.holds(marker) for marker in markers):
        return
    why = f"the lock was made for other environments: {'; '.join(markers)[:200]}"
    yield Unknown(what="what would be installed", why=why, where=case.file)


def _of_addresses(case: Case) -> Iterator[Unknown]:
    """Without a lock a repository, an archive or a path says nothing of what it needs."""
    if case.project.locked:
        return
    for one in case.selection.selected:
        if one.package.name in case.held or one.package.name == case.project.name:
            continue  # judged as a copy of what is held; the wheel that is audited itself
        source = one.package.source
        if source.kind in (SourceKind.VCS, SourceKind.URL, SourceKind.PATH, SourceKind.EDITABLE):
            places = [source.location or one.package.name]
        else:
            places = [index.url for index in case.indexes_for(one.package.name) if index.address]
        for place in places[:1]:
            yield Unknown(what=one.package.name, why=f"what it needs stands only in {place}", where=one.package.where)


def check(case: Case) -> Iterator[Finding]:
    """Report everything that could not be read or decided."""
    project = case.project
    unknowns = (
        *project.unknowns, *case.selection.unknowns, *_of_environments(case), *_of_addresses(case)
    )  # fmt: skip
    for unknown in unknowns:
        yield Finding(
            rule=JUDGEMENT.id,
            name=JUDGEMENT.name,
            severity=Severity.WARNING,
            verdict=Verdict.UNDETERMINED,
            where=unknown.where,
            message=f"not known: {unknown.what}: {unknown.why}",
            because=(Because(fact="input", value=unknown.what, read_from=str(unknown.where)),),
            remedy=(_remedy(case),),
        )


def _remedy(case: Case) -> Remedy:
    """What leads to an answer: uv only where it takes such a file."""
    if case.project.kind in _COMPILED:
        return Remedy(
            text="write a lock on any machine, and audit that",
            command=f"uv pip compile --python-version {case.board.python[0]}.{case.board.python[1]} "
            f"--python-platform aarch64-unknown-linux-gnu {case.quoted_file} -o requirements-jetson.txt",
        )
    if case.project.locked:
        return Remedy(
            text=f"lock again so that Python {case.board.python_full} on Linux aarch64 is among its environments"
        )
    return Remedy(text="write what pip installs there into a requirements.txt, and audit that")


JUDGEMENT = Judgement(id="JA013", name="input-not-known", check=check)
