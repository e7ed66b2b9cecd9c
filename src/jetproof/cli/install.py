"""`jetproof install`: a project over the vendor's torch, which stays."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import closing
from pathlib import Path

from jetproof.cli import options
from jetproof.cli.interruption import polite_kill_is_ctrl_c
from jetproof.cli.source import add_target
from jetproof.errors import ExitCode, UsageError
from jetproof.facts.from_snapshot import facts
from jetproof.install import on_board, torch_source, uv
from jetproof.install.apply import Result, Status, install
from jetproof.install.asking import LocalAsker
from jetproof.install.board_from_facts import stack_of, this_stack
from jetproof.install.elsewhere import interpreter
from jetproof.install.plan import Agreed
from jetproof.install.planned import Request
from jetproof.install.quantization import Terms, policy_of
from jetproof.install.uv import Sources
from jetproof.install.wanted import root_of, wanted
from jetproof.render import install as rendering
from jetproof.render import torch_source as rendering_torch
from jetproof.render.style import printable_line, style_for
from jetproof.tables import load
from jetproof.tables.stacks import Stack
from jetproof.target.choice import choose
from jetproof.target.interface import CollectRequest
from jetproof.target.ssh import SshTarget
from jetproof.target.ssh_address import SCHEME


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "project", nargs="?", type=Path, metavar="PROJECT_OR_LOCK", help="folder, lock, requirements, wheel"
    )
    parser.add_argument("--venv", type=Path, metavar="DIR", help="where the environment appears (default .venv-jetson)")
    options.add_python(parser)
    add_target(parser)
    options.add_wanted(parser)
    parser.add_argument(
        "--no-project", action="store_true", help="install what the project needs, not the project itself"
    )
    options.add_dry_run(parser)
    parser.add_argument(
        "--allow-alpha", action="store_true", help="accept a vendor's alpha where its final is asked for"
    )
    parser.add_argument(
        "--allow-overrule", action="append", default=[], metavar="NAME", help="ignore what NAME asks of torch"
    )
    parser.add_argument("--deep", action="store_true", help="hash every protected file before and after")
    parser.add_argument("--tier", metavar="NAME", help="a tier of the policy; it decides about bitsandbytes")
    parser.add_argument(
        "--bitsandbytes", metavar="WHEEL_OR_INDEX", help="a build for this board, taken where the tier requires it"
    )
    options.add_timeout(parser, 3600, "each step of uv")
    parser.add_argument(
        "--patience", type=float, default=1.0, metavar="FACTOR", help="stretch torch's own limits: slow disks"
    )
    options.add_json(parser, "jetproof/install/1, with --torch jetproof/install-torch/1")
    sources = parser.add_argument_group("where packages come from")
    options.add_index(sources)
    sources.add_argument("--extra-index-url", action="append", default=[], metavar="URL", help="a further index")
    sources.add_argument("--find-links", action="append", default=[], metavar="DIR", help="a folder of wheels")
    sources.add_argument("--no-index", action="store_true", help="use --find-links only")
    torch = parser.add_argument_group("the torch itself")
    torch.add_argument("--torch", action="store_true", help="say which torch is right for a board; downloads nothing")
    options.add_stack(torch)
    options.add_torch_wheel(torch, "FILE_OR_URL")
    torch.add_argument("--torch-index", metavar="URL", help="the index that torch is installed from")


def run(arguments: argparse.Namespace) -> int:
    """Install, or name the right torch; return the exit code."""
    if arguments.torch:
        return _torch(arguments)
    if arguments.stack is not None and not arguments.dry_run:
        raise UsageError(
            "--stack plans for a board that is not at hand, and nothing can be installed there",
            hint="a board that SSH reaches: --target ssh://user@host; else "
            f"jetproof install {arguments.project or '.'} --stack {arguments.stack} --dry-run, or, for the torch "
            f"itself, jetproof install --torch --stack {arguments.stack}",
        )
    for name in ("torch_wheel", "torch_index"):
        value = getattr(arguments, name)
        if value is not None:
            raise UsageError(
                f"--{name.replace('_', '-')} belongs to --torch, which was not given",
                hint=f"which torch is right for a board: jetproof install --torch --{name.replace('_', '-')} {value}",
            )
    if arguments.project is None:
        raise UsageError("name a project, a lock, a requirements file or a wheel", hint="jetproof install . --dry-run")
    if arguments.target is not None:
        result = _on_board(arguments)
    else:
        result = install(_request(arguments), _asker(arguments), uv.find(), _say)
    _print(arguments, rendering.json_object(result), rendering.text(result, style_for(sys.stdout)))
    return int(_code(result))


def _on_board(arguments: argparse.Namespace) -> Result:
    """Install onto a board at the other end of a link."""
    if arguments.stack is not None:
        raise UsageError("--stack and --target contradict each other", hint="the board itself tells what it is")
    with polite_kill_is_ctrl_c(), closing(_board(arguments)) as board:
        return on_board.install(_request(arguments), board, uv.find(), _say, patience=max(arguments.patience, 0.1))


def _board(arguments: argparse.Namespace) -> SshTarget:
    if not arguments.target.startswith(SCHEME):
        raise UsageError(
            f"nothing can be installed to {arguments.target[:120]!r} from here",
            hint="a board is named as ssh://user@host; into an image: jetproof image build",
            reason="target-not-ssh",
        )
    return SshTarget(arguments.target, arguments.python)


def _stack_of_board(arguments: argparse.Namespace) -> Stack:
    """Read the board that is meant and return its stack."""
    with closing(_board(arguments)) as board:
        return stack_of(facts(board.collect(CollectRequest(trials=False)), load()), load())


def _request(arguments: argparse.Namespace) -> Request:
    return Request(
        wanted=wanted(
            arguments.project,
            extras=arguments.extra,
            groups=arguments.group,
            with_project=not arguments.no_project,
        ),
        root=root_of(arguments.project),
        venv=arguments.venv,
        python=arguments.python,
        dry_run=arguments.dry_run,
        elsewhere=None if arguments.stack is None else interpreter(load().stack(arguments.stack), load()),
        agreed=Agreed(alpha=arguments.allow_alpha, overrule=frozenset(arguments.allow_overrule)),
        sources=_sources(arguments),
        terms=_terms(arguments),
        deep=arguments.deep,
        timeout=arguments.timeout,
        variables=os.environ,
    )


def _terms(arguments: argparse.Namespace) -> Terms:
    return Terms(
        policy=lambda: policy_of(root_of(arguments.project)),
        stack=lambda: _stack(arguments),
        tier=arguments.tier,
        build=arguments.bitsandbytes,
        indexes=tuple(one for one in (arguments.index_url, *arguments.extra_index_url) if one is not None),
    )


def _stack(arguments: argparse.Namespace) -> Stack | None:
    if arguments.stack is not None:
        return load().stack(arguments.stack)
    return this_stack() if arguments.target is None else _stack_of_board(arguments)


def _sources(arguments: argparse.Namespace) -> Sources:
    return Sources(
        index_url=arguments.index_url,
        extra_index_urls=tuple(arguments.extra_index_url),
        find_links=tuple(os.path.abspath(place) if "://" not in place else place for place in arguments.find_links),  # noqa: PTH100 - text stays text
        offline=arguments.offline,
        no_index=arguments.no_index,
    )


def _asker(arguments: argparse.Namespace) -> LocalAsker:
    def chosen(python: str | None) -> tuple[str | None, str]:
        choice = choose(python, environment=os.environ, folder=Path.cwd())
        return choice.path, choice.asked

    return LocalAsker(choose=chosen, patience=max(arguments.patience, 0.1))


def _torch(arguments: argparse.Namespace) -> int:
    if arguments.target is not None:
        if arguments.torch_wheel is not None or arguments.torch_index is not None:
            raise UsageError("torch itself is installed on the board, not from here", hint="run it there")
        arguments.stack = arguments.stack or _stack_of_board(arguments).name
    found = torch_source.answer(
        stack=arguments.stack,
        python=arguments.python,
        wheel=arguments.torch_wheel,
        index=arguments.torch_index,
        venv=arguments.venv,
        sources=_sources(arguments),
        asker=_asker(arguments),
        say=_say,
    )
    _print(arguments, rendering_torch.json_object(found), rendering_torch.text(found, style_for(sys.stdout)))
    return int(torch_source.code(found))


def _code(result: Result) -> ExitCode:
    return ExitCode.NO if result.status is Status.UNDONE else ExitCode.OK


def _print(arguments: argparse.Namespace, body: dict[str, object], text: str) -> None:
    sys.stdout.write(json.dumps(body, ensure_ascii=False) + "\n" if arguments.json else text)


def _say(line: str) -> None:
    sys.stderr.write(f"jetproof: {printable_line(line)}\n")  # a board may have said it
    sys.stderr.flush()
