"""What a torch from somewhere is: a CPU build, one for servers, one for another JetPack, or one that fits the board."""

from __future__ import annotations

import re
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from jetproof.install.case import Case
from jetproof.install.locked import Source, SourceKind
from jetproof.tables.builds import builds
from jetproof.tables.rows import TorchBuild

_CUDA_TAG = re.compile(r"(?:^|[/+.])cu(\d{2})(\d)(?=$|[/.])")
_JETSON = re.compile(r"jetson-ai-lab|developer\.download\.nvidia\.com/compute/redist/jp|nvidia\.box\.com|\bl4t\b")
_VENDOR_NUMBER = re.compile(r"\bnv\d{2}\.\d{1,2}")


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What is known of a torch from its number and its source."""

    what: str
    """In words, for "another torch comes: …"."""
    works: bool | None
    """Whether the tables say that it works on the board; None when they do not tell."""


def is_jetson_source(location: str | None) -> bool:
    """Whether an address is one where builds for Jetson are published."""
    return bool(location and _JETSON.search(location))


def cuda_of(release: str | None, location: str | None) -> str | None:
    """Return "12.8" for `2.11.0+cu128` or an index `…/whl/cu128`; None when neither names a CUDA release."""
    for text in ((release or "").partition("+")[2], location or ""):
        match = _CUDA_TAG.search(f"/{text}")
        if match:
            return f"{match[1]}.{match[2]}"
    return None


def is_cpu(release: str | None, location: str | None) -> bool:
    """Whether a number or an index says "built without CUDA"."""
    local = (release or "").partition("+")[2]
    return local == "cpu" or bool(location and re.search(r"/whl/(?:nightly/|test/)?cpu(?:$|/)", location))


def origin(release: str | None, source: Source, case: Case, location: str | None = None) -> Origin:
    """Say what a torch of that number from that source is on the board."""
    place = location or source.location
    row = _row(release, place, source, case)
    works = _works(row, case)
    if source.kind is SourceKind.CONDA:
        return Origin(what="conda's build", works=works)
    if source.kind is SourceKind.PATH and (source.location or "").partition("#")[0].endswith(".whl"):
        return Origin(what="a wheel from a file", works=works)
    if source.kind in (SourceKind.VCS, SourceKind.PATH, SourceKind.EDITABLE):
        return Origin(what="a build from source", works=None)
    if is_cpu(release, place):
        return Origin(what="a CPU build, without any CUDA", works=False)
    if is_jetson_source(place) or _VENDOR_NUMBER.search(release or ""):
        return Origin(what=f"another build for Jetson{f' ({row.jetpack})' if row and row.jetpack else ''}", works=works)
    cuda = cuda_of(release, place)
    if cuda:
        return Origin(what=f"a build for ARM servers (SBSA) with CUDA {cuda}{lacks(row, cuda, case)}", works=works)
    newest = _newest(case)
    if (
        row is not None
        and row.kind == "pypi-wheel"
        and newest is not None
        and (_number(release) or newest).release > newest.release
    ):
        told = f"a build from the index that is newer than the tables know (the newest there is {newest.base_version})"
        return Origin(what=told, works=None)
    if row is not None and row.kind == "pypi-wheel":
        if row.sm_archs == () or "cpu" in (row.torch_version or ""):
            return Origin(what="the index's build for aarch64, which is a CPU build up to 2.10", works=False)
        cuda = cuda_of(row.torch_version, None) or row.cuda
        told = f" with CUDA {cuda}" if cuda else ""
        return Origin(what=f"the index's build for ARM servers (SBSA){told}{lacks(row, cuda, case)}", works=works)
    return Origin(what="a build from the index", works=works)


def lacks(row: TorchBuild | None, cuda: str | None, case: Case) -> str:
    """Say in parentheses what of the board a build does not serve: its CUDA, its compute capability."""
    parts: list[str] = []
    stack = case.board.target
    if cuda and cuda.split(".")[0] != stack.cuda.split(".")[0]:
        parts.append(f"the board has CUDA {stack.cuda}")
    archs = " ".join(row.sm_archs) if row is not None and row.sm_archs else None
    lacking = [cc for cc in stack.compute_capabilities if archs is not None and cc not in archs]
    if lacking:
        parts.append("no code for " + ", ".join(f"sm_{cc.replace('.', '')}" for cc in lacking))
    return f" ({'; '.join(parts)})" if parts else ""


def _works(row: TorchBuild | None, case: Case) -> bool | None:
    if row is None:
        return None
    verdict = next(
        one.verdict.verdict for one in builds(case.board.target, case.tables.torch_builds) if one.build.id == row.id
    )
    return {"yes": True, "no": False}.get(verdict)


def _row(release: str | None, place: str | None, source: Source, case: Case) -> TorchBuild | None:
    """The table's row: the very number, the index, or the nearest number of the public index below."""
    rows = case.tables.torch_builds
    wanted = _number(release)
    if wanted is not None and wanted.local:
        exact = next((row for row in rows if row.kind != "pypi-wheel" and _number(row.torch_version) == wanted), None)
        if exact is not None:
            return exact
    if place:
        index = next((row for row in rows if row.kind in ("pytorch-index", "package-index") and _in(place, row)), None)
        if index is not None:
            return index
    cuda = cuda_of(release, place)
    if cuda or is_cpu(release, place):
        tag = f"pt-index-cu{cuda.replace('.', '')}" if cuda else "pt-index-cpu"
        return next((row for row in rows if row.id == tag), None)
    if wanted is None or source.kind not in (SourceKind.INDEX, SourceKind.UNKNOWN, SourceKind.URL):
        return None
    older = [
        (number, row)
        for row in rows
        if row.kind == "pypi-wheel" and (number := _number(row.torch_version)) and number.release <= wanted.release
    ]
    return max(older, key=lambda pair: pair[0])[1] if older else _oldest(rows)


def _newest(case: Case) -> Version | None:
    """The newest number of the public index that the tables have."""
    numbers = (_number(row.torch_version) for row in case.tables.torch_builds if row.kind == "pypi-wheel")
    return max(filter(None, numbers), default=None)


def _oldest(rows: tuple[TorchBuild, ...]) -> TorchBuild | None:
    """Below the oldest number that was looked into: the index had CPU builds for aarch64 then too."""
    return next((row for row in rows if row.kind == "pypi-wheel"), None)


def _in(place: str, row: TorchBuild) -> bool:
    return place.rstrip("/").removesuffix("/+simple").removesuffix("/simple").startswith(row.where.rstrip("/"))


def _number(text: str | None) -> Version | None:
    try:
        return Version(text) if text else None
    except InvalidVersion:
        return None
