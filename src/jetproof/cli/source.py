"""Where facts come from on the command line: this machine, a board over SSH, a container, or a saved read-out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.cli import options
from jetproof.cli.progress import Progress

if TYPE_CHECKING:
    from jetproof.target.interface import Target
    from jetproof.target.snapshot import Snapshot


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the machine and its Python."""
    options.add_saved(parser)
    options.add_python(parser)
    add_target(parser)


def add_target(parser: options.Takes, default: str = "this machine") -> None:
    """Add the place that is meant."""
    parser.add_argument(
        "--target",
        metavar="WHERE",
        help=f"ssh://user@host[:port], or container:IMAGE@sha256:DIGEST (default: {default})",
    )


def target_of(arguments: argparse.Namespace) -> Target:
    """Return the target that the options name."""
    from jetproof.errors import UsageError

    where = arguments.target
    if arguments.source is not None:
        if arguments.python is not None or where is not None:
            raise UsageError(
                f"--from and {'--python' if where is None else '--target'} contradict each other",
                hint="a recording holds what was read, of its own machine and with its own Python",
            )
        from jetproof.target.recorded import RecordedTarget

        return RecordedTarget(arguments.source)
    if where is None:
        from jetproof.target.local import LocalTarget

        return LocalTarget(arguments.python)
    return named(where, arguments.python, getattr(arguments, "gpu", "auto"))


def named(where: str, python: str | None, gpu: str = "auto") -> Target:
    """Return the target that a text names: ssh://…, container:… or simulated:FILE. Raises UsageError for others."""
    from jetproof.errors import UsageError

    if where.startswith("ssh://"):
        from jetproof.target.ssh import SshTarget

        return SshTarget(where, python)
    if where.startswith("simulated:"):
        from jetproof.target.simulated import SimulatedTarget

        return SimulatedTarget(Path(where.removeprefix("simulated:")), python)
    if where.startswith("container:"):
        from jetproof.image.engine import Containers, Gpu, find
        from jetproof.image.reference import parse
        from jetproof.target.container import ContainerTarget

        return ContainerTarget(Containers(find(), parse(where.removeprefix("container:")), Gpu(gpu)), python)
    raise UsageError(
        f"--target {where[:120]!r} names no place that is known here",
        hint="ssh://user@host[:port], container:IMAGE@sha256:DIGEST, or simulated:FILE for a rehearsal",
        reason="target-malformed",
    )


def read(arguments: argparse.Namespace, *, trials: bool, meanwhile: Callable[[], None] | None = None) -> Snapshot:
    """Read the machine or the recording that the options name, with progress on a terminal.

    `meanwhile` is called while a machine is read, to get ready for what is done with the answer.
    """
    from jetproof.target.interface import CollectRequest

    target = target_of(arguments)
    with Progress(sys.stderr) as progress:
        told = progress if progress.shown else None
        return target.collect(CollectRequest(trials=trials, progress=told, meanwhile=meanwhile))
