"""
The project takes torch from an index that holds no build for Jetson.

Why it matters
    `[tool.uv.sources]` that sends torch to `…/whl/cpu` for everything that is not x86_64, or to `…/whl/cu128`, fetches
    that build even where the vendor's torch would satisfy the bound. Such an index in a requirements file decides
    where torch comes from as soon as any bound rejects the vendor's.

What to do
    Leave torch out on the board (an override that never holds), or point the source to an index for this JetPack.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.install.case import Case
from jetproof.install.finding import Because, Finding, Remedy, Severity, Verdict
from jetproof.install.judgements.judgement import Judgement, hold
from jetproof.install.locked import Index, SourceKind
from jetproof.install.selection import Selected
from jetproof.install.torch_build import is_cpu, is_jetson_source, origin


def _bad(index: Index) -> bool:
    return not is_jetson_source(index.url)


def _sent(case: Case, one: Selected, index: Index) -> Finding:
    what = origin(one.package.release, one.package.source, case, index.url)
    marker = f" where {index.marker}" if index.marker else ""
    return Finding(
        rule=JUDGEMENT.id,
        name=JUDGEMENT.name,
        severity=Severity.BLOCKING,
        verdict=Verdict.REPLACES_TORCH,
        package=one.package.name,
        wanted_by=one.wanted_by,
        where=index.where,
        message=f"{one.package.name} is taken from {index.url}{marker}: what comes is {what.what}",
        because=(
            Because(fact="source", value=index.url, read_from=str(index.where)),
            case.because(one),
            case.because_held,
        ),
        remedy=hold(case),
    )


def check(case: Case) -> Iterator[Finding]:
    """Find sources and indexes that lead torch away from the vendor's build."""
    if case.project.locked:
        return  # a lock says what it took, and where from
    asked = [one for name in ("torch", "torchvision", "torchaudio") for one in case.selection.named(name)]
    for one in asked:
        if one.package.name != "torch" and one.package.name not in case.held:
            continue
        for index in case.indexes_for(one.package.name):
            if _bad(index) and one.package.source.kind in (SourceKind.INDEX, SourceKind.UNKNOWN):
                yield _sent(case, one, index)
    if not asked:
        return
    for index in case.project.indexes:
        if index.packages or index.explicit or not ("download.pytorch.org" in index.url or is_cpu(None, index.url)):
            continue
        yield Finding(
            rule=JUDGEMENT.id,
            name=JUDGEMENT.name,
            severity=Severity.WARNING,
            where=index.where,
            message=f"the index {index.url} has no build for Jetson: an upgrade takes torch from it",
            because=(Because(fact="index", value=index.url, read_from=str(index.where)), case.because_held),
            remedy=(Remedy(text="leave this index out on a board"),),
        )


JUDGEMENT = Judgement(id="JA005", name="index-without-jetson", check=check)
