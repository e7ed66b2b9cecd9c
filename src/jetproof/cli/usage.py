"""The parser of every command: the command that was misused tells it, and each help ends with examples."""

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
    """Raises Misused where argparse would exit, and lets each command refuse its own unknown options.

    An option's name is not to be shortened: what is short today may be two options tomorrow.
    """

    answer = ""
    """What the command does, in a sentence: the first line of its help."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**{**how, "allow_abbrev": False})
        self.register("action", "parsers", _Commands)

    def format_help(self) -> str:
        """Return the help: the answer first, examples last."""
        from jetproof.cli.examples import EXAMPLES

        lines = [f"  {line}" for line in EXAMPLES.get(self.prog, ())]
        examples = ["", "examples:", *lines, ""] if lines else []
        return "\n".join([self.answer, "", super().format_help() + "\n".join(examples)])

    def error(self, message: str) -> NoReturn:
        """Refuse the call."""
        raise Misused(self, message)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse; what is left over is refused here, so that the usage shown is that of the command in question."""
        known, left = super().parse_known_args(args, namespace)
        if left:
            self.error(f"unrecognized arguments: {' '.join(left)}")
        return known, left


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]  # not generic when the program runs
    """Describes each command by its line of help, as a sentence."""

    def add_parser(self, name: str, **how: Any) -> Any:
        parser = super().add_parser(name, **how)
        line = str(how["help"])
        parser.answer = f"{line[0].upper()}{line[1:]}."
        return parser


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
