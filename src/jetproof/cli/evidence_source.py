"""Options that several commands about evidence share: the checkout, the store, whom to trust."""

from __future__ import annotations

import argparse
import os
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jetproof.evidence.opening import Opened


def add_checkout(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose checkout, store and trust."""
    parser.add_argument(
        "--repo", type=Path, default=Path(), metavar="DIR", help="the project's checkout (default: here)"
    )
    parser.add_argument(
        "--base",
        metavar="REV",
        help="revision that says whom to trust (default: the pull request's target, origin/HEAD, else HEAD)",
    )
    parser.add_argument("--trust", type=Path, metavar="FILE", help="trust this trust.toml or allowed_signers instead")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--store", type=Path, metavar="DIR", help="folder of the evidence (default: .jetproof/evidence)")
    place.add_argument("--branch", metavar="NAME", help="the evidence is kept on this git branch")


def open_checkout(arguments: argparse.Namespace) -> Opened:
    """Return what the options name."""
    from jetproof.evidence.opening import opened

    return opened(
        repo=arguments.repo,
        environment=os.environ,
        store=arguments.store,
        branch=arguments.branch,
        base=arguments.base,
        trust_file=arguments.trust,
    )


def now() -> datetime:
    """Return the time by this machine's clock."""
    return datetime.now(timezone.utc)
