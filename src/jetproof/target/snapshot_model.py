"""The parts of a snapshot as frozen values; members that nobody here knows are ignored.

docs/snapshot.md tells what each member means. No pydantic here: importing it alone takes longer than reading a machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """Something that is there, or may be there, and is not known."""

    reason: str
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """A program that did not end well."""

    status: str
    code: int | None = None
    stdout: str = ""
    stderr: str = ""
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class Worker:
    """The worker that read the machine; `sha256` is that of the packed file that ran."""

    release: str | None = None
    python: str | None = None
    sha256: str | None = None


@dataclass(frozen=True, kw_only=True)
class Emulation:
    """Whether the machine that was read is only simulated, and what shows it."""

    emulated: bool | None = None
    because: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Node:
    """A device node and who may use it."""

    type: str | None = None
    mode: str | None = None
    owner: str | None = None
    group: str | None = None
    usable: bool | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class User:
    """Who asked: root or not, groups of the session, groups that a new login would have."""

    is_root: bool | None = None
    groups: tuple[str, ...] | None = None
    groups_on_file: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Library:
    """A shared library as the loader finds it. `loads` is None when nobody tried."""

    path: str | None = None
    size: int | None = None
    loads: bool | None = None
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class Driver:
    """What cuDriverGetVersion answered: 12060 is CUDA 12.6."""

    cuda: int | None = None
    status: str | None = None
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class Space:
    """Bytes of a file system."""

    total: int
    free: int


@dataclass(frozen=True, kw_only=True)
class Clock:
    """Whether the machine's clock follows a time server."""

    synchronized: bool | None = None
    read_from: str = ""


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """One copy of an installed distribution."""

    name: str
    release: str
    location: str
    installer: str | None = None
    origin: str | None = None
    archive_sha256: str | None = None
    editable: bool = False
    tags: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    requires_python: str | None = None
    active: bool = True
    built_for_cuda: str | None = None
    built_for_hip: str | None = None
    version_py: str | None = None
    git: str | None = None
    has_cuda_library: bool | None = None
    file: str | None = None
    metadata: str | None = None


@dataclass(frozen=True, kw_only=True)
class Module:
    """One copy of a module on the paths; the active one is imported."""

    name: str
    file: str
    active: bool = True


@dataclass(frozen=True, kw_only=True)
class Interpreter:
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
    site_paths: tuple[str, ...] = ()
    distributions: tuple[Distribution, ...] = ()
    modules: tuple[Module, ...] = ()


@dataclass(frozen=True, kw_only=True)
class OtherInterpreter:
    """An interpreter that was not asked, and that holds a torch."""

    executable: str
    version: str
    torch: str


@dataclass(frozen=True, kw_only=True)
class Python:
    """The interpreter that is meant, the rule that chose it, and others that hold a torch."""

    asked: str | None = None
    path: str | None = None
    interpreter: Interpreter | None = None
    status: str | None = None
    detail: str = ""
    others: tuple[OtherInterpreter, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing that was tried, and how it ended."""

    name: str
    outcome: str
    message: str = ""
    traceback: str = ""
    seconds: float | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Trials:
    """What was tried in the interpreter, in a child that may have died."""

    status: str | None = None
    signal: int | None = None
    stderr: str = ""
    steps: tuple[Step, ...] = ()

    def step(self, name: str) -> Step | None:
        """Return the step of that name, if it is told."""
        return next((step for step in self.steps if step.name == name), None)


FileEntry = str | tuple[str, ...] | Unknown | None
CommandEntry = str | Trouble | Unknown | None
ListingEntry = tuple[str, ...] | Unknown | None
