"""A diagnosis for a terminal and for an issue: the answer first, then each finding with its reasons and its mend."""

from __future__ import annotations

from jetproof.diagnosis.engine import Diagnosis, Verdict
from jetproof.diagnosis.rule import Finding, Severity
from jetproof.facts.model import Facts
from jetproof.render.facts import machine, summary, value_text
from jetproof.render.markup import code, escaped
from jetproof.render.style import PLAIN, Style, one_line, printable

_MARKS = {Severity.BLOCKING: ("✗", "red"), Severity.WARNING: ("!", "yellow"), Severity.NOTE: ("i", "blue")}
_COLOURS = {
    Verdict.HEALTHY: "green",
    Verdict.BLOCKED: "red",
    Verdict.DEGRADED: "yellow",
    Verdict.NOT_A_JETSON: "blue",
    Verdict.UNDECIDED: "yellow",
}


def answer(diagnosis: Diagnosis, facts: Facts) -> str:
    """Return the answer in one line: the verdict, its reason, and the Python that was asked."""
    first = diagnosis.findings[0].message.splitlines()[0] if diagnosis.findings else ""
    torch = facts.torch
    match diagnosis.verdict:
        case Verdict.HEALTHY:
            text = f"healthy: torch {value_text(torch.torch)} runs on {machine(facts)}"
        case Verdict.NOT_A_JETSON:
            text = f"not a Jetson: {first or machine(facts)}"
        case Verdict.UNDECIDED:
            text = f"undecided: {first or 'what is known does not show a fault, nor that torch works'}"
        case Verdict.BLOCKED | Verdict.DEGRADED:
            text = f"{diagnosis.verdict.value}: {first}"
    if torch.interpreter.known:
        chosen = f", from {value_text(torch.chosen_by)}" if torch.chosen_by.known else ""
        text += f" [{value_text(torch.interpreter)}{chosen}]"
    return one_line(text)


def told(diagnosis: Diagnosis, facts: Facts, style: Style = PLAIN) -> str:
    """Return the whole diagnosis for a terminal."""
    lines = [style(answer(diagnosis, facts), "bold", _COLOURS[diagnosis.verdict])]
    if facts.origin.value != "live":
        lines.append(style(f"  {facts.origin.value} facts, not read from this machine", "dim"))
    lines += [f"  {style(label.ljust(8), 'dim')} {text}" for label, text in summary(facts)]
    for finding in diagnosis.findings:
        lines += ["", *_finding(finding, style)]
    return "\n".join(lines) + "\n"


def _finding(finding: Finding, style: Style) -> list[str]:
    mark, colour = _MARKS[finding.severity]
    head = f"[{mark}] {finding.rule} {finding.name}"
    lines = [f"{style(head, colour, 'bold')} ({finding.severity.value}, {finding.confidence.value})"]
    lines += [f"    {printable(line)}" for line in finding.message.splitlines()]
    for reason in finding.because:
        place = f"  ({one_line(reason.read_from)})" if reason.read_from else ""
        lines.append(f"    {style('because', 'dim')} {reason.fact} = {_short(reason.value)}{style(place, 'dim')}")
    for step in finding.remedy:
        lines.append(f"    {style('mend', 'green')}    {one_line(step.text)}")
        if step.command:
            lines += [f"            {style('$', 'dim')} {printable(line)}" for line in step.command.splitlines()]
    if finding.missing:
        lines.append(f"    {style('would decide', 'dim')} {', '.join(finding.missing)}")
    lines.append(f"    {style('page', 'dim')}    {finding.url}")
    return lines


def _short(value: str, limit: int = 300) -> str:
    text = printable(value).replace("\n", " / ")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def markdown(diagnosis: Diagnosis, facts: Facts) -> str:
    """Return the whole diagnosis as Markdown that can be pasted into an issue."""
    lines = [f"**{escaped(answer(diagnosis, facts))}**", "", "| | |", "|---|---|"]
    lines += [f"| {label} | {escaped(text)} |" for label, text in summary(facts)]
    if facts.origin.value != "live":
        lines.append(f"| origin | {facts.origin.value} |")
    for finding in diagnosis.findings:
        mark, _ = _MARKS[finding.severity]
        lines += ["", f"### {mark} [{finding.rule} {finding.name}]({finding.url})", ""]
        lines += [f"{escaped(finding.message)} ({finding.severity.value}, {finding.confidence.value})", ""]
        for reason in finding.because:
            place = f" (from {code(reason.read_from)})" if reason.read_from else ""
            lines.append(f"- because `{reason.fact}` is {code(_short(reason.value))}{place}")
        for step in finding.remedy:
            lines.append(f"- mend: {escaped(step.text)}")
            if step.command:
                fence = "```"
                while fence in step.command:
                    fence += "`"
                commands = (f"  {printable(line)}" for line in step.command.splitlines())
                lines += ["", f"  {fence}sh", *commands, f"  {fence}", ""]
        if finding.missing:
            lines.append(f"- would decide: {', '.join(finding.missing)}")
    return "\n".join(lines) + "\n"
