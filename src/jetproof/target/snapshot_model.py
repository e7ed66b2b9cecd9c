"""The parts of a snapshot as they come in from outside: validated strictly, members that nobody here knows are ignored.

docs/snapshot.md tells what each member means.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field


class Part(BaseModel):
    """Any object of a snapshot."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", populate_by_name=True)


class Unknown(Part):
    """Something that is there, or may be there, and is not known."""

    reason: str
    detail: str = ""


class Trouble(Part):
    """A program that did not end well."""

    status: str
    code: int | None = None
    stdout: str = ""
    stderr: str = ""
    seconds: float | None = None


class Worker(Part):
    """The worker that read the machine; `sha256` is that of the packed file that ran."""

    release: str | None = None
    python: str | None = None
    sha256: str | None = None


class Emulation(Part):
    """Whether the machine that was read is only simulated, and what shows it."""

    emulated: bool | None = None
    because: list[str] = []


class Node(Part):
    """A device node and who may use it."""

    type: str | None = None
    mode: str | None = None
    owner: str | None = None
    group: str | None = None
    usable: bool | None = None
    reason: str | None = None


class User(Part):
    """Who asked: root or not, groups of the session, groups that a new login would have."""

    is_root: bool | None = None
    groups: list[str] | None = None
    groups_on_file: list[str] | None = None


class Library(Part):
    """A shared library as the loader finds it. `loads` is None when nobody tried."""

    path: str | None = None
    size: int | None = None
    loads: bool | None = None
    error: str = ""


class Driver(Part):
    """What cuDriverGetVersion answered: 12060 is CUDA 12.6."""

    cuda: int | None = None
    status: str | None = None
    detail: str = ""


class Space(Part):
    """Bytes of a file system."""

    total: int
    free: int


class Clock(Part):
    """Whether the machine's clock follows a time server."""

    synchronized: bool | None = None
    read_from: str = ""


class Distribution(Part):
    """One copy of an installed distribution."""

    name: str
    release: str
    location: str
    installer: str | None = None
    origin: str | None = None
    editable: bool = False
    tags: list[str] = []
    requires: list[str] = []
    requires_python: str | None = None
    active: bool = True
    built_for_cuda: str | None = None
    built_for_hip: str | None = None
    git: str | None = None
    has_cuda_library: bool | None = None
    file: str | None = None
    metadata: str | None = None


class Module(Part):
    """One copy of a module on the paths; the active one is imported."""

    name: str
    file: str
    active: bool = True


class Interpreter(Part):
    """What an interpreter says of itself."""

    executable: str
    version: str
    implementation: str = "CPython"
    abi: str | None = None
    prefix: str | None = None
    base_prefix: str | None = None
    is_venv: bool | None = None
    is_conda: bool | None = None
    system_site_packages: bool | None = None
    user_site: str | None = None
    user_site_enabled: bool | None = None
    machine: str | None = None
    bits: int | None = None
    glibc: str | None = None
    externally_managed: bool | None = None
    site_paths: list[str] = []
    distributions: list[Distribution] = []
    modules: list[Module] = []


class OtherInterpreter(Part):
    """An interpreter that was not asked, and that holds a torch."""

    executable: str
    version: str
    torch: str


class Python(Part):
    """The interpreter that is meant, the rule that chose it, and others that hold a torch."""

    asked: str | None = None
    path: str | None = None
    interpreter: Interpreter | None = None
    status: str | None = None
    detail: str = ""
    others: list[OtherInterpreter] = []


class Step(Part):
    """One thing that was tried, and how it ended."""

    name: str
    outcome: str
    message: str = ""
    traceback: str = ""
    seconds: float | None = None
    data: dict[str, Any] = {}


class Trials(Part):
    """What was tried in the interpreter, in a child that may have died."""

    status: str | None = None
    signal: int | None = None
    stderr: str = ""
    steps: list[Step] = []

    def step(self, name: str) -> Step | None:
        """Return the step of that name, if it is told."""
        return next((step for step in self.steps if step.name == name), None)


Text = Annotated[str, Field(max_length=4 << 20)]
FileEntry = Text | list[str] | Unknown | None
CommandEntry = Text | Trouble | Unknown | None
ListingEntry = list[str] | Unknown | None
