"""A gate's verdict for a person: the answer first, then what did not pass, why, and what to do next."""

from __future__ import annotations

from jetproof.qualify.outcome import ItemResult, Outcome, Verdict
from jetproof.render.style import PLAIN, Style, printable

MARKS = {
    Outcome.PASS: ("ok", "green"),
    Outcome.FLAKY: ("flaky", "yellow"),
    Outcome.MISS: ("not run", "yellow"),
    Outcome.ERROR: ("broke", "red"),
    Outcome.FAIL: ("failed", "red"),
}
"""How an outcome is called and coloured."""


def gate_text(verdict: Verdict, *, where: str, python: str | None = None, style: Style = PLAIN) -> str:
    """Return the verdict as text. `where` is the folder that holds the run's files, `python` the interpreter used."""
    asked = f" [{_flat(python)}]" if python else ""
    lines = [style(headline(verdict), "bold", "green" if verdict.green else "red") + asked]
    width = max((len(item.id) for item in verdict.items), default=0)
    for item in sorted(verdict.items, key=lambda item: -item.outcome.weight):
        lines.append(_item(item, width, style))
        lines += [f"           {line}" for line in _because(item)]
    if verdict.objections:
        lines += ["", "Why it is not green, besides:"]
        lines += [f"  {style(_flat(entry.reason), 'red')}: {_flat(entry.message)}" for entry in verdict.objections]
    if verdict.not_proven:
        lines += ["", "It proves nothing, because:"]
        lines += [f"  {_flat(entry.reason)}: {_flat(entry.message)}" for entry in verdict.not_proven]
    lines += [f"\n{reach_line(verdict)}"] if reach_line(verdict) else []
    lines += ["", f"Files: {_flat(where)}   (jetproof replay {_flat(where)} gives them again)"]
    return "\n".join(lines) + "\n"


def headline(verdict: Verdict) -> str:
    """Return the answer in one line."""
    passed, planned = verdict.count(Outcome.PASS), len(verdict.items)
    if verdict.green:
        word = "green" if verdict.proves else "green, and proves nothing"
        return f"{verdict.gate}: {word} ({passed} of {planned} passed)"
    parts = [
        f"{verdict.count(outcome)} {MARKS[outcome][0]}"
        for outcome in (Outcome.FAIL, Outcome.ERROR, Outcome.MISS, Outcome.FLAKY)
        if verdict.count(outcome)
    ]
    if not parts:
        parts = [entry.reason for entry in verdict.objections[:3]]
    return f"{verdict.gate}: not green ({passed} of {planned} passed; {', '.join(parts)})"


def reach_line(verdict: Verdict) -> str:
    """Return what a green of another machine than a board says, and what it must not be taken for; else nothing."""
    if verdict.reach is None or 2 in verdict.reach.levels:
        return ""
    levels = " and ".join(map(str, verdict.reach.levels))
    word = "levels" if len(verdict.reach.levels) > 1 else "level"
    tense = "It says" if verdict.green else "Green would say"
    return f"{tense} ({word} {levels}): {verdict.reach.says}. It says nothing of {verdict.reach.never}."


def _item(item: ItemResult, width: int, style: Style) -> str:
    word, colour = MARKS[item.outcome]
    seconds = f"{item.last.seconds:7.1f} s" if item.last is not None and item.last.seconds else " " * 9
    reason = "" if item.outcome is Outcome.PASS else f"  {_flat(item.reason)}"
    return f"  {style(f'{word:>7}', colour)}  {item.id:<{width}} {seconds}{reason}"


def _because(item: ItemResult) -> list[str]:
    if item.outcome is Outcome.PASS:
        return []
    lines = [_flat(item.message)] if item.message else []
    tests = [test for test in (item.last.tests if item.last is not None else ()) if test.outcome is not Outcome.PASS]
    lines += [
        f"{test.outcome.value} {_flat(test.id)}: {_flat(test.reason)} {_flat(test.message)}".rstrip()
        for test in tests[:20]
    ]
    if len(tests) > 20:
        lines.append(f"and {len(tests) - 20} more tests")
    tail = item.last.stderr.strip().splitlines()[-3:] if item.last is not None and item.outcome is Outcome.ERROR else []
    lines += [f"| {printable(line)}" for line in tail]
    kind, _, name = item.id.partition("::")
    return [*lines, f"see: jetproof probes {name}"] if kind == "probe" else lines


def _flat(text: str) -> str:
    return printable(text).replace("\n", " ").strip()
