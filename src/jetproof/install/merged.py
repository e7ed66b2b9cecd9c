"""Unmet requirements over everything an environment sees, its own packages and the vendor's beneath, each explained.

uv's own check looks at the environment alone and calls the vendor's torch missing; this one looks at both levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from jetproof.install.fit import Fit, fit
from jetproof.install.held import is_held
from jetproof.install.interpreter import Interpreter
from jetproof.install.plan import holds


class Why(Enum):
    """Why a requirement is unmet."""

    HELD_ABSENT = "it is the vendor's and is not there"
    ALPHA = "the vendor's build meets it by its release number only"
    OVERRULED = "the vendor's build does not meet it, and that was agreed to"
    BEFORE = "it was unmet before"
    OTHER = "not explained"


@dataclass(frozen=True, kw_only=True)
class Unmet:
    """One requirement that nothing meets."""

    by: str
    requirement: str
    present: str | None
    why: Why


def unmet(now: Interpreter, before: Interpreter) -> tuple[Unmet, ...]:
    """Return every unmet requirement of the packages that an import would find."""
    old = {(by, text) for by, text, _, _ in _unmet(before)}
    found: list[Unmet] = []
    for by, text, present, kind in _unmet(now):
        why = _explained(Requirement(text).name, present, kind)
        if why is Why.OTHER and (by, text) in old:
            why = Why.BEFORE
        found.append(Unmet(by=by, requirement=text, present=present, why=why))
    return tuple(found)


def _explained(name: str, present: str | None, kind: Fit | None) -> Why:
    if not is_held(name):
        return Why.OTHER
    if present is None:
        return Why.HELD_ABSENT
    return Why.ALPHA if kind is Fit.ALPHA else Why.OVERRULED


def _unmet(interpreter: Interpreter) -> list[tuple[str, str, str | None, Fit | None]]:
    active = {dist.name: dist for dist in interpreter.distributions if dist.active}
    found: list[tuple[str, str, str | None, Fit | None]] = []
    for dist in active.values():
        for text in dist.requires:
            try:
                asked = Requirement(text)
            except InvalidRequirement:
                continue
            if asked.marker is not None and not holds(str(asked.marker), interpreter.markers):
                continue
            there = active.get(canonicalize_name(asked.name))
            bare = text.partition(";")[0].strip()
            if there is None:
                found.append((f"{dist.name} {dist.release}", bare, None, None))
            elif (kind := fit(asked.specifier, there.release)) is not Fit.AS_IS:
                found.append((f"{dist.name} {dist.release}", bare, there.release, kind))
    return found
