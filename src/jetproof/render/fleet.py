"""A fleet for a person: how many boards are green, which are not and why, and tables of what a store says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from jetproof.fleet.inventory import Inventory
from jetproof.fleet.query import Table
from jetproof.fleet.run import FleetResult
from jetproof.fleet.state import BoardResult, Status
from jetproof.render.style import PLAIN, Style, counted, printable

SCHEMA = "jetproof/fleet/1"
TABLE_SCHEMA = "jetproof/fleet-table/1"
_WORDS = {
    Status.GREEN: ("green", "green"),
    Status.NOT_GREEN: ("not green", "red"),
    Status.NOT_CHECKED: ("not checked", "yellow"),
    Status.TIMED_OUT: ("timed out", "red"),
    Status.BROKE: ("broke", "red"),
}
_SHOWN = 30
_NAMED = 5
_WIDEST = 60


def summary(found: FleetResult, gate: str, *, state: str, resume: str, style: Style = PLAIN) -> str:
    """Return the answer, then each board that is not green with its reason. `resume` is the command that goes on."""
    lines = [style(headline(found, gate), "bold", "green" if _all_green(found) else "red")]
    idle = [result for result in found.results if result.status == Status.GREEN.value and not result.proves]
    if idle:
        why = ", ".join(sorted({result.message for result in idle})[:3])
        lines += [f"  {len(idle)} of the green ones prove nothing: {printable(why).replace(chr(10), ' ')}"]
    groups: dict[tuple[str, str, str, str], list[str]] = {}
    for result in found.results:
        if result.status != Status.GREEN.value:
            same = (result.status, result.reason, result.message, result.hint)
            groups.setdefault(same, []).append(result.board)
    for (status, reason, message, hint), names in list(groups.items())[:_SHOWN]:
        lines += _group(Status(status), f"{reason}: {message}", hint, names, style)
    if len(groups) > _SHOWN:
        lines.append(f"  and {len(groups) - _SHOWN} more kinds (all of them: --json)")
    if found.missing:
        lines += [f"  {style('    not run', 'yellow')}  {_named(found.missing)}", f"go on with: {printable(resume)}"]
    spent = sum(result.seconds for result in found.results)
    kept = f", {found.resumed} kept from before" if found.resumed else ""
    wall = f"{found.seconds:.1f} s for " if found.seconds else ""
    lines.append(f"{wall}{spent:.1f} s of runs{kept}; files: {printable(state)}")
    return "\n".join(lines) + "\n"


def headline(found: FleetResult, gate: str) -> str:
    """Return the answer in one line."""
    counts = Counter(Status(result.status) for result in found.results)
    total = len(found.results) + len(found.missing)
    parts = [f"{counts[status]} {_WORDS[status][0]}" for status in list(Status)[1:] if counts[status]]
    parts += [f"{len(found.missing)} not run"] if found.missing else []
    return f"{gate}: green on {counts[Status.GREEN]} of {total} boards" + (f" ({', '.join(parts)})" if parts else "")


def progress(result: BoardResult, done: int, total: int) -> str:
    """Return the line that tells one board's result as it comes."""
    reason = "" if result.status == Status.GREEN.value else f" ({result.reason})"
    word = _WORDS[Status(result.status)][0]
    return printable(f"[{done}/{total}] {result.board} {word}{reason} {result.seconds:.1f} s").replace("\n", " ")


def as_json(found: FleetResult, gate: str) -> dict[str, Any]:
    """Return the summary as JSON values."""
    counts = Counter(result.status for result in found.results)
    return {
        "schema": SCHEMA,
        "gate": gate,
        "green": _all_green(found),
        "counts": {status.value: counts[status.value] for status in Status},
        "missing": list(found.missing),
        "seconds": found.seconds,
        "resumed": found.resumed,
        "boards": [asdict(result) for result in found.results],
    }


def boards(found: Inventory) -> str:
    """Return the inventory as a table."""
    rows = [
        (board.name, board.target, board.python or "", board.tier or "", ", ".join(board.labels))
        for board in found.boards
    ]
    return f"{counted(len(rows), 'board')} in {printable(found.read_from)}\n" + _grid(
        ("board", "target", "python", "tier", "labels"), rows
    )


def table(found: Table, limit: int) -> str:
    """Return an answer of the store as text."""
    text = _grid(found.columns, [tuple(_cell(value) for value in row) for row in found.rows])
    more = f"; only the first {limit} (--limit)" if found.cut else ""
    return f"{counted(len(found.rows), 'row')}{more}\n{text}"


def table_json(found: Table) -> dict[str, Any]:
    """Return an answer of the store as JSON values."""
    rows = [dict(zip(found.columns, map(_plain, row), strict=True)) for row in found.rows]
    return {"schema": TABLE_SCHEMA, "columns": list(found.columns), "rows": rows, "cut": found.cut}


def _all_green(found: FleetResult) -> bool:
    return not found.missing and all(result.status == Status.GREEN.value for result in found.results)


def _group(status: Status, why: str, hint: str, names: Sequence[str], style: Style) -> list[str]:
    """Return the boards that ended alike, with what they said."""
    word, colour = _WORDS[status]
    lines = [
        f"  {style(f'{word:>11}', colour)}  {_named(names)}",
        f"  {'':>11}    {printable(why).replace(chr(10), ' ')}",
    ]
    return [*lines, f"  {'':>11}    fix: {printable(hint)}"] if hint else lines


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    count = f"{len(names)} boards: " if len(names) > 1 else ""
    return count + ", ".join(map(printable, names[:_NAMED])) + more


def _grid(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    shown = [[printable(cell).replace("\n", " ")[:_WIDEST] for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *shown, strict=True)]
    lines = [columns, *shown]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n" for line in lines
    )


def _cell(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
