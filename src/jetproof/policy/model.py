"""What a host project promises to test before it claims anything: gates, tiers, hooks and waivers.

Field names follow the host's own plan (`schema_version`, `marker`, `runner`, `expected_cost`, `coverage_paths`).
Only the shape and each value's form are checked here; what spans several places is in `policy.consistency`.
"""

from __future__ import annotations

from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, JsonValue, StringConstraints, Tag


def _inside(path: str) -> str:
    """Refuse a path that could mean something outside the project, or be taken for an option."""
    if path.startswith(("/", "-")) or ".." in path.split("/") or "\\" in path or not path.isprintable():
        raise ValueError("a path inside the project, with forward slashes, is expected")
    return path


Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=64)]
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]+$", max_length=500)]
ModuleName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$", max_length=200)
]
Resolver = Annotated[
    str,
    StringConstraints(
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$",
        max_length=300,
    ),
]
"""`package.module:function`, called with "auto", gives the device that the host would use."""
ProjectPath = Annotated[str, StringConstraints(min_length=1, max_length=500), AfterValidator(_inside)]
"""Relative to the project, forward slashes, never upwards, never an option."""
TestId = Annotated[
    str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f:][^\x00-\x1f\x7f]*::[^\x00-\x1f\x7f]+$", max_length=1000)
]
"""A pytest node id, like tests/test_gpu.py::test_matmul[float16]."""
Sha256 = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Seconds = Annotated[float, Field(gt=0, le=86400)]
Release = Annotated[str, StringConstraints(pattern=r"^\d+(?:\.\d+)*(?:\.x)?$", max_length=20)]
"""A release like 36.4.3, or all of a family like 35.x."""


class Entry(BaseModel):
    """What holds for every object of the policy: no unknown members, no coercion, no change afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


class Platform(Enum):
    """The machine that a gate needs."""

    JETSON = "jetson"
    X86_CUDA = "x86-cuda"
    """An x86-64 machine with an NVIDIA GPU: never Jetson evidence."""
    LINUX_ARM64 = "linux-arm64"
    """Any ARM64 Linux, no GPU asked: proves that the package imports there and nothing about CUDA."""
    ANY = "any"
    """Any machine: rehearsals and tests of the gate itself."""


class Stage(Enum):
    """What a tier may become."""

    TARGET = "target"
    EVALUATE = "evaluate"
    LEGACY = "legacy"


class Cadence(Enum):
    """How often the conditional lane is to run."""

    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    RELEASE = "release"

    @property
    def days(self) -> int:
        """Days after which a lane without a run is late."""
        return {"daily": 1, "weekly": 7, "monthly": 31, "release": 92}[self.value]


class Runner(Entry):
    """The runner that the gate's job asks for."""

    labels: Annotated[tuple[Line, ...], Field(min_length=1)]


class Cost(Entry):
    """What one run is expected to take."""

    minutes: Annotated[float, Field(gt=0, le=1440)]
    note: Line | None = None


class ProbeItem(Entry):
    """One of jetproof's own probes, with its parameters and bounds."""

    probe: Slug
    params: dict[Slug | ModuleName, JsonValue] = Field(default_factory=dict)
    """Parameters and bounds that the probe's page names; what is not given keeps the probe's default."""
    timeout: Seconds | None = None
    """Seconds; the probe's own limit if not given."""


class PytestItem(Entry):
    """One of the host's pytest selections, by its id."""

    pytest: Slug


def _kind(item: Any) -> str:
    """Tell which kind of item is meant, so that an error speaks of that kind alone."""
    if isinstance(item, dict):
        return "pytest" if "pytest" in item else "probe"
    return "pytest" if isinstance(item, PytestItem) else "probe"


Item = Annotated[
    Annotated[ProbeItem, Tag("probe")] | Annotated[PytestItem, Tag("pytest")],
    Discriminator(_kind),
]


class Gate(Entry):
    """A set of items that passes as a whole or not at all."""

    id: Slug
    aliases: tuple[Slug, ...] = ()
    description: Line
    job: Slug
    """Job of the workflow that runs it."""
    tracking_issue: Line
    marker: ModuleName | None = None
    """pytest marker of the host's tests that belong to it."""
    runner: Runner
    platform: Platform
    carries_claim: bool = False
    """Whether a green run may prove something; then every pytest selection must list its test ids."""
    items: Annotated[tuple[Item, ...], Field(max_length=500)]
    attempts: Annotated[int, Field(ge=1, le=5)] = 1
    """How often an item may be tried; passed only on a later attempt is FLAKY, never PASS."""
    prerequisites: tuple[Line, ...] = ()
    """What must be there before, in words: accounts, caches, power supply."""
    modules: tuple[ModuleName, ...] = ()
    """Modules that the target interpreter must have, beyond those that the items ask for."""
    expected_cost: Cost
    coverage_paths: tuple[ProjectPath, ...] = ()
    """Paths of the host that this gate exercises."""

    @property
    def software_only(self) -> bool:
        """Whether it needs no board and no GPU, so that nothing excuses a missing run."""
        return self.platform in (Platform.LINUX_ARM64, Platform.ANY)


class Runtime(Entry):
    """Where the tier's torch comes from; claimable only when pinned by digest."""

    kind: Literal["image", "wheel"]
    source: Line
    """Image reference or URL of the wheel."""
    digest: Sha256 | None = None
    """Digest of the image or sha256 of the wheel; `jetproof policy pin` fills it in on the board."""


class Tier(Entry):
    """A module with a release and a runtime for which support may be claimed."""

    id: Slug
    name: Line
    module: Line
    """A module or family name of jetproof's tables, like Jetson AGX Orin 64GB."""
    jetpack: Release
    l4t: Release
    cuda: Release
    stage: Stage
    gate: Slug
    """The gate whose green run proves the tier."""
    runtime: Runtime
    bitsandbytes: Annotated[str, StringConstraints(pattern=r"^(required|unsupported: \S.*)$", max_length=300)]
    torch_compile: bool = False
    """Whether torch.compile with Triton belongs to the tier's promise."""
    memory: Line
    """What users may expect of the unified memory, in words."""


class Selection(Entry):
    """A selection of the host's own tests."""

    id: Slug
    paths: Annotated[tuple[ProjectPath, ...], Field(min_length=1)]
    """Files or folders given to pytest."""
    tests: tuple[TestId, ...] = ()
    """Exactly the tests that must pass."""
    at_least: Annotated[int, Field(ge=1)] | None = None
    """Count floor instead of ids: good for rehearsals only."""
    timeout: Seconds = 600.0
    exclusive: bool = True
    """Whether it must have the GPU for itself."""


class Host(Entry):
    """The hooks of the project under test."""

    name: Line
    device_resolver: Resolver | None = None
    material_paths: Annotated[tuple[ProjectPath, ...], Field(min_length=1)] | None = None
    """Paths whose content decides whether older evidence still serves; None means all tracked files."""
    plugins: tuple[ModuleName, ...] = ()
    """pytest plugins that may be loaded; all others are kept out."""
    pytest: tuple[Selection, ...] = ()


class Waiver(Entry):
    """An excuse for a lane that could not run: it proves nothing, and it ends by itself."""

    id: Slug
    gate: Slug
    tier: Slug | None = None
    owner: Line
    reason: Line
    issue: Line
    opened: date
    expires: date
    """Last day it holds, to the end of that day in UTC; at most 30 days after `opened`."""


class Policy(Entry):
    """The file `ci/conditional-test-policy.json`."""

    schema_version: Literal[1]
    owner: Line
    cadence: Cadence
    evidence_retention_days: Annotated[int, Field(ge=1, le=3660)]
    maximum_evidence_age_days: Annotated[int, Field(ge=1, le=365)] = 30
    host: Host
    gates: Annotated[tuple[Gate, ...], Field(max_length=100)]
    tiers: Annotated[tuple[Tier, ...], Field(max_length=100)] = ()
    environment_waivers: Annotated[tuple[Waiver, ...], Field(max_length=100)] = ()

    def gate(self, name: str) -> Gate | None:
        """Return the gate of that id or alias, if there is one."""
        return next((gate for gate in self.gates if name == gate.id or name in gate.aliases), None)

    def tier(self, name: str) -> Tier | None:
        """Return the tier of that id, if there is one."""
        return next((tier for tier in self.tiers if tier.id == name), None)

    def selection(self, name: str) -> Selection | None:
        """Return the pytest selection of that id, if there is one."""
        return next((selection for selection in self.host.pytest if selection.id == name), None)
