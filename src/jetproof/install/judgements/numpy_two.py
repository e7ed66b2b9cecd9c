"""
NumPy 2 comes, and the vendor's torch was built for NumPy 1.

Why it matters
    `torch.from_numpy` and everything that uses it stops with "Numpy is not available" or `_ARRAY_API not found`, long
    after the import went well.

What to do
    Hold NumPy below 2 for this torch: `numpy<2`.
"""

from __future__ import annotations

from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from jetproof.install.case import Case
from jetproof.install.finding import Because, Confidence, Finding, Remedy, Severity
from jetproof.install.judgements.judgement import Judgement
from jetproof.install.locked import Kind
from jetproof.install.selection import Selected

_ADD = {
    Kind.UV_LOCK: "uv add",
    Kind.POETRY_LOCK: "poetry add",
    Kind.PDM_LOCK: "pdm add",
    Kind.PIPFILE_LOCK: "pipenv install",
}
"""What writes a bound into the project and locks it again."""
_LAST_ONE = "1.26.4"
_SOME_TWO = ("2.0.2", "2.2.6", "2.3.5")


def _is_two(one: Selected) -> bool | None:
    """Whether NumPy 2 comes: locked so, or admitted by the bound (None)."""
    if one.package.release is not None:
        try:
            return Version(one.package.release).major >= 2
        except InvalidVersion:
            return False
    try:
        specifiers = SpecifierSet(one.specifier or "")
    except InvalidSpecifier:
        return False
    if not any(specifiers.contains(number) for number in _SOME_TWO):
        return False
    return None if specifiers.contains(_LAST_ONE) else True


def check(case: Case) -> Iterator[Finding]:
    """Find NumPy 2 beside a torch that was built for NumPy 1."""
    row = case.build(case.torch)
    note = next((note for note in row.notes if "NumPy 1" in note), None) if row is not None else None
    if row is None or note is None or case.board.python < (3, 9):
        return  # no NumPy 2 for Python 3.8
    add = _ADD.get(case.project.kind, "pip install")
    for one in case.selection.named("numpy"):
        two = _is_two(one)
        if two is False:
            continue
        brings = "is NumPy 2" if two else "admits NumPy 2, and an installer takes the newest"
        yield Finding(
            rule=JUDGEMENT.id,
            name=JUDGEMENT.name,
            severity=Severity.WARNING,
            confidence=Confidence.CERTAIN if two else Confidence.LIKELY,
            package="numpy",
            release=one.package.release,
            wanted_by=one.wanted_by,
            where=one.package.where,
            message=f"{one.package.wanted} {brings}; {case.torch.told} was built for NumPy 1",
            because=(case.because(one), Because(fact="torch build", value=note, read_from=f"tables: {row.id}")),
            remedy=(Remedy(text='write "numpy<2"', command=f"{add} 'numpy<2'"),),
        )


JUDGEMENT = Judgement(id="JA010", name="numpy-2", check=check)
