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

from jetproof.cli import options

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
    options.add_gate(run_)
    options.add_project(run_)
    options.add_policy(run_)
    options.add_output(run_, "DIR", STATE)
    run_.add_argument("--resume", action="store_true", help="go on with what an earlier call left in --output")
    run_.add_argument("--parallel", metavar="N", type=_positive, help="boards at once; else the inventory's limit")
    options.add_rehearsal(run_)
    run_.add_argument("--into", metavar="DATABASE", type=Path, help="keep the results in a database, too (see load)")
    boards = sub.add_parser("boards", help="list the boards of an inventory")
    _add_inventory(boards)
    status = sub.add_parser("status", help="tell the summary of a fleet run again")
    status.add_argument(
        "state", metavar="DIR", type=Path, nargs="?", default=Path(STATE), help=f"a fleet run's --output ({STATE})"
    )
    load = sub.add_parser("load", help="keep the results of fleet runs in a database")
    _add_database(load)
    load.add_argument("states", metavar="DIR", type=Path, nargs="+", help="a fleet run's --output, or boards' outputs")
    query = sub.add_parser("query", help="ask a database: a ready view, or one SELECT")
    _add_database(query)
    query.add_argument("what", metavar="VIEW|SQL", nargs="?", help="without one the views are listed")
    query.add_argument("--limit", metavar="N", type=_positive, default=200, help="rows at most (default: 200)")
    query.add_argument(
        "--days", metavar="N", type=_positive, default=30, help="age of a green run at most (default: 30)"
    )
    for command, schema in ((run_, "fleet"), (boards, "fleet-boards"), (status, "fleet"), (load, "fleet-load")):
        options.add_json(command, f"jetproof/{schema}/1")
    options.add_json(query, "jetproof/fleet-table/1, without a view jetproof/fleet-views/1")
    emit = sub.add_parser("emit", help="write the same run for Kubernetes or GitHub")
    kinds = emit.add_subparsers(dest="engine", metavar="ENGINE", required=True)
    kubernetes = kinds.add_parser("kubernetes", help="a Job a board, for the NVIDIA device plugin")
    options.add_image(kubernetes, required=True)
    kubernetes.epilog = "The image must hold jetproof, torch, and the project in /project."
    kubernetes.add_argument("--namespace", default="jetproof", metavar="NAME", help="of the jobs (default: jetproof)")
    place = kubernetes.add_mutually_exclusive_group(required=True)
    place.add_argument("--claim", metavar="NAME", help="results go to this PersistentVolumeClaim")
    place.add_argument("--remote", metavar="NAME:PATH", help="results go to an object store that rclone reaches")
    kubernetes.add_argument("--uploader", metavar="NAME@sha256:…", help="an image with rclone; for --remote")
    kubernetes.add_argument("--secret", default="jetproof-results", metavar="NAME", help="rclone's settings")
    kubernetes.add_argument("--runtime-class", default="nvidia", metavar="NAME", help="of the pods (default: nvidia)")
    github = kinds.add_parser("github", help="a matrix over the labels of the boards' runners")
    for command in (kubernetes, github):
        _add_inventory(command)
        options.add_gate(command)
        options.add_python(command)
        options.add_output(command, "FILE", "standard output")


def _add_inventory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "inventory", metavar="INVENTORY", type=Path, help="TOML, or the JSON of `ansible-inventory --list`"
    )
    parser.add_argument("--board", action="append", default=[], metavar="NAME", help="this board only; repeatable")
    parser.add_argument("--label", action="append", default=[], metavar="LABEL", help="boards so labelled; repeatable")


def _add_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("database", metavar="DATABASE", type=Path, help="FILE.duckdb, or a folder for Parquet")


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

    arguments.state = arguments.output or Path(STATE)
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

    new = [add(arguments.database, of_folder(state)) for state in arguments.states]
    members = {"schema": "jetproof/fleet-load/1", "store": str(arguments.database), "new": sum(new)}
    text = f"{sum(new)} new runs in {arguments.database}\nnext: jetproof fleet query {arguments.database} passes\n"
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
        arguments.database, arguments.what, now=datetime.now(timezone.utc), days=arguments.days, limit=arguments.limit
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
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        write_atomically(arguments.output, text.encode("utf-8"))
    return 0
