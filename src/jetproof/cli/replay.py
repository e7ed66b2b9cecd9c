"""Derive the verdict and every report again from a run's journal."""

from __future__ import annotations

import argparse

from jetproof.cli import options


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    options.add_run(parser)
    options.add_check(parser)
    options.add_json(parser, "jetproof/record/1")


def run(arguments: argparse.Namespace) -> int:
    """Replay the journal, write what is missing, and refuse when a file is not what the journal gives."""
    from jetproof.cli.verdict import told
    from jetproof.qualify.folder import run_folder
    from jetproof.qualify.journal import load, read
    from jetproof.render.reports import compare, reports

    folder = run_folder(arguments.run)
    journal = read(load(folder.journal))
    files = reports(journal)
    compare(files, folder, mend=not arguments.check)
    return told(journal, files, where=folder.side, as_json=arguments.json)
