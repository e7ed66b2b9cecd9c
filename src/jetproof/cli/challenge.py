"""`jetproof challenge`: a nonce for one run, so that old evidence cannot be offered for it."""

from __future__ import annotations

import argparse
import json
import sys

from jetproof.cli import options
from jetproof.cli.evidence_source import now


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_gate(parser)
    options.add_project(parser)
    options.add_commit(parser, "HEAD")
    options.add_json(parser, "jetproof/challenge/1")
    parser.epilog = (
        "Make it on a machine that the board does not control, and give it to: jetproof run GATE --challenge. "
        "What --json prints is what jetproof verify --challenge-file reads."
    )


def run(arguments: argparse.Namespace) -> int:
    """Issue and print."""
    from jetproof.evidence.challenge import issued
    from jetproof.evidence.git import repository
    from jetproof.evidence.opening import commit_of
    from jetproof.policy.load import load, named_gate, parse

    checkout = repository(arguments.project)
    commit = commit_of(checkout, arguments.commit)
    loaded = load(checkout.root)
    data = checkout.file(commit, loaded.path)
    policy = loaded.policy if data is None else parse(data, what=loaded.path)[0]
    challenge = issued(commit, named_gate(policy, loaded.path, arguments.gate).id, now())
    text = json.dumps(challenge.as_json(), indent=2) if arguments.json else challenge.text
    sys.stdout.write(text + "\n")
    return 0
