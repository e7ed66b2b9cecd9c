"""Which torch is right for a board in the first place, with its conditions; and a given one installed and checked.

Nothing is downloaded unless a wheel or an index is named.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from jetproof.errors import ExitCode, JetproofError, Undecided, UsageError
from jetproof.facts.model import Facts, Outcome
from jetproof.install import uv as uv_program
from jetproof.install import venv
from jetproof.install.apply import OLDEST_PYTHON
from jetproof.install.build import Say
from jetproof.install.interpreter import Asker, Torch
from jetproof.install.journal import Entry, Phase, State
from jetproof.install.recovery import hand_over, recover
from jetproof.install.uv import Sources, Uv
from jetproof.tables import Tables, load
from jetproof.tables.builds import BuildOnStack, builds
from jetproof.tables.stacks import Stack, numbers

DEFAULT_NAME = ".venv-torch"


@dataclass(frozen=True, kw_only=True)
class Condition:
    """Something that has to be true before a build works."""

    text: str
    command: str | None = None


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
        raise UsageError("--wheel and --index cannot both be given")
    tables = load()
    chosen = tables.stack(stack) if stack else board(_facts(), tables)
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
    fitting = [one for one in builds(stack, tables.torch_builds) if one.verdict.verdict != "no"]
    return tuple(_choice(one, stack) for one in sorted(fitting, key=_order))


_KINDS = (
    "nvidia-wheel",
    "package-index",
    "pypi-wheel",
    "pytorch-index",
    "ngc-container",
    "dustynv-container",
    "conda",
    "community-wheel",
    "community-container",
    "source",
)
"""The vendor's own first, others' builds after, and what has to be built last."""


def _order(one: BuildOnStack) -> tuple[int, int, tuple[int, ...]]:
    kind = _KINDS.index(one.build.kind) if one.build.kind in _KINDS else len(_KINDS)
    number = re.match(r"\d+(?:\.\d+)*", one.build.torch_version or "")
    newest_first = tuple(-int(part) for part in number.group().split(".")) if number else ()
    return ("yes", "partly", "unproven").index(one.verdict.verdict), kind, newest_first


_BELOW_2 = "numpy<2"
_NOTED = (
    (
        "libcusparselt",
        Condition(
            text="libcusparseLt.so.0, which JetPack does not install: package libcusparselt0 of NVIDIA's repository",
            command="sudo apt-get install libcusparselt0",
        ),
    ),
    ("numpy 1", Condition(text="numpy below 2: it was built against NumPy 1", command=f"pip install '{_BELOW_2}'")),
)
"""What a note of the table means for a person: its telling word, and the condition."""


def _choice(one: BuildOnStack, stack: Stack) -> Choice:
    build = one.build
    needs: list[Condition] = []
    notes: list[str] = []
    if build.python and stack.python_tag not in build.python and "cp" in build.python:
        needs.append(Condition(text=f"a Python for {build.python}; the system's is {stack.python}"))
    elif build.python and "cp" in build.python:
        needs.append(Condition(text=f"Python {stack.python} ({stack.python_tag}), the system's own"))
    for note in build.notes:
        condition = next((known for word, known in _NOTED if word in note.lower()), None)
        if condition is None:
            notes.append(note)
        else:
            needs.append(condition)
    return Choice(
        on_stack=one,
        conditions=tuple(needs),
        notes=tuple(notes),
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
        return f"jetproof install --torch --stack {stack.name} --wheel {place}"
    if build.kind in ("package-index", "pytorch-index") and place.startswith("https://"):
        return f"jetproof install --torch --stack {stack.name} --index {place}"
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
    name = next((f"jp{text}" for text in _shorter(number) if f"jp{text}" in tables.stacks), None)
    if name is None:
        raise Undecided(
            f"JetPack {number} is in no table", hint="Name the nearest one with --stack.", reason="unknown-stack"
        )
    row = next((row for row in tables.modules if row.is_jetson and platform.module.value == row.name), None)
    if row is not None:
        return tables.stack(f"{name}/{row.id}")
    suffix = next((one.stack_suffix for one in tables.socs if one.soc == platform.soc.value), None)
    return tables.stack(f"{name}-{suffix}" if suffix and f"{name}-{suffix}" in tables.stacks else name)


def _shorter(number: str) -> Sequence[str]:
    parts = number.split(".")
    return [".".join(parts[:length]) for length in range(len(parts), 1, -1)]


def _facts() -> Facts:
    from jetproof.facts.from_snapshot import facts
    from jetproof.target.interface import CollectRequest
    from jetproof.target.local import LocalTarget

    return facts(LocalTarget().collect(CollectRequest(trials=False)), load())


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
        runner = Uv(program=uv_program.find(), keep_open=(held,), log=state.folder / f"{identity}.log")
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
        _BELOW_2 in (condition.command or "") and (wheel or index or "") in choice.on_stack.build.where
        for choice in named.choices
        for condition in choice.conditions
    )
    extra = [_BELOW_2] if below_two else []
    if wheel is not None:
        what = wheel if "://" in wheel else str(Path(wheel).absolute())
        say("installing the wheel")
        runner.run([*words, what, *extra, *sources.arguments()])
        return
    place = ["--index", str(index)]
    say("installing torch, torchvision and torchaudio from the index")
    try:
        runner.run([*words, "torch", "torchvision", "torchaudio", *extra, *place, *sources.arguments()])
    except JetproofError as error:
        say(f"not all three are to be had there, taking torch alone: {error.message.splitlines()[0]}")
        runner.run([*words, "torch", *extra, *place, *sources.arguments()])


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
