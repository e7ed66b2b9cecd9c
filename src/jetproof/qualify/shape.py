"""Whether a line of a journal has the members that its kind has: a journal may come from anywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jetproof.qualify.journal import Entry

Body = Mapping[str, Any]


def misshapen(entry: Entry) -> str | None:
    """Return what is wrong with a line, None when it can be judged."""
    check = _CHECKS.get(entry.kind)
    if check is None:
        return f"line {entry.number + 1} is of an unknown kind"
    return None if check(entry.body) else f"line {entry.number + 1} ({entry.kind}) lacks what it should hold"


def _begin(body: Body) -> bool:
    digest = body.get("plan_digest")
    return isinstance(body.get("plan"), dict) and isinstance(digest, str) and isinstance(body.get("context"), dict)


def _attempt(body: Body) -> bool:
    items = body.get("items")
    return _whole(body.get("number")) and isinstance(items, list) and all(isinstance(item, str) for item in items)


def _record(body: Body) -> bool:
    record = body.get("record")
    return _whole(body.get("attempt")) and isinstance(record, dict) and isinstance(record.get("record"), str)


def _fault(body: Body) -> bool:
    return isinstance(body.get("code"), str) and isinstance(body.get("detail"), str)


def _worker_end(body: Body) -> bool:
    return _whole(body.get("attempt")) and isinstance(body.get("status"), str)


def _interrupted(body: Body) -> bool:
    return isinstance(body.get("by"), str)


def _after(body: Body) -> bool:
    return isinstance(body.get("source"), dict)


def _finish(body: Body) -> bool:
    return body.get("complete") is True


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


_CHECKS: dict[str, Callable[[Body], bool]] = {
    "begin": _begin,
    "attempt": _attempt,
    "record": _record,
    "fault": _fault,
    "worker-end": _worker_end,
    "interrupted": _interrupted,
    "after": _after,
    "finish": _finish,
}
