"""`jetproof fleet`: one gate on many boards, what they say together, and the same for engines that drive more."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jetproof.fleet.inventory import Inventory
    from jetproof.fleet.run import FleetResult
    from jetproof.fleet.state import BoardResult

STATE = "fleet-evidence"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    sub = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    run_ = sub.add_parser("run", help="run a gate on every board, so many at once")
    _add_inventory(run_)
    run_.add_argument("gate", metavar="GATE")
    run_.add_argument("--project", metavar="DIR", type=Path, default=Path(), help="top of the project under test")
    run_.add_argument("--policy", metavar="FILE", help="the policy, relative to the project; else pyproject's")
    run_.add_argument("--state", metavar="DIR", type=Path, default=Path(STATE), help=f"where results go ({STATE})")
    run_.add_argument("--resume", action="store_true", help="go on with what an earlier call left in --state")
    run_.add_argument("--parallel", metavar="N", type=_positive, help="boards at once; else the inventory's limit")
    run_.add_argument("--rehearsal", action="store_true", help="run an unclean checkout; proves nothing")
    run_.add_argument("--into", metavar="STORE", type=Path, help="keep the results in a store too (see load)")
    boards = sub.add_parser("boards", help="list the boards of an inventory")
    _add_inventory(boards)
    status = sub.add_parser("status", help="tell the summary of a fleet run again")
    status.add_argument("state", metavar="STATE", type=Path, nargs="?", default=Path(STATE))
    load = sub.add_parser("load", help="keep the results of fleet runs in a store: FILE.duckdb, or a Parquet folder")
    load.add_argument("store", metavar="STORE", type=Path)
    load.add_argument("states", metavar="STATE", type=Path, nargs="+", help="or a folder of boards' outputs")
    query = sub.add_parser("query", help="ask a store: a ready view, or one SELECT")
    query.add_argument("store", metavar="STORE", type=Path)
    query.add_argument("what", metavar="VIEW|SQL", nargs="?", help="without one the views are listed")
    query.add_argument("--limit", metavar="N", type=_positive, default=200, help="rows at most (200)")
    query.add_argument("--days", metavar="N", type=_positive, default=30, help="how old a green run may be (30)")
    for command in (run_, boards, status, load, query):
        command.add_argument("--json", action="store_true", help="the result as JSON")
    emit = sub.add_parser("emit", help="write the same run for Kubernetes or GitHub")
    kinds = emit.add_subparsers(dest="engine", metavar="ENGINE", required=True)
    kubernetes = kinds.add_parser("kubernetes", help="a Job a board, for the NVIDIA device plugin")
    kubernetes.add_argument("--image", required=True, metavar="IMAGE@sha256:…", help="with jetproof, torch, /project")
    kubernetes.add_argument("--namespace", default="jetproof", metavar="NAME")
    place = kubernetes.add_mutually_exclusive_group(required=True)
    place.add_argument("--claim", metavar="NAME", help="results go to this PersistentVolumeClaim")
    place.add_argument("--remote", metavar="NAME:PATH", help="results go to an object store that rclone reaches")
    kubernetes.add_argument("--uploader", metavar="IMAGE@sha256:…", help="with rclone; for --remote")
    kubernetes.add_argument("--secret", default="jetproof-results", metavar="NAME", help="rclone's settings")
    kubernetes.add_argument("--runtime-class", default="nvidia", metavar="NAME")
    github = kinds.add_parser("github", help="a matrix over the labels of the boards' runners")
    for command in (kubernetes, github):
        _add_inventory(command)
        command.add_argument("gate", metavar="GATE")
        command.add_argument("--python", metavar="PATH", help="for boards whose row names none")
        command.add_argument("--out", metavar="FILE", type=Path, help="the file (standard output)")


def _add_inventory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "inventory", metavar="INVENTORY", type=Path, help="TOML, or the JSON of `ansible-inventory --list`"
    )
    parser.add_argument("--board", action="append", default=[], metavar="NAME", help="this board only; repeatable")
    parser.add_argument("--label", action="append", default=[], metavar="LABEL", help="boards with this label")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked and tell."""
    actions: dict[str, Callable[[argparse.Namespace], int]] = {
        "run": _run,
        "boards": _boards,
        "status": _status,
        "load": _load,
        "query": _query,
        "emit": _emit,
    }
    return actions[arguments.action](arguments)


def _inventory(arguments: argparse.Namespace) -> Inventory:
    from jetproof.fleet.inventory import inventory

    return inventory(arguments.inventory).only(names=tuple(arguments.board), labels=tuple(arguments.label))


def _run(arguments: argparse.Namespace) -> int:
    from jetproof.cli.interruption import polite_kill_is_ctrl_c
    from jetproof.cli.progress import Progress
    from jetproof.fleet.run import FleetRequest, exit_code
    from jetproof.fleet.run import run as run_fleet
    from jetproof.policy.host import host_of
    from jetproof.qualify.gate import find_gate
    from jetproof.render.fleet import progress

    host = host_of(arguments.project, arguments.policy)
    request = FleetRequest(
        inventory=_inventory(arguments),
        gate=find_gate(host.loaded, arguments.gate).id,
        project=arguments.project,
        policy=arguments.policy,
        state=arguments.state,
        rehearsal=arguments.rehearsal,
        parallel=arguments.parallel,
        resume=arguments.resume,
    )
    if arguments.into is not None:
        from jetproof.fleet.store import duckdb_module

        duckdb_module()  # before anything runs, not after
    with polite_kill_is_ctrl_c(), Progress(sys.stderr, delay=0.0) as line:

        def told(result: BoardResult, done: int, total: int) -> None:
            text = progress(result, done, total)
            with suppress(OSError):  # whoever watched may have gone; the boards go on
                if line.shown:
                    line(text)
                else:
                    sys.stderr.write(text + "\n")

        found = run_fleet(request, told)
    if arguments.into is not None:
        from jetproof.fleet.rows import of_results
        from jetproof.fleet.store import add

        add(arguments.into, of_results(request.state, found.results))
    resume = ["jetproof", *sys.argv[1:], *([] if arguments.resume else ["--resume"])]
    _tell(found, request.gate, arguments, resume=shlex.join(resume))
    return int(exit_code(found))


def _tell(found: FleetResult, gate: str, arguments: argparse.Namespace, *, resume: str) -> None:
    from jetproof.render.fleet import as_json, summary
    from jetproof.render.style import style_for

    if arguments.json:
        sys.stdout.write(json.dumps(as_json(found, gate), indent=2) + "\n")
    else:
        text = summary(found, gate, state=str(arguments.state), resume=resume, style=style_for(sys.stdout))
        sys.stdout.write(text)


def _boards(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from jetproof.render.fleet import boards

    found = _inventory(arguments)
    if arguments.json:
        members = {"schema": "jetproof/fleet-boards/1", "boards": [asdict(board) for board in found.boards]}
        sys.stdout.write(json.dumps(members, indent=2) + "\n")
    else:
        sys.stdout.write(boards(found))
    return 0


def _status(arguments: argparse.Namespace) -> int:
    from jetproof.fleet.run import exit_code, reached

    found, gate = reached(arguments.state)
    _tell(found, gate, arguments, resume="the same jetproof fleet run with --resume")
    return int(exit_code(found))


def _load(arguments: argparse.Namespace) -> int:
    from jetproof.fleet.rows import of_folder
    from jetproof.fleet.store import add

    new = [add(arguments.store, of_folder(state)) for state in arguments.states]
    members = {"schema": "jetproof/fleet-load/1", "store": str(arguments.store), "new": sum(new)}
    text = f"{sum(new)} new runs in {arguments.store}\nnext: jetproof fleet query {arguments.store} passes\n"
    sys.stdout.write(json.dumps(members, indent=2) + "\n" if arguments.json else text)
    return 0


def _query(arguments: argparse.Namespace) -> int:
    from datetime import datetime, timezone

    from jetproof.fleet.query import VIEWS, query
    from jetproof.render.fleet import table, table_json

    if arguments.what is None:
        views = {name: text for name, (text, _) in VIEWS.items()}
        members = {"schema": "jetproof/fleet-views/1", "views": views}
        text = "".join(f"{name:<9}  {line}\n" for name, line in views.items())
        sys.stdout.write(json.dumps(members, indent=2) + "\n" if arguments.json else text)
        return 0
    found = query(
        arguments.store, arguments.what, now=datetime.now(timezone.utc), days=arguments.days, limit=arguments.limit
    )
    sys.stdout.write(
        json.dumps(table_json(found), indent=2) + "\n" if arguments.json else table(found, arguments.limit)
    )
    return 0


def _emit(arguments: argparse.Namespace) -> int:
    from jetproof.fleet.emit import Cluster, github, kubernetes
    from jetproof.target.write import write_atomically

    found = _inventory(arguments)
    if arguments.engine == "github":
        text = github(found, arguments.gate, python=arguments.python)
    else:
        cluster = Cluster(
            image=arguments.image,
            namespace=arguments.namespace,
            claim=arguments.claim,
            remote=arguments.remote,
            uploader=arguments.uploader,
            secret=arguments.secret,
            python=arguments.python,
            runtime_class=arguments.runtime_class,
        )
        text = kubernetes(found, arguments.gate, cluster)
    if arguments.out is None:
        sys.stdout.write(text)
    else:
        write_atomically(arguments.out, text.encode("utf-8"))
    return 0
