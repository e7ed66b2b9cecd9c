"""Take a document apart into the sentences, list items and table rows in which a claim can stand, with their lines.

Code is left out: it shows what to type, not what is promised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

_FENCE = re.compile(r"^\s{0,3}(?:>\s?)*(`{3,}|~{3,})")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(?P<text>.+?)\s*#*\s*$")
_UNDERLINE = re.compile(r"^\s{0,3}(?:=+|-{3,}|~{3,}|\^{3,})\s*$")
_ITEM = re.compile(r"^(?P<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?P<text>.*)$")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^\s*\|?[\s:|-]+\|?\s*$")
_IMAGE = re.compile(r"!\[(?P<alt>[^\[\]]*)\]\((?P<url>[^)\s]*)[^)]*\)")
_LINK = re.compile(r"\[(?P<text>[^\[\]]*)\]\([^)]*\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,500}>")
_URL = re.compile(r"\b(?:https?|git\+https?)://[^\s)>\]\"']+")
_SPLIT = re.compile(r"(?<=[.!?])\s+(?=[\"'(\[]?[A-Z0-9À-Þ])|(?<=[。！？])|\s+·\s+")
_BADGE = re.compile(
    r"https?://(?:img\.shields\.io/badge/|badgen\.net/badge/|badge\.fury\.io/|img\.shields\.io/static/v1\?)[^\s)>\]\"']+"
)

_LONGEST = 3000
"""Characters of a line that are read together."""


class Form(Enum):
    """Where a piece of text stands."""

    SENTENCE = "sentence"
    HEADING = "heading"
    ITEM = "item"
    ROW = "row"
    BADGE = "badge"


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A piece of text that can make a claim."""

    text: str
    line: int
    form: Form
    under: tuple[str, ...] = ()
    """What it stands under: heading, and the words that lead a list or the head of a table."""


def pieces(lines: Sequence[str]) -> Iterator[Piece]:
    """Yield the pieces of a document in Markdown, reStructuredText or plain text."""
    reader = _Reader()
    for number, raw in _uncommented(lines):
        for url in _BADGE.findall(raw):
            yield Piece(text=url, line=number, form=Form.BADGE)
        yield from reader.read(number, raw)
    yield from reader.end()


class _Reader:
    """What has been read of a document so far, and what it stands under."""

    def __init__(self) -> None:
        self.heading = ""
        self.lead = ""
        self.header = ""
        self.fence = ""
        self.paragraph: list[tuple[int, str]] = []
        self.item: list[tuple[int, str]] = []

    def read(self, number: int, raw: str) -> Iterator[Piece]:
        """Take one line, and yield what it ends."""
        marked = _FENCE.match(raw)
        if self.fence:
            if marked and marked[1].startswith(self.fence):
                self.fence = ""
        elif marked:
            yield from self.end()
            self.fence = marked[1]
        else:
            yield from self._line(number, raw, bare(re.sub(r"^\s{0,3}(?:>\s?)+", "", raw)))

    def end(self) -> Iterator[Piece]:
        """Yield the paragraph or list item that was being read."""
        block, form = (self.item, Form.ITEM) if self.item else (self.paragraph, Form.SENTENCE)
        under = (self.heading, self.lead) if self.item else (self.heading,)
        self.paragraph, self.item = [], []
        if block:
            yield from _sentences(block, form, under)

    def _line(self, number: int, raw: str, line: str) -> Iterator[Piece]:
        if not line.strip():
            self._lead_by_paragraph()
            yield from self.end()
            self.header = ""
        elif titled := _HEADING.match(line):
            yield from self.end()
            yield self._titled(titled["text"], number)
        elif _UNDERLINE.match(line) and len(self.paragraph) == 1 and not self.item:
            at, text = self.paragraph[0]
            self.paragraph = []
            yield self._titled(text.strip(), at)
        elif _ROW.match(line):
            yield from self.end()
            yield from self._row(number, line)
        elif found := _ITEM.match(line):
            self._lead_by_paragraph()
            yield from self.end()
            self.item = [(number, found["text"])]
        elif self.item and raw.startswith((" ", "\t")):
            self.item.append((number, line.strip()))
        else:
            if self.item:
                yield from self.end()
                self.lead = ""
            self.paragraph.append((number, line.strip()))

    def _titled(self, text: str, number: int) -> Piece:
        self.heading, self.lead, self.header = text, "", ""
        return Piece(text=text, line=number, form=Form.HEADING)

    def _row(self, number: int, line: str) -> Iterator[Piece]:
        if _RULE.match(line):
            return
        if not self.header:
            self.header = line
            return
        yield Piece(text=line.strip(), line=number, form=Form.ROW, under=(self.heading, self.header))

    def _lead_by_paragraph(self) -> None:
        """Remember the line that leads a list, if there is one before it."""
        if self.paragraph and not self.item:
            text = self.paragraph[-1][1].strip()
            self.lead = text if text.endswith((":", "：")) else ""


def bare(line: str) -> str:
    """Return a line without images, link targets, tags and addresses."""
    text = _IMAGE.sub(lambda found: found["alt"], line)
    text = _LINK.sub(lambda found: found["text"], text)
    text = _TAG.sub("", text)
    text = _URL.sub("", text)
    return text.replace("**", "").replace("__", "").replace("`", "").replace("&nbsp;", " ")


def _uncommented(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines without HTML comments, which readers do not see; overlong ones in parts, so that all is quick."""
    inside = False
    for number, line in enumerate(lines, 1):
        for start in range(0, max(len(line), 1), _LONGEST):
            kept, inside = _visible(line[start : start + _LONGEST], inside)
            yield number, kept


def _visible(line: str, inside: bool) -> tuple[str, bool]:
    """Return what is left of a line, and whether a comment is open after it."""
    kept = []
    while line:
        if inside:
            _, end, line = line.partition("-->")
            inside = not end
        else:
            before, start, line = line.partition("<!--")
            kept.append(before)
            inside = bool(start)
    return "".join(kept), inside


def _sentences(block: Sequence[tuple[int, str]], form: Form, under: tuple[str, ...]) -> Iterator[Piece]:
    """Yield the sentences of a paragraph or list item, each at the line where it begins."""
    text = ""
    starts: list[tuple[int, int]] = []
    for number, line in block:
        starts.append((len(text), number))
        text += line + " "
    offset = 0
    for sentence in _SPLIT.split(text):
        at = text.find(sentence, offset)
        offset = max(at, 0) + len(sentence)
        if sentence.strip():
            where = max((number for begins, number in starts if begins <= max(at, 0)), default=block[0][0])
            yield Piece(text=sentence.strip(), line=where, form=form, under=tuple(word for word in under if word))
