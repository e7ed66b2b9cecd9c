"""The Python of a board that is not at hand, as the tables give it: enough for a plan, and for nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

from jetproof.errors import Undecided
from jetproof.facts.model import Outcome
from jetproof.install.audit_resolution import uv_platform
from jetproof.install.case import vendor_held
from jetproof.install.interpreter import Installed, Interpreter, Torch
from jetproof.install.stack_environment import board
from jetproof.tables import Tables
from jetproof.tables.stacks import Stack


def interpreter(stack: Stack, tables: Tables) -> Interpreter:
    """Return the system's Python of a stack with the torch that its owner most likely has.

    Undecided where the tables know no torch with a number for it.
    """
    seen = board(stack)
    torch = vendor_held(stack, tables)
    if torch.release is None:
        raise Undecided(
            f"the tables know no number of a torch for {stack.name}, so that nothing can be planned over it",
            hint=f"jetproof audit judges without one: jetproof audit . --stack {stack.name}",
            reason="no-torch",
        )
    system = Path("/usr")
    return Interpreter(
        # metadata that only a build can tell is made by this Python
        executable=Path(sys.executable),
        release=seen.python_full,
        prefix=system,
        base_prefix=system,
        is_venv=False,
        is_conda=False,
        user_site=None,
        machine="aarch64",
        glibc=stack.glibc,
        distributions=(Installed(name="torch", release=torch.release, location=system, active=True),),
        torch=Torch(outcome=Outcome.NOT_RUN, release=torch.release),
        asked=f"--stack {stack.name}",
        platform=uv_platform(seen.glibc),
    )
