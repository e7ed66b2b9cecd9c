"""A rule's docstring as its page in Markdown, and as text for `jetproof rules ID`."""

from __future__ import annotations

from jetproof.diagnosis.rule import Rule

SECTIONS = ("Why it matters", "How it is decided", "What to do")
"""Sections that every rule's docstring has, in this order, after the line that says what it finds."""


def page(rule: Rule, docstring: str) -> str:
    """Return the rule's page."""
    what, _, rest = docstring.partition("\n")
    lines = [f"# {rule.id} {rule.name}", "", what, ""]
    for line in rest.strip("\n").splitlines():
        if line in SECTIONS:
            lines += ["", f"## {line}", ""] if lines[-1] else [f"## {line}", ""]
        else:
            lines.append(line.strip())
    body = "\n".join(lines).strip("\n")
    return f"{body}\n\n[All rules](README.md)\n"


def sections(docstring: str) -> tuple[str, ...]:
    """Return the headings that a docstring has."""
    return tuple(line for line in docstring.splitlines() if line in SECTIONS)
