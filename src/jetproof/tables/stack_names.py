"""Which stack a person means who writes "L4T 36.4.3", "AGX Orin 6.2", "jetpack-6.2.1" or "thor"."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from jetproof.errors import UsageError
from jetproof.tables.rows import Module

if TYPE_CHECKING:
    from jetproof.tables.stacks import Stack

_NUMBER = re.compile(r"(?<![a-z0-9.])(?:jp|jetpack|r|l4t)*([0-9]{1,4}(?:\.[0-9]{1,4})*)(?![a-z0-9.])")
_RELEASE_FILE = re.compile(r"r(\d+)-release-revision-(\d+(?:\.\d+)*)")
_FILLING = frozenset({"jetson", "nvidia", "jetpack", "jp", "l4t", "r", "on", "with", "developer", "devkit", "kit"})
_FIRST_L4T = 20
"""L4T counts from the twenties on, JetPack below: one number tells which of the two is meant."""
_MAX = 80
"""Characters of a name; longer ones are none."""


def meant(named: Mapping[str, Stack], modules: Sequence[Module], name: str) -> str:
    """Return the name of the stack that is meant, with "/module" behind it where one module is named.

    UsageError: nothing fits, or several do; the hint lists them.
    """
    plain = name.strip().lower()
    if plain.partition("/")[0] in named:
        return plain
    words = re.sub(r"[^a-z0-9.]+", "-", plain[:_MAX]).strip("-")
    release_file = _RELEASE_FILE.match(words)
    if release_file:
        words = f"{release_file[1]}.{release_file[2]}"
    if words in named:
        return words
    number = _NUMBER.search(words)
    lines = _lines(named, _number(number[1]), name) if number else ()
    rest = [word for word in _NUMBER.sub("", words, count=1).split("-") if word and word not in _FILLING]
    if not rest and lines:
        return _only(lines, name)
    fitting = [row for row in modules if row.is_jetson and set(rest) <= set(row.id.split("-"))]
    if not rest or not fitting:
        raise _unknown(named, modules, name, words)
    socs = {row.soc for row in fitting}
    if not lines:
        return _newest(named, socs, name)
    line = _only(lines, name)
    one = fitting[0].id if len(fitting) == 1 or "-".join(rest) == fitting[0].id else None
    if one is not None:
        return f"{line}/{one}"
    ours = [key for key in named if key.startswith(f"{line}-") and set(named[key].socs) <= socs]
    if not ours:
        raise UsageError(
            f"JetPack {named[line].jetpack} does not run on {' '.join(rest)}",
            hint=f"stacks for it: {', '.join(_of_boards(named, socs))}",
            reason="module-not-on-stack",
        )
    return _only(ours, name)


def _number(text: str) -> str:
    """A release with its dots: "62" is 6.2 and "512" is 5.1.2, as NVIDIA's addresses have them."""
    # 28 to 39 are L4T's
    return text if "." in text or len(text) in (1, 4) or text[0] in "23" else ".".join(text)


def _lines(named: Mapping[str, Stack], number: str, name: str) -> tuple[str, ...]:
    """The stacks of a JetPack or of an L4T release, without those of one SoC."""
    if int(number.split(".", maxsplit=1)[0]) < _FIRST_L4T:
        return (f"jp{number}",) if f"jp{number}" in named else ()
    full = [key for key, one in named.items() if key == f"jp{one.jetpack}"]
    exact = [key for key in full if number in named[key].l4t_releases]
    if exact:
        return tuple(exact)
    below = [key for key in full if any(l4t.startswith(f"{number}.") for l4t in named[key].l4t_releases)]
    if below:
        return tuple(below)
    major = number.split(".", maxsplit=1)[0]
    known = [f"{l4t} ({key})" for key in full for l4t in named[key].l4t_releases if l4t.startswith(f"{major}.")] or [
        f"{named[key].l4t} ({key})" for key in full[-4:]
    ]
    raise UsageError(
        f"there is no stack {name[:_MAX]!r}: no production release is L4T {number}",
        hint=f"known ones: {', '.join(known)}",
        reason="unknown-stack",
    )


def _only(names: Sequence[str], name: str) -> str:
    if len(names) == 1:
        return names[0]
    raise UsageError(
        f"{name[:_MAX]!r} may be several stacks", hint=f"name one of: {', '.join(names)}", reason="ambiguous-stack"
    )


def _newest(named: Mapping[str, Stack], socs: Collection[str], name: str) -> str:
    """The newest JetPack of boards that have only one major; where they have several, the JetPack must be named."""
    names = _of_boards(named, socs)
    if len(names) == 1:
        return names[0]
    raise UsageError(
        f"{name[:_MAX]!r} names a board and no JetPack: which one does it run?",
        hint=f"name one of: {', '.join(names)}",
        reason="ambiguous-stack",
    )


def _of_boards(named: Mapping[str, Stack], socs: Collection[str]) -> list[str]:
    """The newest of each major that runs on some boards, like jp6-orin."""
    return [key for key, one in named.items() if re.match(r"jp\d+-", key) and set(one.socs) <= set(socs)]


def _unknown(named: Mapping[str, Stack], modules: Sequence[Module], name: str, words: str) -> UsageError:
    near = difflib.get_close_matches(words, named, n=4, cutoff=0.5)
    boards = [row.id for row in modules if row.is_jetson]
    near += difflib.get_close_matches(words, boards, n=2, cutoff=0.6)
    known = [key for key in named if re.fullmatch(r"jp\d+\.\d+", key)]
    told = f"near ones: {', '.join(near)}" if near else f"there are: {', '.join(known)}"
    return UsageError(
        f"there is no stack {name[:_MAX]!r}",
        hint=f"{told}; or a JetPack with a board, like jp6.2/agx-orin-64gb, or an L4T release, like 36.4.3",
        reason="unknown-stack",
    )
