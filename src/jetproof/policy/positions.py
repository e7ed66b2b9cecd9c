"""Where each value of a JSON text stands, so that a message can name line and column."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

Path = tuple[str | int, ...]

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)


def positions(text: str) -> Mapping[Path, int]:
    """Return the offset of each value by its path. The text must be valid JSON."""
    found: dict[Path, int] = {}
    path: list[str | int] = []
    containers: list[str] = []
    name_next = False
    for token in _TOKEN.finditer(text):
        word = token.group()
        if name_next and word not in "}]":
            path[-1] = json.loads(word)
            name_next = False
        elif word == ":":
            continue
        elif word == ",":
            if containers[-1] == "{":
                name_next = True
            else:
                path[-1] = int(path[-1]) + 1
        elif word in "}]":
            containers.pop()
            path.pop()
            name_next = False
        else:
            found[tuple(path)] = token.start()
            if word in "{[":
                containers.append(word)
                path.append("" if word == "{" else 0)
                name_next = word == "{"
    return found


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, both from 1, of an offset."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
