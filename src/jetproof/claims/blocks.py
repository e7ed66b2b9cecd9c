"""Managed blocks: the parts of a document that jetproof writes, between two markers that carry what they say.

The begin marker holds the facts, the day of writing and a SHA-256 over them and the text, so that a hand-made change
shows. Line ends do not count, so that git may turn them. Everything outside the markers stays as it is, byte by byte.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from jetproof.claims.said import Said, read
from jetproof.errors import UsageError

LARGEST = 4 << 20
"""Bytes of a document that are looked at."""

_ID = r"[a-z0-9]+(?:[.-][a-z0-9]+)*"
_BEGIN = re.compile(
    rf"(?P<open><!--|\.\.)[ \t]*jetproof:begin[ \t]+(?P<id>{_ID})"
    r"[ \t]+as-of=(?P<day>\S+)[ \t]+says=(?P<says>\S+)[ \t]+sha256=(?P<digest>[0-9a-f]{64})[ \t]*(?:-->)?[ \t]*"
)
_END = re.compile(rf"(?:<!--|\.\.)[ \t]*jetproof:end[ \t]+(?P<id>{_ID})[ \t]*(?:-->)?[ \t]*")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_ANY = re.compile(r"(?:<!--|\.\.)[ \t]*jetproof:(?:begin|end)\b")


@dataclass(frozen=True, kw_only=True)
class Block:
    """One managed block of a document."""

    id: str
    line: int
    """Of the begin marker, from 1."""
    last_line: int
    """Of the end marker."""
    said: Said
    text: str
    """Between the markers, with line feeds."""
    edited: bool
    """Whether somebody else changed it since it was written."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something wrong with the markers themselves."""

    line: int
    reason: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Found:
    """The blocks of a document and what is wrong with its markers."""

    blocks: tuple[Block, ...] = ()
    faults: tuple[Fault, ...] = ()

    def block(self, name: str) -> Block | None:
        """Return the block of that id."""
        return next((block for block in self.blocks if block.id == name), None)


def digest(said: Said, text: str) -> str:
    """Return SHA-256 over the day, the facts and the text of a block."""
    return hashlib.sha256(f"{said.as_of}\n{said.text()}\n{text}".encode()).hexdigest()


def blocks(data: bytes) -> Found:
    """Return the managed blocks of a document. Bytes that are no UTF-8 are kept and bear no meaning."""
    lines = _lines(data)
    found: list[Block] = []
    faults: list[Fault] = []
    seen: set[str] = set()
    opened: tuple[re.Match[str], int] | None = None
    fence = ""
    for number, line in enumerate(lines, 1):
        if opened is None and (marked := _FENCE.match(line)) is not None:
            # code that shows markers holds none
            fence = marked[1] if not fence else "" if marked[1].startswith(fence) else fence
        if "jetproof:" not in line or fence:
            continue
        text = line.strip(" \t\r\n")
        if (begin := _BEGIN.fullmatch(text)) is not None:
            if opened is not None:
                faults.append(_unclosed(opened))
            if begin["id"] in seen:
                faults.append(
                    Fault(
                        line=number,
                        reason="block-doubled",
                        message=f"the block {begin['id']} stands here a second time",
                    )
                )
            seen.add(begin["id"])
            opened = (begin, number)
        elif (end := _END.fullmatch(text)) is not None:
            if opened is None or opened[0]["id"] != end["id"]:
                faults.append(
                    Fault(
                        line=number,
                        reason="begin-missing",
                        message=f"the block {end['id']} ends here and begins nowhere before",
                    )
                )
                continue
            block = _block(lines, opened, number)
            if block is None:
                faults.append(
                    Fault(line=opened[1], reason="marker-unreadable", message="the begin marker's facts cannot be read")
                )
            else:
                found.append(block)
            opened = None
        elif _ANY.match(text):
            faults.append(
                Fault(
                    line=number, reason="marker-unreadable", message="this marker has not the form that jetproof writes"
                )
            )
    if opened is not None:
        faults.append(_unclosed(opened))
    return Found(blocks=tuple(found), faults=tuple(faults))


def block_text(name: str, said: Said, text: str, *, rst: bool = False) -> str:
    """Return a whole block with its markers; `text` ends with a line feed, and so does the block."""
    begin = f"jetproof:begin {name} as-of={said.as_of} says={said.text()} sha256={digest(said, text)}"
    end = f"jetproof:end {name}"
    if rst:
        return f".. {begin}\n\n{text}\n.. {end}\n"
    return f"<!-- {begin} -->\n{text}<!-- {end} -->\n"


def replaced(data: bytes, name: str, said: Said, text: str) -> bytes:
    """Return a document with the text of one of its blocks written anew; the same bytes if it is the same already.

    Raises UsageError when the document lacks the block or its markers are not in order.
    """
    found = blocks(data)
    if found.faults:
        fault = found.faults[0]
        raise UsageError(
            f"line {fault.line}: {fault.message}",
            hint="mend the markers by hand; nothing was written",
            reason=fault.reason,
        )
    block = found.block(name)
    if block is None:
        raise UsageError(f"there is no block {name} to write", hint="jetproof init adds it", reason="block-missing")
    lines = _lines(data)
    opening, closing = lines[block.line - 1], lines[block.last_line - 1]
    end = _line_end(opening)
    new = block_text(name, said, text, rst=opening.lstrip(" \t").startswith("..")).replace("\n", end)
    if not closing.endswith(("\n", "\r")):
        new = new.removesuffix(end)
    whole = [*lines[: block.line - 1], new, *lines[block.last_line :]]
    return "".join(whole).encode("utf-8", "surrogateescape")


def appended(data: bytes, name: str, said: Said, text: str, *, rst: bool = False) -> bytes:
    """Return a document with a new block at its end; what was there stays as it is.

    Raises UsageError when the block is there already, or when it would stand in code that does not end.
    """
    found = blocks(data)
    if found.faults or found.block(name) is not None:
        raise UsageError(f"the document has a block {name} or a part of one already", reason="block-doubled")
    lines = _lines(data)
    end = _line_end(lines[0]) if lines else "\n"
    gap = "" if not lines else ("" if lines[-1].endswith(("\n", "\r")) else end) + end
    new = gap + block_text(name, said, text, rst=rst).replace("\n", end)
    whole = data + new.encode()
    if blocks(whole).block(name) is None:
        raise UsageError(
            "the document ends within a code block, so nobody would see a block there",
            hint="close the code block with ```",
            reason="code-unclosed",
        )
    return whole


def without(data: bytes, found: Found) -> list[str]:
    """Return the lines of a document with those of its managed blocks emptied, so that line numbers stay."""
    lines = [line.rstrip("\r\n") for line in _lines(data)]
    for block in found.blocks:
        lines[block.line - 1 : block.last_line] = [""] * (block.last_line - block.line + 1)
    return lines


def _lines(data: bytes) -> list[str]:
    if len(data) > LARGEST:
        raise UsageError(f"the document is larger than {LARGEST} bytes", reason="document-too-large")
    # only line feeds end a line here, so that what other readers take for line ends changes no numbers
    text = data.decode("utf-8", "surrogateescape")
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _line_end(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n"


def _block(lines: list[str], opened: tuple[re.Match[str], int], last: int) -> Block | None:
    begin, first = opened
    said = read(begin["day"], begin["says"])
    if said is None:
        return None
    text = "".join(line.replace("\r\n", "\n") for line in lines[first : last - 1])
    if begin["open"] == "..":
        text = text.removeprefix("\n").removesuffix("\n")
    whole = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return Block(
        id=begin["id"],
        line=first,
        last_line=last,
        said=said,
        text=whole,
        edited=digest(said, whole) != begin["digest"],
    )


def _unclosed(opened: tuple[re.Match[str], int]) -> Fault:
    begin, line = opened
    return Fault(line=line, reason="end-missing", message=f"the block {begin['id']} begins here and does not end")
