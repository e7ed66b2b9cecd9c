"""Qualify a gate on this machine."""

from __future__ import annotations

import argparse
import sys

from jetproof.cli import options
from jetproof.cli.source import add_source


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_run(parser)
    add_source(parser)


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add what a run needs besides the machine."""
    options.add_gate(parser)
    options.add_policy(parser)
    options.add_project(parser)
    options.add_output(parser, "DIR", "conditional-evidence in the project")
    options.add_rehearsal(parser)
    options.add_dry_run(parser)
    options.add_torch_wheel(parser, "FILE")
    parser.add_argument(
        "--challenge", metavar="NONCE|FILE", help="what jetproof challenge printed, or kept, for this run"
    )
    options.add_json(parser, "jetproof/record/1, with --dry-run jetproof/plan/1")


def run(arguments: argparse.Namespace) -> int:
    """Run the gate, write its files, tell the verdict."""
    from jetproof.cli.ahead import Ahead
    from jetproof.cli.source import target_of
    from jetproof.target.interface import CollectRequest

    target = target_of(arguments)
    snapshot = Ahead(lambda: target.collect(CollectRequest(trials=False)))

    from jetproof import tables
    from jetproof.cli.interruption import polite_kill_is_ctrl_c
    from jetproof.cli.verdict import planned, told
    from jetproof.errors import Undecided
    from jetproof.evidence.challenge import answer, suits
    from jetproof.policy.host import host_of
    from jetproof.qualify.folder import DEFAULT, Folder
    from jetproof.qualify.gate import Request, prepare, qualify
    from jetproof.qualify.pytest_folder import pytest_folder, pytest_folder_elsewhere
    from jetproof.render.gate_live import GateView
    from jetproof.render.reports import reports, write
    from jetproof_worker.catalogue import PROBES

    host = host_of(arguments.project, arguments.policy)
    text, challenge = (None, None) if arguments.challenge is None else answer(arguments.challenge)
    request = Request(
        loaded=host.loaded,
        gate=arguments.gate,
        project=host.root,
        output=arguments.output or arguments.project / DEFAULT,
        rehearsal=arguments.rehearsal,
        challenge=text,
        torch_wheel=arguments.torch_wheel,
        side_folder=pytest_folder if arguments.target is None else pytest_folder_elsewhere,
    )
    catalogue = {probe.id: probe for probe in PROBES}
    in_the_way: list[Undecided] | None = [] if arguments.dry_run else None
    prepared = prepare(request, snapshot.result(), tables.load(), catalogue, in_the_way=in_the_way)
    if challenge is not None:
        suits(challenge, prepared.plan.source.commit, prepared.plan.gate.id)
    if in_the_way is not None:
        return planned(prepared.plan, in_the_way, as_json=arguments.json)
    with polite_kill_is_ctrl_c(), GateView(prepared.plan, sys.stderr) as view:
        journal = qualify(request, prepared, target, on_entry=view)
    folder = Folder(out=request.output, gate=prepared.plan.gate.id)
    files = reports(journal)
    write(files, folder)
    return told(journal, files, where=folder.side, as_json=arguments.json)
