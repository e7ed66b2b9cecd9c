"""Which torch builds work on a stack: told by the table where it says so, else judged from what a build is made for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from jetproof.tables.rows import TorchBuild, Verdict
from jetproof.tables.stacks import Stack, numbers

_RANGE = re.compile(r"(\d+(?:\.\d+)*)(?:\.x)?(?:\s*-\s*(\d+(?:\.\d+)*)(?:\.x)?)?")
_ORDER = ("yes", "partly", "unproven", "no")


@dataclass(frozen=True, kw_only=True)
class BuildOnStack:
    """One torch build and whether it works on a stack."""

    build: TorchBuild
    verdict: Verdict


def _key(stack: Stack) -> str | None:
    """The column of the table that speaks about this stack."""
    match stack.soc, stack.jetpack.split("."):
        case "tegra234", ["6", "2", *_]:
            return "orin_jp62"
        case "tegra234", ["7", "2", *_]:
            return "orin_jp72"
        case "tegra264", ["7", *_]:
            return "thor_jp7"
        case "tegra194", ["5", "1", *_]:
            return "xavier_jp51"
        case _:
            return None


def _within(release: str, text: str) -> bool:
    """Whether a release lies in a range like "35.2.1-35.4.1", "36.4.x" or "4.4-4.6"."""
    wanted = numbers(release)
    for found in _RANGE.finditer(text):
        low = numbers(found[1])
        high = numbers(found[2]) if found[2] else low
        # a bound says nothing about the places it does not name: 4.6 covers 4.6.6
        if low <= wanted[: len(low)] and wanted[: len(high)] <= high:
            return True
    return False


def _derived(stack: Stack, build: TorchBuild) -> Verdict:
    if build.sm_archs == ():
        return Verdict(verdict="no", why="built without CUDA")
    made_for = [(text, release) for text, release in ((build.l4t, stack.l4t), (build.jetpack, stack.jetpack)) if text]
    ranges = [(text, release) for text, release in made_for if _RANGE.search(text)]
    oldest = re.fullmatch(r"cp3(\d+)\+", build.python or "")
    if oldest and numbers(stack.python) < (3, int(oldest[1])):
        return Verdict(verdict="no", why=f"made for {build.python}, and this stack's Python is {stack.python}")
    wanted = re.match(r"\d+", build.cuda or "")
    if wanted and int(wanted[0]) > numbers(stack.cuda)[0]:
        return Verdict(verdict="no", why=f"made for CUDA {build.cuda}, and this stack's driver serves {stack.cuda}")
    if not ranges:
        return Verdict(verdict="unproven", why="the table does not say which L4T or JetPack it is made for")
    text, release = ranges[0]
    if not _within(release, text):
        return Verdict(verdict="no", why=f"made for {text}")
    tags = re.findall(r"cp\d+", build.python or "")
    if tags and stack.python_tag not in tags:
        return Verdict(verdict="no", why=f"made for {', '.join(tags)}, and this stack's Python is {stack.python}")
    capabilities = " ".join(build.sm_archs or ())
    lacking = [cc for cc in stack.compute_capabilities if capabilities and cc not in capabilities]
    if lacking:
        return Verdict(verdict="no", why=f"no code for compute capability {', '.join(lacking)}")
    return Verdict(verdict="yes", why=f"made for {text}; no report from this stack")


def _verdict(stack: Stack, row: TorchBuild, key: str | None) -> Verdict:
    if key is not None and key in row.works_on:
        return row.works_on[key]
    of_xavier = row.works_on.get("xavier_jp51")
    has_code = row.sm_archs and all(cc in row.sm_archs for cc in stack.compute_capabilities)
    if row.kind == "nvidia-wheel" and stack.jetpack.startswith("5.1") and has_code and of_xavier:
        # what the table says of JetPack 5.1 with a Xavier holds for Orin too, as far as the wheel has its code
        return of_xavier
    return _derived(stack, row)


def builds(stack: Stack, rows: Sequence[TorchBuild]) -> tuple[BuildOnStack, ...]:
    """Return every torch build with its verdict for this stack, the usable ones first."""
    key = _key(stack)
    judged = [BuildOnStack(build=row, verdict=_verdict(stack, row, key)) for row in rows]
    return tuple(sorted(judged, key=lambda one: _ORDER.index(one.verdict.verdict)))


def newest_vendor_wheel(stack: Stack, rows: Sequence[TorchBuild]) -> TorchBuild | None:
    """Return NVIDIA's newest wheel that is made for this stack, if the table has one."""
    made = [
        one.build
        for one in builds(stack, rows)
        if one.build.kind == "nvidia-wheel" and one.verdict.verdict == "yes" and one.build.torch_version
    ]
    return max(made, key=_torch_order, default=None)


def _torch_order(build: TorchBuild) -> tuple[tuple[int, ...], bool, str]:
    """Order by the public number, then NVIDIA's dated builds over undated ones, then by date."""
    text = build.torch_version or ""
    found = re.match(r"\d+(?:\.\d+)*", text)
    dated = re.search(r"nv(\d+\.\d+)", text)
    return numbers(found.group()) if found else (), dated is not None, dated[1] if dated else ""
