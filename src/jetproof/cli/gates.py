"""List the gates of the project's policy."""

from __future__ import annotations

import argparse
import json
import sys

from jetproof.cli import options


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    options.add_policy(parser)
    options.add_project(parser)
    options.add_json(parser, "jetproof/gates/1")


def run(arguments: argparse.Namespace) -> int:
    """Print the gates."""
    from jetproof.policy.load import load
    from jetproof.render.policy import gates, gates_json

    loaded = load(arguments.project, arguments.policy)
    sys.stdout.write(json.dumps(gates_json(loaded), indent=2) + "\n" if arguments.json else gates(loaded))
    return 0
