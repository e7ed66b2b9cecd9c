"""What follows about the machine for all rules: JetPack generation, L4T group, CUDA that the driver speaks."""

from __future__ import annotations

import re
from typing import Any

from jetproof.diagnosis.evidence import reported
from jetproof.diagnosis.rule import Because, because
from jetproof.facts.expression import Expression
from jetproof.facts.fact import Fact
from jetproof.facts.model import Facts, PlatformClass
from jetproof.facts.report.boards import Family, family
from jetproof.tables import Tables
from jetproof.tables.rows import Release

_MAJOR_OF_L4T = {28: 3, 31: 4, 32: 4, 34: 5, 35: 5, 36: 6, 38: 7, 39: 7}
_MAJOR_OF_KERNEL = {"4.9": 4, "5.10": 5, "5.15": 6, "6.8": 7}
_MAJOR_OF_CUDA = {"10.0": 4, "10.2": 4, "11.4": 5, "12.2": 6, "12.6": 6, "13.0": 7, "13.2": 7}
_CUDA_OF_DRIVER = {"540": "12.6", "580": "13.0", "595": "13.2"}
"""Kernel drivers that belong to L4T 36.4-36.5, 38 and 39."""


def numbers(text: str) -> tuple[int, ...]:
    """Return the leading numbers of a release: "2.5.0a0+x" is (2, 5, 0)."""
    found = re.match(r"\D{0,3}(\d{1,5})(?:\.(\d{1,5}))?(?:\.(\d{1,5}))?", text)
    return tuple(int(part) for part in found.groups() if part is not None) if found else ()


def jetpack_source(facts: Facts) -> Fact[object] | None:
    """Return the fact that tells the JetPack generation."""
    platform, cuda = facts.platform, facts.cuda
    candidates: tuple[Fact[object], ...] = (
        platform.l4t,
        platform.jetpack,
        platform.kernel,
        cuda.kernel_driver,
        cuda.driver,
        cuda.toolkit,
    )
    return next((fact for fact in candidates if fact.known and _major(fact) is not None), None)


def jetpack_major(facts: Facts) -> int | None:
    """Return the JetPack generation (4 to 7), from whichever fact tells it; None where none does."""
    if facts.platform.is_jetson.value is False:
        return None
    fact = jetpack_source(facts)
    return _major(fact) if fact else None


def _major(fact: Fact[object]) -> int | None:
    text = str(fact.value)
    lead = numbers(text)
    if not lead:
        return None
    if fact.name.endswith("l4t"):
        return _MAJOR_OF_L4T.get(lead[0])
    if fact.name.endswith("jetpack"):
        return lead[0] if 3 <= lead[0] <= 9 else None
    if fact.name.endswith("kernel"):
        return _MAJOR_OF_KERNEL.get(".".join(map(str, lead[:2]))) if "tegra" in text else None
    if fact.name.endswith("kernel_driver"):
        return _MAJOR_OF_CUDA.get(_CUDA_OF_DRIVER.get(str(lead[0]), ""))
    return _MAJOR_OF_CUDA.get(".".join(map(str, lead[:2])))


def jetpack_reason(facts: Facts) -> Because | None:
    """Quote the fact that tells the JetPack generation."""
    fact = jetpack_source(facts)
    return because(fact) if fact else None


def l4t_group(release: str) -> str | None:
    """Return the group of L4T releases whose containers and hosts go together."""
    lead = numbers(release)
    if not lead:
        return None
    if lead[0] == 32:
        return f"32.{lead[1]}" if len(lead) > 1 else None
    if lead[0] in (34, 35):
        return "34/35"
    if lead[0] == 36:
        if len(lead) < 2:
            return None
        return "36.2-36.3" if lead[1] <= 3 else "36.4-36.5"
    return str(lead[0]) if lead[0] in (38, 39) else None


def host_groups(facts: Facts, tables: Tables) -> frozenset[str]:
    """Return the L4T groups that the board can be of; empty where nothing tells."""
    for fact in (facts.container.host_l4t, facts.platform.l4t):
        group = l4t_group(fact.value) if fact.value else None
        if group:
            return frozenset({group})
    jetpack = facts.platform.jetpack.value
    cuda = facts.cuda.toolkit.value or facts.cuda.driver.value
    if jetpack is None and cuda:  # JetPack 4 alone has groups that its CUDA tells apart
        older = frozenset(
            group
            for row in tables.releases
            if row.cuda and row.l4t_major == 32 and _two(row.cuda) == _two(cuda) and (group := l4t_group(row.l4t))
        )
        if older:
            return older
    if jetpack is None:
        major = jetpack_major(facts)
        jetpack = str(major) if major else None
    if jetpack is None:
        return frozenset()
    rows = [
        row
        for row in tables.releases
        if row.jetpack and (row.jetpack == jetpack or row.jetpack.startswith(jetpack + "."))
    ]
    rows = rows or [row for row in tables.releases if row.jetpack and row.jetpack[:3] == jetpack[:3]]
    return frozenset(group for row in rows if (group := l4t_group(row.l4t)))


def release_row(facts: Facts, tables: Tables) -> Release | None:
    """Return the table's row of this release: by L4T, else by JetPack."""
    l4t, jetpack = facts.platform.l4t.value, facts.platform.jetpack.value
    for row in tables.releases:
        if l4t and row.l4t == l4t:
            return row
    if l4t:
        near = [row for row in tables.releases if row.l4t.startswith(l4t + ".")]
        if near:
            return near[-1]
    if jetpack:
        near = [
            row
            for row in tables.releases
            if row.jetpack and (row.jetpack == jetpack or row.jetpack.startswith(jetpack + "."))
        ]
        if near:
            return near[-1]
    return None


def cuda_of(fact: Fact[Any], release: str) -> Because:
    """Quote the CUDA release that follows from a fact which says something else."""
    return Because(fact=f"CUDA of {fact.name}", value=release, read_from=fact.read_from)


def driver_cuda(facts: Facts, tables: Tables) -> Because | None:
    """Return the CUDA release that the driver speaks, like "12.6", with the place it follows from."""
    if facts.cuda.driver.value:
        return because(facts.cuda.driver, _two(facts.cuda.driver.value))
    kernel_driver = facts.cuda.kernel_driver
    if kernel_driver.value and kernel_driver.value.split(".")[0] in _CUDA_OF_DRIVER:
        return cuda_of(kernel_driver, _CUDA_OF_DRIVER[kernel_driver.value.split(".")[0]])
    if facts.platform.is_jetson.value is False:
        return None
    row = release_row(facts, tables)
    if row is not None and row.cuda:
        source = facts.platform.l4t if facts.platform.l4t.known else facts.platform.jetpack
        return cuda_of(source, _two(row.cuda))
    major = jetpack_major(facts)
    source_fact = jetpack_source(facts)
    usual = {4: "10.2", 5: "11.4", 6: "12.6", 7: "13.2"}.get(major or 0)
    return cuda_of(source_fact, usual) if usual and source_fact else None


def system_cuda(facts: Facts, tables: Tables) -> str | None:
    """Return the CUDA release of the system's toolkit, else JetPack's."""
    if facts.cuda.toolkit.value:
        return _two(facts.cuda.toolkit.value)
    row = release_row(facts, tables)
    if row is not None and row.cuda:
        return _two(row.cuda)
    found = line(facts)
    return "10.2" if found is not None and found.last_jetpack == 4 and jetpack_major(facts) is None else None


def system_tensorrt(facts: Facts, tables: Tables) -> str | None:
    """Return the TensorRT release of the system, else JetPack's."""
    if facts.cuda.tensorrt.value:
        return facts.cuda.tensorrt.value
    row = release_row(facts, tables)
    return row.tensorrt if row is not None else None


def vendor_python(facts: Facts, tables: Tables) -> str | None:
    """Return the Python that this JetPack brings, like "3.10"."""
    row = release_row(facts, tables)
    if row is not None and row.python:
        return str(row.python)
    return {4: "3.6", 5: "3.8", 6: "3.10", 7: "3.12"}.get(jetpack_major(facts) or 0)


def _two(release: str) -> str:
    return ".".join(map(str, numbers(release)[:2]))


def line(facts: Facts) -> Family | None:
    """Return the module's line, as far as model, module or SoC tell it."""
    for fact in (facts.platform.module, facts.platform.model, facts.platform.soc, facts.torch.device_name):
        if fact.value and facts.platform.is_jetson.value is not False:
            found = family(str(fact.value))
            if found:
                return found
    return None


def capability(facts: Facts) -> str | None:
    """Return the GPU's compute capability, like "8.7"."""
    known = facts.torch.device_capability.value or facts.platform.compute_capability.value
    if known:
        return known
    found = line(facts)
    return found.compute_capability if found else None


UNKNOWN_CAPABILITY = "X.Y"
"""What stands in a command for a compute capability that nothing told."""


def ask_board(capability: str | None) -> str:
    """Return the words that ask for the board where the compute capability is not known, else nothing."""
    if capability:
        return ""
    told = "5.3 Nano, 6.2 TX2, 7.2 Xavier, 8.7 Orin, 11.0 Thor"
    return f" Put the board's compute capability in for X.Y, or without its dot for XY: {told}."


_WITH_GPU = frozenset(
    {
        PlatformClass.DGX_SPARK,
        PlatformClass.GRACE,
        PlatformClass.IGX,
        PlatformClass.CLARA,
        PlatformClass.DRIVE,
        PlatformClass.SHIELD,
        PlatformClass.SWITCH,
    }
)
"""Machines that are never without an NVIDIA GPU."""


def nvidia_gpu(facts: Facts) -> Because | None:
    """Return what shows that the machine has an NVIDIA GPU at all: its kind, a driver, a device node."""
    platform = facts.platform
    if platform.is_jetson.value or platform.platform_class.value in _WITH_GPU:
        return because(platform.platform_class if platform.platform_class.known else platform.is_jetson)
    shown: tuple[Fact[str], ...] = (facts.cuda.driver, facts.cuda.kernel_driver, facts.torch.device_name)
    for fact in shown:
        if fact.known:
            return because(fact)
    node = next((node for node in facts.permissions.nodes if node.path.startswith("/dev/nvidia")), None)
    return Because(fact="device node", value=node.mode, read_from=node.path) if node else None


_CONTAINER_WORDS = Expression(
    r"(?i)\b(?:docker|podman|containerd|dockerfile|kubernetes|k3s|pod)\b|\bcontainers?\b|nvcr\.io|dustynv/"
)


_NO_CONTAINER = Expression(
    r"(?i)\b(?:no|without|not (?:in|inside|using|running in)|outside(?: of)?|isn't (?:in|using)) (?:a |any "
    r"|the )?(?:docker|container)s?\b|\bbare[- ]?metal\b|\bnatively\b"
)


def in_container(facts: Facts) -> bool:
    """Whether the fault is seen in a container, as far as that is told."""
    stated = facts.platform.in_container.value
    if stated is not None:
        return stated
    if facts.container.image.known:
        return True
    if not reported(facts) or any(_NO_CONTAINER.search(message.text) for message in facts.messages):
        return False
    return any(_CONTAINER_WORDS.search(message.text) for message in facts.messages)


def old_tegra(facts: Facts) -> bool:
    """Whether the board needs images and wheels made for Tegra: all but Thor, and Orin on JetPack 7.2."""
    if capability(facts) == "11.0":
        return False
    major = jetpack_major(facts)
    return facts.platform.is_jetson.value is True and (major is None or major <= 6)
