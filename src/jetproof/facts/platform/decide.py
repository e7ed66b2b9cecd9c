"""The platform: module, other products, L4T and emulation weighed against one another."""

from __future__ import annotations

from dataclasses import dataclass

from jetproof.facts.fact import Fact, absent, known, not_read, unknown
from jetproof.facts.model import Platform, PlatformClass
from jetproof.facts.platform import other_machine
from jetproof.facts.platform.gather import signs as gathered
from jetproof.facts.platform.module import Identified, identified
from jetproof.facts.platform.other_machine import TEGRA_PRODUCTS, Found
from jetproof.facts.platform.release import Release, is_tegra_kernel, release
from jetproof.facts.platform.signs import Kind, Sign, Signs, distinct, named
from jetproof.facts.readout import ReadOut
from jetproof.tables import Tables
from jetproof.target.reading import Reason

_CONTAINER_FILES = ("/.dockerenv", "/run/.containerenv")


@dataclass(frozen=True, kw_only=True)
class _Decision:
    """Whether it is a Jetson, what else it is, and why."""

    is_jetson: Fact[bool]
    platform_class: Fact[PlatformClass]
    other: Found | None = None


def _other(one: Found) -> _Decision:
    detail = f"{one.why}: {one.sign.value}"
    fact: Fact[PlatformClass] = (
        unknown("platform_class", Reason.NOT_DERIVABLE, one.sign.read_from, f"not a Jetson; {detail}")
        if one.platform_class is PlatformClass.UNKNOWN
        else known("platform_class", one.platform_class, one.sign.read_from, detail)
    )
    return _Decision(is_jetson=known("is_jetson", False, one.sign.read_from, detail), platform_class=fact, other=one)


def _undecided(reason: Reason, detail: str, other: Found | None = None) -> _Decision:
    return _Decision(
        is_jetson=unknown("is_jetson", reason, detail=detail),
        platform_class=unknown("platform_class", reason, detail=detail),
        other=other,
    )


def _jetson(read_from: str, detail: str) -> _Decision:
    return _Decision(
        is_jetson=known("is_jetson", True, read_from, detail),
        platform_class=known("platform_class", PlatformClass.JETSON, read_from, detail),
    )


def _card(card: Sign, signs: Signs) -> Found:
    """A machine with a graphics card and no sign of a Tegra."""
    aarch64 = any(sign.value == "aarch64" for sign in signs.of(Kind.ARCH))
    return Found(
        platform_class=PlatformClass.ARM64_SERVER if aarch64 else PlatformClass.UNKNOWN,
        sign=card,
        why="a graphics card, and no sign of a Tegra",
        strong=True,
    )


def _decision(
    signs: Signs, module: Identified, others: tuple[Found, ...], emulated: Sign | None, tables: Tables
) -> _Decision:
    product = next((one for one in others if one.platform_class in TEGRA_PRODUCTS), None)
    strong = next((one for one in others if one.strong and one.platform_class not in TEGRA_PRODUCTS), None)
    if emulated is not None:
        detail = f"an emulated processor: {emulated.value} ({emulated.read_from})"
        return _Decision(
            is_jetson=known("is_jetson", False, emulated.read_from, detail),
            platform_class=known("platform_class", PlatformClass.EMULATED, emulated.read_from, detail),
            other=strong,
        )
    board = module.sign if module.names_jetson or module.rows else None
    if product is not None and strong is None:
        return _other(product)
    if strong is not None:
        if board is not None or product is not None:
            against = board or (product.sign if product else strong.sign)
            return _undecided(Reason.CONFLICT, f"{named((strong.sign,))} against {named((against,))}", other=strong)
        return _other(strong)
    card = other_machine.discrete_gpu(signs)
    if module.names_jetson:
        shared = module.part_number in {"p3701-0008", "p2888-0004"} and module.sign is not None
        if card is not None and shared:
            return _undecided(
                Reason.CONFLICT, f"{module.part_number} is also on IGX or Clara, which carry a card like {card.value}"
            )
        sign = module.sign or signs.first(Kind.MODEL)
        return _jetson(sign.read_from if sign else "", f"{sign.value if sign else ''} is a Jetson's")
    kernels = [sign for sign in signs.of(Kind.KERNEL) if is_tegra_kernel(sign.value, tables)]
    l4t = signs.first(Kind.L4T_FILE, Kind.L4T_PACKAGE)
    if others and l4t is None and not kernels:
        return _other(others[0])
    hints = [*kernels[:1], *((l4t,) if l4t else ()), *signs.of(Kind.SOC)[:1]]
    if others:
        return _undecided(Reason.CONFLICT, f"{named((others[0].sign,))} against {named(hints)}", other=others[0])
    if card is not None and not hints:
        return _other(_card(card, signs))
    if hints:
        # IGX, DRIVE and ports to a Switch run the same kernels and files: without the board's own word it stays open
        return _undecided(Reason.NOT_DERIVABLE, f"signs of a Tegra, but none of the board: {named(hints)}")
    return _undecided(Reason.NOT_READ, "nothing was read that tells the machine")


def _soc_signs(signs: Signs, module: Identified, facts: Release, tables: Tables) -> tuple[Sign, ...]:
    """Every sign of the SoC: told, of the module, of a release that runs on one SoC only."""
    found = list(signs.of(Kind.SOC))
    if module.sign is not None:
        found += [Sign(kind=Kind.SOC, value=row.soc, read_from=module.sign.read_from) for row in module.rows]
    l4t = facts.sign
    if l4t is not None and facts.l4t.known:
        major = int(l4t.value.split(".", 1)[0])
        socs = {soc for row in tables.releases if row.l4t_major == major for soc in row.socs}
        if len(socs) == 1:
            found.append(
                Sign(kind=Kind.SOC, value=socs.pop(), read_from=f"{l4t.read_from} (L4T {major} runs on it only)")
            )
        elif any(sign.value == "t210ref" for sign in signs.of(Kind.BOARD_FIELD)):
            found.append(Sign(kind=Kind.SOC, value="tegra210", read_from=f"{l4t.read_from} (BOARD: t210ref)"))
    # the die shrink answers to its parent's name too
    shrunk = any(sign.value == "tegra210b01" for sign in found)
    return distinct(sign for sign in found if not (shrunk and sign.value == "tegra210"))


def _soc(signs: Signs, module: Identified, facts: Release, tables: Tables) -> Fact[str]:
    found = _soc_signs(signs, module, facts, tables)
    if not found:
        return unknown("soc", detail="nothing was read that names the SoC")
    if len(found) > 1:
        return unknown("soc", Reason.CONFLICT, detail=f"signs disagree: {named(found)}")
    return known("soc", found[0].value, found[0].read_from)


def _capability(signs: Signs, soc: Fact[str], other: Found | None, tables: Tables) -> Fact[str]:
    told = distinct(signs.of(Kind.CAPABILITY))
    name = "compute_capability"
    derived = tables.compute_capability(soc.value) if soc.value else None
    values = {sign.value for sign in told} | ({derived} if derived else set())
    card = other_machine.discrete_gpu(signs)
    if other is not None and other.compute_capability:
        values.add(other.compute_capability)
    if len(values) > 1:
        shown = named(told) + (f"; {derived} of {soc.value}" if derived else "")
        return unknown(name, Reason.CONFLICT, detail=f"signs disagree: {shown}")
    if card is not None and not told:
        return unknown(name, Reason.CONFLICT, card.read_from, f"there is a graphics card too: {card.value}")
    if told:
        return known(name, told[0].value, told[0].read_from)
    if derived:
        return known(name, derived, soc.read_from, f"of {soc.value}'s own GPU")
    if other is not None and other.compute_capability:
        return known(name, other.compute_capability, other.sign.read_from, f"of {other.sign.value}")
    return unknown(name, soc.reason or Reason.NOT_DERIVABLE, detail="the SoC is not known")


def _single(name: str, found: tuple[Sign, ...]) -> Fact[str]:
    """A fact of the first sign."""
    return known(name, found[0].value, found[0].read_from) if found else unknown(name)


def _compatible(found: tuple[Sign, ...]) -> Fact[tuple[str, ...]]:
    """The device tree's list, from the first place that tells it."""
    if not found:
        return unknown("compatible")
    place = found[0].read_from
    return known("compatible", tuple(sign.value for sign in found if sign.read_from == place), place)


def _l4t_line(readout: ReadOut) -> Fact[str]:
    """The release file's first line, as it stands there."""
    line = readout.file("/etc/nv_tegra_release")
    text = (line.text or "").strip("\0\n ")
    return known("l4t_line", text.split("\n", 1)[0], line.read_from) if text else not_read("l4t_line", line)


def _emulated(signs: Signs, emulation: Sign | None) -> Fact[bool]:
    if emulation is not None:
        return known("emulated", True, emulation.read_from)
    # "no" takes both: the processor and what the machine calls itself
    if signs.of(Kind.CPU) and signs.of(Kind.ARCH):
        return known("emulated", False, signs.of(Kind.CPU, Kind.ARCH)[0].read_from)
    return unknown("emulated")


def _in_container(readout: ReadOut) -> Fact[bool]:
    for path in _CONTAINER_FILES:
        if readout.file(path).text is not None:
            return known("in_container", True, path)
    cgroup = readout.file("/proc/1/cgroup")
    if cgroup.text and any(word in cgroup.text for word in ("docker", "containerd", "kubepods", "libpod", "lxc")):
        return known("in_container", True, "/proc/1/cgroup")
    if readout.in_container is not None:
        return known("in_container", readout.in_container, "the read-out itself")
    if all(readout.file(path).absent for path in _CONTAINER_FILES):
        return known("in_container", False, " and ".join(_CONTAINER_FILES), "both are absent")
    return unknown("in_container")


def _module_facts(module: Identified, decision: _Decision) -> tuple[Fact[str], Fact[str]]:
    """The module's name and part number. What is no Jetson has no Jetson module, but its number is told."""
    part: Fact[str] = (
        known("module_part_number", module.part_number, module.part_sign.read_from)
        if module.part_number and module.part_sign
        else unknown("module_part_number", detail=module.reason)
    )
    if decision.is_jetson.value is False:
        return absent("module", decision.is_jetson.read_from, "not a Jetson"), part
    if decision.is_jetson.value is None and module.name:
        return unknown("module", decision.is_jetson.reason or Reason.CONFLICT, detail=decision.is_jetson.detail), part
    if module.name and module.sign:
        return known("module", module.name, module.sign.read_from, module.reason), part
    reason = Reason.CONFLICT if module.conflict else Reason.NOT_DERIVABLE
    return unknown("module", reason, module.sign.read_from if module.sign else "", module.reason), part


def platform(readout: ReadOut, tables: Tables) -> Platform:
    """Return what the machine is, as far as the read-out decides it."""
    signs = gathered(readout, tables)
    in_container = _in_container(readout)
    emulation = other_machine.emulated(signs)
    if emulation is None and readout.emulated:
        emulation = Sign(kind=Kind.TCG, value="found by the collector", read_from="origin")
    module = identified(signs, tables)
    facts = release(signs, tables, readout, in_container.value is True)
    decision = _decision(signs, module, other_machine.found(signs, tables), emulation, tables)
    name, part = _module_facts(module, decision)
    l4t, jetpack = facts.l4t, facts.jetpack
    soc = _soc(signs, module, facts, tables)
    notes = (*facts.notes, *module.notes)
    if module.conflict:
        notes += (module.reason,)
    if decision.is_jetson.value is False:
        jetpack = absent("jetpack", decision.is_jetson.read_from, "not a Jetson")
        if decision.platform_class.value not in TEGRA_PRODUCTS:
            if l4t.known:
                notes += (f"{l4t.read_from} names L4T {l4t.value}: an image's, not this machine's",)
                l4t = absent("l4t", l4t.read_from, "it describes an image: the machine is not a Jetson")
            soc = absent("soc", decision.is_jetson.read_from, "not a Jetson")
    for fact in (decision.is_jetson, l4t, soc):
        if fact.reason is Reason.CONFLICT and fact.detail not in notes:
            notes += (fact.detail,)
    return Platform(
        is_jetson=decision.is_jetson,
        platform_class=decision.platform_class,
        model=_single("model", signs.of(Kind.MODEL)),
        module=name,
        module_part_number=part,
        carrier=_single("carrier", signs.of(Kind.CARRIER)),
        compatible=_compatible(signs.of(Kind.COMPATIBLE)),
        soc=soc,
        compute_capability=_capability(signs, soc, decision.other, tables),
        l4t=l4t,
        l4t_line=_l4t_line(readout),
        jetpack=jetpack,
        kernel=_single("kernel", signs.of(Kind.KERNEL)),
        arch=_single("arch", signs.of(Kind.ARCH)),
        os=_single("os", signs.of(Kind.OS)),
        emulated=_emulated(signs, emulation),
        in_container=in_container,
        notes=notes,
    )
