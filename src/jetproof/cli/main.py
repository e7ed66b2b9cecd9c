"""Entry point: find the command, run it, and turn every error into a message, a hint and an exit code."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence

from jetproof import __version__
from jetproof.cli import streams
from jetproof.cli.commands import COMMANDS
from jetproof.cli.front_page import FrontPage
from jetproof.cli.interruption import end_children, polite_kill_is_ctrl_c
from jetproof.cli.usage import Misused, Parser
from jetproof.errors import ExitCode, InternalError, JetproofError, PolicyInvalid, UsageError


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser; with `only`, the arguments of that one command alone are filled in."""
    top = FrontPage(prog="jetproof")
    top.add_argument("--version", action="version", version=f"jetproof {__version__}")
    sub = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name, module, help_line in COMMANDS:
        command = sub.add_parser(name, help=help_line)
        if only is None or name == only:
            importlib.import_module(module).configure(command)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Errors go to standard error, never as a traceback."""
    words = list(sys.argv[1:] if argv is None else argv)
    named = next((word for word in words if not word.startswith("-")), None)
    try:
        arguments = parser(only=named or "").parse_args(words)
        modules = {name: module for name, module, _ in COMMANDS}
        code = importlib.import_module(modules[arguments.command]).run(arguments)
        sys.stdout.flush()
        return int(code)
    except JetproofError as error:
        return _told(error, words)
    except Misused as misused:
        if "--json" not in words:
            streams.say(misused.usage)
        _told(misused.error, words)
        raise SystemExit(int(misused.error.exit_code)) from None
    except KeyboardInterrupt:
        streams.say("jetproof: interrupted\n")
        return int(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        streams.drop_output()  # whoever reads our output has gone
        return int(ExitCode.OK)
    except Exception as error:
        if _by_keyboard(error):
            streams.say("jetproof: interrupted\n")
            return int(ExitCode.INTERRUPTED)
        if os.environ.get("JETPROOF_DEBUG"):
            raise
        around = streams.surroundings(error) if isinstance(error, OSError) else None
        if around is not None:
            streams.drop_output()
        return _told(around or InternalError.of(error), words)


def _by_keyboard(error: BaseException) -> bool:
    """Whether a Ctrl-C lies behind an error: Python puts its own around one that strikes while a class is made."""
    behind: BaseException | None = error
    for _ in range(20):
        if behind is None or isinstance(behind, KeyboardInterrupt):
            break
        behind = behind.__cause__ or behind.__context__
    return isinstance(behind, KeyboardInterrupt)


def _told(error: JetproofError, words: Sequence[str]) -> int:
    from jetproof.render.errors import told

    error.hint = error.hint or _hint(error, words)
    streams.say(told(error, arguments_json="--json" in words))
    return int(error.exit_code)


def _hint(error: JetproofError, words: Sequence[str]) -> str | None:
    """Where to look when whoever raised the error knew nothing better."""
    if isinstance(error, PolicyInvalid):
        return "jetproof policy check names each fault with its place"
    if isinstance(error, UsageError):
        named = next((word for word in words if not word.startswith("-")), "")
        return f"jetproof {named} --help says what it takes"
    return None


def script() -> None:
    """Run as the program; Ctrl-C, which was heard by `jetproof.__main__` until now, ends work that has begun."""
    try:
        if signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, signal.SIG_DFL):
            signal.signal(signal.SIGINT, signal.default_int_handler)
        streams.ready(machine="--json" in sys.argv)
        with polite_kill_is_ctrl_c():
            code = main()
            if code == ExitCode.INTERRUPTED:
                end_children()
    except KeyboardInterrupt:  # it came while an error, or the first interruption, was being told
        code = int(ExitCode.INTERRUPTED)
        end_children()
    if code == ExitCode.INTERRUPTED:
        streams.end_now(code)
    sys.exit(code)
