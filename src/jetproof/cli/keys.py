"""`jetproof keys`: make a signing key, and say whom the project trusts."""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import date
from pathlib import Path

from jetproof.cli import options

SCHEMA = "jetproof/keys/1"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    sub = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    new = sub.add_parser("new", help="make an ed25519 key (readable by you alone)")
    new.add_argument(
        "path", type=Path, metavar="FILE", help="where the private half goes; FILE.pub gets the public one"
    )
    new.add_argument("--comment", default="", metavar="TEXT", help="a comment for the public half; it is published")
    options.add_passphrase(new)
    trust = sub.add_parser("trust", help="trust a public key for some modules (edits .jetproof/trust.toml)")
    trust.add_argument("path", type=Path, metavar="FILE.pub", help="the public half of a key")
    trust.add_argument("--name", required=True, metavar="NAME", help="the signer's name in reports; it is published")
    trust.add_argument(
        "--module",
        action="append",
        required=True,
        metavar="NAME",
        help=f"{options.MODULE}; it may speak for this one; repeatable",
    )
    trust.add_argument("--until", type=date.fromisoformat, metavar="DATE", help="last day on which it counts, in UTC")
    options.add_project(trust)
    for command in (new, trust):
        options.add_json(command, SCHEMA)


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked and tell."""
    from jetproof.evidence import keys, trust_edit

    if arguments.action == "new":
        made = keys.make(arguments.path, keys.passphrase(os.environ, arguments.passphrase_env), arguments.comment)
        _warn(made.private_path)
        members = {"keyid": made.keyid, "private": str(made.private_path), "public": str(made.public_path)}
        text = (
            f"made {made.private_path} (0600) and {made.public_path}\nkey id {made.keyid}\n{made.ssh_public}\n"
            f"next: jetproof keys trust {made.public_path} --name NAME --module MODULE\n"
        )
    else:
        added = trust_edit.trust(
            arguments.project, arguments.path, name=arguments.name, modules=arguments.module, until=arguments.until
        )
        members = {"keyid": added.key.keyid, "trust": str(added.file)}
        text = (
            f"{added.key.name} ({added.key.keyid[:8]}) may speak for {', '.join(added.key.modules)}\n"
            f"written to {added.file}; it counts once it is committed on the branch that judges\n"
        )
    sys.stdout.write(json.dumps({"schema": SCHEMA, **members}, indent=2) + "\n" if arguments.json else text)
    return 0


def _warn(private: Path) -> None:
    """Say on standard error when the next `git add` could publish the private half."""
    from jetproof.cli import streams
    from jetproof.errors import UsageError
    from jetproof.evidence.git import repository

    try:
        exposed = repository(private.parent).would_track(private)
    except UsageError:  # no checkout here, or no git
        return
    if exposed:
        streams.say(
            f"warning: {private} lies in a git work tree and nothing ignores it: git add could publish the key\n"
            f"hint: move it out of the checkout, or add {private.name} to .gitignore\n"
        )
