"""An audit for a terminal, for an issue and for a machine: the answer first, then each finding with its mend."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jetproof.install.audit import Audit
from jetproof.install.finding import PAGES_URL, Finding, Remedy, Severity, Verdict
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
_ALIKE = 1
"""So many notes of one rule are told in full; the others by name."""
_REASONS = 3
"""So many reasons of one finding are told in a terminal; a machine gets all."""
_IN_HEAD = ("held", "board")
"""Facts that stand above the findings once."""


def answer(audit: Audit) -> str:
    """Return the answer in one line."""
    torch = next(one for one in audit.held if one.name == "torch")
    board = audit.board.stack
    match audit.verdict:
        case Verdict.FAILS_PYTHON:
            told = f"cannot be installed with the Python of {board}"
        case Verdict.REPLACES_TORCH:
            if any(finding.stops and finding.package == "torch" for finding in audit.findings):
                told = f"asks for another torch than the vendor's {torch.told}, of which no file fits {board}"
            else:
                told = f"{_how(audit)} on {board} replaces the vendor's {torch.told}"
        case Verdict.UNDETERMINED:
            told = f"what happens on {board} is not known from this input"
        case Verdict.OK:
            told = f"keeps the vendor's {torch.told} on {board}"
    if audit.conditional and audit.verdict is Verdict.OK:
        told += ", as far as the direct requirements tell (no lock)"
    return printable(f"{audit.verdict.value}: {told}")


def _how(audit: Audit) -> str:
    """Which install it is that replaces torch: any, or only one with what a group asks for."""
    deciding = [finding for finding in audit.findings if finding.verdict is audit.verdict]
    in_groups = all(" (group " in "".join(finding.wanted_by[:1]) for finding in deciding)
    return "an install with its groups" if in_groups else "a plain install"


def _summary(audit: Audit) -> list[tuple[str, str]]:
    project = audit.project
    count = len(audit.selection.selected)
    what = counted(count, "package" if project.locked else "direct requirement")
    kind = "" if posixpath.basename(project.path) == project.kind.value else f" ({project.kind.value})"
    return [
        ("read", f"{project.path}{kind}: {what} for this board"),
        ("board", f"{audit.board.stack}: {audit.board.told}"),
        ("held", ", ".join(one.told + ("" if one.named else " (the tables' for this stack)") for one in audit.held)),
        *(("note", note) for note in project.notes),
    ]


def told(audit: Audit, style: Style = PLAIN) -> str:
    """Return the whole audit for a terminal."""
    lines = [style(answer(audit), "bold", _COLOURS[audit.verdict])]
    lines += [f"  {style(label.ljust(6), 'dim')} {printable(text)}" for label, text in _summary(audit)]
    gathered = tuple(_gathered(audit.findings))
    common = _common(gathered)
    for rules, steps in _by_rules(common):
        lines += ["", style(f"instead, for {rules}", "green")]
        for step in steps:
            lines += _step(step, "    ", style)
    for finding, others in gathered:
        lines += ["", *_finding(finding, others, common, style)]
    if gathered:
        lines += ["", f"{style('what the rules mean', 'dim')} {PAGES_URL}"]
    return "\n".join(lines) + "\n"


def _common(gathered: Sequence[tuple[Finding, Sequence[Finding]]]) -> Mapping[Remedy, tuple[str, ...]]:
    """The steps that mend several findings, with the rules of those: they are told once, at the end."""
    rules: dict[Remedy, list[str]] = {}
    for finding, _ in gathered:
        for step in finding.remedy:
            rules.setdefault(step, []).append(finding.rule)
    return {step: tuple(dict.fromkeys(names)) for step, names in rules.items() if len(names) > 1}


def _by_rules(common: Mapping[Remedy, tuple[str, ...]]) -> Iterator[tuple[str, Sequence[Remedy]]]:
    """Those steps by the rules that they belong to, in words."""
    for rules in dict.fromkeys(common.values()):
        named = " and ".join(filter(None, (", ".join(rules[:-1]), rules[-1])))
        yield named, [step for step, names in common.items() if names == rules]


def _step(step: Remedy, indent: str, style: Style) -> list[str]:
    lines = [f"{indent}{printable(step.text)}"]
    if step.command:
        lines.append(f"{indent}{style('$', 'dim')} {printable(step.command)}")
    return lines


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


def _finding(
    finding: Finding, others: Sequence[Finding], common: Mapping[Remedy, tuple[str, ...]], style: Style
) -> list[str]:
    mark, colour = _MARKS[finding.severity]
    place = printable_line(str(finding.where))
    lines = [f"{style(f'[{mark}] {finding.rule} {finding.name}', colour, 'bold')} {style(place, 'dim')}"]
    lines.append(f"    {printable(finding.message)}")
    if finding.wanted_by and finding.package:
        chain = " > ".join((*finding.wanted_by, finding.package))
        lines.append(f"    {style('asked by', 'dim')} {printable(chain)}")
    for reason in [one for one in finding.because if one.fact not in _IN_HEAD][:_REASONS]:
        if reason.fact == " > ".join((*finding.wanted_by, finding.package or "")) and len(finding.because) > 1:
            lines[-1] += style(f"  (as {_short(reason.value)}, {printable(reason.read_from)})", "dim")
            continue
        where = style(f"  ({printable(reason.read_from)})", "dim")
        lines.append(f"    {style('because', 'dim')}  {printable(reason.fact)} = {_short(reason.value)}{where}")
    for step in finding.remedy:
        if step not in common:
            first, *more = _step(step, " " * 13, style)
            lines += [f"    {style('instead', 'green')}  {first.lstrip()}", *more]
    if others:
        names = ", ".join(dict.fromkeys(one.package or str(one.where) for one in others))
        lines.append(f"    {style('likewise', 'dim')} {len(others)} more: {_short(names, 600)}")
    return lines


def _short(value: str, limit: int = 200) -> str:
    text = printable(value).replace("\n", " / ")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def markdown(audit: Audit) -> str:
    """Return the audit as Markdown for an issue or a job's summary."""
    lines = [f"**{escaped(answer(audit))}**", "", "| | |", "|---|---|"]
    lines += [f"| {label} | {escaped(text)} |" for label, text in _summary(audit)]
    gathered = tuple(_gathered(audit.findings))
    common = _common(gathered)
    for rules, steps in _by_rules(common):
        lines += ["", f"### Instead, for {rules}", "", *(_item("", step) for step in steps)]
    for finding, others in gathered:
        mark, _ = _MARKS[finding.severity]
        lines += ["", f"### {mark} [{finding.rule} {finding.name}]({finding.url})", ""]
        lines.append(f"{escaped(finding.message)} ({code(str(finding.where))})")
        lines.append("")
        if finding.wanted_by and finding.package:
            lines.append(f"- asked by {code(' > '.join((*finding.wanted_by, finding.package)))}")
        lines += [_item("instead: ", step) for step in finding.remedy if step not in common]
        if others:
            names = ", ".join(dict.fromkeys(one.package or str(one.where) for one in others))
            lines.append(f"- likewise: {escaped(_short(names, 600))}")
    return "\n".join(lines) + "\n"


def _item(label: str, step: Remedy) -> str:
    return f"- {label}{escaped(step.text)}" + (f": {code(step.command)}" if step.command else "")


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
