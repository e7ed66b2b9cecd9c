"""Which torch is right for a board in the first place, with its conditions; and a given one installed and checked.

Nothing is downloaded unless a wheel or an index is named.
"""

from __future__ import annotations

import os
import secrets
import time
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from jetproof.errors import ExitCode, JetproofError, Undecided, UsageError
from jetproof.facts.model import Facts, Outcome
from jetproof.facts.stack import stack_of
from jetproof.install import uv as uv_program
from jetproof.install import uv_settings, venv
from jetproof.install.board_from_facts import this_machine
from jetproof.install.build import Say
from jetproof.install.interpreter import Asker, Torch
from jetproof.install.journal import Entry, Phase, State
from jetproof.install.planned import OLDEST_PYTHON
from jetproof.install.recovery import hand_over, recover
from jetproof.install.uv import Sources, Uv
from jetproof.tables import Tables, load
from jetproof.tables.builds import BuildOnStack
from jetproof.tables.sources import BELOW_2, INDEXES, Condition, best_first, conditions, requirements
from jetproof.tables.stacks import Stack, numbers

DEFAULT_NAME = ".venv-torch"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One source of torch for a stack, with what it needs and how its siblings are had."""

    on_stack: BuildOnStack
    conditions: tuple[Condition, ...]
    notes: tuple[str, ...]
    """What else the table says about it."""
    siblings: str
    command: str | None
    """What installs it; None for an image or a build from source."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that was looked at after a torch had been installed. `passed` is None when it could not be."""

    name: str
    passed: bool | None
    told: str


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The sources for a stack, the best first; with a given wheel or index also what became of it."""

    stack: Stack
    choices: tuple[Choice, ...]
    installed: Path | None = None
    checks: tuple[Check, ...] = ()
    undone: bool = False


def answer(
    *,
    stack: str | None,
    python: str | None,
    wheel: str | None,
    index: str | None,
    venv: Path | None,
    sources: Sources,
    asker: Asker,
    say: Say,
) -> Answer:
    """Name the sources; with a wheel or an index install from it into an environment of its own and check that."""
    if wheel and index:
        raise UsageError("--torch-wheel and --torch-index cannot both be given")
    tables = load()
    chosen = tables.stack(stack) if stack else board(this_machine(), tables)
    named = Answer(stack=chosen, choices=choices(chosen, tables))
    if not wheel and not index:
        return named
    return _install(named, python, wheel, index, venv or Path(DEFAULT_NAME), sources, asker, say)


def code(found: Answer) -> ExitCode:
    """Return the exit code: NO for a torch that failed, UNDECIDED for what could not be checked or is not known."""
    if found.undone or any(check.passed is False for check in found.checks):
        return ExitCode.NO
    if any(check.passed is None for check in found.checks):
        return ExitCode.UNDECIDED
    return ExitCode.OK if found.checks or found.choices else ExitCode.UNDECIDED


def choices(stack: Stack, tables: Tables) -> tuple[Choice, ...]:
    """Return what may work on the stack: what is made for it first, a vendor's wheels before others' builds."""
    return tuple(_choice(one, stack) for one in best_first(stack, tables.torch_builds))


def _choice(one: BuildOnStack, stack: Stack) -> Choice:
    needs, notes = conditions(one, stack)
    return Choice(
        on_stack=one,
        conditions=needs,
        notes=notes,
        siblings=_siblings(one),
        command=_command(one, stack),
    )


def _siblings(one: BuildOnStack) -> str:
    kind = one.build.kind
    if kind == "nvidia-wheel":
        return "torchvision and torchaudio are built from source against this wheel; PyPI's do not load beside it"
    if kind in ("package-index", "pytorch-index", "pypi-wheel"):
        return "torchvision and torchaudio come from the same index, never from another"
    if kind.endswith("container"):
        return "torchvision and torchaudio, where there are any, are inside the image"
    return "torchvision and torchaudio have to be built against it"


def _command(one: BuildOnStack, stack: Stack) -> str | None:
    build = one.build
    place = build.where.split(" ")[0]
    if place.startswith("https://") and _is_wheel(place):
        if numbers(stack.python) < OLDEST_PYTHON:
            return f"python{stack.python} -m pip install {place}"
        return f"jetproof install --torch --stack {stack.name} --torch-wheel {place}"
    if build.kind in INDEXES and place.startswith("https://"):
        return f"jetproof install --torch --stack {stack.name} --torch-index {place}"
    if build.kind.endswith("container") and "://" not in place:
        return f"docker run --rm -it --runtime nvidia {place}"
    return None


def _is_wheel(address: str) -> bool:
    """Whether the last part of an address is a wheel's proper name, which installers read."""
    try:
        parse_wheel_filename(unquote(address.rpartition("/")[2]))
    except InvalidWheelFilename:
        return False
    return True


def board(facts: Facts, tables: Tables) -> Stack:
    """Return the stack of the machine. Undecided when it is no Jetson or its JetPack is not known."""
    platform = facts.platform
    if platform.is_jetson.value is not True or platform.jetpack.value is None:
        what = "no Jetson" if platform.is_jetson.value is False else "not known to be a Jetson with a known JetPack"
        raise Undecided(
            f"this machine is {what}, so that no torch can be named for it",
            hint="Name a board: jetproof install --torch --stack jp6.2",
            reason="no-stack",
        )
    number = platform.jetpack.value
    found = stack_of(facts, tables, number)
    if found is None:
        raise Undecided(
            f"JetPack {number} is in no table", hint="Name the nearest one with --stack.", reason="unknown-stack"
        )
    return found


def _install(
    named: Answer,
    python: str | None,
    wheel: str | None,
    index: str | None,
    link: Path,
    sources: Sources,
    asker: Asker,
    say: Say,
) -> Answer:
    root = link.absolute().parent
    state = State(root=root / ".jetproof")
    state.prepare()
    with state.lock() as held:
        recover(state)
        base = asker.ask(python)
        if base.is_venv:
            base = asker.ask(str(base.base_prefix / "bin" / "python3"))
        target = venv.target(link, base, root, state)
        if target.in_place:
            raise UsageError(f"{link} is in use", hint="Give a path that does not exist yet.", reason="target-is-venv")
        identity = time.strftime("%Y%m%d-%H%M%S-", time.gmtime()) + secrets.token_hex(3)
        environment = state.venvs / identity
        config = state.folder / "scratch.toml"
        config.write_text(uv_settings.settings(root, os.environ, with_pip=not sources.named).text, encoding="utf-8")
        log = state.folder / f"{identity}.log"
        runner = Uv(program=uv_program.find(), keep_open=(held,), log=log, config=config)
        entry = Entry(id=identity, phase=Phase.BUILDING, environment=str(environment), link=str(target.path))
        state.write(entry)
        try:
            say(f"building {environment}")
            make = ["venv", "-q", "--no-project", "--system-site-packages", "--python", str(base.executable)]
            runner.run([*make, str(environment)], cwd=state.folder)
            _fetch(runner, named, wheel, index, venv.python_of(environment), sources, say)
            say("checking it")
            found = asker.ask(str(venv.python_of(environment)))
        except BaseException:
            venv.drop(environment, state)
            state.clear()
            raise
        made = checks(found.torch, named.stack)
        if any(check.passed is False for check in made):
            venv.drop(environment, state)
            state.clear()
            return replace(named, checks=made, undone=True)
        hand_over(entry, state)
        return replace(named, checks=made, installed=target.path)


def _fetch(
    runner: Uv, named: Answer, wheel: str | None, index: str | None, python: Path, sources: Sources, say: Say
) -> None:
    words = ["pip", "install", "-q", "--python", str(python)]
    below_two = any(
        BELOW_2 in (condition.command or "") and (wheel or index or "") in choice.on_stack.build.where
        for choice in named.choices
        for condition in choice.conditions
    )
    extra = [BELOW_2] if below_two else []
    if wheel is not None:
        what = wheel if "://" in wheel else str(Path(wheel).absolute())
        say("installing the wheel")
        runner.run([*words, what, *extra, *sources.arguments()])
        return
    place = ["--index", str(index)]
    known = next((one.on_stack for one in named.choices if (index or "").rstrip("/") == one.on_stack.build.where), None)
    wanted = requirements(known) if known else ("torch", "torchvision", "torchaudio")
    say(f"installing {', '.join(wanted)} from the index")
    try:
        runner.run([*words, *wanted, *extra, *place, *sources.arguments()])
    except JetproofError as error:
        say(f"not all three are to be had there, taking torch alone: {error.message.splitlines()[0]}")
        runner.run([*words, wanted[0], *extra, *place, *sources.arguments()])


def checks(torch: Torch, stack: Stack) -> tuple[Check, ...]:
    """Judge a torch that was just installed: does it import, is it for CUDA, for this GPU, does it compute."""
    if torch.release is None:
        return (Check(name="imports", passed=False, told=torch.message[:500] or "torch does not import"),)
    made = [Check(name="imports", passed=True, told=f"torch {torch.release} from {torch.file}")]
    built = torch.built_for_cuda
    made.append(
        Check(name="built for CUDA", passed=built is not None, told=f"CUDA {built}" if built else "built without CUDA")
    )
    if torch.arch_list is None:
        made.append(Check(name="built for this GPU", passed=None, told="the build does not tell its architectures"))
    else:
        lacking = [flag for flag in stack.sm_flags if flag not in torch.arch_list]
        told = f"it has {', '.join(torch.arch_list) or 'none'}" + (f", not {', '.join(lacking)}" if lacking else "")
        made.append(Check(name="built for this GPU", passed=not lacking, told=told))
    made.append(
        Check(
            name="a device answers",
            passed=True if torch.available else None,
            told="yes" if torch.available else "no; run this on the board itself",
        )
    )
    passes = torch.outcome is Outcome.OK
    made.append(Check(name="one operation passes", passed=passes, told="matmul" if passes else torch.message[:500]))
    return tuple(made)
