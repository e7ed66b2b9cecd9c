"""Which text of a read-out tells what: each file and command is handed to the readers that understand it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from jetproof.facts.platform import read_board, read_machine, read_release
from jetproof.facts.platform.signs import Kind, Sign, Signs
from jetproof.facts.readout import ReadOut, Text
from jetproof.tables import Tables

Reader = Callable[[Text], Iterable[Sign]]

_MOST_SIGNS = 200
"""Signs that are taken from one text."""
_LONGEST = 200
"""Characters of a sign's value."""

_MODEL_FILES = (
    r"/proc/device-tree/model|/tmp/nv_jetson_model|/sys/devices/soc0/machine"
    r"|/sys/(?:class|devices/virtual)/dmi/id/(?:product_name|board_name)"
)
_VENDOR_FILES = r"/sys/(?:class|devices/virtual)/dmi/id/(?:sys_vendor|board_vendor)"
_IDS = r"/proc/device-tree/(?:nvidia,boardids|chosen/ids|chosen/plugin-manager/ids)"
_NO_SUCH = re.compile(r"No such file or directory|cannot access|Permission denied|not found", re.IGNORECASE)
_LISTS = re.compile(r"^\s*(?:sudo\s+)?(?:ls|stat|test|file|readlink|find|realpath|which|locate)\b")
_ELSEWHERE = re.compile(
    r"\b(?:docker|podman|nerdctl)\s+(?:run|exec|build|compose)\b"
    r"|\b(?:ssh|adb|chroot|systemd-nspawn|qemu-\w+|lxc exec|kubectl)\b"
)
_PACKAGES = re.compile(r"\b(?:dpkg-query|dpkg)\b|\bapt\s+list\b|\bapt(?:-cache)?\s+policy\b")
_CANDIDATES = re.compile(
    r"\bapt(?:-cache)?\s+(?:show|search|madison|depends|install|upgrade|update)\b|\bpip3?\b|\bconda\b"
)
_MENTIONED = re.compile(r"(/(?:proc|sys|etc|tmp|run|var)/[\w./,@+-]+)")
_EEPROM_TOOLS = re.compile(
    r"\bjetson_release\b|\bi2cdump\b|\bi2cget\b|\beeprom\b|\bhexdump\b|\bxxd\b|\b699\b|\bjournalctl\b|\bdmesg\b|699-level"
)
_PRODUCT_TOOLS = re.compile(r"\bdmidecode\b.*(?:system-product-name|baseboard-product-name)")


def _vendor(text: Text) -> Iterator[Sign]:
    if text.text:
        yield Sign(kind=Kind.VENDOR, value=text.text.splitlines()[0], read_from=text.read_from)


def _kernel_word(text: Text) -> Iterator[Sign]:
    word = text.text.split()
    if word and re.match(r"\d+\.\d+", word[0]):
        yield Sign(kind=Kind.KERNEL, value=word[0], read_from=text.read_from)


def _file_readers(path: str, tables: Tables) -> tuple[Reader, ...]:
    """The readers of a file, by its path."""
    table: tuple[tuple[str, tuple[Reader, ...]], ...] = (
        (r"/etc/nv_tegra_release", (read_release.release_lines,)),
        (_MODEL_FILES, (read_board.model,)),
        (r"/proc/device-tree/compatible", (read_board.compatible,)),
        (r"/proc/device-tree/nvidia,dtsfilename", (lambda text: read_board.dts_name(text, tables),)),
        (_IDS, (read_board.board_ids,)),
        (r"eeprom/699-part-number|/sys/bus/i2c/devices/\d+-0050/(?:eeprom|nvmem)", (read_board.eeprom,)),
        (r"/etc/nv_boot_control\.conf", (read_board.boot_control,)),
        (
            r"/sys/module/tegra_fuse/parameters/tegra_chip_id|/sys/devices/soc0/soc_id",
            (lambda text: read_board.chip_id(text, tables),),
        ),
        (r"/proc/cmdline", (lambda text: read_board.kernel_command_line(text, tables),)),
        (r"/proc/version", (read_machine.kernel_log, read_machine.arch_word)),
        (r"/proc/sys/kernel/osrelease", (_kernel_word,)),
        (r"/proc/cpuinfo", (read_machine.cpu,)),
        (r"/proc/meminfo", (read_machine.memory,)),
        (r"/etc/(?:os-release|lsb-release)|/usr/lib/os-release", (read_machine.os_release,)),
        (r"/etc/dgx-release", (read_machine.dgx_release,)),
        (_VENDOR_FILES, (_vendor,)),
        (r"/var/lib/dpkg/status", (read_release.packages,)),
        (r"/var/log/(?:dmesg|kern\.log)", (read_machine.kernel_log, read_board.eeprom)),
    )
    return next((readers for pattern, readers in table if re.fullmatch(pattern, path)), ())


def _printed_file(text: Text, tables: Tables) -> tuple[Reader, ...] | None:
    """The readers of the one file that a command prints; None where it prints no file known here."""
    paths = dict.fromkeys(
        re.sub(r"^/sys/firmware/devicetree/base/", "/proc/device-tree/", found)
        for found in _MENTIONED.findall(text.read_from)
    )
    readers = [found for path in paths if (found := _file_readers(path, tables))]
    if not readers or _NO_SUCH.search(text.text[:400]):
        return None
    if len(paths) > 1:
        return (read_release.release_lines,)  # several texts in one: only what cannot be mistaken
    return readers[0]


def _command_readers(text: Text, tables: Tables) -> tuple[Reader, ...]:
    """The readers of a command's output, by its line."""
    line = text.read_from
    if _ELSEWHERE.search(line):
        return (read_machine.guest_arch,) if re.search(r"\buname\b|\barch\b", line) else ()
    if _CANDIDATES.search(line):
        return ()
    if _LISTS.match(line):
        return (
            (read_board.board_ids,)
            if "plugin-manager/ids" in line
            else ((lambda text: read_board.gpu_device(text, tables),) if "devfreq" in line else ())
        )
    printed = _printed_file(text, tables)
    if printed is not None:
        return printed
    table: tuple[tuple[str, tuple[Reader, ...]], ...] = (
        (_PACKAGES.pattern, (read_release.packages,)),
        (r"\bhostnamectl\b", (read_machine.hostnamectl,)),
        (r"\buname\b", (read_machine.uname,)),
        (r"^(?:sudo\s+)?arch$|^dpkg --print-architecture$|docker (?:version|info)", (read_machine.arch_word,)),
        (r"--query-gpu", (read_machine.gpu_query,)),
        (
            r"\bnvidia-smi\b|\bdeviceQuery\b|\btorch\b.*warning|get_device_properties|\blspci\b",
            (read_machine.gpu,),
        ),
        (r"collect_env: GPU|get_device_name|\bGPU name\b", (read_machine.gpu_name,)),
        (r"collect_env", (read_machine.gpu, read_machine.kernel_text, read_machine.cpu, read_machine.os_text)),
        (r"platform\.(?:platform|uname)|\bvllm\b.*env|python platform", (read_machine.kernel_text, read_machine.gpu)),
        (r"get_device_capability", (read_machine.capability,)),
        (r"\blscpu\b", (read_machine.cpu, read_machine.kernel_text)),
        (r"\btegrastats\b", (read_machine.memory,)),
        (r"\bjetson_clocks\b", (lambda text: read_machine.jetson_clocks(text, tables),)),
        (r"\bnvpmodel\b", (read_machine.power_mode,)),
        (r"\bdmesg\b|journalctl .*-k\b|kernel log", (read_machine.kernel_log, read_board.eeprom)),
        (r"\bi2cdump\b|\bhexdump\b|\bxxd\b", (read_board.eeprom, read_board.eeprom_dump)),
        (_EEPROM_TOOLS.pattern, (read_board.eeprom, read_board.flash_log)),
        (r"\binitrd-flash\b|\bflash\.sh\b", (read_board.flash_log,)),
        (_PRODUCT_TOOLS.pattern, (read_board.model,)),
        (r"\bdmidecode\b.*manufacturer", (_vendor,)),
        (
            r"\blsb_release\b|\bneofetch\b|\bfastfetch\b|\bscreenfetch\b",
            (read_machine.os_text, read_machine.kernel_text),
        ),
        (r"^os \(as quoted|^jtop: Distribution$", (read_machine.os_name, read_machine.distribution_kind)),
        (r"jetsonInfo|\bkernel\b", (read_machine.kernel_text,)),
    )
    return next((readers for pattern, readers in table if re.search(pattern, line, re.IGNORECASE)), ())


def _paths(readout: ReadOut) -> Iterator[Sign]:
    """Board numbers that are names of files: /proc/device-tree/chosen/plugin-manager/ids/3448-0000-200."""
    for path, reading in readout.files.items():
        if "/plugin-manager/ids/" in path and not reading.absent and reading.reason is None:
            yield from read_board.board_ids(Text(read_from=path, text=path.rpartition("/")[2]))


def _bounded(sign: Sign) -> Sign:
    """The sign with a value of bounded length: what tells a machine is short."""
    return sign if len(sign.value) <= _LONGEST else replace(sign, value=sign.value[:_LONGEST])


def signs(readout: ReadOut, tables: Tables) -> Signs:
    """Return every sign of the machine that the read-out gives."""
    found: list[Sign] = []
    for kind, text in readout.texts():
        readers = _file_readers(text.read_from, tables) if kind == "file" else _command_readers(text, tables)
        for reader in readers:
            found.extend(_bounded(sign) for sign in islice(reader(text), _MOST_SIGNS))
    found.extend(_paths(readout))
    for kernel in [sign for sign in found if sign.kind is Kind.KERNEL]:
        found.extend(read_release.kernel_release(kernel))
    by_gpu = {name: row.soc for row in tables.socs for name in row.gpu_names}
    by_capability = {tables.compute_capability(row.soc): row.soc for row in tables.socs}
    for sign in list(found):
        if sign.kind is Kind.GPU and sign.value in by_gpu:
            found.append(Sign(kind=Kind.SOC, value=by_gpu[sign.value], read_from=sign.read_from))
        if sign.kind is Kind.CAPABILITY and sign.value in by_capability:
            found.append(Sign(kind=Kind.SOC, value=by_capability[sign.value], read_from=sign.read_from))
    return Signs(all=tuple(found))
