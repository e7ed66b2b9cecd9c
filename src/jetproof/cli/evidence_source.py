"""Options that several commands about evidence share: the checkout, the store, whom to trust."""

from __future__ import annotations

import argparse
import os
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.cli import options

if TYPE_CHECKING:
    from jetproof.evidence.opening import Opened


def add_checkout(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose checkout, store and trust."""
    options.add_project(parser)
    parser.add_argument(
        "--base",
        metavar="REV",
        help="revision that says whom to trust (default: the pull request's target, origin/HEAD, else HEAD)",
    )
    parser.add_argument("--trust", type=Path, metavar="FILE", help="trust this trust.toml or allowed_signers instead")
    options.add_store(parser.add_mutually_exclusive_group())


def open_checkout(arguments: argparse.Namespace) -> Opened:
    """Return what the options name."""
    from jetproof.evidence.opening import opened

    return opened(
        repo=arguments.project,
        environment=os.environ,
        store=arguments.store,
        branch=arguments.branch,
        base=arguments.base,
        trust_file=arguments.trust,
    )


def now() -> datetime:
    """Return the time by this machine's clock."""
    return datetime.now(timezone.utc)
