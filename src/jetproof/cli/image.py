"""`jetproof image`: the right base image, a project over it that keeps its torch, and a gate inside it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.cli import options
from jetproof.cli.source import add_source

if TYPE_CHECKING:
    from jetproof.image.choose import Choice
    from jetproof.image.dockerfile import Recipe

_SCHEMAS = {"choose": "choice", "plan": "plan", "dockerfile": "plan", "build": "built"}
_GPU = ("auto", "runtime", "cdi", "none")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's own commands."""
    sub = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _command(sub, "choose", "name the base image that is right for this board, or say that none is", board=True)
    for name, told in (
        ("plan", "show what a build would do"),
        ("dockerfile", "print the Dockerfile, or write all that a build needs"),
        ("build", "build the image; the build fails if torch would be replaced"),
    ):
        one = _command(sub, name, told, board=True)
        one.add_argument("project", metavar="PROJECT", type=Path, help="top of the project to install")
        one.add_argument("--base-image", metavar="NAME@sha256:…", help="the base image (default: the policy's pin)")
        one.add_argument("--base-python", metavar="PATH", default="python3", help="the image's Python that holds torch")
        options.add_wanted(one, groups=False)
        one.add_argument("--wheels", metavar="DIR", type=Path, help="install from these wheels alone, without network")
        one.add_argument("--tag", metavar="NAME:TAG", default="jetproof-image:built", help="what the image is called")
        if name == "dockerfile":
            options.add_output(one, "DIR", "the Dockerfile alone, on standard output")
        if name == "build":
            options.add_timeout(one, 7200, "the build")
    from jetproof.cli import run as run_command

    one = sub.add_parser("run", help="qualify a gate in a container of the image")
    one.add_argument("image", metavar="NAME@sha256:…", help="the image that the gate runs in, by its digest")
    run_command.add_run(one)
    options.add_python(one)
    one.add_argument("--gpu", choices=_GPU, default="auto", help="how the container gets at the GPU")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked and return the exit code."""
    match arguments.action:
        case "choose":
            return _choose(arguments)
        case "run":
            from jetproof.cli import run as run_command

            arguments.target, arguments.source = f"container:{arguments.image}", None
            return run_command.run(arguments)
        case "build":
            return _build(arguments)
        case _:
            return _plan(arguments)


def _command(
    sub: argparse._SubParsersAction[argparse.ArgumentParser], name: str, told: str, *, board: bool
) -> argparse.ArgumentParser:
    one = sub.add_parser(name, help=told)
    if board:
        options.add_stack(one)
        options.add_policy(one)
        add_source(one)
    options.add_json(one, f"jetproof/image-{_SCHEMAS[name]}/1")
    return one


def _choice(arguments: argparse.Namespace, project: Path) -> Choice:
    from jetproof import tables
    from jetproof.image.choose import choose
    from jetproof.policy.load import load

    rows = tables.load()
    loaded = load(project, arguments.policy)
    policy = None if loaded.built_in else loaded.policy
    if arguments.stack is not None:
        stack = rows.stack(arguments.stack)
        return choose(stack, stack.l4t, rows, policy)
    from jetproof.cli.source import read
    from jetproof.facts.from_snapshot import facts as facts_of
    from jetproof.install.board_from_facts import stack_of

    facts = facts_of(read(arguments, trials=False), rows)
    stack = stack_of(facts, rows)
    return choose(stack, facts.platform.l4t.value or stack.l4t, rows, policy)


def _choose(arguments: argparse.Namespace) -> int:
    from jetproof.errors import ExitCode
    from jetproof.render import image as render

    choice = _choice(arguments, Path())
    _print(arguments, render.choice_json(choice), render.choice_text(choice))
    return int(ExitCode.OK if choice.best is not None or choice.pinned else ExitCode.NO)


def _recipe(arguments: argparse.Namespace) -> tuple[Recipe, str]:
    from jetproof.errors import UsageError
    from jetproof.image.dockerfile import Recipe
    from jetproof.image.pinned import base_of

    if not arguments.project.is_dir():
        raise UsageError(f"{arguments.project} is no folder", hint="name the top of the project")
    choice = None if arguments.base_image is not None else _choice(arguments, arguments.project)
    base, why = base_of(arguments.base_image, choice)
    recipe = Recipe(
        base=base,
        python=arguments.base_python,
        extras=tuple(arguments.extra),
        wheels=arguments.wheels is not None,
        reason=f"base: {why}",
    )
    return recipe, why


def _plan(arguments: argparse.Namespace) -> int:
    from jetproof.image.dockerfile import dockerfile
    from jetproof.render import image as render

    recipe, why = _recipe(arguments)
    text = dockerfile(recipe)
    told = render.plan_json(recipe, why, arguments.tag, text)
    if arguments.action == "plan":
        _print(arguments, told, render.plan_text(recipe, why, arguments.tag))
        return 0
    if arguments.output is not None:
        from jetproof.image.build import new_context

        new_context(arguments.output, recipe, arguments.project, arguments.wheels)
        sys.stderr.write(f"written: {arguments.output}; build it there with docker build {arguments.output}\n")
    _print(arguments, told, text)
    return 0


def _build(arguments: argparse.Namespace) -> int:
    from jetproof import tables
    from jetproof.image.build import build
    from jetproof.image.engine import find
    from jetproof.render import image as render
    from jetproof.render.style import printable

    recipe, _ = _recipe(arguments)

    def shown(chunk: bytes) -> None:
        sys.stderr.write("\n".join(printable(line) for line in chunk.decode("utf-8", "replace").split("\n")))
        sys.stderr.flush()

    built = build(
        find(),
        recipe,
        arguments.project,
        name=arguments.tag,
        wheels=arguments.wheels,
        timeout=arguments.timeout,
        tables=tables.load(),
        on_output=shown,
    )
    _print(arguments, render.built_json(built), render.built_text(built))
    return 0


def _print(arguments: argparse.Namespace, body: dict[str, object], text: str) -> None:
    sys.stdout.write(json.dumps(body, indent=2, ensure_ascii=False) + "\n" if arguments.json else text)
