"""`jetproof evidence`: sign a run, keep what was signed, and hand it on."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jetproof.cli import options
from jetproof.cli.evidence_source import add_checkout, now, open_checkout

if TYPE_CHECKING:
    from jetproof.evidence.signer import Signer

SCHEMA = "jetproof/evidence/1"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    sub = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    sign = sub.add_parser("sign", help="sign the run in a folder; a failed run is signed too")
    options.add_run(sign)
    _add_key(sign)
    sign.add_argument(
        "--counter", type=Path, metavar="FILE", help="where the key's last number is kept (default: KEY.seq)"
    )
    options.add_output(sign, "FILE", "RUN.intoto.json beside the folder")
    listing = sub.add_parser("list", help="say what the store holds, and what is missing from it")
    show = sub.add_parser("show", help="print a statement")
    options.add_evidence(show)
    add = sub.add_parser("add", help="keep envelopes, failures like passes")
    add.add_argument("envelopes", nargs="+", type=Path, metavar="FILE", help="an envelope")
    add.add_argument("--with-side-files", action="store_true", help="keep the side files too; they hold logs")
    redact = sub.add_parser("redact", help="issue evidence again without what should not be published")
    options.add_evidence(redact)
    _add_key(redact)
    options.add_output(redact, "FILE", "the store, in place of the old one")
    prune = sub.add_parser("prune", help="let go what is older than the policy keeps")
    options.add_dry_run(prune)
    counter = sub.add_parser("countersign", help="write the predicate for actions/attest, if the evidence is proven")
    counter.add_argument("envelope", type=Path, metavar="FILE", help="an envelope")
    counter.add_argument(
        "--policy-uri", required=True, metavar="URI", help="where the policy of that commit can be read"
    )
    options.add_challenge_file(counter)
    options.add_side_files(counter)
    options.add_output(counter, "FILE", "standard output")
    for command in (listing, show, add, redact, prune, counter):
        add_checkout(command)
    for command in (sign, add, redact, prune):
        options.add_json(command, SCHEMA)
    options.add_json(listing, "jetproof/evidence-list/1")
    options.add_json(show, "in-toto's Statement v1; always")


def _add_key(parser: argparse.ArgumentParser) -> None:
    key = parser.add_mutually_exclusive_group(required=True)
    key.add_argument("--key", type=Path, metavar="FILE", help="an ed25519 key (jetproof keys new, or ssh-keygen)")
    key.add_argument("--signer", metavar="URI", help="a key that securesystemslib reaches, like hsm:2")
    parser.add_argument("--public-key", type=Path, metavar="FILE", help="the public half of --signer")
    options.add_passphrase(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked and tell."""
    actions: dict[str, Callable[[argparse.Namespace], int]] = {
        "sign": _sign,
        "list": _list,
        "show": _show,
        "add": _add,
        "redact": _redact,
        "prune": _prune,
        "countersign": _countersign,
    }
    return actions[arguments.action](arguments)


def _told(arguments: argparse.Namespace, members: dict[str, Any], text: str) -> int:
    sys.stdout.write(json.dumps({"schema": SCHEMA, **members}, indent=2) + "\n" if arguments.json else text)
    return 0


def _signer(arguments: argparse.Namespace) -> Signer:
    from jetproof.evidence.signers import signer

    return signer(
        os.environ,
        key=arguments.key,
        uri=arguments.signer,
        public=arguments.public_key,
        passphrase_env=arguments.passphrase_env,
    )


def _sign(arguments: argparse.Namespace) -> int:
    from jetproof.evidence.seal import counter_of, envelope_path, seal, url_of
    from jetproof.evidence.store import replace

    counter = arguments.counter or counter_of(arguments.key)
    made = seal(arguments.run, _signer(arguments), counter, url_of(os.environ))
    target = arguments.output or envelope_path(arguments.run)
    replace(target, made.envelope)
    members = {"file": str(target), "sha256": made.sha256, "seq": made.seq, "commit": made.commit, "gate": made.gate}
    what = "a pass" if made.proves else "a failure"
    text = f"signed {what} of {made.gate} at {made.commit[:12]}, number {made.seq}: {target}\n"
    return _told(arguments, {**members, "passed": made.proves}, text + f"next: jetproof verify {target}\n")


def _list(arguments: argparse.Namespace) -> int:
    from jetproof.evidence.store_work import contents
    from jetproof.render.evidence import listing
    from jetproof.render.style import style_for

    opened = open_checkout(arguments)
    found = contents(opened.store, opened.trust)
    if arguments.json:
        sys.stdout.write(json.dumps(found.as_json(), indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(listing(found.rows, found.sequences, found.odd, style_for(sys.stdout)))
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from jetproof.evidence.store_work import located, shown

    path, _ = located(open_checkout(arguments), arguments.evidence)
    for _, evidence in shown([path]):
        # escaped, so that foreign text cannot drive the terminal
        sys.stdout.write(json.dumps(evidence.statement.body, indent=2, ensure_ascii=True) + "\n")
    return 0


def _add(arguments: argparse.Namespace) -> int:
    from jetproof.evidence.store_work import add

    opened = open_checkout(arguments)
    found = [(path, add(opened, path, side_files=arguments.with_side_files)) for path in arguments.envelopes]
    members = {"added": [{"file": str(path), "sha256": one.sha256, "new": one.new} for path, one in found]}
    text = "".join(f"{'kept' if one.new else 'there already'}: {one.sha256} ({path})\n" for path, one in found)
    return _told(arguments, members, text)


def _redact(arguments: argparse.Namespace) -> int:
    from jetproof.evidence.store_work import redact

    sha256, file = redact(open_checkout(arguments), arguments.evidence, _signer(arguments), arguments.output)
    place = "in the store, in place of the old one" if file is None else str(file)
    members = {"sha256": sha256, "file": None if file is None else str(file)}
    return _told(arguments, members, f"issued again without private data: {sha256[:12]} {place}\n")


def _prune(arguments: argparse.Namespace) -> int:
    from jetproof.evidence.circumstances import POLICY_PATH
    from jetproof.evidence.store_work import prune, retention_days

    opened = open_checkout(arguments)
    days = retention_days(opened, POLICY_PATH)
    found = prune(opened, now(), days, dry=arguments.dry_run)
    members = {"pruned": list(found.sha256s), "held_back": list(found.held_back), "retention_days": days}
    verb = "would go" if arguments.dry_run else "gone"
    text = f"{len(found.sha256s)} pieces of evidence older than {days} days {verb}\n"
    if found.held_back:
        text += f"{len(found.held_back)} old failures stay: nothing cleared them\n"
    return _told(arguments, members, text)


def _countersign(arguments: argparse.Namespace) -> int:
    from jetproof.evidence.challenge import challenge_from
    from jetproof.evidence.countersign import predicate
    from jetproof.evidence.kept_challenges import kept_at
    from jetproof.evidence.store import replace
    from jetproof.evidence.verify_files import Asked, verified_files
    from jetproof.tables import load

    opened = open_checkout(arguments)
    asked = Asked(
        trust=opened.trust,
        tables=load(),
        now=now(),
        repository=opened.repository,
        base=arguments.base,
        side=arguments.side_files,
        challenge=None if arguments.challenge_file is None else challenge_from(arguments.challenge_file),
        kept=kept_at(opened.repository, opened.base),
        store=opened.store,
    )
    found, _ = verified_files([arguments.envelope], asked)
    data = json.dumps(predicate(found[0], policy_uri=arguments.policy_uri), indent=2).encode() + b"\n"
    if arguments.output is None:
        sys.stdout.write(data.decode())
    else:
        replace(arguments.output, data)
    return 0
