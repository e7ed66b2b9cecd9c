"""Where facts come from on the command line: this machine, or a saved read-out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.cli.progress import Progress

if TYPE_CHECKING:
    from jetproof.target.interface import Target
    from jetproof.target.snapshot import Snapshot


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the machine and its Python."""
    parser.add_argument(
        "--from",
        dest="source",
        metavar="FILE",
        type=Path,
        help="judge a saved read-out instead of this machine (see inspect --save)",
    )
    parser.add_argument(
        "--python",
        metavar="PATH",
        help="the Python in question; else that of $VIRTUAL_ENV, $CONDA_PREFIX, ./.venv, or python3 on PATH",
    )


def target_of(arguments: argparse.Namespace) -> Target:
    """Return the target that the options name."""
    from jetproof.errors import UsageError

    if arguments.source is not None:
        if arguments.python is not None:
            raise UsageError(
                "--from and --python contradict each other", hint="a recording holds what was read with its own Python"
            )
        from jetproof.target.recorded import RecordedTarget

        return RecordedTarget(arguments.source)
    from jetproof.target.local import LocalTarget

    return LocalTarget(arguments.python)


def read(arguments: argparse.Namespace, *, trials: bool) -> Snapshot:
    """Read the machine or the recording that the options name, with progress on a terminal."""
    from jetproof.target.interface import CollectRequest

    target = target_of(arguments)
    with Progress(sys.stderr) as progress:
        return target.collect(CollectRequest(trials=trials, progress=progress if progress.shown else None))
