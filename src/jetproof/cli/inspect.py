"""`jetproof inspect`: what this machine is, and a read-out of it that can be carried away."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from jetproof.cli import options
from jetproof.cli.source import add_source, read


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_source(parser)
    options.add_json(parser, "jetproof/facts/1")
    parser.add_argument("--all", action="store_true", help="every fact with the place it was read from")
    parser.add_argument(
        "--save",
        metavar="FILE",
        type=Path,
        help="write the read-out, without private data, for doctor --from or a bug report",
    )
    parser.add_argument("--trials", action="store_true", help="also import and try torch, as doctor does")


def run(arguments: argparse.Namespace) -> int:
    """Read, save if asked, render."""
    # a saved read-out is to serve the doctor, who judges trials
    snapshot = read(arguments, trials=arguments.trials or arguments.save is not None)

    from jetproof.facts.as_json import as_json
    from jetproof.facts.from_snapshot import facts as facts_of
    from jetproof.render.facts import told
    from jetproof.render.style import style_for
    from jetproof.tables import load

    if arguments.save is not None:
        from jetproof.target.write import write_atomically

        write_atomically(arguments.save, snapshot.dumps().encode())
    facts = facts_of(snapshot, load())
    if arguments.json:
        sys.stdout.write(json.dumps(as_json(facts), indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(told(facts, style_for(sys.stdout), everything=arguments.all))
    if arguments.save is not None:
        sys.stderr.write(f"saved {arguments.save}: judge it anywhere with jetproof doctor --from {arguments.save}\n")
    return 0
