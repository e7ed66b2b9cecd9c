"""What one row of each table holds. Field names are those of the data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a row's facts were read."""

    title: str
    url: str


@dataclass(frozen=True, kw_only=True)
class Release:
    """One L4T release and what NVIDIA ships with it. None means: not known."""

    l4t: str
    """Three numbers."""
    l4t_major: int
    jetpack: str | None
    """Like "6.2.1"; previews with their suffix, like "5.0 DP"."""
    kind: str
    """"production", "developer preview", "early access" or "unclear"."""
    ubuntu: str | None
    kernel: str
    cuda: str | None
    cuda_driver: str | None
    """The kernel driver's number, like "540.4.0"."""
    cudnn: str | None
    tensorrt: str | None
    vpi: str | None
    python: str | None
    socs: tuple[str, ...]
    release_date: str | None
    build_stamp: str | None
    notes: tuple[str, ...]
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class Module:
    """One module or kit; rows that share a name are one product in several part numbers."""

    id: str
    name: str
    family_name: str | None
    """The name where only the family is known; None for relatives that are no Jetson."""
    variant: str
    family: str
    is_jetson: bool
    part_numbers: tuple[str, ...]
    compatible_strings: tuple[str, ...]
    model_strings_seen: tuple[str, ...]
    """Texts of the device tree's model, some with a remark in parentheses."""
    soc: str
    gpu_arch: str
    compute_capability: str
    cuda_cores: int | None
    memory_gb: int | None
    memory_type: str | None
    memory_bandwidth_gbps: float | None
    memory_bandwidth_basis: str | None
    peak: Mapping[str, Any]
    power_modes: tuple[Mapping[str, Any], ...] | None
    jetpack_majors: tuple[int, ...]
    tier: str
    """Support that the project's own policy aims at; never a claim."""
    notes: tuple[str, ...]
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a build works on a stack, and why."""

    verdict: str
    """"yes", "partly", "unproven" or "no". A yes is a report, not a proof."""
    why: str


@dataclass(frozen=True, kw_only=True)
class TorchBuild:
    """One source of PyTorch: a wheel, an index, an image."""

    id: str
    kind: str
    what: str
    torch_version: str | None
    python: str | None
    """A tag like cp310, with remarks."""
    jetpack: str | None
    l4t: str | None
    cuda: str | None
    sm_archs: tuple[str, ...] | None
    where: str
    works_on: Mapping[str, Verdict]
    """By key: orin_jp62, orin_jp72, thor_jp7, xavier_jp51."""
    how_known: str | None
    notes: tuple[str, ...]
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class IndexTorch:
    """The newest torch that the public index has for one Python on aarch64."""

    id: str
    python: str
    """Two numbers, like "3.8"."""
    torch_version: str
    cuda: str | None
    """The CUDA that it is built with; None for a CPU build."""
    nvidia_packages: int
    """How many of NVIDIA's packages it brings, triton among them."""
    inspected: bool
    """Whether torch_builds has what is inside it."""
    notes: tuple[str, ...]
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class QuantizationBuild:
    """One bitsandbytes build and the GPU code inside."""

    id: str
    package: str
    version: str
    kind: str
    cuda_libraries: tuple[str, ...] | None
    sm_targets: Mapping[str, Any] | None
    python: str | None
    where: str
    works_on: Mapping[str, Verdict]
    how_known: str
    notes: tuple[str, ...]
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class Signature:
    """One error text and what it means for the stack."""

    id: str
    signature_regex: str
    """For re.search on one message."""
    also_seen: tuple[str, ...]
    """Further expressions of the same, in other programs' and people's words; small and capital letters are one."""
    stage: str
    applies_to: tuple[str, ...]
    cause: str
    root_causes: tuple[str, ...]
    """Likeliest first; empty where no root cause fits."""
    implies: str
    remedy: str
    notes: tuple[str, ...]
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class RootCause:
    """One cause that a finding can name."""

    id: str
    layer: str
    """The link of the causal chain it belongs to; earlier layers are mended first."""
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Neighbour:
    """Another cause that prints the same, and what tells it from the first."""

    id: str
    """The cause that was found, a slash, and the one that it is taken for."""
    cause: str
    neighbour: str
    holds_if: str
    """What is then the case, as the end of a sentence."""
    look: str
    """Command that shows it."""


@dataclass(frozen=True, kw_only=True)
class Package:
    """One program or library beside torch and how it behaves on a Jetson."""

    id: str
    names: tuple[str, ...]
    """As people write it; a hyphen stands for a hyphen, an underscore, a blank or nothing."""
    traits: tuple[str, ...]
    """asks-nvml: reads GPU data through NVML or nvidia-smi. cpu-wheel: its aarch64 wheel on the default index has no
    CUDA. own-kernels: brings GPU code of its own. backend-switch: chooses its backend by a setting."""
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class Soc:
    """One system on chip of the Jetson line and the signs it shows."""

    soc: str
    marketing: str
    stack_suffix: str
    platform: str
    chip_id: int | None
    tegraid: str | None
    gpu_names: tuple[str, ...]
    gpu_devices: tuple[str, ...]
    cpu_parts: tuple[str, ...]
    notes: tuple[str, ...]
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class Ubuntu:
    """One Ubuntu release under L4T."""

    ubuntu: str
    codename: str
    glibc: str
    python: str
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class OtherMachine:
    """One sign that shows a machine that is not a Jetson."""

    id: str
    platform_class: str
    """A value of facts.model.PlatformClass; "unknown": not a Jetson, kind not told."""
    where: str
    """The kind of evidence that the pattern is searched in."""
    pattern: str
    why: str
    compute_capability: str | None
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class DetectionFact:
    """Where a tool can read one fact, and the traps there."""

    id: str
    fact: str
    read_from: tuple[str, ...]
    valid_for: str
    how: str
    traps: tuple[str, ...]
    fallback: tuple[str, ...]
    privilege: str
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class LookAlike:
    """One kind of machine that careless checks take for a Jetson, in words."""

    id: str
    name: str
    how_to_tell: tuple[str, ...]
    decision: str
    trap: str
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class Image:
    """One base image that holds a torch; what is in it stands in the torch build of the same id."""

    id: str
    repository: str | None
    """Like "nvcr.io/nvidia/l4t-pytorch"; None when there is a recipe and nothing to pull."""
    tag: str | None
    """None where the line is known and its tags are not."""
    group: str
    """The hosts that it runs on."""
    l4t: str | None
    """The L4T release it was made with, as far as it is known."""
    confirmed: bool
    """Whether a source shows that this very tag exists."""
    constraint_file: str | None
    """Where the image keeps pip constraints of its own."""
    notes: tuple[str, ...]
    sources: tuple[Source, ...]
    confidence: str


@dataclass(frozen=True, kw_only=True)
class ImageGroup:
    """Images that run on the same hosts."""

    id: str
    l4t_low: str
    """The lowest L4T release of a host, as far as it matters: "36.4"."""
    l4t_high: str
    """The highest; "35" means every 35.x."""
    socs: tuple[str, ...]
    driver: str
    """"csv": the host's driver libraries are mounted by its lists; "toolkit": as on any server."""
    why: str
    sources: tuple[Source, ...]
    confidence: str
