"""
Side files that were swapped, lead elsewhere or are missing, and a record that the journal does not give.

Everything that a person reads later (record, JUnit, logs) is bound by its sha256; the record is made again from the
journal and must come out the same, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.evidence.circumstances import Circumstances, Evidence
from jetproof.evidence.reason import Refusal, Unreadable
from jetproof.evidence.side_files import safe_parts


def check(evidence: Evidence, around: Circumstances) -> Iterator[Refusal]:
    """Yield what is wrong with the side files."""
    contents: dict[str, bytes] = {}
    for artifact in evidence.statement.artifacts:
        try:
            safe_parts(artifact.name)
            if around.side_files is not None:
                data = around.side_files.read(artifact)
                # only these two are needed again; logs may be large
                if artifact.name in ("journal.jsonl", "record.json", "plan.json"):
                    contents[artifact.name] = data
        except Unreadable as error:
            yield error.refusal
    if around.side_files is not None:
        from jetproof.evidence.replay import contradictions

        yield from contradictions(evidence.statement, contents)
