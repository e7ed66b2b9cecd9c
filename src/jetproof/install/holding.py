"""What to write so that pip and uv leave the vendor's torch alone on a board.

uv's overrides carry a marker. No marker knows CUDA or L4T, but NVIDIA's kernels call themselves `…-tegra`, and
`platform_release` tells that: on a board the override leaves torch out, on any other machine the project's own bound
stays. The bounds that other packages put on torch are lost with an override, on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from jetproof.install.case import Held, vendor_held
from jetproof.install.held import LISTED, Family, family
from jetproof.install.stack_environment import StackBoard
from jetproof.tables import Tables

NOT_ON_BOARD = "'tegra' not in platform_release"
NEVER = "sys_platform == 'never'"

FAMILY: tuple[str, ...] = tuple(
    name for name in LISTED if family(name) in (Family.TORCH, Family.SIBLING, Family.TRITON)
)
"""Torch, what is compiled against it, and triton."""

ALWAYS = ("torch", "torchvision", "torchaudio")
"""Those that other packages ask for on every platform, so that an override of them is safe elsewhere."""


def names(held: Iterable[Held]) -> tuple[str, ...]:
    """Return every name that has to stay away: the family, and what else is held."""
    return tuple(dict.fromkeys((*FAMILY, *(one.name for one in held))))


def with_torch(held: Sequence[Held], board: StackBoard, tables: Tables) -> tuple[Held, ...]:
    """Return what is held, with the stack's newest vendor torch where none was named."""
    if any(one.name == "torch" for one in held):
        return tuple(held)
    return (vendor_held(board.target, tables), *held)


def constraints(held: Sequence[Held], board: StackBoard) -> str:
    """Return a constraints file for pip: a package that wants another torch is then an error, not a replacement."""
    lines = [
        f"# jetproof: keeps the vendor's packages of {board.stack}; use it as pip install -c FILE, never with -U",
        "# pip may pick much older releases of other packages to satisfy it: look at what it chose",
    ]
    for one in held:
        if one.release:
            lines.append(f"{one.name}=={one.release}")
        else:
            lines.append(f"# {one.name}: its number is not known; write {one.name}==NUMBER as pip shows it")
    return "\n".join(lines) + "\n"


def overrides(held: Sequence[Held], board: StackBoard) -> str:
    """Return an overrides file for uv: nobody asks for the vendor's packages any more."""
    lines = [
        f"# jetproof: leaves out what the vendor brings on {board.stack}; use it as uv pip install --overrides FILE"
    ]
    lines += [f"{name} ; {NEVER}" for name in names(held)]
    return "\n".join(lines) + "\n"


def excludes(held: Sequence[Held], board: StackBoard) -> str:
    """Return an excludes file for uv."""
    lines = [
        f"# jetproof: leaves out what the vendor brings on {board.stack}; use it as uv pip install --excludes FILE"
    ]
    return "\n".join((*lines, *names(held))) + "\n"


def emitted(form: str, held: Sequence[Held], board: StackBoard, tables: Tables) -> str:
    """Return the text of one form: "constraints", "override", "excludes" or "pyproject"."""
    kept = with_torch(held, board, tables)
    match form:
        case "constraints":
            return constraints(kept, board)
        case "override":
            return overrides(kept, board)
        case "excludes":
            return excludes(kept, board)
        case _:
            return block(entries(kept))


def entries(held: Sequence[Held]) -> list[str]:
    """Return the overrides for a project whose own requirements are not known."""
    return [f"{name} ; {NOT_ON_BOARD}" for name in dict.fromkeys((*ALWAYS, *(one.name for one in held)))]


def block(wanted: Sequence[str]) -> str:
    """Return the table of pyproject.toml with some overrides."""
    lines = "".join(f"    {json.dumps(entry, ensure_ascii=False)},\n" for entry in wanted)
    return f"[tool.uv]\noverride-dependencies = [\n    # {COMMENT}\n{lines}]\n"


COMMENT = "jetproof: on a Jetson the vendor's packages stay; elsewhere they are asked for as before"
