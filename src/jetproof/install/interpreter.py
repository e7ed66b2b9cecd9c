"""The interpreter that is installed for: where it lives, what it sees, and whether its torch works.

Asked through the worker, so that nothing of the interpreter's packages is ever loaded into the controller.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from packaging.utils import canonicalize_name

from jetproof.facts.model import Outcome, Trial
from jetproof.install.held import is_held


@dataclass(frozen=True, kw_only=True)
class Installed:
    """One distribution that the interpreter sees."""

    name: str
    """Normalised."""
    release: str
    location: Path
    """Its site directory."""
    active: bool
    """False when another copy earlier on the path hides it."""
    requires: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Torch:
    """What importing torch and one operation in a fresh process gave."""

    outcome: Outcome
    """OK when it imports and every operation that was tried passed."""
    message: str = ""
    release: str | None = None
    file: str | None = None
    built_for_cuda: str | None = None
    available: bool | None = None
    """torch.cuda.is_available(); None when it was not asked."""
    arch_list: tuple[str, ...] | None = None
    """Architecture flags of the build, like ("sm_87",); None when it does not tell."""
    trials: tuple[Trial, ...] = ()


class Site(Enum):
    """Where a distribution lies, seen from its interpreter."""

    SYSTEM = "system"
    USER = "user"
    VENV = "venv"
    CONDA = "conda"


@dataclass(frozen=True, kw_only=True)
class Interpreter:
    """One Python, its site paths and its distributions. All paths are absolute."""

    executable: Path
    release: str
    """Like "3.10.12"."""
    prefix: Path
    base_prefix: Path
    is_venv: bool
    is_conda: bool
    user_site: Path | None
    machine: str
    glibc: str | None
    distributions: tuple[Installed, ...]
    torch: Torch
    asked: str = ""
    """By what it was chosen: --python, VIRTUAL_ENV, ..."""
    platform: str | None = None
    """uv's name of its platform when it is that of a board elsewhere; None for one of this machine."""

    @property
    def for_uv(self) -> tuple[str, ...]:
        """The options that tell uv which Python is meant."""
        told = ("--python", str(self.executable))
        if self.platform is None:
            return told
        return (*told, "--python-version", self.release, "--python-platform", self.platform)

    def active(self, name: str) -> Installed | None:
        """Return the copy that an import finds, if there is one."""
        plain = canonicalize_name(name)
        return next((dist for dist in self.distributions if dist.active and dist.name == plain), None)

    @property
    def held(self) -> tuple[Installed, ...]:
        """The vendor's distributions, also copies that others hide."""
        return tuple(dist for dist in self.distributions if is_held(dist.name))

    def site(self, dist: Installed) -> Site:
        """Say in which kind of site directory a distribution lies."""
        if self.user_site is not None and below(dist.location, self.user_site):
            return Site.USER
        if self.is_venv and below(dist.location, self.prefix):
            return Site.VENV
        return Site.CONDA if self.is_conda else Site.SYSTEM

    @property
    def vendor_inside(self) -> bool:
        """Whether torch lies in the virtual environment itself, where no second environment would see it."""
        torch = self.active("torch")
        return torch is not None and self.site(torch) is Site.VENV

    @property
    def markers(self) -> dict[str, str]:
        """Marker variables of this interpreter on Linux."""
        return {
            "implementation_name": "cpython",
            "implementation_version": self.release,
            "os_name": "posix",
            "platform_machine": self.machine,
            "platform_python_implementation": "CPython",
            "platform_release": "",
            "platform_system": "Linux",
            "platform_version": "",
            "python_full_version": self.release,
            "python_version": ".".join(self.release.split(".")[:2]),
            "sys_platform": "linux",
        }


class Asker(Protocol):
    """Whatever can describe an interpreter of this machine."""

    def ask(self, python: str | None) -> Interpreter:
        """Describe the interpreter at that path or name; None leaves the choice to the usual order.

        Raises Undecided when there is none or it does not answer.
        """


def constraint_files(variables: Mapping[str, str]) -> tuple[tuple[str, Path], ...]:
    """Return the constraint files that a container's environment names, as (variable, path)."""
    found: list[tuple[str, Path]] = []
    for variable in ("PIP_CONSTRAINT", "UV_CONSTRAINT"):
        found.extend((variable, Path(word)) for word in variables.get(variable, "").split())
    return tuple(found)


def below(path: Path, root: Path) -> bool:
    """Say whether a path lies in a folder, or is it, whatever links lead there."""
    real, top = os.path.realpath(path), os.path.realpath(root)
    return real == top or real.startswith(top + os.sep)
