"""Derive the verdict and every report again from a run's journal."""

from __future__ import annotations

import argparse
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="a run's folder, like conditional-evidence/jetson-cuda-runtime"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; missing files are a difference, too")
    parser.add_argument("--json", action="store_true", help="print the record instead of text")


def run(arguments: argparse.Namespace) -> int:
    """Replay the journal, write what is missing, and refuse when a file is not what the journal gives."""
    from jetproof.cli.verdict import told
    from jetproof.qualify.folder import run_folder
    from jetproof.qualify.journal import load, read
    from jetproof.render.reports import compare, reports

    folder = run_folder(arguments.folder)
    journal = read(load(folder.journal))
    files = reports(journal)
    compare(files, folder, mend=not arguments.check)
    return told(journal, files, where=folder.side, as_json=arguments.json)
