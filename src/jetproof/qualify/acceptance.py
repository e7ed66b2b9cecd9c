"""Which of the worker's records may stand in the journal, and what is wrong with the others.

The same rules run twice: while records come in, and again over a journal that is judged later.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_ITEM_RECORDS = frozenset({"start", "collected", "test", "pytest-finish", "end"})
_RUN_RECORDS = frozenset({"hello", "torch", "plan", "beat", "finish", "refused"})
OUTCOMES = ("PASS", "FAIL", "ERROR", "MISS")
_PHASES = ("setup", "call", "teardown")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Why a record was not accepted."""

    code: str
    detail: str


class Acceptance:
    """Follows one worker's records and names each that does not fit what came before."""

    def __init__(self, items: Iterable[str]) -> None:
        self._items = frozenset(items)
        self._once: set[tuple[str, ...]] = set()
        self._started: set[str] = set()
        self._ended: set[str] = set()
        self._hello = False
        self.finished = False
        self.refused = False

    def fault(self, record: Mapping[str, Any]) -> Fault | None:
        """Return what is wrong with the next record, None when it is accepted."""
        kind = record.get("record")
        if not isinstance(kind, str) or kind not in _ITEM_RECORDS | _RUN_RECORDS:
            return Fault(code="unknown-record", detail=f"a record of kind {kind!r}")
        if self.finished or self.refused:
            return Fault(code="late-record", detail=f"{kind} after the worker's last record")
        if kind == "hello":
            if self._hello:
                return Fault(code="doubled-record", detail="the worker introduced itself twice")
            self._hello = True
            return None
        if not self._hello and kind != "refused":
            return Fault(code="record-before-hello", detail=f"{kind} came before the worker introduced itself")
        if kind in _ITEM_RECORDS:
            return self._of_item(kind, record)
        return self._of_run(kind, record)

    def _of_run(self, kind: str, record: Mapping[str, Any]) -> Fault | None:
        if kind == "refused":
            self.refused = True
        if kind in ("torch", "plan"):
            return self._seen_once((kind,), f"{kind} was told twice")
        if kind == "finish":
            self.finished = True
            if record.get("items") != len(self._ended):
                told, came = record.get("items"), len(self._ended)
                return Fault(code="count-differs", detail=f"the worker tells {told!r} ended items, {came} came")
        return None

    def _of_item(self, kind: str, record: Mapping[str, Any]) -> Fault | None:
        item = record.get("item")
        if not isinstance(item, str) or item not in self._items:
            return Fault(code="unknown-item", detail=f"{kind} of {item!r}, which is not planned in this attempt")
        if item in self._ended:
            return Fault(code="doubled-record", detail=f"{kind} of {item} after its end")
        if kind == "start":
            self._started.add(item)
            return self._seen_once((kind, item), f"{item} started twice")
        if kind == "end":
            self._ended.add(item)
            return self._end(item, record)
        if item not in self._started:
            return Fault(code="record-before-start", detail=f"{kind} of {item} before its start")
        if kind == "test":
            return self._test(item, record)
        return self._seen_once((kind, item), f"{kind} of {item} was told twice")

    def _end(self, item: str, record: Mapping[str, Any]) -> Fault | None:
        outcome, reason = record.get("outcome"), record.get("reason")
        if outcome not in OUTCOMES or not isinstance(reason, str) or not reason:
            return Fault(code="malformed-record", detail=f"{item} ended with outcome {outcome!r}, reason {reason!r}")
        if outcome == "PASS" and item not in self._started:
            return Fault(code="record-before-start", detail=f"{item} passed without having started")
        if not _number(record.get("seconds", 0)):
            return Fault(code="malformed-record", detail=f"{item} tells {record.get('seconds')!r} seconds")
        return None

    def _test(self, item: str, record: Mapping[str, Any]) -> Fault | None:
        name, phase, outcome = record.get("id"), record.get("phase"), record.get("outcome")
        if not isinstance(name, str) or phase not in _PHASES or outcome not in OUTCOMES:
            return Fault(code="malformed-record", detail=f"a test record of {item}: {name!r}, {phase!r}, {outcome!r}")
        return self._seen_once(("test", item, name, str(phase)), f"{phase} of {name} was told twice")

    def _seen_once(self, key: tuple[str, ...], message: str) -> Fault | None:
        if key in self._once:
            return Fault(code="doubled-record", detail=message)
        self._once.add(key)
        return None


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
