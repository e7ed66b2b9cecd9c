"""`jetproof report`: a report for an issue that holds nothing private, from a run or from this machine."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.cli import options
from jetproof.cli.source import add_source, read

if TYPE_CHECKING:
    from jetproof.qualify.runtime_report import Report


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_run(parser, optional=True)
    add_source(parser)
    form = parser.add_mutually_exclusive_group()
    options.add_json(form, "jetproof/report/1")
    options.add_markdown(form)
    parser.epilog = (
        "Without RUN it reports on this machine; a failed run is reported, too. "
        "Exit codes: 0 reported, whatever the run's outcome; 2 wrong usage, or no run there."
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, choose what may be published, print."""
    from jetproof.render import runtime_report as render

    report = _machine(arguments) if arguments.run is None else _run(arguments.run)
    if arguments.json:
        sys.stdout.write(json.dumps(report.as_json(), indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(render.markdown(report) if arguments.markdown else render.text(report))
    return 0


def _machine(arguments: argparse.Namespace) -> Report:
    snapshot = read(arguments, trials=True)

    from jetproof.diagnosis.engine import diagnose
    from jetproof.facts.from_snapshot import facts as facts_of
    from jetproof.qualify.machine import told
    from jetproof.qualify.runtime_report import of_machine
    from jetproof.tables import load

    tables = load()
    facts = facts_of(snapshot, tables)
    return of_machine(told(facts), diagnose(facts, tables), tables)


def _run(path: Path) -> Report:
    from jetproof.qualify import journal
    from jetproof.qualify.folder import run_folder
    from jetproof.qualify.record import record
    from jetproof.qualify.runtime_report import of_run
    from jetproof.tables import load

    return of_run(record(journal.read(journal.load(run_folder(path).journal))), load())
