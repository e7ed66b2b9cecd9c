"""Which source of torch to take on a stack: the one order for all commands, with conditions and proven numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from jetproof.tables.builds import BuildOnStack, builds
from jetproof.tables.rows import TorchBuild
from jetproof.tables.stacks import Stack, numbers

_KINDS = (
    "nvidia-wheel",
    "package-index",
    "pypi-wheel",
    "pytorch-index",
    "ngc-container",
    "dustynv-container",
    "conda",
    "community-wheel",
    "community-container",
    "source",
)
"""The vendor's own first, others' builds after, and what has to be built last."""
INDEXES = ("package-index", "pytorch-index")
_UP_TO = re.compile(r"\bgood up to torch (\d+\.\d+\.\d+)")
_FROM = re.compile(r"\bgood from (\d+\.\d+)")
_ONLY = re.compile(r"(\d+\.\d+\.\d+)(?: \(|$)")
_OR_NEWER = re.compile(r"(\d+\.\d+)\+")
PAIRED_VISION = {(1, 10): 11, (1, 11): 12, (1, 12): 13, (1, 13): 14, **{(2, minor): 15 + minor for minor in range(30)}}
"""torch release to the minor number of its torchvision."""
BELOW_2 = "numpy<2"


@dataclass(frozen=True, kw_only=True)
class Condition:
    """Something that has to be true before a build works."""

    text: str
    command: str | None = None


_NOTED = (
    (
        "libcusparselt",
        Condition(
            text="libcusparseLt.so.0, which JetPack does not install: package libcusparselt0 of NVIDIA's repository",
            command="sudo apt-get install libcusparselt0",
        ),
    ),
    (
        "needs libcudss",
        Condition(
            text="libcudss.so.0 from torch 2.8 on (NVIDIA's cuDSS; package cudss), and NumPy 1 or 2 by the build"
        ),
    ),
    (
        "against numpy 1",
        Condition(text="numpy below 2: it was built against NumPy 1", command=f"pip install '{BELOW_2}'"),
    ),
)
"""What a note of the table means for a person: its telling word, and the condition."""


def best_first(stack: Stack, rows: Sequence[TorchBuild]) -> tuple[BuildOnStack, ...]:
    """Return what may work on the stack: what is made for it first, a vendor's wheels before others' builds."""
    return tuple(sorted((one for one in builds(stack, rows) if one.verdict.verdict != "no"), key=_order))


def _order(one: BuildOnStack) -> tuple[int, int, tuple[int, ...]]:
    kind = _KINDS.index(one.build.kind) if one.build.kind in _KINDS else len(_KINDS)
    number = re.match(r"\d+(?:\.\d+)*", one.build.torch_version or "")
    # a source whose numbers nobody told comes after those that are known
    newest_first = tuple(-int(part) for part in number.group().split(".")) if number else (1,)
    return ("yes", "partly", "unproven").index(one.verdict.verdict), kind, newest_first


def conditions(one: BuildOnStack, stack: Stack) -> tuple[tuple[Condition, ...], tuple[str, ...]]:
    """Return what the build needs, and what else the table notes about it."""
    build = one.build
    needs: list[Condition] = []
    notes: list[str] = []
    oldest = re.fullmatch(r"cp3(\d+)\+", build.python or "")
    if oldest and numbers(stack.python) >= (3, int(oldest[1])):
        needs.append(Condition(text=f"Python 3.{oldest[1]} or newer; the system's is {stack.python}"))
    elif build.python and stack.python_tag not in build.python and "cp" in build.python:
        needs.append(Condition(text=f"a Python for {build.python}; the system's is {stack.python}"))
    elif build.python and "cp" in build.python:
        needs.append(Condition(text=f"Python {stack.python} ({stack.python_tag}), the system's own"))
    for note in build.notes:
        condition = next((known for word, known in _NOTED if word in note.lower()), None)
        if condition is None:
            notes.append(note)
        else:
            needs.append(condition)
    return tuple(needs), tuple(notes)


def address(build: TorchBuild) -> str | None:
    """Return the wheel's or the index's address, None where the row names none that an installer takes."""
    place = build.where.split(" ")[0]
    if not place.startswith("https://"):
        return None
    return place if place.endswith(".whl") or build.kind in INDEXES else None


def requirements(one: BuildOnStack) -> tuple[str, ...]:
    """Return what to ask an index for: torch bounded to what the table calls good, its torchvision and torchaudio."""
    told = (one.verdict.why, *(other.why for other in one.build.works_on.values() if other.verdict != "no"))
    last = next((found[1] for why in told if (found := _UP_TO.search(why))), None)
    if last is not None:
        major, minor = (int(part) for part in last.split(".")[:2])
        vision = PAIRED_VISION.get((major, minor))
        return (f"torch=={last}", f"torchvision==0.{vision}.*" if vision else "torchvision", f"torchaudio=={last}")
    only = _ONLY.match(one.build.torch_version or "")
    if only:
        return (f"torch=={only[1]}", "torchvision", "torchaudio")
    lowest = _FROM.search(one.verdict.why) or _OR_NEWER.fullmatch(one.build.torch_version or "")
    first = lowest[1] if lowest else None
    return (f"torch>={first}" if first else "torch", "torchvision", "torchaudio")
