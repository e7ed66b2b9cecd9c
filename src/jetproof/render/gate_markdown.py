"""A gate as Markdown for a job's summary: the answer, a table of the items, what it can and cannot prove."""

from __future__ import annotations

from typing import Any

from jetproof.qualify.outcome import Outcome, Verdict
from jetproof.render.gate_text import MARKS, headline, reach_line
from jetproof.render.style import printable

LARGEST = 900_000
"""Bytes; a job's summary takes one MiB a step."""


def gate_markdown(verdict: Verdict, record: dict[str, Any]) -> str:
    """Return the summary. `record` is the run's record, for what was tested where."""
    lines = [f"## {_cell(headline(verdict))}", ""]
    lines += [f"* {name}: `{_code(value)}`" for name, value in tested(record).items()]
    lines += ["", "| item | outcome | reason | seconds |", "|---|---|---|---:|"]
    for item in sorted(verdict.items, key=lambda item: -item.outcome.weight):
        seconds = f"{item.last.seconds:.1f}" if item.last is not None else ""
        reason = "" if item.outcome is Outcome.PASS else f"{_cell(item.reason)}: {_cell(item.message)}"
        lines.append(f"| `{_code(item.id)}` | {MARKS[item.outcome][0]} | {reason} | {seconds} |")
    for title, entries in (
        ("Why it is not green, besides", verdict.objections),
        ("It proves nothing, because", verdict.not_proven),
    ):
        if entries:
            lines += ["", f"### {title}", ""]
            lines += [f"* `{_code(entry.reason)}` {_cell(entry.message)}" for entry in entries]
    if reach_line(verdict):
        lines += ["", reach_line(verdict)]
    text = "\n".join(lines) + "\n"
    if len(text.encode()) > LARGEST:
        text = text.encode()[:LARGEST].decode("utf-8", "ignore") + "\n\n(cut: the whole is in the record)\n"
    return text


def tested(record: dict[str, Any]) -> dict[str, str]:
    """Return what was tested, for a heading: commit, module, releases, torch."""
    source, machine = _mapping(record.get("source")), _mapping(record.get("machine"))
    torch = _mapping(_mapping(record.get("torch")).get("data"))
    members = {
        "commit": source.get("commit"),
        "module": _value(machine, "module"),
        "L4T": _value(machine, "l4t"),
        "JetPack": _value(machine, "jetpack"),
        "torch": torch.get("torch"),
        "origin": record.get("origin"),
        "plan": record.get("plan_sha256"),
    }
    return {name: str(value) for name, value in members.items() if value is not None}


def _mapping(value: Any) -> dict[str, Any]:
    """Return the value if it is an object: what a worker told may be anything."""
    return value if isinstance(value, dict) else {}


def _value(machine: dict[str, Any], name: str) -> Any:
    fact = machine.get(name)
    return fact.get("value") if isinstance(fact, dict) else None


def _cell(text: str) -> str:
    line = printable(text).replace("\n", " ").replace("\t", " ")
    for char in "\\`*_[]<>|#~&":
        line = line.replace(char, f"&#{ord(char)};" if char in "<>&|" else f"\\{char}")
    return line[:2000]


def _code(text: str) -> str:
    return printable(text).replace("\n", " ").replace("`", "'").replace("|", "¦")[:500]
