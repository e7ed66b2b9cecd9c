"""The commands of a step's script: enough of the shell to see what is run and what is hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jetproof.workflow.document import Text

_COMMENT = re.compile(r"(^|\s)#.*$")
_LONGEST = 8192
"""Characters after which a continued line is taken for a whole command."""
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\1")


@dataclass(frozen=True, kw_only=True)
class Command:
    """One line of a script, continuations joined; several commands may stand in it."""

    text: str
    line: int
    """Line of the file, from 1."""


def commands(node: Text) -> tuple[Command, ...]:
    """Return the lines of a script without comments, blank lines and here-documents."""
    found: list[Command] = []
    first = node.line + (1 if node.block else 0)
    pending, began = "", 0
    until: str | None = None
    for number, raw in enumerate(node.value.splitlines()):
        if until is not None:
            if raw.strip() == until:
                until = None
            continue
        # runs of blanks are made one: they mean nothing here, and patterns would go through them again and again
        line = " ".join((_COMMENT.sub(r"\1", raw) if not pending else raw).split())
        if not pending:
            began = number
        joined = f"{pending} {line}".strip() if pending else line
        if joined.endswith("\\") and len(joined) < _LONGEST:
            pending = joined[:-1].rstrip()
            continue
        pending = ""
        heredoc = _HEREDOC.search(joined)
        if heredoc:
            until = heredoc.group(2)
        if joined:
            found.append(Command(text=joined, line=first + began))
    if pending:
        found.append(Command(text=pending, line=first + began))
    return tuple(found)


def parts(command: str) -> tuple[str, ...]:
    """Return the single commands of a line that `;`, `&&`, `||` and `|` hold together. Quotes are respected."""
    found: list[str] = []
    word, quote = "", ""
    for char in command:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in ";&|":
            found.append(word)
            word = ""
            continue
        word += char
    found.append(word)
    return tuple(part.strip() for part in found if part.strip())
