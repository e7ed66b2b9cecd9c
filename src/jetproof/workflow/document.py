"""A YAML text as a tree of texts, tables and lists that knows where each value stands.

Values stay the texts that were written: `on` is a name here and not "true", `1e3` is no number. Limits hold before the
tree is built, so that a hostile file costs little: size, depth, number of values, and aliases that multiply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import yaml
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, DocumentStartEvent, ScalarEvent

LARGEST = 1 << 20
DEEPEST = 64
MOST_VALUES = 50_000
LONGEST_TEXT = 1 << 16
_CORE = "tag:yaml.org,2002:"
_TAGS = {
    True: frozenset({None, "!", *(f"{_CORE}{kind}" for kind in ("str", "bool", "int", "float", "null"))}),
    False: frozenset({None, "!", f"{_CORE}map", f"{_CORE}seq"}),
}
"""Tags that say what a value is anyway, of a scalar (True) and of what holds others; others make it something else."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Unreadable(Exception):
    """A text that is no workflow: what is wrong, and where when that is known."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


@dataclass(frozen=True, kw_only=True)
class Node:
    """A value with its place. Lines and columns count from 1."""

    line: int
    column: int


@dataclass(frozen=True, kw_only=True)
class Text(Node):
    """A scalar as it was written, quotes and block indentation taken away."""

    value: str
    block: bool = False
    """Whether it is a block (| or >), whose text begins on the next line."""


@dataclass(frozen=True, kw_only=True)
class Table(Node):
    """A mapping. Names are texts."""

    members: Mapping[str, Node] = field(default_factory=dict)
    names: Mapping[str, Text] = field(default_factory=dict)
    """Where each name stands."""

    def text(self, name: str) -> str | None:
        """Return the member's text; None when it is not there or no scalar."""
        found = self.members.get(name)
        return found.value if isinstance(found, Text) else None

    def table(self, name: str) -> Table | None:
        """Return the member when it is a table."""
        found = self.members.get(name)
        return found if isinstance(found, Table) else None

    def items(self, name: str) -> tuple[Node, ...]:
        """Return the members of a list, or the one scalar that stands for a list of one."""
        found = self.members.get(name)
        if isinstance(found, Rows):
            return found.values
        return (found,) if isinstance(found, Text) and found.value else ()

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the texts of a list, or the one text."""
        return tuple(item.value for item in self.items(name) if isinstance(item, Text))

    def at(self, name: str) -> Node:
        """Return where a member's name stands; the table itself when it has none."""
        return self.names.get(name, self)


@dataclass(frozen=True, kw_only=True)
class Rows(Node):
    """A list."""

    values: tuple[Node, ...] = ()


def parse(data: bytes) -> Table:
    """Return the tree of a workflow's bytes. Raises `Unreadable`."""
    if len(data) > LARGEST:
        raise Unreadable(f"it is larger than {LARGEST} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable("it is not UTF-8", data.count(b"\n", 0, error.start) + 1) from None
    try:
        _within_limits(text)
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        raise Unreadable(f"it is not YAML: {error.problem or error.context}", *where) from None
    except yaml.YAMLError as error:
        raise Unreadable(f"it is not YAML: {str(error).splitlines()[0]}") from None
    if not isinstance(root, yaml.MappingNode):
        raise Unreadable("a workflow is a mapping at the top")
    tree = _Builder().build(root)
    assert isinstance(tree, Table)  # noqa: S101 - a mapping becomes a table
    return tree


def _within_limits(text: str) -> None:
    depth = values = documents = 0
    for event in yaml.parse(text, Loader=_LOADER):
        mark = event.start_mark
        where = (1, 1) if mark is None else (mark.line + 1, mark.column + 1)
        if isinstance(event, DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise Unreadable("it holds more than one document", *where)
        elif isinstance(event, CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                raise Unreadable(f"it is nested deeper than {DEEPEST}", *where)
        elif isinstance(event, CollectionEndEvent):
            depth -= 1
        tag = event.tag if isinstance(event, ScalarEvent | CollectionStartEvent) else None
        if tag not in _TAGS[isinstance(event, ScalarEvent)]:
            raise Unreadable(f"a workflow knows no tag {tag!r:.80}", *where)
        if isinstance(event, ScalarEvent | CollectionStartEvent | AliasEvent):
            values += 1
            if values > MOST_VALUES:
                raise Unreadable(f"it holds more than {MOST_VALUES} values", *where)


class _Builder:
    """Turns composed nodes into ours and counts them, since each alias is written out again."""

    def __init__(self) -> None:
        self._made = 0
        self._open: set[int] = set()

    def build(self, node: yaml.Node) -> Node:
        self._made += 1
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        if self._made > MOST_VALUES:
            raise Unreadable("its aliases multiply beyond measure", line, column)
        if isinstance(node, yaml.ScalarNode):
            if len(node.value) > LONGEST_TEXT:
                raise Unreadable(f"a text is longer than {LONGEST_TEXT} characters", line, column)
            block = node.style in ("|", ">")
            return Text(line=line, column=column, value=node.value, block=block)
        if id(node) in self._open or len(self._open) > DEEPEST:
            raise Unreadable("an alias leads back into itself", line, column)
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.SequenceNode):
                return Rows(line=line, column=column, values=tuple(self.build(item) for item in node.value))
            return self._table(node, line, column)
        finally:
            self._open.discard(id(node))

    def _table(self, node: yaml.Node, line: int, column: int) -> Table:
        members: dict[str, Node] = {}
        names: dict[str, Text] = {}
        for key, value in node.value:
            name = self.build(key)
            if not isinstance(name, Text):
                raise Unreadable("a name must be a text", name.line, name.column)
            if name.value in members:
                raise Unreadable(f"the name {name.value!r:.80} stands twice in one mapping", name.line, name.column)
            names[name.value] = name
            members[name.value] = self.build(value)
        return Table(line=line, column=column, members=members, names=names)


def walk(node: Node) -> Iterator[Text]:
    """Yield each text below a node, names left out."""
    if isinstance(node, Text):
        yield node
    elif isinstance(node, Table):
        for member in node.members.values():
            yield from walk(member)
    elif isinstance(node, Rows):
        for item in node.values:
            yield from walk(item)
