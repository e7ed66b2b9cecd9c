"""A gate as TAP version 14: the plan first, what did not run as `not ok`, `Bail out!` when the run broke off."""

from __future__ import annotations

from jetproof.qualify.outcome import Outcome, Verdict
from jetproof.render.style import printable


def tap(verdict: Verdict) -> str:
    """Return the report."""
    lines = ["TAP version 14", f"1..{len(verdict.items) + 1}"]
    for number, item in enumerate(verdict.items, 1):
        if item.outcome is Outcome.PASS:
            lines.append(f"ok {number} - {_text(item.id)}")
            continue
        directive = " # required, not run" if item.outcome is Outcome.MISS else ""
        lines.append(f"not ok {number} - {_text(item.id)}{directive}")
        lines += ["  ---", f"  outcome: {item.outcome.value}", f"  reason: {_quoted(item.reason)}"]
        lines += [f"  message: {_quoted(item.message)}", "  ..."]
        for test in item.last.tests if item.last is not None else ():
            if test.outcome is not Outcome.PASS:
                lines.append(
                    f"# {test.outcome.value} {_text(test.id)}: {_text(test.reason)} {_text(test.message)}".rstrip()
                )
    mark = "ok" if verdict.green else "not ok"
    lines.append(f"{mark} {len(verdict.items) + 1} - gate {_text(verdict.gate)}")
    lines += [f"# {_text(entry.reason)}: {_text(entry.message)}" for entry in verdict.objections]
    lines += [f"# proves nothing: {_text(entry.reason)}: {_text(entry.message)}" for entry in verdict.not_proven]
    if any(entry.reason in ("unfinished", "interrupted", "worker-unfinished") for entry in verdict.objections):
        lines.append("Bail out! the run broke off")
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """Return the text on one line, with TAP's own marks escaped."""
    line = printable(text).replace("\n", " ").replace("\t", " ")
    return line.replace("\\", "\\\\").replace("#", "\\#")


def _quoted(text: str) -> str:
    """Return the text as a YAML scalar in double quotes."""
    import json

    return json.dumps(printable(text))
