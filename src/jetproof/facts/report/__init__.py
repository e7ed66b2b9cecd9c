"""Facts from what a person reports: a pasted traceback, log or issue, or a JSON object. Nothing here is evidence."""

from __future__ import annotations

from collections.abc import Mapping

from jetproof.facts.model import Facts
from jetproof.facts.report.derived import derive
from jetproof.facts.report.fields import read_members
from jetproof.facts.report.gathered import Gathered
from jetproof.facts.report.labels import read_labels
from jetproof.facts.report.segments import messages
from jetproof.facts.report.words import read_words
from jetproof.tables import Tables


def facts(report: str | Mapping[str, object], tables: Tables) -> Facts:
    """Return what a report says: stated facts with their place, and its texts as messages.

    A member of an object comes before what its texts say; what follows from a stated fact comes last.
    """
    into = Gathered()
    if isinstance(report, str):
        found, note = messages(report)
        into.messages.extend(found)
        if note:
            into.notes.append(note)
        read_labels(found, into)
    else:
        read_members(report, into)
    read_words(into.messages, into)
    derive(into, tables)
    return into.facts()
