"""
The bitsandbytes wheel from the index does not serve this board.

Why it matters
    It installs and imports. Its CUDA code is for servers: on JetPack 6 the first quantisation stops with "named symbol
    not found", and no published aarch64 wheel has code for compute capability 7.2 or 8.7.

What to do
    Build it from source on the board for its compute capability, or take a build made for this JetPack. Where a table
    says "unproven", run the quantisation probes on the board before relying on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from jetproof.install.case import Case
from jetproof.install.finding import Because, Confidence, Finding, Remedy, Severity
from jetproof.install.judgements.judgement import Judgement
from jetproof.install.quantization import column_of, span_of
from jetproof.install.selection import Selected
from jetproof.tables.rows import QuantizationBuild


def _row(case: Case, one: Selected) -> QuantizationBuild | None:
    """The row of the locked number, or of the newest one that the bound admits."""
    rows = [
        (span, row)
        for row in case.tables.quantization
        if row.package == "bitsandbytes" and row.kind.startswith("pypi") and (span := span_of(row))
    ]
    if one.package.release is not None:
        try:
            release = Version(one.package.release)
        except InvalidVersion:
            return None
        return next((row for (low, high), row in rows if low <= release <= high), None)
    try:
        specifiers = SpecifierSet(one.specifier or "")
    except InvalidSpecifier:
        return None
    fitting = [(span, row) for span, row in rows if specifiers.contains(span[1]) or specifiers.contains(span[0])]
    return max(fitting, key=lambda pair: pair[0][1])[1] if fitting else None


def check(case: Case) -> Iterator[Finding]:
    """Find bitsandbytes wheels that the tables do not call working."""
    if "bitsandbytes" in case.held:
        return
    for one in case.selection.named("bitsandbytes"):
        if not case.by_index(one):
            continue
        row, key = _row(case, one), column_of(case.board.target)
        verdict = row.works_on.get(key) if row is not None and key is not None else None
        if verdict is not None and verdict.verdict == "yes":
            continue
        told = f"{verdict.verdict}: {verdict.why}" if verdict is not None else "nothing is known of it on this board"
        number = f" {row.version}" if row is not None else ""
        flags = ", ".join(case.board.target.sm_flags)
        yield Finding(
            rule=JUDGEMENT.id,
            name=JUDGEMENT.name,
            severity=Severity.WARNING,
            confidence=Confidence.CERTAIN if verdict is not None and verdict.verdict == "no" else Confidence.LIKELY,
            package="bitsandbytes",
            release=one.package.release,
            wanted_by=one.wanted_by,
            where=one.package.where,
            message=f"the wheel of bitsandbytes{number} is built for ARM servers; support for {flags} has to be proved "
            f"on the board ({told})",
            because=(
                case.because(one),
                Because(
                    fact="bitsandbytes on this stack", value=told, read_from=f"tables: {row.id}" if row else "tables"
                ),
            ),
            remedy=(
                Remedy(
                    text=f"build it from source for {flags}",
                    command="cmake -DCOMPUTE_BACKEND=cuda -DCOMPUTE_CAPABILITY="
                    + ";".join(flag.removeprefix("sm_") for flag in case.board.target.sm_flags)
                    + " -S . && make && pip install --no-deps --no-build-isolation .",
                ),
            ),
        )


JUDGEMENT = Judgement(id="JA009", name="bitsandbytes-wheel", check=check)
