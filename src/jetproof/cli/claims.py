"""`jetproof claims`: what the project may say today, until when, and what is missing for more."""

from __future__ import annotations

import argparse
import json
import sys

from jetproof.cli.evidence_source import add_checkout, now, open_checkout


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_checkout(parser)
    parser.add_argument("--at", default="HEAD", metavar="REV", help="the commit that is spoken of (default: HEAD)")
    parser.add_argument("--json", action="store_true", help="the claims as JSON (schema jetproof/claims/1)")
    parser.epilog = "Exit codes: 0 computed, 9 no valid policy or trust store, 2 wrong usage."


def run(arguments: argparse.Namespace) -> int:
    """Compute and tell."""
    from jetproof.claims.assess import assess_opened
    from jetproof.render import claims as render
    from jetproof.render.style import style_for
    from jetproof.tables import load

    found = assess_opened(
        open_checkout(arguments), revision=arguments.at, base=arguments.base, tables=load(), now=now()
    )
    if arguments.json:
        sys.stdout.write(json.dumps(render.as_json(found), indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(render.table(found, style_for(sys.stdout)))
    return 0
