"""Which of two machines a report is about, when its words name a board and another machine beside it."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from itertools import pairwise

from jetproof.facts.expression import Expression
from jetproof.facts.model import Message, MessageKind
from jetproof.facts.report.boards import family, names_emulation, names_jetson, other_machine

OF_ANOTHER = frozenset({"comparison", "also_tried"})
"""Members that speak of another machine or another attempt."""
_CLAUSE_END = Expression(
    r"[.:!?](?=\s|$)|[;,()\n]|(?i:\b(?:and|but|then|while|whereas|though|although|however|yet)\b)", re.MULTILINE
)
_FAULT = Expression(
    r"(?i)\b(?:fail\w{0,4}|errors?|False|None|cannot|can't|crash\w{0,4}|broken|illegal|killed|refus\w{1,4}|missing"
    r"|never|no (?:cuda|gpu|kernel)|not (?:work\w{0,3}|found|see|supported|available)|(?:does|is|do|did|was)n[o']t"
    r"|(?:does|is|do|did) not|prints|[a-z]{2,30}error)\b"
)
_FINE = Expression(
    r"(?i)\b(?:works?|worked|working) (?:fine|well|there|on|perfectly)\b|\bno (?:problem|error|issue)s?\b"
)
_NOT_YET = Expression(
    r"(?i)\b(?:plan\w{0,4}|want|wish|hope|going) (?:to|on)\b|\bwould like\b|\bI'd like\b|\blater\b|\bsoon\b"
    r"|\bsomeday\b|\bnot (?:on|in|with|using|a|an|the)\b|\bfor (?:a|an|the|my|our|use on) ?(?:NVIDIA )?(?:Jetson|AGX"
    r"|Orin|Xavier|Thor|Nano|board)\b|\binstead of\b|\bwithout an?\b|\bno (?:Jetson|board)\b"
    r"|\b(?:don't|do not) (?:have|own)\b|\bordered\b|\bbefore (?:I )?(?:buy|move|deploy)\w{0,3}\b|\blike (?:a|an|the)\b"
)
"""A board that is wished for, compared or built for, and not the one at hand."""


class _Machine(enum.Enum):
    """What a clause speaks of."""

    BOARD = "board"
    OTHER = "other"
    BOTH = "both"


def board_is_meant(messages: Iterable[Message]) -> bool:
    """Whether the prose names a board that is at hand, and the other machine in it stands only beside.

    A clause without a machine goes on about the one before. The machine that the fault is told of decides; with none or
    with both, the board does, unless it is merely planned, built for or denied.
    """
    prose = "\n".join(
        message.text for message in messages if message.kind is MessageKind.PROSE and message.member not in OF_ANOTHER
    )
    if not other_machine(prose) or names_emulation(prose):
        return False
    at_hand = False
    faulty: set[_Machine] = set()
    speaks_of: _Machine | None = None
    for clause in _clauses(prose):
        named = _named(clause)
        speaks_of = named or speaks_of
        if named in (_Machine.BOARD, _Machine.BOTH) and not _NOT_YET.search(clause):
            at_hand = True
        if speaks_of and _FAULT.search(clause) and not _FINE.search(clause):
            faulty.add(speaks_of)
    return at_hand and (_Machine.OTHER not in faulty or _Machine.BOARD in faulty)


def _clauses(prose: str) -> list[str]:
    ends = [0, *(found.end() for found in _CLAUSE_END.finditer(prose)), len(prose)]
    return [prose[start:end] for start, end in pairwise(ends) if prose[start:end].strip()]


def _named(clause: str) -> _Machine | None:
    other, board = other_machine(clause), family(clause) is not None or names_jetson(clause)
    if other and board:
        return _Machine.BOTH
    if other:
        return _Machine.OTHER
    return _Machine.BOARD if board else None
