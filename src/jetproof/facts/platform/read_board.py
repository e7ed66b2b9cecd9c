"""Signs of the board: model texts, compatible entries, board numbers of EEPROM, boot loader and file names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.facts.platform.signs import Kind, Sign
from jetproof.facts.readout import Text
from jetproof.tables import Tables

_PART_699 = re.compile(r"\b699-\d(?P<board>\d{4})-(?P<sku>\d{4})(?!\d)")
_BOARD_SKU = re.compile(r"(?<![\w.])p?(?P<board>\d{4})[-:](?P<sku>\d{4})(?=[-:\s]|$)")
_BARE = re.compile(r"(?<![\w.:-])(?P<board>\d{4})(?=[\s:]|$)")
_TNSPEC = re.compile(r"^TNSPEC\s+(?P<board>\d{4})-[^-\s]*-(?P<sku>\d{4})-", re.MULTILINE)
_FLASH = re.compile(r"Board ID\((?P<board>\d{4})\)\s+version\([^)]*\)\s+sku\((?P<sku>\d{4})\)")
_HEX_LINE = re.compile(
    r"^(?:[0-9a-f]{2,8}:?\s+(?=(?:[0-9a-f]{2}\s+){15}))?((?:[0-9a-f]{2}\s+){15}[0-9a-f]{2})\b", re.IGNORECASE
)
_COMPATIBLE_NUMBER = re.compile(r"(?:^nvidia,|\+)p(?P<board>\d{4})-(?P<sku>\d{4})(?![0-9])")
_SOC = re.compile(r"^nvidia,(tegra\d{3}(?:b01)?)$")
_DTS_SOC = re.compile(r"\btegra(210|186|194|234|264)(?=[-_])")
_CARRIER = re.compile(r"^nvidia,(p\d{4}-\d{4})(?:-\w+)?\+p\d{4}")


def model(text: Text) -> Iterator[Sign]:
    """Yield the board's own text, without its NUL."""
    value = text.text.splitlines()[0].strip().strip('"') if text.text else ""
    if value and value.lower() not in {"to be filled by o.e.m.", "default string", "none", "n/a", "not specified"}:
        yield Sign(kind=Kind.MODEL, value=value, read_from=text.read_from)


def compatible(text: Text) -> Iterator[Sign]:
    """Yield each entry of the compatible list, the SoC in it and the carrier of the first.

    A terminal swallows the NULs between the entries: NVIDIA's are told apart all the same.
    """
    entries = [entry.strip().strip("'\"") for entry in re.split(r"\s|\^@|(?=nvidia,)", text.text) if entry.strip()]
    for entry in entries:
        yield Sign(kind=Kind.COMPATIBLE, value=entry, read_from=text.read_from)
    socs = [found[1] for entry in entries if (found := _SOC.match(entry))]
    if socs:
        yield Sign(kind=Kind.SOC, value=max(socs, key=len), read_from=text.read_from)
    carrier = _CARRIER.match(entries[0]) if entries else None
    if carrier:
        yield Sign(kind=Kind.CARRIER, value=carrier[1], read_from=text.read_from)


def part_of_entry(entry: str) -> str | None:
    """Return the module number of a compatible entry: the half after '+', or the whole where there is none."""
    numbers = [f"p{found['board']}-{found['sku']}" for found in _COMPATIBLE_NUMBER.finditer(entry)]
    return numbers[-1] if numbers else None


def eeprom(text: Text) -> Iterator[Sign]:
    """Yield the module's number from the text of its EEPROM, like 699-13834-0008-400."""
    for found in _PART_699.finditer(text.text):
        yield Sign(kind=Kind.PART, value=f"p{found['board']}-{found['sku']}", read_from=text.read_from)


def eeprom_dump(text: Text) -> Iterator[Sign]:
    """Yield the module's number from a hexadecimal dump of its EEPROM."""
    digits = [found[1] for line in text.text.splitlines() if (found := _HEX_LINE.match(line.strip()))]
    if digits:
        shown = bytes.fromhex("".join(digits)).decode("latin-1")
        yield from eeprom(Text(read_from=text.read_from, text=re.sub(r"[^\x20-\x7e]", " ", shown)))


def flash_log(text: Text) -> Iterator[Sign]:
    """Yield the number that a flashing tool read from the EEPROM of the board in recovery mode."""
    for found in _FLASH.finditer(text.text):
        yield Sign(kind=Kind.PART, value=f"p{found['board']}-{found['sku']}", read_from=text.read_from)


def board_ids(text: Text) -> Iterator[Sign]:
    """Yield the numbers that the boot loader handed on: 3489:0000:A0, 3668-0001-300, a bare 2595."""
    numbered = list(_BOARD_SKU.finditer(text.text))
    for found in numbered:
        yield Sign(kind=Kind.BOARD_ID, value=f"p{found['board']}-{found['sku']}", read_from=text.read_from)
    if not numbered:
        for found in _BARE.finditer(text.text):
            yield Sign(kind=Kind.BARE_BOARD_ID, value=found["board"], read_from=text.read_from)


def boot_control(text: Text) -> Iterator[Sign]:
    """Yield the number in TNSPEC of /etc/nv_boot_control.conf, written from the EEPROM at flashing."""
    found = _TNSPEC.search(text.text)
    if found:
        yield Sign(kind=Kind.BOARD_ID, value=f"p{found['board']}-{found['sku']}", read_from=text.read_from)


def dts_name(text: Text, tables: Tables) -> Iterator[Sign]:
    """Yield the device tree's file name, and the SoC in it."""
    value = text.text.splitlines()[0].strip() if text.text else ""
    if not value:
        return
    name = value.rpartition("/")[2]
    yield Sign(kind=Kind.DTS_NAME, value=name, read_from=text.read_from)
    found = _DTS_SOC.search(name)
    platforms = [row.soc for row in tables.socs if f"/{row.platform}/" in value]
    soc = f"tegra{found[1]}" if found else platforms[0] if platforms else None
    if soc:
        yield Sign(kind=Kind.SOC, value=soc, read_from=text.read_from)


def chip_id(text: Text, tables: Tables) -> Iterator[Sign]:
    """Yield the SoC that the fuse driver's chip id means."""
    value = text.text.strip()
    if re.fullmatch(r"\d{1,3}|0x[0-9a-fA-F]{1,4}", value):
        number = int(value, 0) if value.startswith("0x") else int(value)
        for row in tables.socs:
            if row.chip_id == number:
                yield Sign(kind=Kind.SOC, value=row.soc, read_from=text.read_from)


def kernel_command_line(text: Text, tables: Tables) -> Iterator[Sign]:
    """Yield the SoC that the boot loader's tegraid means."""
    found = re.search(r"\btegraid=(\d{1,2})\.", text.text)
    if found:
        for row in tables.socs:
            if row.tegraid == found[1]:
                yield Sign(kind=Kind.SOC, value=row.soc, read_from=text.read_from)


def gpu_device(text: Text, tables: Tables) -> Iterator[Sign]:
    """Yield the SoC whose GPU has a device under /sys/class/devfreq."""
    for row in tables.socs:
        if any(re.search(rf"\.{name}\b", text.text) for name in row.gpu_devices):
            yield Sign(kind=Kind.SOC, value=row.soc, read_from=text.read_from)
