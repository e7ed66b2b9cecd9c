"""`jetproof challenge`: a nonce for one run, so that old evidence cannot be offered for it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from jetproof.cli.evidence_source import now


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("gate", metavar="GATE", help="the gate that will be run")
    parser.add_argument(
        "--repo", type=Path, default=Path(), metavar="DIR", help="the project's checkout (default: here)"
    )
    parser.add_argument("--commit", default="HEAD", metavar="REV", help="the commit that will be run (default: HEAD)")
    parser.add_argument("--json", action="store_true", help="the challenge as JSON, which verify --challenge reads")
    parser.epilog = (
        "Make it on a machine that the board does not control, and give it to: jetproof run GATE --challenge"
    )


def run(arguments: argparse.Namespace) -> int:
    """Issue and print."""
    from jetproof.evidence.challenge import issued
    from jetproof.evidence.git import repository
    from jetproof.evidence.opening import commit_of
    from jetproof.policy.load import load, named_gate, parse

    checkout = repository(arguments.repo)
    commit = commit_of(checkout, arguments.commit)
    loaded = load(checkout.root)
    data = checkout.file(commit, loaded.path)
    policy = loaded.policy if data is None else parse(data, what=loaded.path)[0]
    challenge = issued(commit, named_gate(policy, loaded.path, arguments.gate).id, now())
    text = json.dumps(challenge.as_json(), indent=2) if arguments.json else challenge.text
    sys.stdout.write(text + "\n")
    return 0
