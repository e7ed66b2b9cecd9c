"""Named targets: a JetPack, where needed a SoC or a module, and what follows from them. Derived from the tables."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from jetproof.errors import UsageError
from jetproof.tables.rows import Module, Release, Soc, Ubuntu
from jetproof.tables.stack_names import meant

_NUMBERS = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, kw_only=True)
class Stack:
    """What software for one JetPack has to fit."""

    name: str
    jetpack: str
    l4t: str
    """The first production release that carries this JetPack; what runs there runs on its later point releases."""
    l4t_releases: tuple[str, ...]
    """All production releases that carry it."""
    socs: tuple[str, ...]
    compute_capabilities: tuple[str, ...]
    ubuntu: str
    glibc: str
    python: str
    """Of the system's interpreter, like "3.10"."""
    cuda: str
    """CUDA release of the toolkit, like "12.6"."""
    kernel: str
    """Like "5.15.148-tegra": what the marker platform_release sees; the patch level varies between point releases."""
    module: Module | None = None

    @property
    def soc(self) -> str | None:
        """The SoC, if the stack has only one."""
        return self.socs[0] if len(self.socs) == 1 else None

    @property
    def compute_capability(self) -> str | None:
        """The compute capability, if the stack has only one."""
        return self.compute_capabilities[0] if len(self.compute_capabilities) == 1 else None

    @property
    def sm_flags(self) -> tuple[str, ...]:
        """Architecture flags that code needs here, like ("sm_87",)."""
        return tuple("sm_" + capability.replace(".", "") for capability in self.compute_capabilities)

    @property
    def driver(self) -> int:
        """What cuDriverGetVersion answers: 12060 for CUDA 12.6. L4T's driver speaks the toolkit's release."""
        major, minor = self.cuda.split(".")
        return int(major) * 1000 + int(minor) * 10

    @property
    def python_tag(self) -> str:
        """The interpreter's wheel tag, like cp310."""
        return "cp" + self.python.replace(".", "")

    @property
    def machine(self) -> str:
        """What platform_machine says."""
        return "aarch64"


def numbers(text: str) -> tuple[int, ...]:
    """Return the dotted numbers of a release for comparison: "36.4.3" gives (36, 4, 3)."""
    return tuple(int(part) for part in text.split("."))


def _two(text: str) -> str:
    """Cut "12.6.68 (toolkit 12.6.11)" to "12.6"."""
    found = _NUMBERS.search(text)
    return ".".join(found.group().split(".")[:2]) if found else ""


def _component(release: Release, older: Sequence[Release], member: str) -> str | None:
    """A component of the release, or of the newest older one of the same L4T major where its own is not known."""
    for row in (release, *reversed(older)):
        value: str | None = getattr(row, member)
        if value is not None and row.l4t_major == release.l4t_major:
            return value
    return None


def _kernel(text: str) -> str:
    """The kernel release as `uname -r` prints it on NVIDIA's kernels: "4.9" gives "4.9-tegra"."""
    release = text.split(maxsplit=1)[0]
    return release if release.endswith("-tegra") else f"{release}-tegra"


def _capabilities(modules: Sequence[Module], socs: Sequence[str]) -> tuple[str, ...]:
    known = {row.soc: row.compute_capability for row in modules}
    return tuple(known[soc] for soc in socs)


def _line(
    jetpack: str,
    releases: Sequence[Release],
    modules: Sequence[Module],
    ubuntu: Mapping[str, Ubuntu],
) -> Stack | None:
    """The stack of one JetPack over all its SoCs; None where the tables do not know what it is made of."""
    mine = [row for row in releases if row.jetpack == jetpack and row.kind == "production"]
    first = mine[0]
    older = [row for row in releases if numbers(row.l4t) < numbers(first.l4t)]
    cuda = _component(first, older, "cuda")
    if cuda is None or first.ubuntu is None or first.ubuntu not in ubuntu or first.python is None:
        return None
    socs = tuple(soc for soc in first.socs if any(row.soc == soc for row in modules))
    return Stack(
        name=f"jp{jetpack}",
        jetpack=jetpack,
        l4t=first.l4t,
        l4t_releases=tuple(row.l4t for row in mine),
        socs=socs,
        compute_capabilities=_capabilities(modules, socs),
        ubuntu=first.ubuntu,
        glibc=ubuntu[first.ubuntu].glibc,
        python=first.python,
        cuda=_two(cuda),
        kernel=_kernel(first.kernel),
    )


def narrowed(one: Stack, socs: tuple[str, ...], name: str) -> Stack:
    """Return the stack for some of its SoCs only."""
    kept = [(soc, cc) for soc, cc in zip(one.socs, one.compute_capabilities, strict=True) if soc in socs]
    return replace(one, name=name, socs=tuple(soc for soc, _ in kept), compute_capabilities=tuple(cc for _, cc in kept))


def stacks(
    releases: Sequence[Release], modules: Sequence[Module], socs: Sequence[Soc], ubuntu: Sequence[Ubuntu]
) -> dict[str, Stack]:
    """Return every stack by name: each production JetPack, each of its SoCs, and each major's newest.

    "jp5.1" spans Xavier and Orin, "jp5.1-orin" is Orin alone; "jp6" is the newest JetPack 6 and
    "jp7-thor" the newest JetPack 7 that runs on Thor.
    """
    suffixes = {row.soc: row.stack_suffix for row in socs}
    by_ubuntu = {row.ubuntu: row for row in ubuntu}
    ordered = sorted(releases, key=lambda row: numbers(row.l4t))
    named: dict[str, Stack] = {}
    for jetpack in dict.fromkeys(row.jetpack for row in ordered if row.jetpack and row.kind == "production"):
        one = _line(jetpack, ordered, modules, by_ubuntu)
        if one is None:
            continue
        major = f"jp{jetpack.split('.', maxsplit=1)[0]}"
        named[one.name] = one
        named[major] = replace(one, name=major)
        for soc in one.socs:
            for base in (one.name, major):
                name = f"{base}-{suffixes[soc]}"
                named[name] = narrowed(one, (soc,), name)
    return named


def stack(named: Mapping[str, Stack], modules: Sequence[Module], name: str) -> Stack:
    """Return the stack that a name like "jp6.2" or "jp6.2/agx-orin-64gb" means.

    UsageError: no such stack or module, or the module cannot run that JetPack.
    """
    wanted, _, module_id = meant(named, modules, name).partition("/")
    found = named[wanted]
    if not module_id:
        return found
    row = next((row for row in modules if row.id == module_id and row.is_jetson), None)
    ids = [row.id for row in modules if row.is_jetson]
    if row is None:
        near = difflib.get_close_matches(module_id, ids, n=4, cutoff=0.4)
        raise UsageError(
            f"there is no module {module_id!r}", hint=f"near ones: {', '.join(near or ids)}", reason="unknown-module"
        )
    if row.soc not in found.socs:
        fit = sorted({key for key, one in named.items() if row.soc in one.socs and "-" not in key})
        raise UsageError(
            f"{row.name} does not run JetPack {found.jetpack}",
            hint=f"stacks for it: {', '.join(fit)}",
            reason="module-not-on-stack",
        )
    return replace(narrowed(found, (row.soc,), f"{wanted}/{module_id}"), module=row)
