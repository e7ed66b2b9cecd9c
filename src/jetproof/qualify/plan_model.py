"""What is to be run, written down before anything runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, model_validator

from jetproof.target.canonical import sha256

Hex64 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, StringConstraints(max_length=4000)]


class Part(BaseModel):
    """What holds for every part of a plan: no unknown members, no coercion, no change."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Step(Part):
    """One item to be run."""

    id: Annotated[str, StringConstraints(pattern=r"^(probe|pytest)::[a-z0-9-]+$")]
    timeout: Annotated[float, Field(gt=0)]
    seed: Annotated[int, Field(ge=0, lt=2**53)]
    """Fresh for each run; mixed into every random input."""
    exclusive: bool | None = None
    """Whether it runs alone; None leaves it to the probe."""


class ProbeStep(Step):
    """One of jetproof's own probes."""

    probe: str
    params: dict[str, JsonValue]


class Selection(Part):
    """Which of the host's tests, and what counts as all of them."""

    args: tuple[str, ...]
    expected: tuple[str, ...] = ()
    at_least: int | None = None
    plugins: tuple[str, ...] = ()


class PytestStep(Step):
    """A selection of the host's own tests."""

    pytest: Selection


class Excluded(Part):
    """An item of the gate that is not run, and why: it counts neither as passed nor as proven."""

    id: str
    reason: str
    message: Text


class GateFacts(Part):
    """The gate as the policy has it."""

    id: str
    platform: str
    carries_claim: bool
    attempts: Annotated[int, Field(ge=1, le=5)]
    job: str
    tracking_issue: str


class TierFacts(Part):
    """The tier that the board belongs to."""

    id: str
    name: str
    module: str
    jetpack: str
    l4t: str
    cuda: str
    stage: str
    runtime: dict[str, JsonValue]
    bitsandbytes: str


class Submodule(Part):
    """One submodule as it is checked out."""

    path: str
    commit: str
    state: Literal["same", "other-commit", "not-checked-out", "conflict"]


class Source(Part):
    """The state of the project's checkout."""

    commit: str | None
    """None when the folder is no git checkout."""
    tree: str | None
    committed_at: str | None = None
    """Time of the commit, RFC 3339 in UTC."""
    ref: str | None = None
    """Like refs/heads/main; None when detached."""
    repository: str | None = None
    """URL of the remote `origin`, credentials removed."""
    shallow: bool = False
    changed: tuple[str, ...] = ()
    """Paths that differ from the commit, at most 200."""
    untracked: tuple[str, ...] = ()
    """Paths that git does not know, at most 200."""
    hidden: tuple[str, ...] = ()
    """Paths that differ though git does not say so (a filter, times put back), or that it was told to take as
    unchanged (assume-unchanged, skip-worktree); and, in brackets, what could not be compared. At most 200."""
    submodules: tuple[Submodule, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether what lies there is exactly the commit."""
        same = all(submodule.state == "same" for submodule in self.submodules)
        return self.commit is not None and not (self.changed or self.untracked or self.hidden) and same


class ToolFacts(Part):
    """The program that ran it."""

    name: str = "jetproof"
    release: str
    sha256: Hex64
    """Over the files of the package."""
    worker_sha256: Hex64
    """Over the files of the worker that was sent."""


class Note(Part):
    """A reason with its words."""

    reason: str
    message: Text


class Plan(Part):
    """All that is to be run, and under which conditions; its digest binds the run to it."""

    format: Literal["jetproof/plan/1"] = "jetproof/plan/1"
    run: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    """Random name of this run."""
    challenge: str | None = None
    """A nonce that somebody else gave for this run."""
    gate: GateFacts
    tier: TierFacts | None
    origin: Literal["live", "recorded", "emulated"]
    rehearsal: tuple[Note, ...]
    """Why the run can prove nothing, if it cannot; empty when it can."""
    policy_sha256: Hex64
    policy_path: str
    host: str
    resolver: str | None
    source: Source
    tool: ToolFacts
    items: tuple[ProbeStep | PytestStep, ...]
    excluded: tuple[Excluded, ...]

    @model_validator(mode="after")
    def _once(self) -> Plan:
        names = [item.id for item in self.items]
        if len(set(names)) != len(names):
            raise ValueError("an item is planned twice")
        return self

    def as_json(self) -> dict[str, Any]:
        """Return the plan as it is written down."""
        return self.model_dump(mode="json")

    @property
    def digest(self) -> str:
        """SHA-256 over its canonical JSON."""
        return sha256(self.as_json())


def from_json(value: object) -> Plan:
    """Return the plan of a journal. Raises ValueError when it is none."""
    import json

    return Plan.model_validate_json(json.dumps(value))
