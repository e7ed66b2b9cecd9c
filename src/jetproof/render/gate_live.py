"""A run while it goes on: a table that redraws itself on a terminal, one line an event anywhere else."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from jetproof.qualify.journal import Entry
from jetproof.qualify.outcome import Outcome
from jetproof.qualify.plan_model import Plan
from jetproof.render.gate_text import MARKS
from jetproof.render.style import Style, printable, style_for

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live


class GateView:
    """Follows the entries of a run and shows where it stands. Use as a context manager and as `on_entry`."""

    def __init__(self, plan: Plan, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._items = [step.id for step in plan.items]
        self._stream = stream
        self._clock = clock
        self._style: Style = style_for(stream)
        self._began = clock()
        self._started: dict[str, float] = {}
        self._ended: dict[str, tuple[Outcome, str, float]] = {}
        self._tests: dict[str, int] = {}
        self._phase = "starting the worker"
        self._live: Live | None = None

    def __enter__(self) -> GateView:
        """Begin to draw, where there is a terminal."""
        if self._stream.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(file=self._stream, highlight=False)
            self._live = Live(get_renderable=self._table, console=console, refresh_per_second=5, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the table away; what stays is told by the verdict."""
        if self._live is not None:
            self._live.stop()

    def __call__(self, entry: Entry) -> None:
        """Take the next entry of the journal."""
        match entry.kind:
            case "record":
                self._record(entry.body["record"])
            case "fault":
                self._line(f"not accepted: {entry.body['code']}: {entry.body['detail']}", "red")
            case "attempt" if entry.body["number"] > 1:
                self._line(f"attempt {entry.body['number']}: {', '.join(entry.body['items'])}", "yellow")
                for item in entry.body["items"]:
                    self._started.pop(item, None)
                    self._ended.pop(item, None)
            case "interrupted":
                self._line("interrupted: the journal is brought to its end", "yellow")
            case _:
                pass

    def _record(self, record: dict[str, Any]) -> None:
        item = record.get("item")
        match record["record"]:
            case "hello":
                self._phase = "importing torch"
                self._line(f"worker: Python {record.get('python')} ({record.get('executable')})", "dim")
            case "torch":
                data = record.get("data") or {}
                self._phase = "running"
                self._line(
                    f"torch {data.get('torch', '')}: {record.get('outcome')} {record.get('message') or ''}", "dim"
                )
            case "start" if isinstance(item, str):
                self._started[item] = self._clock()
                self._line(f"{item} ...", "dim")
            case "test" if isinstance(item, str) and record.get("phase") == "call":
                self._tests[item] = self._tests.get(item, 0) + 1
            case "end" if isinstance(item, str):
                self._end(item, record)
            case _:
                pass

    def _end(self, item: str, record: dict[str, Any]) -> None:
        outcome, reason = Outcome(record["outcome"]), str(record["reason"])
        self._ended[item] = (outcome, reason, float(record.get("seconds") or 0.0))
        word, colour = MARKS[outcome]
        why = "" if outcome is Outcome.PASS else f"  {reason}: {record.get('message') or ''}"
        self._line(
            f"[{len(self._ended)}/{len(self._items)}] {item} {word} {record.get('seconds', 0):.1f} s{why}", colour
        )

    def _line(self, text: str, colour: str) -> None:
        if self._live is None:
            flat = printable(text).replace("\n", " ").rstrip()
            try:
                self._stream.write(self._style(flat, colour) + "\n")
                self._stream.flush()
            except OSError:
                pass  # whoever watched has gone; the run goes on, and its journal tells all

    def _table(self) -> RenderableType:
        from rich.table import Table
        from rich.text import Text

        now = self._clock()
        table = Table(
            box=None,
            pad_edge=False,
            title=Text(f"{len(self._ended)} of {len(self._items)} done, {now - self._began:.0f} s, {self._phase}"),
            title_justify="left",
        )
        for heading in ("item", "state", "seconds", ""):
            table.add_column(heading, justify="right" if heading == "seconds" else "left")
        for item in self._items:
            tests = f"{self._tests[item]} tests" if item in self._tests else ""
            if item in self._ended:
                outcome, reason, seconds = self._ended[item]
                word, colour = MARKS[outcome]
                note = tests if outcome is Outcome.PASS else reason
                table.add_row(Text(item), Text(word, style=colour), f"{seconds:.1f}", Text(printable(note)))
            elif item in self._started:
                table.add_row(
                    Text(item), Text("running", style="cyan"), f"{now - self._started[item]:.1f}", Text(tests)
                )
            else:
                table.add_row(Text(item), Text("waiting", style="dim"), "", "")
        return table
