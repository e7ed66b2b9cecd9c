"""Show the project's policy as it is understood, or check its form."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, words in (
        ("show", "say what the policy asks: gates, tiers, waivers"),
        ("check-schema", "check the form of the policy, and name each fault by line and column"),
    ):
        action = actions.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
        action.add_argument("--policy", metavar="FILE", help="the policy, relative to the project; else pyproject's")
        action.add_argument("--project", metavar="DIR", type=Path, default=Path(), help="top of the project")
        action.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked."""
    from jetproof.policy.load import load
    from jetproof.render.policy import checked, policy_json, shown

    loaded = load(arguments.project, arguments.policy)
    if arguments.json:
        sys.stdout.write(json.dumps(policy_json(loaded), indent=2) + "\n")
    else:
        sys.stdout.write(shown(loaded) if arguments.action == "show" else checked(loaded))
    return 0
