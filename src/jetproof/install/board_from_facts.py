"""The board that a read-out describes: its stack by the L4T release, its Python and torch as they were found."""

from __future__ import annotations

from dataclasses import replace

from jetproof.errors import Undecided
from jetproof.facts.model import Facts
from jetproof.install.case import Held
from jetproof.install.locked import normal
from jetproof.install.stack_environment import StackBoard, board
from jetproof.tables import Tables, load
from jetproof.tables.stacks import Stack

_SIBLINGS = ("torch", "torchvision", "torchaudio")


def stack_of(facts: Facts, tables: Tables) -> Stack:
    """Return the stack of a read-out. Undecided when it does not tell the L4T release."""
    l4t = facts.platform.l4t.value if facts.platform.l4t.known else None
    if l4t is None:
        no_board = facts.platform.is_jetson.value is False
        raise Undecided(
            "this is not a Jetson, so it has no L4T release" if no_board else "the L4T release could not be read",
            hint="name the board that is meant: --stack jp6.2",
            reason="no-l4t",
        )
    found = next((one for one in tables.stacks.values() if l4t in one.l4t_releases and "-" not in one.name), None)
    if found is None:
        family = l4t.split(".")[0]
        same = [one for one in tables.stacks.values() if one.l4t.split(".")[0] == family and "-" not in one.name]
        if not same:
            raise Undecided(f"L4T {l4t} is of no known family", hint="name the board: --stack", reason="no-stack")
        found = same[-1]
    part = facts.platform.module_part_number
    module = tables.module_of_part(part.value) if part.known and part.value else None
    if module is None and (name := facts.platform.module).known:
        module = next((row for row in tables.modules if row.is_jetson and row.name == name.value), None)
    if module is not None and module.soc in found.socs:
        return tables.stack(f"{found.name}/{module.id}")
    return found


def this_stack() -> Stack | None:
    """Read this machine and return its stack, with the one L4T release that it has; None when it tells none."""
    facts, tables = this_machine(), load()
    try:
        found = stack_of(facts, tables)
    except Undecided:
        return None
    return replace(found, l4t_releases=(str(facts.platform.l4t.value),))


def this_machine() -> Facts:
    """Read this machine, without trying its torch."""
    from jetproof.facts.from_snapshot import facts
    from jetproof.target.interface import CollectRequest
    from jetproof.target.local import LocalTarget

    return facts(LocalTarget().collect(CollectRequest(trials=False)), load())


def board_of(facts: Facts, tables: Tables, python: str | None = None) -> StackBoard:
    """Return the board of a read-out, with the Python that was found there or the named one."""
    stack = stack_of(facts, tables)
    found = facts.torch.python.value if facts.torch.python.known else None
    made = board(stack, python or found)
    kernel = facts.platform.kernel.value if facts.platform.kernel.known else None
    return replace(made, kernel=kernel) if kernel else made


def held_of(facts: Facts) -> tuple[Held, ...]:
    """Return the torch family that a read-out shows, which then has to stay."""
    found = {
        normal(one.name): one.release for one in facts.torch.installs if one.active and normal(one.name) in _SIBLINGS
    }
    told = {
        "torch": facts.torch.torch,
        "torchvision": facts.torch.torchvision,
        "torchaudio": facts.torch.torchaudio,
    }
    for name, fact in told.items():
        if name not in found and fact.known and fact.value:
            found[name] = fact.value
    return tuple(Held(name=name, release=release, named=True) for name, release in found.items())
