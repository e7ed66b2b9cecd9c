"""Qualify a gate on this machine."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from jetproof.cli.source import add_source


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("gate", metavar="GATE", help="id or alias of a gate of the policy (see jetproof gates)")
    parser.add_argument("--policy", metavar="FILE", help="the policy, relative to the project; else pyproject's")
    parser.add_argument("--project", metavar="DIR", type=Path, default=Path(), help="top of the project under test")
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        help="where the files go; conditional-evidence in the project if not given",
    )
    parser.add_argument("--rehearsal", action="store_true", help="run an unclean checkout; proves nothing")
    parser.add_argument(
        "--plan", action="store_true", help="show what would be run and what is in the way; run nothing"
    )
    parser.add_argument(
        "--torch-wheel", metavar="FILE", type=Path, help="the wheel that torch was installed from, for a pinned tier"
    )
    parser.add_argument("--challenge", metavar="NONCE", help="a nonce that somebody else made for this run")
    parser.add_argument("--json", action="store_true", help="print the record instead of text")
    add_source(parser)


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
    from jetproof.policy.host import host_of
    from jetproof.qualify.folder import DEFAULT, Folder
    from jetproof.qualify.gate import Request, prepare, qualify
    from jetproof.qualify.pytest_folder import pytest_folder, pytest_folder_elsewhere
    from jetproof.render.gate_live import GateView
    from jetproof.render.reports import reports, write
    from jetproof_worker.catalogue import PROBES

    host = host_of(arguments.project, arguments.policy)
    request = Request(
        loaded=host.loaded,
        gate=arguments.gate,
        project=host.root,
        output=arguments.output or arguments.project / DEFAULT,
        rehearsal=arguments.rehearsal,
        challenge=arguments.challenge,
        torch_wheel=arguments.torch_wheel,
        side_folder=pytest_folder if arguments.target is None else pytest_folder_elsewhere,
    )
    catalogue = {probe.id: probe for probe in PROBES}
    in_the_way: list[Undecided] | None = [] if arguments.plan else None
    prepared = prepare(request, snapshot.result(), tables.load(), catalogue, in_the_way=in_the_way)
    if in_the_way is not None:
        return planned(prepared.plan, in_the_way, as_json=arguments.json)
    with polite_kill_is_ctrl_c(), GateView(prepared.plan, sys.stderr) as view:
        journal = qualify(request, prepared, target, on_entry=view)
    folder = Folder(out=request.output, gate=prepared.plan.gate.id)
    files = reports(journal)
    write(files, folder)
    return told(journal, files, where=folder.side, as_json=arguments.json)
