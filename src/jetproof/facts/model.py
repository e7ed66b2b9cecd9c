"""The typed facts that everything above judges: frozen values, each with the place it was read from.

Two sources fill them: a machine's snapshot (`facts.from_snapshot`) and a person's report
(`facts.from_report`). A field that a source does not give stays unknown; rules must bear that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from jetproof.facts.fact import Fact, unknown


class Origin(Enum):
    """Where facts come from. Only LIVE may ever become evidence."""

    LIVE = "live"
    RECORDED = "recorded"
    EMULATED = "emulated"
    REPORTED = "reported"
    """Told by a person: a pasted log or an issue."""


class PlatformClass(Enum):
    """What kind of machine it is (DESIGN: platform answer)."""

    JETSON = "jetson"
    IGX = "igx"
    DRIVE = "drive"
    CLARA = "clara"
    DGX_SPARK = "dgx-spark"
    GRACE = "grace"
    SWITCH = "switch"
    SHIELD = "shield"
    TEGRA_OTHER = "tegra-other"
    RASPBERRY_PI = "raspberry-pi"
    ARM64_SERVER = "arm64-server"
    APPLE = "apple"
    WSL = "wsl"
    X86 = "x86"
    EMULATED = "emulated"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Platform:
    """The machine: board, L4T release and what follows from them."""

    is_jetson: Fact[bool] = unknown("is_jetson")
    platform_class: Fact[PlatformClass] = unknown("platform_class")
    model: Fact[str] = unknown("model")
    """The board's own text, as in the device tree."""
    module: Fact[str] = unknown("module")
    """A name of tables/modules: exact from a part number, the family's from a model text."""
    module_part_number: Fact[str] = unknown("module_part_number")
    """Like p3701-0005."""
    carrier: Fact[str] = unknown("carrier")
    compatible: Fact[tuple[str, ...]] = unknown("compatible")
    """The device tree's list, like ("nvidia,p3737-0000+p3701-0005", "nvidia,tegra234")."""
    soc: Fact[str] = unknown("soc")
    compute_capability: Fact[str] = unknown("compute_capability")
    """Like "8.7"."""
    l4t: Fact[str] = unknown("l4t")
    """Three numbers, like 36.4.3. The primary fact."""
    l4t_line: Fact[str] = unknown("l4t_line")
    """First line of the release file, as it stands there."""
    jetpack: Fact[str] = unknown("jetpack")
    """Derived from the L4T release or the installed meta package."""
    kernel: Fact[str] = unknown("kernel")
    arch: Fact[str] = unknown("arch")
    os: Fact[str] = unknown("os")
    """Like "Ubuntu 22.04"."""
    emulated: Fact[bool] = unknown("emulated")
    in_container: Fact[bool] = unknown("in_container")
    notes: tuple[str, ...] = ()
    """What a person should know: an unlisted point release, two places that disagree."""


@dataclass(frozen=True, kw_only=True)
class CudaStack:
    """JetPack's parts of the system, outside any Python environment."""

    driver: Fact[str] = unknown("cuda.driver")
    """CUDA release that the driver speaks, from cuDriverGetVersion: 12060 is "12.6"."""
    kernel_driver: Fact[str] = unknown("cuda.kernel_driver")
    """Like 540.4.0."""
    toolkit: Fact[str] = unknown("cuda.toolkit")
    """CUDA release of the toolkit or runtime of the system, like "12.6"."""
    nvcc: Fact[str] = unknown("cuda.nvcc")
    """Path of nvcc, wherever it is, on PATH or not."""
    cudnn: Fact[str] = unknown("cuda.cudnn")
    tensorrt: Fact[str] = unknown("cuda.tensorrt")
    libcuda: Fact[str] = unknown("cuda.libcuda")
    """Path of libcuda.so.1; the detail says when the file has no bytes."""
    cusparselt: Fact[str] = unknown("cuda.cusparselt")
    """Path of libcusparseLt.so.0 where the loader finds it."""
    missing_parts: Fact[tuple[str, ...]] = unknown("cuda.missing_parts")
    """JetPack packages that are not installed although L4T is."""
    packages: Fact[tuple[tuple[str, str], ...]] = unknown("cuda.packages")
    """Installed NVIDIA packages of dpkg as (name, package version)."""
    power_mode: Fact[str] = unknown("cuda.power_mode")
    opencv_cuda: Fact[bool] = unknown("cuda.opencv_cuda")
    """Whether the cv2 that the interpreter imports was built with CUDA."""


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """One installed Python distribution on one site path."""

    name: str
    """Normalised, like nvidia-cudnn-cu12."""
    release: str
    """Its full public and local number, like 2.8.0a0+5228986c39.nv25.6."""
    location: str
    """The site directory."""
    installer: str | None = None
    origin: str | None = None
    """URL of direct_url.json or the index, credentials removed."""
    tags: tuple[str, ...] = ()
    """Wheel tags, like cp310-cp310-linux_aarch64."""
    built_for_cuda: str | None = None
    """torch.version.cuda read from the package's own files; "" when those say: no CUDA."""
    active: bool = True
    """False when another copy earlier on sys.path hides it."""
    requires: tuple[str, ...] = ()


class Outcome(Enum):
    """How an operation in the interpreter ended."""

    OK = "ok"
    FAILED = "failed"
    """It raised; the message is in `Trial.message`."""
    CRASHED = "crashed"
    """The process died of a signal."""
    TIMED_OUT = "timed-out"
    NOT_RUN = "not-run"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One thing that was tried in a child process: the import, a matmul, an nms."""

    name: str
    outcome: Outcome
    message: str = ""
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class TorchStack:
    """PyTorch and its neighbours in the interpreter in question."""

    interpreter: Fact[str] = unknown("python.executable")
    python: Fact[str] = unknown("python")
    """Like "3.10" or "3.10.12"."""
    chosen_by: Fact[str] = unknown("python.chosen_by")
    in_venv: Fact[bool] = unknown("python.in_venv")
    sees_system_packages: Fact[bool] = unknown("python.sees_system_packages")
    others: tuple[str, ...] = ()
    """Other interpreters that hold a torch, as "path: torch number"."""
    installs: tuple[Distribution, ...] = ()
    """Every copy of every distribution in play, hidden ones too."""
    torch: Fact[str] = unknown("torch.__version__")
    torch_cuda: Fact[str] = unknown("torch.version.cuda")
    """Absent when torch was built without CUDA."""
    torch_file: Fact[str] = unknown("torch.__file__")
    torch_source: Fact[str] = unknown("torch.source")
    """Where it was installed from, as far as it is told."""
    wheel_sha256: Fact[str] = unknown("torch.wheel_sha256")
    """Of the wheel that it was installed from, in hex, where the installer noted it."""
    arch_list: Fact[tuple[str, ...]] = unknown("torch.arch_list")
    """Like ("sm_80", "sm_87", "compute_87")."""
    cudnn_built: Fact[str] = unknown("torch.cudnn_compiled")
    cudnn_found: Fact[str] = unknown("torch.cudnn_found")
    available: Fact[bool] = unknown("torch.cuda.is_available")
    device_name: Fact[str] = unknown("torch.cuda.get_device_name")
    device_capability: Fact[str] = unknown("torch.cuda.get_device_capability")
    device_memory: Fact[int] = unknown("memory.device")
    """Bytes that the device says it has; on a Jetson the same memory as the system's."""
    torchvision: Fact[str] = unknown("torchvision")
    torchaudio: Fact[str] = unknown("torchaudio")
    numpy: Fact[str] = unknown("numpy")
    bitsandbytes: Fact[str] = unknown("bitsandbytes")
    transformers: Fact[str] = unknown("transformers")
    triton: Fact[str] = unknown("triton")
    trials: tuple[Trial, ...] = ()

    def trial(self, name: str) -> Trial | None:
        """Return the trial of that name, if it was made."""
        return next((trial for trial in self.trials if trial.name == name), None)


@dataclass(frozen=True, kw_only=True)
class Container:
    """The container around the interpreter, or that a report is about."""

    engine: Fact[str] = unknown("container.engine")
    image: Fact[str] = unknown("container.image")
    image_l4t: Fact[str] = unknown("container.image_l4t")
    """L4T release that the image was made for."""
    image_arch: Fact[str] = unknown("container.image_arch")
    host_l4t: Fact[str] = unknown("container.host_l4t")
    runtime: Fact[str] = unknown("container.runtime")
    """Like "nvidia", "runc"."""
    gpu_nodes: Fact[bool] = unknown("container.gpu_nodes")
    """Whether any GPU device node is visible inside."""
    csv_lists: Fact[tuple[str, ...]] = unknown("container.csv_lists")
    """Names of the host's *.csv mount lists."""
    started: Fact[bool] = unknown("container.started")


@dataclass(frozen=True, kw_only=True)
class DeviceNode:
    """One device node and what the user may do with it."""

    path: str
    owner: str
    group: str
    mode: str
    """Like crw-rw----."""
    usable: bool | None
    """Whether the user may read and write it; None when it could not be asked."""


@dataclass(frozen=True, kw_only=True)
class Permissions:
    """Who asks, and what that user may open."""

    is_root: Fact[bool] = unknown("user.is_root")
    groups: Fact[tuple[str, ...]] = unknown("user.groups")
    """Groups of the running session."""
    groups_on_file: Fact[tuple[str, ...]] = unknown("user.groups_on_file")
    """Groups of the user database: more than `groups` means "log in again"."""
    nodes: tuple[DeviceNode, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Memory:
    """Unified memory and what eats it. All sizes in bytes."""

    total: Fact[int] = unknown("memory.total")
    available: Fact[int] = unknown("memory.available")
    free: Fact[int] = unknown("memory.free")
    swap_total: Fact[int] = unknown("memory.swap_total")
    swap_free: Fact[int] = unknown("memory.swap_free")
    zram: Fact[int] = unknown("memory.zram")
    """Bytes of swap that lie in compressed memory."""
    cma_free: Fact[int] = unknown("memory.cma_free")
    nvmap_used: Fact[int] = unknown("memory.nvmap_used")
    cgroup_limit: Fact[int] = unknown("memory.cgroup_limit")
    disk_free: Fact[int] = unknown("memory.disk_free")


class MessageKind(Enum):
    """What a text is."""

    ERROR = "error"
    """A traceback, an error line, stderr."""
    OUTPUT = "output"
    COMMAND = "command"
    """What somebody typed."""
    PROSE = "prose"
    """What somebody wrote about it."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """A text that a program printed or a person wrote, which rules may search."""

    text: str
    kind: MessageKind
    read_from: str
    member: str = ""
    """What a report gives it as, like package; "" where it is no answer to a named question."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """All that is known about one machine or one report."""

    origin: Origin
    platform: Platform = field(default_factory=Platform)
    cuda: CudaStack = field(default_factory=CudaStack)
    torch: TorchStack = field(default_factory=TorchStack)
    container: Container = field(default_factory=Container)
    permissions: Permissions = field(default_factory=Permissions)
    memory: Memory = field(default_factory=Memory)
    messages: tuple[Message, ...] = ()
