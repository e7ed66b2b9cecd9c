"""What a rule means, for a person at a terminal: its module's docstring is its page."""

from __future__ import annotations

import difflib
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from jetproof.errors import UsageError
from jetproof.render.style import PLAIN, Style


class Documented(Protocol):
    """Anything with an id, a name, and a check whose module's docstring tells what it means."""

    @property
    def id(self) -> str:
        """Like JD012."""
        ...

    @property
    def name(self) -> str:
        """The fault in a few words with hyphens."""
        ...

    @property
    def check(self) -> Callable[..., Any]:
        """The function that finds the fault."""
        ...


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """One rule and what its author wrote about it."""

    id: str
    name: str
    what: str
    text: str


def meanings(rules: Iterable[Documented]) -> tuple[Meaning, ...]:
    """Return what each rule means, in the given order."""
    found = []
    for rule in rules:
        text = inspect.cleandoc(sys.modules[rule.check.__module__].__doc__ or "")
        found.append(Meaning(id=rule.id, name=rule.name, what=text.split("\n", 1)[0], text=text))
    return tuple(found)


def listed(rules: Sequence[Meaning], style: Style = PLAIN) -> str:
    """Return one line a rule."""
    width = max((len(rule.name) for rule in rules), default=0)
    return "".join(f"{style(rule.id, 'bold')}  {rule.name.ljust(width)}  {rule.what}\n" for rule in rules)


def told(rule: Meaning, style: Style = PLAIN) -> str:
    """Return a rule's page."""
    return f"{style(f'{rule.id} {rule.name}', 'bold')}\n\n{rule.text.rstrip()}\n"


def find(rules: Sequence[Meaning], wanted: str) -> Meaning:
    """Return the rule of that id or name. Raises UsageError that names the nearest ones."""
    for rule in rules:
        if wanted.lower() in (rule.id.lower(), rule.name.lower()):
            return rule
    near = difflib.get_close_matches(wanted, [word for rule in rules for word in (rule.id, rule.name)], n=3, cutoff=0.5)
    raise UsageError(
        f"there is no rule {wanted}",
        hint=f"did you mean {', '.join(near)}?" if near else "jetproof rules lists them all",
        reason="no-such-rule",
    )
