"""Which boards there are and how each is reached: from a TOML file, or from what `ansible-inventory --list` prints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tomli

from jetproof.errors import UsageError
from jetproof.target import strict_json
from jetproof.target.recorded import read

SCHEMA = "jetproof/fleet-inventory/1"
MOST_BOARDS = 10_000
_BYTES = 8 << 20
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,62}")
_TARGET = re.compile(r"local|(?:ssh|container|simulated):[^\x00-\x20\x7f]{1,500}")
_TEXT = re.compile(r"[^\x00-\x1f\x7f-][^\x00-\x1f\x7f]{0,499}")
_ALL_HOSTS = "all"
_MOST_STEPS = 5_000_000
"""Entries of groups that are looked at, in all: groups that hold one another in a thousand ways are no inventory."""


@dataclass(frozen=True, kw_only=True)
class Board:
    """One board and how it is reached."""

    name: str
    """Unique in the inventory; also the name of its folder and, in lower case, of its Kubernetes job."""
    target: str = "local"
    """`local`, `ssh://user@host[:port]`, `container:IMAGE@sha256:…`, or `simulated:FILE`."""
    python: str | None = None
    project: str | None = None
    """Path of the project's checkout; the fleet's own if not given."""
    tier: str | None = None
    """The tier that the board is kept for; only told, never taken as proof."""
    labels: tuple[str, ...] = ()
    node: str | None = None
    """Kubernetes node; the board's name if not given."""
    seconds: float | None = None
    """Time limit of its run; the fleet's if not given."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much is done at once, and for how long."""

    parallel: int = 8
    board_seconds: float = 3600.0


@dataclass(frozen=True, kw_only=True)
class Inventory:
    """All boards, in the order of their file."""

    boards: tuple[Board, ...]
    limits: Limits
    read_from: str

    def only(self, *, names: tuple[str, ...] = (), labels: tuple[str, ...] = ()) -> Inventory:
        """Return the same with the named boards, or those that bear all of the labels. Raises UsageError for none."""
        unknown = sorted(set(names) - {board.name for board in self.boards})
        if unknown:
            raise UsageError(f"{self.read_from} has no board {unknown[0]}", hint="jetproof fleet boards lists them")
        kept = tuple(
            board for board in self.boards if (not names or board.name in names) and set(labels) <= set(board.labels)
        )
        if not kept:
            raise UsageError(
                f"no board of {self.read_from} bears {', '.join(labels)}", hint="jetproof fleet boards lists them"
            )
        return Inventory(boards=kept, limits=self.limits, read_from=self.read_from)


def inventory(path: Path) -> Inventory:
    """Return the boards of a file: TOML, or the JSON of `ansible-inventory --list`. Raises UsageError."""
    data = read(path, _BYTES)
    if data.lstrip()[:1] == b"{":
        value = strict_json.loads(data, what=str(path), max_bytes=_BYTES, max_depth=32)
        return from_ansible(value, str(path))
    try:
        return from_toml(tomli.loads(data.decode("utf-8")), str(path), folder=path.parent)
    except (tomli.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is no TOML: {error}", hint="docs/lanes/fleet.md shows an inventory") from None


def from_toml(value: Mapping[str, Any], what: str, *, folder: Path = Path()) -> Inventory:
    """Return the boards of an inventory of our own. A member that is not known is an error, so that no typo is lost.

    Files that targets name are looked for from `folder`.
    """
    _known(value, {"schema", "limits", "defaults", "board"}, what)
    if value.get("schema") != SCHEMA:
        raise UsageError(f'{what}: schema = "{SCHEMA}" is expected', hint="docs/lanes/fleet.md shows an inventory")
    limits = _table(value, "limits", what)
    _known(limits, {"parallel", "board_seconds"}, f"{what}: limits")
    defaults = _table(value, "defaults", what)
    rows = value.get("board", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UsageError(f"{what}: boards are written as [[board]]", hint="docs/lanes/fleet.md shows an inventory")
    boards = [
        _placed(_board({**defaults, **row}, f"{what}: board {number}"), folder) for number, row in enumerate(rows, 1)
    ]
    return _checked(
        boards,
        Limits(
            parallel=_whole(limits.get("parallel", 8), 1, 512, f"{what}: limits.parallel"),
            board_seconds=_seconds(limits.get("board_seconds", 3600.0), f"{what}: limits.board_seconds"),
        ),
        what,
    )


def from_ansible(value: object, what: str) -> Inventory:
    """Return the hosts of Ansible's own listing, reached over SSH as Ansible would.

    `ansible_host`, `ansible_user`, `ansible_port` and `ansible_connection: local` are followed; the vendor's Python is
    told by `jetproof_python` (Ansible's own interpreter is another question), more by `jetproof_project`,
    `jetproof_tier` and `jetproof_node`. A host's groups become its labels.
    """
    if not isinstance(value, dict) or not isinstance(value.get("_meta"), dict):
        raise UsageError(f"{what} is no listing of Ansible's", hint="make one: ansible-inventory --list > boards.json")
    hosts = value["_meta"].get("hostvars", {})
    if not isinstance(hosts, dict):
        raise UsageError(f"{what}: _meta.hostvars is no object", hint="make it anew: ansible-inventory --list")
    groups = _members(value, what)
    names = sorted(set(hosts).union(*groups.values())) if groups else sorted(hosts)
    boards = []
    for name in names:
        told = hosts.get(name, {})
        if not isinstance(told, dict):
            raise UsageError(f"{what}: the variables of {name!r} are no object")
        row = {
            "name": name,
            "target": _ansible_target(name, told, what),
            "labels": sorted(group for group, members in groups.items() if name in members and group != _ALL_HOSTS),
            **{
                member: told[f"jetproof_{member}"]
                for member in ("python", "project", "tier", "node", "seconds")
                if f"jetproof_{member}" in told
            },
        }
        boards.append(_board(row, f"{what}: host {name!r}"))
    return _checked(boards, Limits(), what)


def _members(value: Mapping[str, Any], what: str) -> dict[str, frozenset[str]]:
    """Map each group to its hosts and those of all groups below it, each looked at once: groups may form circles."""
    found: dict[str, frozenset[str]] = {}
    steps = 0
    for group in value:
        if group == "_meta":
            continue
        hosts: set[str] = set()
        seen, todo = {group}, [group]
        while todo:
            entry = value.get(todo.pop())
            if not isinstance(entry, dict):
                continue
            own, children = _texts(entry.get("hosts")), _texts(entry.get("children"))
            steps += 1 + len(own) + len(children)
            if steps > _MOST_STEPS:
                raise UsageError(f"{what}: the groups hold one another in too many ways", hint="list fewer groups")
            hosts.update(own)
            todo.extend(set(children) - seen)
            seen.update(children)
        found[group] = frozenset(hosts)
    return found


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _ansible_target(name: str, told: Mapping[str, Any], what: str) -> str:
    if told.get("ansible_connection") == "local":
        return "local"
    connection = told.get("ansible_connection", "ssh")
    if connection not in ("ssh", "smart", "openssh", "paramiko", "ansible.builtin.ssh"):
        raise UsageError(f"{what}: {name} is reached by {connection!r}, and only ssh and local are followed")
    host, user, port = told.get("ansible_host", name), told.get("ansible_user"), told.get("ansible_port")
    return "ssh://" + (f"{user}@" if user else "") + str(host) + (f":{port}" if port else "")


def _board(row: Mapping[str, Any], where: str) -> Board:
    _known(row, {"name", "target", "python", "project", "tier", "labels", "node", "seconds"}, where)
    name = row.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UsageError(f"{where}: a name of letters, digits, dots and hyphens is expected, found {name!r}")
    labels = row.get("labels", [])
    if not isinstance(labels, list) or not all(isinstance(one, str) and _LABEL.fullmatch(one) for one in labels):
        raise UsageError(f"{where}: labels is a list of words")
    target = row.get("target", "local")
    if not isinstance(target, str) or not _TARGET.fullmatch(target):
        raise UsageError(
            f"{where}: a target is expected, found {target!r}",
            hint="local, ssh://user@host, container:IMAGE@sha256:…, or simulated:FILE",
        )
    texts: dict[str, str | None] = {}
    for member in ("python", "project", "tier", "node"):
        told = row.get(member)
        if told is not None and (not isinstance(told, str) or not _TEXT.fullmatch(told)):
            raise UsageError(f"{where}: {member} is one line of text that begins with no hyphen, found {told!r}")
        texts[member] = told
    seconds = row.get("seconds")
    return Board(
        name=name,
        target=target,
        labels=tuple(labels),
        seconds=None if seconds is None else _seconds(seconds, f"{where}: seconds"),
        **texts,
    )


def _placed(board: Board, folder: Path) -> Board:
    kind, _, file = board.target.partition(":")
    return replace(board, target=f"{kind}:{folder / file}") if kind == "simulated" else board


def _checked(boards: list[Board], limits: Limits, what: str) -> Inventory:
    if not boards:
        raise UsageError(f"{what} names no board", hint="add [[board]] tables; docs/lanes/fleet.md shows some")
    if len(boards) > MOST_BOARDS:
        raise UsageError(f"{what} names {len(boards)} boards, at most {MOST_BOARDS} are read")
    # folders must stay apart also where the file system ignores case, and so must Kubernetes' names
    twice = [name for name, count in Counter(board.name.lower() for board in boards).items() if count > 1]
    if twice:
        raise UsageError(f"{what}: the board {twice[0]} is named twice")
    return Inventory(boards=tuple(boards), limits=limits, read_from=what)


def _known(value: Mapping[str, Any], names: set[str], where: str) -> None:
    for name in _strangers(value, names):
        raise UsageError(f"{where}: {name!r} is not known; known are {', '.join(sorted(names))}")


def _strangers(value: Mapping[str, Any], names: set[str]) -> Iterator[str]:
    yield from (name for name in value if name not in names)


def _table(value: Mapping[str, Any], name: str, what: str) -> Mapping[str, Any]:
    found = value.get(name, {})
    if not isinstance(found, dict):
        raise UsageError(f"{what}: {name} is a table")
    return found


def _whole(value: object, least: int, most: int, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise UsageError(f"{where}: a whole number from {least} to {most} is expected, found {value!r}")
    return value


def _seconds(value: object, where: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 86400:
        raise UsageError(f"{where}: seconds up to 86400 are expected, found {value!r}")
    return float(value)
