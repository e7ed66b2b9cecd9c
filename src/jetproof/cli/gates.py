"""List the gates of the project's policy."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--policy", metavar="FILE", help="the policy, relative to the project; else pyproject's")
    parser.add_argument("--project", metavar="DIR", type=Path, default=Path(), help="top of the project")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the gates."""
    from jetproof.policy.load import load
    from jetproof.render.policy import gates, gates_json

    loaded = load(arguments.project, arguments.policy)
    sys.stdout.write(json.dumps(gates_json(loaded), indent=2) + "\n" if arguments.json else gates(loaded))
    return 0
