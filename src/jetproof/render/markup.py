"""Foreign text in Markdown: shown as it is, never as markup, links or mentions."""

from __future__ import annotations

from jetproof.render.style import printable


def escaped(text: str) -> str:
    """Return foreign text that cannot become markup or name people; on one line, so that it fits a table's cell."""
    plain = printable(text).replace("\n", " ")
    for char in "\\`*_[]<>|#&~":
        plain = plain.replace(char, "\\" + char)
    return plain.replace("@", "@\u200b")


def code(text: str) -> str:
    """Return a code span that its content cannot end early."""
    plain = printable(text).replace("\n", " ").replace("|", "\\|")
    fence = "`"
    while fence in plain:
        fence += "`"
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{pad}{plain}{pad}{fence}"
