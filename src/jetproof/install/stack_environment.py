"""The Python environment of a board, as markers and wheel tags see it, without the board."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from jetproof.errors import UsageError
from jetproof.tables.stacks import Stack

_OLDEST_GLIBC = 17
"""manylinux for aarch64 begins with glibc 2.17."""


@dataclass(frozen=True, kw_only=True)
class Board:
    """What of a board decides which packages it gets, and whether they run there."""

    stack: str
    """As it was named, like jp6.2; or where it was read from."""
    python: tuple[int, int]
    python_full: str
    """Like 3.10.12; the patch level is that of the distribution where nothing else is known."""
    glibc: tuple[int, int]
    kernel: str
    """What `platform.release()` gives, like 5.15.148-tegra."""

    @cached_property
    def markers(self) -> Mapping[str, str]:
        """Values of the environment markers."""
        return {
            "implementation_name": "cpython",
            "implementation_version": self.python_full,
            "os_name": "posix",
            "platform_machine": "aarch64",
            "platform_python_implementation": "CPython",
            "platform_release": self.kernel,
            "platform_system": "Linux",
            "platform_version": "#1 SMP PREEMPT",
            "python_full_version": self.python_full,
            "python_version": f"{self.python[0]}.{self.python[1]}",
            "sys_platform": "linux",
        }

    @cached_property
    def tags(self) -> frozenset[str]:
        """All wheel tags the interpreter takes, like cp310-cp310-manylinux_2_28_aarch64."""
        from packaging.tags import compatible_tags, cpython_tags

        # until 3.7 the ABI of CPython carried an m
        abi = f"cp{self.python[0]}{self.python[1]}{'m' if self.python < (3, 8) else ''}"
        platforms = list(_platforms(self.glibc))
        return frozenset(
            str(tag)
            for tags in (
                cpython_tags(python_version=self.python, abis=[abi], platforms=platforms),
                compatible_tags(
                    python_version=self.python, interpreter=f"cp{self.python[0]}{self.python[1]}", platforms=platforms
                ),
            )
            for tag in tags
        )


@dataclass(frozen=True, kw_only=True)
class StackBoard(Board):
    """A board whose stack is known: its CUDA and its compute capabilities too."""

    target: Stack

    @property
    def told(self) -> str:
        """The environment in a few words, for the first line of output."""
        parts = [f"Python {self.python[0]}.{self.python[1]}", "aarch64", f"glibc {self.glibc[0]}.{self.glibc[1]}"]
        parts.append(f"CUDA {self.target.cuda}")
        parts.append(f"compute capability {' or '.join(self.target.compute_capabilities)}")
        return ", ".join(parts)


def _platforms(glibc: tuple[int, int]) -> Iterator[str]:
    """Platform tags from the newest glibc down, then the plain one that NVIDIA's own wheels carry."""
    for minor in range(glibc[1], _OLDEST_GLIBC - 1, -1):
        yield f"manylinux_2_{minor}_aarch64"
        if minor == _OLDEST_GLIBC:
            yield "manylinux2014_aarch64"
    yield "linux_aarch64"


@dataclass(frozen=True, kw_only=True)
class Misfit:
    """Why no wheel of a package can be installed."""

    told: str
    python: bool = False
    """Whether it is the Python: another one would get a wheel."""


class WheelFit:
    """Whether wheels fit a board, told from their file names; equal tags are looked at once."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._tags = board.tags
        self._known: dict[str, bool] = {}

    def __call__(self, filename: str) -> bool:
        """Say whether a wheel of that name can be installed."""
        tags = filename[:-4].split("-", 2)[-1] if filename.endswith(".whl") else ""
        # name-release[-build]-python-abi-platform: the last three parts are the tags
        parts = tags.rsplit("-", 3)
        if len(parts) < 3:
            return False
        key = "-".join(parts[-3:])
        found = self._known.get(key)
        if found is None:
            pythons, abis, platforms = (part.split(".") for part in parts[-3:])
            found = self._known[key] = any(
                f"{python}-{abi}-{platform}".lower() in self._tags
                for python in pythons
                for abi in abis
                for platform in platforms
            )
        return found

    def why_not(self, wheels: Sequence[str]) -> Misfit:
        """Say why none of some wheels fits, from their file names."""
        if not wheels:
            return Misfit(told="it has no wheel at all")
        ours = [name for name in wheels if "aarch64" in name or name.endswith("-any.whl")]
        if not ours:
            return Misfit(told="it has no wheel for aarch64 Linux")
        major, minor = self._board.python
        if not any(f"-cp{major}{minor}-" in name or "-abi3-" in name or "-py3-" in name for name in ours):
            return Misfit(told=f"its wheels for aarch64 are not for Python {major}.{minor}", python=True)
        if all("musllinux" in name for name in ours):
            return Misfit(told="its wheels for aarch64 are for musl, not for glibc")
        return Misfit(told=f"its wheels for aarch64 want a newer glibc than {'.'.join(map(str, self._board.glibc))}")


_RELEASE = re.compile(r"3\.(\d{1,2})(?:\.(\d{1,3}))?\Z")


def python_number(text: str) -> tuple[tuple[int, int], str] | None:
    """Read "3.10", "3.10.12", "cp310" or "310" as a Python; None for anything else."""
    plain = text.strip().lower().removeprefix("python").removeprefix("cp")
    if plain.isdigit() and plain.startswith("3") and len(plain) in (2, 3):
        plain = f"3.{plain[1:]}"
    match = _RELEASE.match(plain)
    if match is None:
        return None
    minor = int(match[1])
    return (3, minor), f"3.{minor}.{match[2] or _PATCH.get(minor, 0)}"


_PATCH = {6: 9, 8: 10, 10: 12, 12: 3}
"""Patch levels of the Pythons of Ubuntu 18.04, 20.04, 22.04 and 24.04."""


def board(stack: Stack, python: str | None = None) -> StackBoard:
    """Return the board of a stack, with its own Python or another one. UsageError for what is no Python."""
    found = python_number(python or stack.python)
    if found is None:
        raise UsageError(f"{python!r} is no Python", hint="write 3.10, 3.10.12 or cp310", reason="bad-python")
    major, minor = (int(part) for part in stack.glibc.split(".")[:2])
    return StackBoard(
        stack=stack.name,
        target=stack,
        python=found[0],
        python_full=found[1],
        glibc=(major, minor),
        kernel=stack.kernel,
    )
