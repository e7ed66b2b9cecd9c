"""An audit for a terminal, for an issue and for a machine: the answer first, then each finding with its mend."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import Any

from jetproof.install.audit import Audit
from jetproof.install.finding import Finding, Severity, Verdict
from jetproof.render.markup import code, escaped
from jetproof.render.notice import Level, Notice
from jetproof.render.style import PLAIN, Style, counted, printable, printable_line

SCHEMA = "jetproof/audit/1"
_MARKS = {Severity.BLOCKING: ("✗", "red"), Severity.WARNING: ("!", "yellow"), Severity.NOTE: ("i", "blue")}
_COLOURS = {
    Verdict.FAILS_PYTHON: "red",
    Verdict.REPLACES_TORCH: "red",
    Verdict.UNDETERMINED: "yellow",
    Verdict.OK: "green",
}
_LEVELS = {Severity.BLOCKING: Level.ERROR, Severity.WARNING: Level.WARNING, Severity.NOTE: Level.NOTE}
_ALIKE = 3
"""So many notes of one rule are told in full; the others by name."""


def answer(audit: Audit) -> str:
    """Return the answer in one line."""
    torch = next(one for one in audit.held if one.name == "torch")
    board = audit.board.stack
    match audit.verdict:
        case Verdict.FAILS_PYTHON:
            told = f"cannot be installed with the Python of {board}"
        case Verdict.REPLACES_TORCH:
            told = f"a plain install on {board} replaces the vendor's {torch.told}"
        case Verdict.UNDETERMINED:
            told = f"what happens on {board} is not known from this input"
        case Verdict.OK:
            told = f"keeps the vendor's {torch.told} on {board}"
    if audit.conditional and audit.verdict is Verdict.OK:
        told += ", as far as the direct requirements tell (no lock)"
    return printable(f"{audit.verdict.value}: {told}")


def _summary(audit: Audit) -> list[tuple[str, str]]:
    project = audit.project
    count = len(audit.selection.selected)
    what = counted(count, "package" if project.locked else "direct requirement")
    return [
        ("read", f"{project.path} ({project.kind.value}): {what} for this board"),
        ("board", f"{audit.board.stack}: {audit.board.told}"),
        ("held", ", ".join(one.told + ("" if one.named else " (the tables' for this stack)") for one in audit.held)),
        *(("note", note) for note in project.notes),
    ]


def told(audit: Audit, style: Style = PLAIN) -> str:
    """Return the whole audit for a terminal."""
    lines = [style(answer(audit), "bold", _COLOURS[audit.verdict])]
    lines += [f"  {style(label.ljust(6), 'dim')} {printable(text)}" for label, text in _summary(audit)]
    for finding, others in _gathered(audit.findings):
        lines += ["", *_finding(finding, others, style)]
    return "\n".join(lines) + "\n"


def _gathered(findings: Sequence[Finding]) -> Iterator[tuple[Finding, Sequence[Finding]]]:
    """Each finding with the notes of the same rule that are told along with it."""
    notes: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.severity is Severity.NOTE:
            notes.setdefault(finding.rule, []).append(finding)
    for finding in findings:
        alike = notes.get(finding.rule, [])
        if finding.severity is not Severity.NOTE or len(alike) <= _ALIKE:
            yield finding, ()
        elif finding is alike[0]:
            yield finding, alike[1:]


def _finding(finding: Finding, others: Sequence[Finding], style: Style) -> list[str]:
    mark, colour = _MARKS[finding.severity]
    place = printable_line(str(finding.where))
    lines = [f"{style(f'[{mark}] {finding.rule} {finding.name}', colour, 'bold')} {style(place, 'dim')}"]
    lines.append(f"    {printable(finding.message)}")
    if finding.wanted_by and finding.package:
        chain = " > ".join((*finding.wanted_by, finding.package))
        lines.append(f"    {style('asked by', 'dim')} {printable(chain)}")
    for reason in finding.because:
        if reason.fact == " > ".join((*finding.wanted_by, finding.package or "")) and len(finding.because) > 1:
            lines[-1] += style(f"  (as {_short(reason.value)}, {printable(reason.read_from)})", "dim")
            continue
        where = style(f"  ({printable(reason.read_from)})", "dim")
        lines.append(f"    {style('because', 'dim')}  {printable(reason.fact)} = {_short(reason.value)}{where}")
    for step in finding.remedy:
        lines.append(f"    {style('instead', 'green')}  {printable(step.text)}")
        if step.command:
            lines.append(f"             {style('$', 'dim')} {printable(step.command)}")
    if others:
        names = ", ".join(dict.fromkeys(one.package or str(one.where) for one in others))
        lines.append(f"    {style('likewise', 'dim')} {len(others)} more: {_short(names, 600)}")
    lines.append(f"    {style('page', 'dim')}     {finding.url}")
    return lines


def _short(value: str, limit: int = 200) -> str:
    text = printable(value).replace("\n", " / ")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def markdown(audit: Audit) -> str:
    """Return the audit as Markdown for an issue or a job's summary."""
    lines = [f"**{escaped(answer(audit))}**", "", "| | |", "|---|---|"]
    lines += [f"| {label} | {escaped(text)} |" for label, text in _summary(audit)]
    for finding, others in _gathered(audit.findings):
        mark, _ = _MARKS[finding.severity]
        lines += ["", f"### {mark} [{finding.rule} {finding.name}]({finding.url})", ""]
        lines.append(f"{escaped(finding.message)} ({code(str(finding.where))})")
        lines.append("")
        if finding.wanted_by and finding.package:
            lines.append(f"- asked by {code(' > '.join((*finding.wanted_by, finding.package)))}")
        for step in finding.remedy:
            lines.append(f"- instead: {escaped(step.text)}" + (f": {code(step.command)}" if step.command else ""))
        if others:
            names = ", ".join(dict.fromkeys(one.package or str(one.where) for one in others))
            lines.append(f"- likewise: {escaped(_short(names, 600))}")
    return "\n".join(lines) + "\n"


def json_object(audit: Audit) -> dict[str, Any]:
    """Return the audit for a machine (schema jetproof/audit/1)."""
    project = audit.project
    return {
        "schema": SCHEMA,
        "stack": audit.board.stack,
        "verdict": audit.verdict.value,
        "conditional": audit.conditional,
        "project": {
            "path": project.path,
            "kind": project.kind.value,
            "name": project.name,
            "locked": project.locked,
            "requires_python": project.requires_python,
            "notes": list(project.notes),
        },
        "environment": {
            "python": audit.board.python_full,
            "machine": "aarch64",
            "glibc": ".".join(map(str, audit.board.glibc)),
            "cuda": audit.board.target.cuda,
            "compute_capabilities": list(audit.board.target.compute_capabilities),
        },
        "held": [{"name": one.name, "release": one.release, "named": one.named} for one in audit.held],
        "selected": len(audit.selection.selected),
        "findings": [_finding_json(finding) for finding in audit.findings],
    }


def _finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "name": finding.name,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "verdict": finding.verdict.value if finding.verdict else None,
        "package": finding.package,
        "release": finding.release,
        "wanted_by": list(finding.wanted_by),
        "where": {"file": finding.where.file, "line": finding.where.line},
        "message": finding.message,
        "because": [{"fact": one.fact, "value": one.value, "read_from": one.read_from} for one in finding.because],
        "remedy": [{"text": step.text, "command": step.command} for step in finding.remedy],
        "url": finding.url,
    }


def notices(audit: Audit, below: str = "") -> list[Notice]:
    """Return the findings as remarks; `below` is the project's folder as seen from the repository's root."""
    return [
        Notice(
            rule=finding.rule,
            name=finding.name,
            level=_LEVELS[finding.severity],
            message=finding.message + "".join(f"; instead: {step.text}" for step in finding.remedy[:1]),
            path=posixpath.normpath(posixpath.join(below, finding.where.file)),
            line=finding.where.line,
            url=finding.url,
        )
        for finding in audit.findings
    ]
