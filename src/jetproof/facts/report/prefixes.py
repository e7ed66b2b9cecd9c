"""What loggers, mailers and web pages put around a text, taken off: the text then reads as the program printed it."""

from __future__ import annotations

from jetproof.facts.expression import Expression

_LIKE_ASCII = str.maketrans({"\u00a0": " ", "\u2007": " ", "\u202f": " ", "\u2018": "'", "\u2019": "'", "\u201c": '"'})
_LIKE_ASCII |= str.maketrans({"\u201d": '"', "\u200b": "", "\u2060": "", "\ufeff": "", "\u00ad": ""})
"""Spaces, quotes and invisible marks that pages and word processors put in place of plain ones."""
_QUOTED = Expression(r"(?m)^[ ]{0,3}(?:>(?!>)[ ]?){1,4}")
"""A mail's or Markdown's quotation; `>>>` is Python's prompt."""
_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_JOURNAL = Expression(
    rf"(?m)^(?:[A-Z][a-z]{{2}} [ \d]?\d \d\d:\d\d:\d\d|{_TIME}) [\w.-]{{1,64}} [\w@./:+-]{{1,80}}\[\d{{1,8}}\]: "
)
_STAMPED = Expression(rf"(?m)^(?:\[{_TIME}\]:?|{_TIME})[ \t](?:std(?:out|err) [FP] )?")
_BUILD_STEP = Expression(r"(?m)^#\d{1,4} \d{1,5}\.\d{1,3} ")
_SERVICE = Expression(r"(?m)^[\w.-]{1,60}[-_]\d{1,3} {1,40}\| ")
_NODE = Expression(r"(?m)^\[[\w./]{1,60}-\d{1,3}\] ")
_WHOLE = (_SERVICE, _NODE)
"""Prefixes that are also words of a table or of a program; they count where most lines have them."""


def bare(text: str) -> str:
    """Return `text` with as many lines, without what was put before them by a log's keeper or a quotation."""
    text = text.translate(_LIKE_ASCII)
    text = _QUOTED.sub("", text)
    lines = sum(1 for line in text.split("\n") if line.strip())
    for pattern in _WHOLE:
        if 2 * len(pattern.findall(text)) > lines > 1:
            text = pattern.sub("", text)
    for pattern in (_JOURNAL, _STAMPED, _BUILD_STEP):
        text = pattern.sub("", text)
    return text
