"""Wrong usage of the command line: told by the command that was misused, with the nearest word that exists."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from jetproof.errors import UsageError


class Misused(Exception):
    """A call that its parser does not take."""

    def __init__(self, parser: argparse.ArgumentParser, message: str) -> None:
        super().__init__(message)
        self.usage = parser.format_usage()
        self.error = _error(parser.prog, message)


class Parser(argparse.ArgumentParser):
    """Raises Misused where argparse would exit, and lets each command refuse its own unknown options."""

    def error(self, message: str) -> NoReturn:
        """Refuse the call."""
        raise Misused(self, message)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse; what is left over is refused here, so that the usage shown is that of the command in question."""
        known, left = super().parse_known_args(args, namespace)
        if left:
            self.error(f"unrecognized arguments: {' '.join(left)}")
        return known, left


def _error(prog: str, message: str) -> UsageError:
    import difflib
    import re

    help_hint = f"{prog} --help"
    match = re.search(r"invalid choice: '(?P<word>[^']*)' \(choose from (?P<choices>.*)\)", message)
    if match is None:
        return UsageError(message, hint=help_hint)
    choices = re.findall(r"[\w.-]+", match["choices"])
    near = difflib.get_close_matches(match["word"], choices, n=2, cutoff=0.6)
    if message.startswith(("argument COMMAND:", "argument ACTION:")):
        message = f"{prog} has no command {match['word'][:80]!r}"
    return UsageError(message, hint=f"did you mean {' or '.join(near)}?" if near else help_hint)
