"""The module and its SoC, from the most trustworthy sign there is; unknown where signs disagree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from jetproof.facts.platform.read_board import part_of_entry
from jetproof.facts.platform.signs import Kind, Sign, Signs, distinct, named
from jetproof.tables import Tables
from jetproof.tables.rows import Module

_REMARK = re.compile(r"\s*\([^)]*\)\s*$")
_CORES_OF_TPC = 256
"""CUDA cores of one cluster on Orin."""


@dataclass(frozen=True, kw_only=True)
class Identified:
    """What the signs say of the module."""

    name: str | None = None
    part_number: str | None = None
    rows: tuple[Module, ...] = ()
    """Rows that the module may be."""
    sign: Sign | None = None
    part_sign: Sign | None = None
    reason: str = ""
    """Why the name is not known, or how it was derived."""
    conflict: bool = False
    names_jetson: bool = False
    """Whether some sign names a Jetson."""
    notes: tuple[str, ...] = ()


def _board(part: str) -> str:
    return part.partition("-")[0]


def _words(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def _parts(signs: Signs, tables: Tables) -> tuple[tuple[Sign, ...], str]:
    """The board numbers of the best source that gives any, and the name of that source.

    The boot loader hands on what the EEPROM says: where the two differ, both are given.
    """
    eeprom = distinct(signs.of(Kind.PART))
    if eeprom:
        loader = tuple(sign for sign in signs.of(Kind.BOARD_ID) if tables.module_of_part(sign.value))
        return distinct((*eeprom, *loader)), "eeprom"
    handed_on = distinct(signs.of(Kind.BOARD_ID))
    if handed_on:
        return handed_on, "boot loader"
    entries = [
        Sign(kind=sign.kind, value=part, read_from=sign.read_from)
        for sign in signs.of(Kind.COMPATIBLE)
        if (part := part_of_entry(sign.value))
    ]
    return distinct(entries), "device tree"


def model_rows(text: str, tables: Tables) -> tuple[tuple[Module, ...], bool]:
    """Return the rows that a model text can mean, and whether it names a Jetson at all.

    A text of the table means the rows it was seen on; else a module's name in it, else a family's.
    """
    jetsons = [row for row in tables.modules if row.is_jetson]
    words = _words(text)
    if not words:
        return (), False
    seen = tuple(
        row for row in jetsons if any(_words(_REMARK.sub("", known)) == words for known in row.model_strings_seen)
    )
    if seen:
        return seen, True
    maker = re.search(r"\b(?:jetson|nvidia)\b", words) is not None
    is_jetson = re.search(r"\bjetson\b", words) is not None
    tokens = f" {words} "
    for member in ("name", "family_name"):
        names = sorted({str(getattr(row, member)) for row in jetsons}, key=len, reverse=True)
        for name in names:
            short = _words(name).removeprefix("jetson ")
            # "Nano" alone is everybody's word: it counts beside the word Jetson only
            certain = is_jetson or (maker and short not in {"nano", "thor"})
            if f" {short} " in tokens and certain:
                return tuple(row for row in jetsons if getattr(row, member) == name), True
    if is_jetson and re.search(r"\bthor\b", words):
        return tuple(row for row in jetsons if row.family_name == "Jetson Thor"), True
    numbered = re.search(r"\bp(\d{4}) (\d{4})\b(?!.*\bp\d{4} \d{4}\b)", words)
    row = tables.module_of_part(f"p{numbered[1]}-{numbered[2]}") if numbered else None
    if row is not None and row.is_jetson:
        return (row,), False
    return (), is_jetson


def _compatible_rows(signs: Signs, tables: Tables) -> tuple[tuple[Module, ...], Sign | None]:
    """Rows of a kit's number or code name in the compatible list: the first entry that any row bears."""
    for sign in signs.of(Kind.COMPATIBLE):
        if re.fullmatch(r"nvidia,tegra\w+", sign.value):
            continue
        rows = tuple(row for row in tables.modules if row.is_jetson and sign.value in row.compatible_strings)
        if rows:
            return rows, sign
    return (), None


def _dts_rows(signs: Signs, tables: Tables) -> tuple[tuple[Module, ...], Sign | None]:
    """Rows of the family that a device tree's file name tells."""
    for sign in signs.of(Kind.DTS_NAME):
        name = sign.value.lower()
        boards = {f"p{board}" for board in re.findall(r"p(\d{4})", name)}
        rows = tuple(row for row in tables.modules if row.is_jetson and boards & {_board(p) for p in row.part_numbers})
        one = _family(rows)
        if one is not None:
            return tuple(row for row in tables.modules if row.family_name == one), sign
        words = f" {_words(name)} ".replace(" tx2i ", " tx2 ")
        for family in sorted(
            {str(row.family_name) for row in tables.modules if row.family_name}, key=len, reverse=True
        ):
            rows = tuple(row for row in tables.modules if row.family_name == family)
            short = _words(family).removeprefix("jetson ")
            if f" {short} " in words and (short != "nano" or "tegra210" in words):
                return rows, sign
            # vendors write tegra194-agx-… for what NVIDIA calls AGX Xavier
            for soc in tables.socs:
                kind = short.replace(soc.marketing.lower(), "").strip()
                if soc.soc in _socs(rows) and kind and kind != short and soc.soc in words and f" {kind} " in words:
                    return rows, sign
    return (), None


def _families(rows: Iterable[Module]) -> set[str | None]:
    return {row.family_name for row in rows}


def _family(rows: Iterable[Module]) -> str | None:
    """The family's name that all rows share."""
    families = _families(rows)
    return families.pop() if len(families) == 1 else None


def _one_name(rows: tuple[Module, ...]) -> str | None:
    """The name that all rows share, else the family's."""
    names = {row.name for row in rows}
    return names.pop() if len(names) == 1 else _family(rows)


def _socs(rows: tuple[Module, ...]) -> set[str]:
    return {row.soc for row in rows}


def _too_much_memory(rows: tuple[Module, ...], signs: Signs) -> Sign | None:
    """The memory sign, where the machine has more than any of the rows can have."""
    sizes = [row.memory_gb for row in rows]
    sign = signs.first(Kind.MEMORY)
    if sign is None or not sizes or None in sizes:
        return None
    return sign if int(sign.value) > max(size for size in sizes if size) * 1024 * 1.03 else None


def _wrong_gpu(rows: tuple[Module, ...], signs: Signs) -> Sign | None:
    """The sign of a GPU of another size: in a MAXN mode all clusters are on, so their number tells the module."""
    tpcs, mode = signs.first(Kind.TPCS), signs.first(Kind.POWER_MODE)
    if tpcs is None or mode is None or not mode.value.startswith("MAXN") or _socs(rows) != {"tegra234"}:
        return None
    cores = {row.cuda_cores for row in rows if row.cuda_cores}
    return tpcs if cores and int(tpcs.value) * _CORES_OF_TPC not in cores else None


def _unlisted(part: Sign, signs: Signs, tables: Tables) -> Identified:
    """A number that no row has: the family's name, where the device tree names the same board."""
    rows = tuple(
        row
        for sign in signs.of(Kind.COMPATIBLE)
        if (number := part_of_entry(sign.value)) and _board(number) == _board(part.value)
        if (row := tables.module_of_part(number))
    )
    return Identified(
        name=_family(rows),
        part_number=part.value,
        part_sign=part,
        rows=rows,
        sign=part,
        names_jetson=bool(rows) and all(row.is_jetson for row in rows),
        reason=f"no module of the tables has the number {part.value}",
    )


def _from_part(signs: Signs, tables: Tables) -> Identified | None:
    parts, source = _parts(signs, tables)
    if not parts:
        return None
    known = [(sign, row) for sign in parts if (row := tables.module_of_part(sign.value))]
    if not known:
        if source == "device tree":
            return None  # a carrier's or kit's number
        return _unlisted(parts[0], signs, tables)
    sign = known[0][0]
    rows = tuple(row for _, row in known)
    if not all(row.is_jetson for row in rows):
        return Identified(
            part_number=sign.value, part_sign=sign, rows=rows, sign=sign, reason="the part is not a Jetson's"
        )
    if len(known) == 1:
        return Identified(
            name=rows[0].name, part_number=sign.value, part_sign=sign, rows=rows, sign=sign, names_jetson=True
        )
    one_board = len({_board(one.value) for one, _ in known}) == 1
    family = _family(rows)
    shown = named(one for one, _ in known)
    if source == "device tree" and one_board and family is not None:
        return Identified(
            name=family, rows=rows, sign=sign, names_jetson=True, reason=f"the device tree names several: {shown}"
        )
    return Identified(rows=rows, sign=sign, names_jetson=True, conflict=True, reason=f"several board numbers: {shown}")


def _checked(one: Identified, signs: Signs) -> Identified:
    """The same, with memory and GPU size held against it."""
    against = _too_much_memory(one.rows, signs) or _wrong_gpu(one.rows, signs)
    if against is None or one.name is None or one.sign is None:
        return one
    return replace(
        one,
        name=None,
        conflict=True,
        reason=f"{named((one.sign,))} does not fit {against.kind.value} {named((against,))}",
    )


def identified(signs: Signs, tables: Tables) -> Identified:
    """Return the module: exact from a board number, the family's name from a text, else unknown with the reason."""
    by_part = _from_part(signs, tables)
    texts = [(sign, *model_rows(sign.value, tables)) for sign in distinct(signs.of(Kind.MODEL))]
    telling = [(sign, rows) for sign, rows, _ in texts if rows]
    names_jetson = any(is_jetson for *_, is_jetson in texts)
    if by_part is not None and by_part.rows and by_part.sign is not None:
        for sign, rows in telling:
            same_soc = bool(_socs(rows) & _socs(by_part.rows))
            boards = {_board(part) for row in rows for part in row.part_numbers}
            other_family = not _families(rows) & _families(by_part.rows)
            hardware = by_part.sign.kind in {Kind.PART, Kind.BOARD_ID}
            mended = hardware and by_part.part_number is not None and _board(by_part.part_number) in boards
            if not same_soc or (other_family and not mended):
                return Identified(
                    part_number=by_part.part_number if same_soc else None,
                    part_sign=by_part.part_sign if same_soc else None,
                    rows=by_part.rows if same_soc else (*by_part.rows, *rows),
                    sign=by_part.sign,
                    conflict=True,
                    names_jetson=True,
                    reason=f"two places disagree: {named((by_part.sign, sign))}",
                )
        entries = {part_of_entry(sign.value) for sign in signs.of(Kind.COMPATIBLE)} - {None}
        numbers = {part for part in entries if part and tables.module_of_part(part)}
        notes: tuple[str, ...] = ()
        if by_part.part_number and numbers and by_part.part_number not in numbers:
            shown = ", ".join(sorted(numbers))
            if {_board(number) for number in numbers} != {_board(by_part.part_number)}:
                return Identified(
                    rows=by_part.rows,
                    sign=by_part.sign,
                    conflict=True,
                    names_jetson=True,
                    reason=f"{named((by_part.sign,))} against {shown} of the device tree",
                )
            notes = (f"the hardware says {named((by_part.sign,))}, the flashed device tree {shown}",)
        checked = _checked(by_part, signs)
        return replace(checked, notes=notes, names_jetson=checked.names_jetson or names_jetson)
    if telling:
        families = _families(row for _, rows in telling for row in rows)
        sign, rows = min(telling, key=lambda one: len({row.name for row in one[1]}))
        if len(families) > 1:
            return Identified(
                rows=tuple(row for _, rows in telling for row in rows),
                sign=sign,
                conflict=True,
                names_jetson=True,
                reason=f"two places disagree: {named(one for one, _ in telling)}",
            )
        kit, kit_sign = _compatible_rows(signs, tables)
        if kit and kit_sign and not _families(kit) & families:
            return Identified(
                rows=(*rows, *kit) if _socs(kit) != _socs(rows) else rows,
                sign=sign,
                conflict=True,
                names_jetson=True,
                reason=f"two places disagree: {named((sign, kit_sign))}",
            )
        return _checked(
            Identified(name=_one_name(rows), rows=rows, sign=sign, names_jetson=True, reason="from the model text"),
            signs,
        )
    kit, kit_sign = _compatible_rows(signs, tables)
    source = "the kit's number or name in the device tree"
    if not kit:
        kit, kit_sign = _dts_rows(signs, tables)
        source = "the device tree's file name tells the family only"
    if kit and kit_sign:
        name = _one_name(kit) if kit_sign.kind is Kind.COMPATIBLE else kit[0].family_name
        return _checked(Identified(name=name, rows=kit, sign=kit_sign, names_jetson=True, reason=source), signs)
    unnumbered = _bare_rows(signs, tables)
    if by_part is not None:
        return replace(by_part, names_jetson=names_jetson)
    if unnumbered is not None:
        return unnumbered
    return Identified(names_jetson=names_jetson, reason="no board number, model text or device-tree name was read")


def _bare_rows(signs: Signs, tables: Tables) -> Identified | None:
    """The family of a board number without its SKU."""
    for sign in signs.of(Kind.BARE_BOARD_ID):
        rows = tuple(
            row
            for row in tables.modules
            if row.is_jetson and any(_board(part) == f"p{sign.value}" for part in row.part_numbers)
        )
        if rows:
            return Identified(
                name=_family(rows),
                rows=rows,
                sign=sign,
                names_jetson=True,
                reason="a board number without the SKU tells the family only",
            )
    return None
