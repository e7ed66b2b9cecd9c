"""
The board's Python is not one that the project, or a package that it locks, takes.

Why it matters
    JetPack 5 brings Python 3.8, JetPack 6 brings 3.10, JetPack 7 brings 3.12, and the vendor's torch is built for
    exactly that one. Another interpreter has no vendor torch, so "use a newer Python" loses CUDA.

What to do
    Take a release of the project that still supports the board's Python, or a JetPack whose Python it takes.
"""

from __future__ import annotations

from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from jetproof.install.case import Case
from jetproof.install.finding import Because, Finding, Remedy, Severity, Verdict
from jetproof.install.judgements.judgement import Judgement


def _takes(bound: str, python: str) -> bool | None:
    try:
        return SpecifierSet(bound).contains(python, prereleases=True)
    except InvalidSpecifier:
        return None


def _fitting_stacks(bound: str, case: Case) -> str:
    """Other stacks of the same board whose Python is taken."""
    socs = set(case.board.target.socs)
    names = [
        name
        for name, stack in case.tables.stacks.items()
        if "-" not in name and "." in name and socs & set(stack.socs) and _takes(bound, f"{stack.python}.99")
    ]
    return ", ".join(names)


def check(case: Case) -> Iterator[Finding]:
    """Find bounds on Python that the board does not meet."""
    project, board = case.project, case.board
    where = project.requires_python_where or case.file
    if project.requires_python is not None:
        takes = case.takes_python(project.requires_python)
        if takes is None:
            yield Finding(
                rule=JUDGEMENT.id, name=JUDGEMENT.name, severity=Severity.WARNING, verdict=Verdict.UNDETERMINED,
                where=where, message=f"the bound on Python cannot be read: {project.requires_python!r}",
            )  # fmt: skip
        elif not takes:
            stacks = _fitting_stacks(project.requires_python, case)
            told = (
                f"a board whose Python it takes: {stacks}" if stacks else "no JetPack for this board has such a Python"
            )
            yield Finding(
                rule=JUDGEMENT.id,
                name=JUDGEMENT.name,
                severity=Severity.BLOCKING,
                verdict=Verdict.FAILS_PYTHON,
                where=where,
                message=f"the project wants Python {project.requires_python}, and the board has {board.python_full}",
                because=(
                    Because(fact="requires-python", value=project.requires_python, read_from=str(where)),
                    case.because_board,
                ),
                remedy=(
                    Remedy(text=told),
                    Remedy(text="or a release of the project that still takes this Python"),
                ),
            )
    for one in case.selection.selected:
        bound = one.package.requires_python
        if bound is None or case.held.get(one.package.name) is not None:
            continue
        takes = case.takes_python(bound)
        if takes is False:
            yield Finding(
                rule=JUDGEMENT.id,
                name=JUDGEMENT.name,
                severity=Severity.BLOCKING,
                verdict=Verdict.FAILS_PYTHON,
                package=one.package.name,
                release=one.package.release,
                wanted_by=one.wanted_by,
                where=one.package.where,
                message=f"{one.package.wanted} wants Python {bound}, and the board has {board.python_full}",
                because=(case.because(one), case.because_board),
                remedy=(Remedy(text=f"lock an older {one.package.name} that takes this Python"),),
            )


JUDGEMENT = Judgement(id="JA001", name="python-not-supported", check=check)
