"""`jetproof audit`: would this project replace the vendor's torch on a Jetson? Asked on any machine."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.cli import options
from jetproof.cli.source import add_target
from jetproof.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from jetproof.install.audit import Audit
    from jetproof.install.case import Held
    from jetproof.install.stack_environment import StackBoard
    from jetproof.tables import Tables


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "path", nargs="?", type=Path, default=Path(), metavar="PATH", help="folder, lock, requirements, wheel or venv"
    )
    board = parser.add_argument_group("which board")
    where = board.add_mutually_exclusive_group()
    options.add_stack(where, default="")
    options.add_saved(where)
    add_target(where, default="none: name a stack or a read-out")
    options.add_python(board)
    board.add_argument("--python-release", metavar="RELEASE", help="another Python than the stack's, like 3.12")
    board.add_argument(
        "--held", action="append", default=[], metavar="NAME==NUMBER", help="what of the vendor has to stay; repeatable"
    )
    what = parser.add_argument_group("what of the project")
    options.add_wanted(what)
    what.add_argument(
        "--no-default-groups",
        action="store_true",
        help="without the groups that uv sync, poetry install or pdm install takes along",
    )
    what.add_argument("--resolve", action="store_true", help="let uv resolve what has no lock (uses the network)")
    options.add_index(what)
    form = parser.add_argument_group("output").add_mutually_exclusive_group()
    options.add_json(form, "jetproof/audit/1")
    options.add_sarif(form)
    options.add_github(form)
    options.add_markdown(form)
    form.add_argument(
        "--emit",
        choices=("constraints", "override", "excludes", "pyproject"),
        help="print what holds the vendor's torch for pip, for uv, or for pyproject.toml",
    )
    form.add_argument("--fix", action="store_true", help="write it into the project's pyproject.toml")
    options.add_diff(parser)
    parser.epilog = (
        "Exit codes: 0 the vendor's torch is kept, 1 it is replaced or the Python does not fit, "
        "2 wrong usage or input, 4 not determined."
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, judge, render."""
    if arguments.diff and not arguments.fix:
        raise UsageError("--diff shows what --fix would write", hint="add --fix")
    from jetproof.install import readers
    from jetproof.install.audit import audit
    from jetproof.tables import load

    tables = load()
    board, held = _board(arguments, tables)
    if arguments.emit:
        return _emit(arguments, held, board, tables)
    if arguments.fix:
        return _fix(arguments, held, board, tables)
    project = readers.read(arguments.path)
    if arguments.resolve and not project.locked:
        from jetproof.install.audit_resolution import resolved

        project = resolved(project, board, held, offline=arguments.offline, index_url=arguments.index_url)
    result = audit(
        project,
        board,
        tables,
        held=held,
        extras=arguments.extra,
        groups=arguments.group,
        default_groups=not arguments.no_default_groups,
        asked=str(arguments.path),
    )
    _print(arguments, result)
    return int(result.verdict.exit_code)


def _board(arguments: argparse.Namespace, tables: Tables) -> tuple[StackBoard, tuple[Held, ...]]:
    """Return the board that the options name, and what is held on it."""
    from jetproof.install.case import held as held_text
    from jetproof.install.stack_environment import board

    named = tuple(held_text(text) for text in arguments.held)
    if arguments.python is not None and arguments.target is None:
        raise UsageError(
            "--python names an interpreter of the board that --target names, and no --target was given",
            hint="another Python than the stack's is named by its release: --python-release 3.12",
        )
    if arguments.stack is not None:
        return board(tables.stack(arguments.stack), arguments.python_release), named
    if arguments.source is None and arguments.target is None:
        raise UsageError(
            "which board?",
            hint="name a stack, like --stack jp6.2, a read-out of a board, like --from board.json, or the board "
            "itself, like --target ssh://user@host",
            reason="no-board",
        )
    from jetproof.cli.source import read
    from jetproof.facts.from_snapshot import facts as facts_of
    from jetproof.install.board_from_facts import board_of, held_of

    facts = facts_of(read(arguments, trials=False), tables)
    found = {one.name: one for one in (*held_of(facts), *named)}
    return board_of(facts, tables, arguments.python_release), tuple(found.values())


def _emit(arguments: argparse.Namespace, held: tuple[Held, ...], board: StackBoard, tables: Tables) -> int:
    if arguments.emit == "pyproject":
        from jetproof.install.fix import table

        text = table(arguments.path, held, board, tables)
    else:
        from jetproof.install.holding import emitted

        text = emitted(arguments.emit, held, board, tables)
    sys.stdout.write(text)
    return int(ExitCode.OK)


def _fix(arguments: argparse.Namespace, held: tuple[Held, ...], board: StackBoard, tables: Tables) -> int:
    from jetproof.install.fix import fix
    from jetproof.render.audit_fix import told

    change = fix(arguments.path, held, board, tables, write=not arguments.diff)
    sys.stdout.write(told(change, diff=arguments.diff))
    return int(ExitCode.OK)


def _print(arguments: argparse.Namespace, result: Audit) -> None:
    from jetproof import __version__
    from jetproof.render import audit as render
    from jetproof.render.annotations import as_annotations
    from jetproof.render.sarif import as_sarif
    from jetproof.render.style import style_for

    if arguments.json:
        text = json.dumps(render.json_object(result), indent=2, ensure_ascii=False) + "\n"
    elif arguments.sarif:
        text = as_sarif(render.notices(result, _below(arguments.path)), release=__version__, command="audit")
    elif arguments.github:
        text = as_annotations(render.notices(result, _below(arguments.path))) + render.answer(result) + "\n"
    elif arguments.markdown:
        text = render.markdown(result)
    else:
        text = render.told(result, style_for(sys.stdout))
    sys.stdout.write(text)


def _below(path: Path) -> str:
    """The project's folder relative to the working folder, where a service looks for the files of a remark."""
    from jetproof.install.readers.document import project_root

    below = os.path.relpath(project_root(path.resolve()))
    return "" if below.startswith("..") or below == "." else below
