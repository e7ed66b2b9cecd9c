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
    parser.add_argument("--module", metavar="NAME", help=f"{options.MODULE}; it alone may answer (default: any)")
    parser.add_argument(
        "--keep",
        action="store_true",
        help="write it to .jetproof/challenges too; committed before the run, it stands in for a clock that nobody set",
    )
    options.add_json(parser, "jetproof/challenge/1")
    parser.epilog = (
        "Make it on a machine that the board does not control, and give it to: jetproof run GATE --challenge. "
        "What --json prints, run --challenge and verify --challenge-file read too."
    )


def run(arguments: argparse.Namespace) -> int:
    """Issue and print."""
    from jetproof.evidence.challenge import issued
    from jetproof.evidence.git import repository
    from jetproof.evidence.opening import commit_of
    from jetproof.evidence.trust_edit import machine
    from jetproof.policy.load import load, named_gate, parse
    from jetproof.target.write import write_atomically
    from jetproof.workflow.scaffold.plan import inside

    checkout = repository(arguments.project)
    commit = commit_of(checkout, arguments.commit)
    loaded = load(checkout.root)
    data = checkout.file(commit, loaded.path)
    policy = loaded.policy if data is None else parse(data, what=loaded.path)[0]
    gate = named_gate(policy, loaded.path, arguments.gate).id
    module = None if arguments.module is None else machine(arguments.module)
    challenge = issued(commit, gate, now(), module=module)
    text = json.dumps(challenge.as_json(), indent=2) if arguments.json else challenge.text
    sys.stdout.write(text + "\n")
    if arguments.keep:
        file = inside(checkout.root, challenge.path)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, (json.dumps(challenge.as_json(), indent=2) + "\n").encode(), follow=False)
        sys.stderr.write(f"kept: commit {challenge.path} on the branch that judges, before the gate is run\n")
    return 0
