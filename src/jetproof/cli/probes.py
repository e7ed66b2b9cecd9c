"""List the probes, or show one probe's page."""

from __future__ import annotations

import argparse
import json
import sys

from jetproof.cli import options


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("probe", metavar="ID", nargs="?", help="show this probe's page")
    options.add_json(parser, "jetproof/probes/1")


def run(arguments: argparse.Namespace) -> int:
    """Print the list or the page."""
    from jetproof.render.probes import page, probes, probes_json
    from jetproof_worker.catalogue import PROBES

    if arguments.probe is not None:
        chosen = [page(arguments.probe, PROBES)]
        text = chosen[0]
    else:
        text = probes(PROBES)
    sys.stdout.write(json.dumps(probes_json(PROBES, arguments.probe), indent=2) + "\n" if arguments.json else text)
    return 0
