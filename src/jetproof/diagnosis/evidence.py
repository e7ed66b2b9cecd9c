"""The texts that rules search, and a found text as the reason of a finding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from jetproof.diagnosis.rule import About, Because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts, Message, MessageKind, Origin, Outcome
from jetproof.tables import Tables
from jetproof.tables.rows import Signature

SAID = (MessageKind.ERROR, MessageKind.OUTPUT)
"""What programs printed."""
TOLD = (MessageKind.PROSE,)
"""What people wrote."""
TYPED = (MessageKind.COMMAND,)
"""What people typed."""
_LONGEST_QUOTE = 240


_ERROR_WORD = Expression(r"(?i)(?:cuda )?error\b")
_NO = Expression(r"(?i)\b(?:no|without|never|not) (?:an? |any |the |more |longer )?\Z")


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A place where a text says something."""

    match: re.Match[str]
    message: Message

    @property
    def because(self) -> Because:
        """The line that was found, with its place."""
        text = self.message.text
        start = text.rfind("\n", 0, self.match.start()) + 1
        end = text.find("\n", self.match.end())
        line = text[start : end if end >= 0 else len(text)].strip()
        if len(line) > _LONGEST_QUOTE:
            at = max(0, self.match.start() - start - 60)
            line = "… " + line[at : at + _LONGEST_QUOTE] + " …"
        return Because(fact=self.message.kind.value, value=line, read_from=self._place())

    def _place(self) -> str:
        where = self.message.read_from
        if not re.fullmatch(r"line \d+", where):
            return where
        return f"line {int(where[5:]) + self.message.text.count(chr(10), 0, self.match.start())}"


def reported(facts: Facts) -> bool:
    """Whether a person told the facts, instead of a machine: what is not said is then not known to be absent."""
    return facts.origin is Origin.REPORTED


def texts(facts: Facts) -> tuple[Message, ...]:
    """Return all texts there are: the report's messages and what failed trials printed."""
    tried = tuple(
        Message(text=trial.message, kind=MessageKind.ERROR, read_from=f"trial: {trial.name}")
        for trial in facts.torch.trials
        if trial.message
        and trial.outcome is not Outcome.NOT_RUN
        and not any(message.text == trial.message for message in facts.messages)
    )
    return facts.messages + tried


def hit(facts: Facts, pattern: Expression, *kinds: MessageKind) -> Hit | None:
    """Return the first place where a text of one of the kinds (all, if none is given) holds the pattern."""
    for message in texts(facts):
        if kinds and message.kind not in kinds:
            continue
        found = next((found for found in pattern.finditer(message.text) if not _denied(found)), None)
        if found:
            return Hit(match=found, message=message)
    return None


def _denied(found: re.Match[str]) -> bool:
    """Whether the text says that an error does not come, as in "no error 801": a missing library is none the less."""
    if not _ERROR_WORD.match(found.group(0)):
        return False
    return bool(_NO.search(found.string[max(0, found.start() - 20) : found.start()]))


def reason(facts: Facts, pattern: Expression, *kinds: MessageKind) -> Because | None:
    """Return the first hit as a reason."""
    found = hit(facts, pattern, *kinds)
    return found.because if found else None


def signature(facts: Facts, tables: Tables, *names: str) -> Hit | None:
    """Return the first hit of one of the named rows of the failure signatures."""
    return _first(facts, [row for row in tables.signatures if row.id in names])


def signed(facts: Facts, tables: Tables, about: About) -> Hit | None:
    """Return the first hit of a failure signature that has no other cause than the rule's."""
    return _first(facts, [row for row in tables.signatures if row.root_causes == (about.root_cause,)])


def exact(facts: Facts, row: Signature) -> Hit | None:
    """Return the first hit of a row's own expression."""
    return hit(facts, _compiled(row.signature_regex, 0))


def _first(facts: Facts, rows: Sequence[Signature]) -> Hit | None:
    """What programs are known to print is looked for before the other wordings."""
    for row in rows:
        if found := exact(facts, row):
            return found
    for row in rows:
        if row.also_seen and (found := hit(facts, _compiled("|".join(row.also_seen), re.IGNORECASE))):
            return found
    return None


@lru_cache(maxsize=256)
def _compiled(regex: str, flags: int) -> Expression:
    return Expression(regex, flags)
