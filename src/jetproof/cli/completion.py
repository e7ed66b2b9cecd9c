"""`jetproof completion SHELL`: print the completion script of a shell."""

from __future__ import annotations

import argparse
import sys


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("shell", choices=("bash", "fish", "tcsh", "zsh"), help="whose script to print")
    parser.epilog = "Make the folder first where it is missing (mkdir -p); a shell that starts afterwards completes."


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    from jetproof.cli.main import parser

    sys.stdout.write(shtab.complete(parser(), shell=arguments.shell) + "\n")
    return 0
