"""What a board may answer: nothing of it is used before it has the form that its worker gives it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jetproof.errors import Undecided
from jetproof.target import shape

_DIFFERENCE = ("path", "what")
_READ = ("import torch", "cuda available")
_RELEASE = re.compile(r"\d{1,3}\.\d{1,3}(\.\w{1,20})?\+?")


@dataclass(frozen=True, kw_only=True)
class _Distribution:
    name: str
    release: str | None
    location: str
    active: bool
    requires: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class _Interpreter:
    executable: str
    version: str
    prefix: str
    base_prefix: str
    is_venv: bool
    is_conda: bool
    user_site: str | None
    machine: str
    glibc: str | None


@dataclass(frozen=True, kw_only=True)
class _Python:
    asked: str
    path: str
    status: str
    detail: str
    interpreter: _Interpreter | None


@dataclass(frozen=True, kw_only=True)
class _Data:
    """What the steps about torch itself measured; of others nothing is read."""

    torch: str | None = None
    file: str | None = None
    cuda: str | None = None
    arch_list: tuple[str, ...] | None = None
    available: bool | None = None


@dataclass(frozen=True, kw_only=True)
class _Trial:
    name: str
    outcome: str
    message: str = ""
    seconds: float | None = None
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class _Tried:
    steps: tuple[_Trial, ...]
    stderr: str = ""


@dataclass(frozen=True, kw_only=True)
class _Described:
    python: _Python
    tried: _Tried
    distributions: tuple[_Distribution, ...]


@dataclass(frozen=True, kw_only=True)
class _Looked(_Described):
    link: str | None
    stamp: Mapping[str, Any] | None
    environment: _Described | None


@dataclass(frozen=True, kw_only=True)
class _Installed:
    holds: bool
    link: str
    files: int
    differences: tuple[tuple[str, ...], ...]
    broken: tuple[str, ...]
    after: _Described
    recovered: tuple[str, ...] = field(default=())


@dataclass(frozen=True, kw_only=True)
class _Refused:
    reason: str
    message: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class _Step:
    text: str


_KINDS: dict[str, type[Any]] = {"looked": _Looked, "installed": _Installed, "refused": _Refused, "step": _Step}


def checked(record: Mapping[str, object], *wanted: str) -> str:
    """Return which of the wanted records it is. Raises Undecided for another one, and for another form."""
    try:
        return _read(record, wanted)
    except (shape.Misfit, RecursionError) as error:
        raise Undecided(
            f"the board answers what its worker never says: {error}",
            hint="Run it again; if it stays so, something on the board writes into the worker's answers.",
            reason="board-answer",
        ) from None


def _read(record: Mapping[str, object], wanted: tuple[str, ...]) -> str:
    kind = record.get("record")
    if not isinstance(kind, str) or kind not in wanted:
        raise shape.Misfit(f"record: {kind!r:.60} was not asked for")
    told = shape.read(_KINDS[kind], record)
    for one in _described(told):
        for step in one.tried.steps:
            if step.name in _READ:
                shape.read(_Data, step.data or {}, step.name)
        said = one.python.interpreter
        if said is not None and _RELEASE.fullmatch(said.version) is None:
            raise shape.Misfit("python.interpreter.version: it is no release of Python")
    if isinstance(told, _Installed) and any(len(one) != len(_DIFFERENCE) for one in told.differences):
        raise shape.Misfit("differences: each is a path and what became of it")
    return kind


def _described(told: object) -> list[_Described]:
    if isinstance(told, _Looked):
        return [told, *([told.environment] if told.environment is not None else [])]
    return [told.after] if isinstance(told, _Installed) else []
