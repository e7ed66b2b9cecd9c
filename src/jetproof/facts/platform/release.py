"""The L4T release and the JetPack derived from it."""

from __future__ import annotations

from dataclasses import dataclass

from jetproof.facts.fact import Fact, absent, known, unknown
from jetproof.facts.platform.signs import Kind, Sign, Signs, distinct, named
from jetproof.facts.readout import ReadOut
from jetproof.tables import Tables
from jetproof.target.reading import Reason

_RELEASE_FILE = "/etc/nv_tegra_release"


@dataclass(frozen=True, kw_only=True)
class Release:
    """The release facts and what a person should know about them."""

    l4t: Fact[str]
    jetpack: Fact[str]
    notes: tuple[str, ...] = ()
    sign: Sign | None = None
    """The sign that decided the L4T release."""


def kernel_line(kernel: str) -> str:
    """Return the first two numbers of a kernel release: "5.15.148-tegra" gives "5.15"."""
    return ".".join(kernel.split("-", 1)[0].split("_", 1)[0].split("+", 1)[0].split(".")[:2])


def kernel_lines(tables: Tables, l4t_major: int | None = None) -> frozenset[str]:
    """Return the kernel lines that L4T ships, of one major or of all."""
    return frozenset(
        kernel_line(row.kernel) for row in tables.releases if l4t_major is None or row.l4t_major == l4t_major
    )


def is_tegra_kernel(kernel: str, tables: Tables) -> bool:
    """Whether a kernel's name is one that L4T or a Yocto layer gives, on a kernel line that L4T ships."""
    suffixed = "-tegra" in kernel or "_tegra" in kernel or "-l4t-r" in kernel
    return suffixed and "-nvidia-tegra" not in kernel and kernel_line(kernel) in kernel_lines(tables)


def _image_not_host(l4t: Sign, signs: Signs, tables: Tables) -> Sign | None:
    """The kernel that cannot belong to the release: the file then describes an image, not the machine."""
    lines = kernel_lines(tables, int(l4t.value.split(".", 1)[0]))
    for kernel in signs.of(Kind.KERNEL):
        if lines and is_tegra_kernel(kernel.value, tables) and kernel_line(kernel.value) not in lines:
            return kernel
    return None


def _l4t(signs: Signs, tables: Tables, in_container: bool) -> tuple[Fact[str], Sign | None]:
    files, packages = distinct(signs.of(Kind.L4T_FILE)), distinct(signs.of(Kind.L4T_PACKAGE))
    if len(files) > 1 or (not files and len(packages) > 1):
        shown = named(files if len(files) > 1 else packages)
        return unknown("l4t", Reason.CONFLICT, detail=f"several releases: {shown}"), None
    # inside a container the file is mounted from the host, the packages are the image's
    if files and packages and files[0].value != packages[0].value and not in_container:
        shown = named((files[0], packages[0]))
        return unknown("l4t", Reason.CONFLICT, detail=f"file and package disagree: {shown}"), None
    chosen = (*files, *packages, *distinct(signs.of(Kind.L4T_KERNEL)))
    if not chosen:
        return unknown("l4t", detail="neither release file nor nvidia-l4t-core was read"), None
    sign = chosen[0]
    kernel = _image_not_host(sign, signs, tables)
    if kernel is not None:
        shown = named((sign, kernel))
        return unknown(
            "l4t", Reason.CONFLICT, detail=f"release and running kernel do not belong together: {shown}"
        ), None
    detail = "from the kernel's name only" if sign.kind is Kind.L4T_KERNEL else ""
    return known("l4t", sign.value, sign.read_from, detail), sign


def _made_up(signs: Signs, fact: Fact[str], readout: ReadOut) -> Fact[str]:
    """An unknown or absent release, with the better reason where there is one."""
    built = signs.first(Kind.L4T_BUILD)
    if fact.known or fact.reason is Reason.CONFLICT:
        return fact
    if built is not None:
        return unknown(
            "l4t",
            Reason.NOT_UNDERSTOOD,
            built.read_from,
            f"a build tool wrote this file ({built.value}): not the host's",
        )
    reading = readout.file(_RELEASE_FILE)
    if reading.absent:
        return absent("l4t", _RELEASE_FILE, "no release file and no nvidia-l4t-core package was read")
    if reading.text is not None:
        return unknown("l4t", Reason.NOT_UNDERSTOOD, _RELEASE_FILE, "not in the form of a release line")
    if reading.reason is not None and reading.reason is not Reason.NOT_READ:
        return unknown("l4t", reading.reason, _RELEASE_FILE, reading.detail)
    return fact


def _from_package(sign: Sign, l4t: Fact[str], tables: Tables) -> str:
    """The JetPack of the meta package, with the suffix of a preview where the release's row has one."""
    row = tables.release(l4t.value) if l4t.value else None
    if row is not None and row.jetpack and row.jetpack.split(" ", 1)[0] == sign.value:
        return row.jetpack
    return sign.value


def release(signs: Signs, tables: Tables, readout: ReadOut, in_container: bool) -> Release:
    """Return L4T from file, package or kernel, and JetPack from its package, else from the table."""
    l4t, sign = _l4t(signs, tables, in_container)
    l4t = _made_up(signs, l4t, readout)
    packages = distinct(signs.of(Kind.JETPACK_PACKAGE))
    if len(packages) == 1:
        jetpack = _from_package(packages[0], l4t, tables)
        return Release(l4t=l4t, jetpack=known("jetpack", jetpack, packages[0].read_from), sign=sign)
    if not l4t.known or l4t.value is None or sign is None:
        reason = Reason.CONFLICT if l4t.reason is Reason.CONFLICT else Reason.NOT_DERIVABLE
        return Release(l4t=l4t, jetpack=unknown("jetpack", reason, detail="the L4T release is not known"), sign=sign)
    row = tables.release(l4t.value)
    system = signs.first(Kind.DISTRIBUTION_KIND)
    if system is not None or sign.kind is Kind.L4T_KERNEL:
        equivalent = f"; L4T {l4t.value} is that of JetPack {row.jetpack}" if row and row.jetpack else ""
        why = (
            f"{system.value} ({system.read_from}) has no JetPack"
            if system
            else "the release is from the kernel's name only"
        )
        return Release(
            l4t=l4t, jetpack=unknown("jetpack", Reason.NOT_DERIVABLE, l4t.read_from, why + equivalent), sign=sign
        )
    if row is not None and row.jetpack is not None:
        return Release(
            l4t=l4t, jetpack=known("jetpack", row.jetpack, l4t.read_from, f"derived from L4T {row.l4t}"), sign=sign
        )
    major = int(l4t.value.split(".", 1)[0])
    family = {one.jetpack.split(".", 1)[0] for one in tables.releases if one.l4t_major == major and one.jetpack}
    line = f"JetPack {family.pop()}" if len(family) == 1 else "no JetPack that is known here"
    note = (
        f"L4T {l4t.value}: the table does not tell its JetPack"
        if row
        else f"L4T {l4t.value}: family {major} ({line}), point release not listed"
    )
    return Release(
        l4t=l4t, jetpack=unknown("jetpack", Reason.NOT_DERIVABLE, l4t.read_from, note), notes=(note,), sign=sign
    )
