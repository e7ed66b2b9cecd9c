"""`jetproof verify`: whether evidence proves what it says."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from jetproof.cli import options
from jetproof.cli.evidence_source import add_checkout, now, open_checkout


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("path", type=Path, metavar="FILE|DIR", help="an envelope, a folder of envelopes, or a store")
    add_checkout(parser)
    options.add_commit(parser, "the one that the evidence names")
    options.add_side_files(parser)
    parser.add_argument(
        "--envelope-only", action="store_true", help="do without side files; the record is not replayed"
    )
    options.add_challenge_file(parser)
    parser.add_argument("--bundle", type=Path, metavar="FILE", help="a Sigstore bundle that countersigns the envelope")
    parser.add_argument("--signer-repository", metavar="URL", help="the bundle must be of this repository")
    parser.add_argument("--signer-workflow", metavar="PATH", help="the bundle must be signed by this workflow")
    parser.add_argument("--trusted-root", type=Path, metavar="FILE", help="a pinned Sigstore root of trust")
    options.add_json(parser, "jetproof/verification/1")
    parser.epilog = "Exit codes: 0 proven, 1 it stands and tells a failure, 6 invalid, 7 stale or clock, 2 wrong usage."


def run(arguments: argparse.Namespace) -> int:
    """Verify and tell."""
    from jetproof.evidence.challenge import challenge_from
    from jetproof.evidence.countersign import expected
    from jetproof.evidence.kept_challenges import kept_at
    from jetproof.evidence.opening import envelope_files
    from jetproof.evidence.store import FolderStore
    from jetproof.evidence.verify_files import Asked, verified_files, worst
    from jetproof.render import evidence as render
    from jetproof.render.style import style_for
    from jetproof.tables import load

    opened = open_checkout(arguments)
    asked = Asked(
        trust=opened.trust,
        tables=load(),
        now=now(),
        repository=opened.repository,
        commit=None if arguments.commit is None else opened.commit(arguments.commit),
        base=arguments.base,
        side=arguments.side_files,
        envelope_only=arguments.envelope_only,
        challenge=None if arguments.challenge_file is None else challenge_from(arguments.challenge_file),
        kept=kept_at(opened.repository, opened.base),
        store=opened.store,
        countersignature=arguments.bundle,
        countersigner=expected(arguments.bundle, arguments.signer_repository, arguments.signer_workflow),
        trusted_root=arguments.trusted_root,
    )
    found, _ = verified_files(envelope_files(arguments.path), asked, FolderStore(arguments.path).floors())
    if arguments.json:
        body = render.verification_json(found, opened.trust.read_from)
        sys.stdout.write(json.dumps(body, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(render.verification(found, style_for(sys.stdout), opened.trust.read_from))
    return int(worst(found))
