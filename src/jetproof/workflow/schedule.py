"""How long a schedule leaves a lane without a run."""

from __future__ import annotations

from datetime import date, timedelta

from jetproof.workflow.document import Rows, Table
from jetproof.workflow.model import Trigger

_FIELDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FROM, _DAYS_SEEN = date(2024, 1, 1), 2 * 1461
"""Two turns of the leap years: each gap, also that of a 29 February, is seen whole."""


class Malformed(ValueError):
    """A text that is no schedule."""


def crons(trigger: Trigger | None) -> tuple[str, ...]:
    """Return the crons that a schedule names."""
    if trigger is None or not isinstance(trigger.value, Rows):
        return ()
    rows = (row for row in trigger.value.values if isinstance(row, Table))
    return tuple(cron for row in rows if (cron := row.text("cron")) is not None)


def longest_gap(crons: tuple[str, ...]) -> int | None:
    """Return the most days between two runs of all schedules together; None when none of them ever runs.

    Raises `Malformed` for a text that is no five-field cron.
    """
    plans = [_plan(cron) for cron in crons]
    last, gap = None, 0
    for offset in range(_DAYS_SEEN):
        day = _FROM + timedelta(days=offset)
        if any(_runs(plan, day) for plan in plans):
            gap = gap if last is None else max(gap, offset - last)
            last = offset
    return None if last is None else gap


def malformed(cron: str) -> str | None:
    """Return why a text is no schedule, or None when it is one."""
    try:
        _plan(cron)
    except Malformed as error:
        return str(error)
    return None


def _plan(cron: str) -> tuple[tuple[frozenset[int], ...], bool, bool]:
    words = cron.split()
    if len(words) != 5:
        raise Malformed(f"five fields are expected, not {len(words)}")
    sets = tuple(
        _field(word.lower(), *bounds, place) for place, (word, bounds) in enumerate(zip(words, _FIELDS, strict=True))
    )
    return sets, words[2].startswith("*"), words[4].startswith("*")


def _field(word: str, low: int, high: int, place: int) -> frozenset[int]:
    found: set[int] = set()
    for item in word.split(","):
        body, _, step = item.partition("/")
        every = _number(step, 1, high, place) if step or "/" in item else 1
        if body == "*":
            first, last = low, high
        elif "-" in body:
            start, _, end = body.partition("-")
            first, last = _number(start, low, high, place), _number(end, low, high, place)
        else:
            first = _number(body, low, high, place)
            last = high if step else first
        if first > last:
            raise Malformed(f"{item!r} ends before it begins")
        found.update(range(first, last + 1, every))
    return frozenset(value % 7 if place == 4 else value for value in found)


def _number(word: str, low: int, high: int, place: int) -> int:
    names = _MONTHS if place == 3 else _DAYS if place == 4 else ()
    if word in names:
        return names.index(word) + (1 if place == 3 else 0)
    if not (word.isascii() and word.isdigit() and len(word) <= 3 and low <= int(word) <= high):
        raise Malformed(f"{word!r} is no number from {low} to {high}")
    return int(word)


def _runs(plan: tuple[tuple[frozenset[int], ...], bool, bool], day: date) -> bool:
    (_, _, days, months, weekdays), any_day, any_weekday = plan
    if day.month not in months:
        return False
    on_day, on_weekday = day.day in days, (day.weekday() + 1) % 7 in weekdays
    # cron's own rule: when both are narrowed, either is enough
    return (on_day and on_weekday) if any_day or any_weekday else (on_day or on_weekday)
