"""What `jetproof --help` shows: every command, by what one wants to know or do."""

from __future__ import annotations

import shutil
import textwrap

from jetproof.cli.commands import COMMANDS, GROUPS
from jetproof.cli.usage import Parser

PAGES = "https://github.com/jetproof/jetproof/blob/main/docs/index.md"


class FrontPage(Parser):
    """The parser of the program as a whole."""

    def format_help(self) -> str:
        """Return the page, as wide as the terminal, 100 columns at most."""
        wide = min(max(shutil.get_terminal_size().columns - 2, 30), 100)
        lines = {name: line for name, _, line in COMMANDS}
        page = textwrap.wrap("Prove what runs on a Jetson, and claim no more.", wide)
        page += ["", "usage: jetproof COMMAND ...", ""]
        for title, names in GROUPS:
            page.append(f"{title}:")
            for name in names:
                page += textwrap.wrap(f"  {name:<11} {lines[name]}", wide, subsequent_indent=" " * 14)
            page.append("")
        page += ["start with:", "  jetproof doctor", "  jetproof COMMAND --help", ""]
        page += [*textwrap.wrap("--version prints the release. Exit codes and all pages:", wide), PAGES, ""]
        return "\n".join(page)
