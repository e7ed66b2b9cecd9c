"""Signs that any machine gives: architecture, kernel, CPU, GPU, system, firmware tables, memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.facts.platform.signs import Kind, Sign
from jetproof.facts.readout import Text
from jetproof.tables import Tables

_ARCHES = {
    "aarch64": "aarch64", "arm64": "aarch64", "x86_64": "x86_64", "amd64": "x86_64", "x64": "x86_64",
    "i686": "x86", "i386": "x86", "armv7l": "armv7l", "armv6l": "armv6l", "armv8l": "armv7l",
    "ppc64le": "ppc64le", "riscv64": "riscv64", "x86-64": "x86_64",
}  # fmt: skip
_KERNEL = r"\d+\.\d+(?:\.\d+)?[\w.+~-]*"
_KERNEL_TEXTS = (
    re.compile(rf"\bLinux version ({_KERNEL})"),
    re.compile(rf"^[ \t]*(?:Kernel:|Kernel Version:?|Kernel[ \t]*:)\s*(?:Linux\s+)?({_KERNEL})", re.MULTILINE),
    re.compile(rf"\bLinux-({_KERNEL}?)-(?:aarch64|arm64|x86_64|amd64|armv7l|i686)\b"),
    re.compile(rf"^Linux\s+(?:[\w.-]+\s+)?({_KERNEL})(?=\s|$)", re.MULTILINE),
)
_ARCH_WORD = re.compile(r"(?<![\w.])(aarch64|arm64|x86_64|amd64|x86-64|i[36]86|armv[678]l|ppc64le|riscv64)(?![\w.])")
_ARCH_FIELD = re.compile(r"^[ \t]*Architecture:\s*(\S+)", re.MULTILINE)
_GPU_LINES = (
    re.compile(r"^[ \t]*GPU \d+: (.+?)(?: \(UUID.*)?$", re.MULTILINE),
    re.compile(r"^\|[ ]{1,9}\d{1,3}[ ]{1,3}(\S.{0,80}?)[ ]{1,60}(?:On|Off|N/A)[ ]{0,60}\|", re.MULTILINE),
    re.compile(r"^Device \d+: \"(.+?)\"", re.MULTILINE),
    re.compile(r"^GPU models and configuration:\s*(?!GPU \d)(\S.*)$", re.MULTILINE),
    re.compile(r"(?:VGA compatible|3D) controller: NVIDIA Corporation [^\n\[]*\[([^\]\n]+)\]"),
    re.compile(r"\bFound GPU\d+ (.+?) which is of (?:cuda|compute) capability", re.IGNORECASE),
)
_CAPABILITY = (
    re.compile(r"\bwhich is of (?:cuda|compute) capability (\d{1,2}\.\d)\b", re.IGNORECASE),
    re.compile(r"CUDA Capability Major/Minor version number:\s+(\d{1,2}\.\d)\b"),
)
_PROPERTIES = re.compile(r"\bname='([^']+)', major=(\d{1,2}), minor=(\d)\b")
_NOT_A_GPU = re.compile(r"^(?:no devices|n/a|none|could not|nvidia-smi|not available|no cuda|err!?)", re.IGNORECASE)


def _kernel(value: str, read_from: str) -> Sign:
    return Sign(kind=Kind.KERNEL, value=value, read_from=read_from)


def _arch(value: str, read_from: str) -> Iterator[Sign]:
    known = _ARCHES.get(value.lower())
    if known:
        yield Sign(kind=Kind.ARCH, value=known, read_from=read_from)


def uname(text: Text) -> Iterator[Sign]:
    """Yield kernel and architecture from any form of `uname`."""
    words = text.text.split("\n", 1)[0].split()
    if words and words[0] == "Darwin":
        yield _kernel(" ".join(words[:1] + words[2:3]), text.read_from)
    # the second word of `uname -a` is the host's name, which proves nothing
    candidates = [*words[2:3], *words[1:2]] if words[:1] == ["Linux"] else words
    for word in candidates:
        if re.fullmatch(_KERNEL, word):
            yield _kernel(word, text.read_from)
            break
    for word in reversed(words):
        if word.lower() in _ARCHES:
            yield from _arch(word, text.read_from)
            break


def kernel_text(text: Text) -> Iterator[Sign]:
    """Yield kernel and architecture from texts that tell them among other things."""
    for pattern in _KERNEL_TEXTS:
        found = pattern.search(text.text)
        if found:
            yield _kernel(found[1], text.read_from)
            break
    platform = re.search(r"\bLinux-\S+?-(aarch64|arm64|x86_64|amd64|armv7l|i686)\b", text.text)
    field = _ARCH_FIELD.search(text.text)
    if platform or field:
        yield from _arch((platform or field)[1], text.read_from)  # type: ignore[index]
    elif re.match(r"macOS-", text.text):
        yield _kernel("Darwin", text.read_from)


def arch_word(text: Text) -> Iterator[Sign]:
    """Yield the first architecture that a text names."""
    found = _ARCH_WORD.search(text.text)
    if found:
        yield from _arch(found[1], text.read_from)


def guest_arch(text: Text) -> Iterator[Sign]:
    """Yield what a container started on the machine calls its architecture."""
    for sign in arch_word(text):
        yield Sign(kind=Kind.GUEST_ARCH, value=sign.value, read_from=sign.read_from)


def cpu(text: Text) -> Iterator[Sign]:
    """Yield CPUs from /proc/cpuinfo or lscpu, and whether they are x86."""
    seen: set[str] = set()
    implementer = ""
    for line in text.text.splitlines():
        name, _, value = (part.strip() for part in line.partition(":"))
        match name.lower():
            case "cpu implementer":
                implementer = value.lower()
            case "cpu part":
                seen.add(f"{implementer}:{value.lower()}")
            case "vendor id" | "vendor_id" if re.search(r"GenuineIntel|AuthenticAMD|HygonGenuine|VirtualApple", value):
                yield Sign(kind=Kind.X86_CPU, value=value, read_from=text.read_from)
            case "vendor id" | "vendor_id" | "model name" | "bios model name" if value and value != "-":
                if re.search(r"\bIntel\(R\)|\bAMD (?:Ryzen|EPYC|Athlon)|\bXeon\b", value):
                    yield Sign(kind=Kind.X86_CPU, value=value, read_from=text.read_from)
                seen.add(value)
    for value in sorted(seen):
        yield Sign(kind=Kind.CPU, value=value, read_from=text.read_from)
        if value == "0x00:0x051" or "QEMU TCG" in value or "QEMU Virtual CPU" in value:
            yield Sign(kind=Kind.TCG, value=value, read_from=text.read_from)


def gpu(text: Text) -> Iterator[Sign]:
    """Yield names of GPUs and compute capabilities that NVIDIA's tools or torch print."""
    names: dict[str, None] = {}
    for pattern in _GPU_LINES:
        for found in pattern.finditer(text.text):
            names[found[1].strip()] = None
    for name in names:
        if not _NOT_A_GPU.match(name):
            yield Sign(kind=Kind.GPU, value=name[:80], read_from=text.read_from)
    for found in _PROPERTIES.finditer(text.text):
        yield Sign(kind=Kind.GPU, value=found[1][:80], read_from=text.read_from)
        yield Sign(kind=Kind.CAPABILITY, value=f"{found[2]}.{found[3]}", read_from=text.read_from)
    for pattern in _CAPABILITY:
        for found in pattern.finditer(text.text):
            yield Sign(kind=Kind.CAPABILITY, value=found[1], read_from=text.read_from)


def capability(text: Text) -> Iterator[Sign]:
    """Yield a compute capability that is printed alone, as 8.7 or (8, 7)."""
    found = re.fullmatch(r"\(?(\d{1,2})(?:\.|,\s*)(\d)\)?", text.text.strip())
    if found:
        yield Sign(kind=Kind.CAPABILITY, value=f"{found[1]}.{found[2]}", read_from=text.read_from)


def gpu_query(text: Text) -> Iterator[Sign]:
    """Yield the fields of `nvidia-smi --query-gpu=… --format=csv`, by the names in the command line."""
    asked = re.search(r"--query-gpu=([\w.,]+)", text.read_from)
    fields = asked[1].split(",") if asked else []
    for line in text.text.splitlines():
        values = [value.strip() for value in line.split(",")]
        if len(values) != len(fields):
            continue
        for field, value in zip(fields, values, strict=True):
            if field in {"name", "gpu_name"} and value not in {"name", "gpu_name"} and not _NOT_A_GPU.match(value):
                yield Sign(kind=Kind.GPU, value=value[:80], read_from=text.read_from)
            if field == "compute_cap" and re.fullmatch(r"\d{1,2}\.\d", value):
                yield Sign(kind=Kind.CAPABILITY, value=value, read_from=text.read_from)


def gpu_name(text: Text) -> Iterator[Sign]:
    """Yield a text that is a GPU's name and nothing else."""
    for line in text.text.splitlines():
        name = re.sub(r"^GPU \d+: ", "", line.strip())
        if name and not _NOT_A_GPU.match(name):
            yield Sign(kind=Kind.GPU, value=name[:80], read_from=text.read_from)


def os_release(text: Text) -> Iterator[Sign]:
    """Yield the system's name, and whether it is one that has no JetPack."""
    fields = {
        name.strip(): value.strip().strip("'\"")
        for name, _, value in (line.partition("=") for line in text.text.splitlines())
        if value
    }
    shown = fields.get("PRETTY_NAME") or fields.get("DISTRIB_DESCRIPTION") or fields.get("NAME")
    if shown:
        yield Sign(kind=Kind.OS, value=shown, read_from=text.read_from)
    yield from distribution_kind(text)


def os_text(text: Text) -> Iterator[Sign]:
    """Yield the system's name from a tool that prints it."""
    found = re.search(r"^[ \t]*(?:Operating System|Description|OS|Distribution):\s*(\S.*)$", text.text, re.MULTILINE)
    if found:
        yield Sign(kind=Kind.OS, value=found[1].strip(), read_from=text.read_from)
    yield from distribution_kind(text)


def os_name(text: Text) -> Iterator[Sign]:
    """Yield a text that is the system's name and nothing else."""
    if text.text:
        yield Sign(kind=Kind.OS, value=text.text.splitlines()[0].strip(), read_from=text.read_from)


def distribution_kind(text: Text) -> Iterator[Sign]:
    """Yield the kind of a system for which NVIDIA makes no JetPack."""
    kinds = {
        "yocto": r"\bOE4T|\bpoky\b|Yocto|\bOpenEmbedded\b",
        "balena": r"\bbalena",
        "nixos": r"\bNixOS\b|\bID=nixos\b",
    }
    for kind, pattern in kinds.items():
        if re.search(pattern, text.text, re.IGNORECASE):
            yield Sign(kind=Kind.DISTRIBUTION_KIND, value=kind, read_from=text.read_from)


def dgx_release(text: Text) -> Iterator[Sign]:
    """Yield the product that /etc/dgx-release names; its serial number is left where it is."""
    found = re.findall(r"^DGX_(?:NAME|PRETTY_NAME)=\"?([^\"\n]+)", text.text, re.MULTILINE)
    if found:
        yield Sign(kind=Kind.DGX_RELEASE, value=" / ".join(dict.fromkeys(found)), read_from=text.read_from)


def memory(text: Text) -> Iterator[Sign]:
    """Yield the memory's total from /proc/meminfo or tegrastats, in MiB."""
    found = re.search(r"^MemTotal:\s+(\d{4,12}) kB", text.text, re.MULTILINE)
    if found:
        yield Sign(kind=Kind.MEMORY, value=str(int(found[1]) // 1024), read_from=text.read_from)
        return
    found = re.search(r"\bRAM \d+/(\d{3,7})MB\b", text.text)
    if found:
        yield Sign(kind=Kind.MEMORY, value=found[1], read_from=text.read_from)


def jetson_clocks(text: Text, tables: Tables) -> Iterator[Sign]:
    """Yield what `jetson_clocks --show` prints of the device tree and of the GPU."""
    soc = re.search(r"SOC family:\s*(tegra\d{3})\b", text.text)
    if soc and soc[1] in {row.soc for row in tables.socs}:
        yield Sign(kind=Kind.SOC, value=soc[1], read_from=text.read_from)
    machine = re.search(r"Machine:\s*(\S.*)$", text.text, re.MULTILINE)
    if machine:
        yield Sign(kind=Kind.MODEL, value=machine[1].strip(), read_from=text.read_from)
    tpcs = re.search(r"Active GPU TPCs:\s*(\d{1,2})\b", text.text)
    if tpcs:
        yield Sign(kind=Kind.TPCS, value=tpcs[1], read_from=text.read_from)
    yield from power_mode(text)


def power_mode(text: Text) -> Iterator[Sign]:
    """Yield the power mode that nvpmodel prints."""
    found = re.search(r"NV Power Mode:\s*(\S+)", text.text)
    if found:
        yield Sign(kind=Kind.POWER_MODE, value=found[1], read_from=text.read_from)


def hostnamectl(text: Text) -> Iterator[Sign]:
    """Yield what hostnamectl prints, save the host's name."""
    yield from kernel_text(text)
    yield from os_text(text)
    machine = re.search(r"^[ \t]*Hardware Model:\s*(\S.*)$", text.text, re.MULTILINE)
    if machine:
        yield Sign(kind=Kind.MODEL, value=machine[1].strip(), read_from=text.read_from)
    vendor = re.search(r"^[ \t]*Hardware Vendor:\s*(\S.*)$", text.text, re.MULTILINE)
    if vendor:
        yield Sign(kind=Kind.VENDOR, value=vendor[1].strip(), read_from=text.read_from)


def kernel_log(text: Text) -> Iterator[Sign]:
    """Yield what the kernel printed of the machine at its start."""
    version = re.search(rf"\bLinux version ({_KERNEL})", text.text)
    if version:
        yield _kernel(version[1], text.read_from)
    machine = re.search(r"\bMachine model: (\S.*)$", text.text, re.MULTILINE)
    if machine:
        yield Sign(kind=Kind.MODEL, value=machine[1].strip(), read_from=text.read_from)
    dmi = re.search(r"\bDMI: (.+?)(?:/[^,]*)?, BIOS ", text.text)
    if dmi:
        yield Sign(kind=Kind.MODEL, value=dmi[1].strip(), read_from=text.read_from)
