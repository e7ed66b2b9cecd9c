"""`jetproof explain`: the cause in a pasted traceback, log, issue or JSON report."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.cli import options
from jetproof.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from jetproof.facts.report.intake import Intake

_PATIENCE = 1.0
"""Seconds after which a silent pipe is spoken of."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "file", nargs="*", metavar="FILE", help="a log, a traceback, an issue or a JSON report; - or none: stdin"
    )
    form = parser.add_mutually_exclusive_group()
    options.add_json(form, "jetproof/diagnosis/1")
    options.add_markdown(form)
    parser.epilog = "Exit codes: 0 a cause was named, 4 the text was not recognised, 2 not a text."


def run(arguments: argparse.Namespace) -> int:
    """Read, judge, render."""
    import json

    from jetproof.diagnosis.as_json import as_json
    from jetproof.diagnosis.engine import diagnose
    from jetproof.diagnosis.exit_code import explained
    from jetproof.facts.report import facts as facts_of
    from jetproof.render import diagnosis as render
    from jetproof.render.explained import told
    from jetproof.render.style import one_line, style_for
    from jetproof.tables import load

    intakes = [_intake(name) for name in arguments.file or ["-"]]
    tables = load()
    facts = facts_of(_joined(intakes), tables)
    diagnosis = diagnose(facts, tables)
    if arguments.json:
        sys.stdout.write(json.dumps(as_json(diagnosis, facts), indent=2, ensure_ascii=False) + "\n")
    elif arguments.markdown:
        sys.stdout.write(render.markdown(diagnosis, facts))
    else:
        sys.stdout.write(told(diagnosis, facts, style_for(sys.stdout)))
    for note in (*(note for one in intakes for note in one.notes), *facts.platform.notes):
        sys.stderr.write(f"note: {one_line(note)}\n")
    code = explained(diagnosis)
    if code is ExitCode.UNDECIDED:
        sys.stderr.write(
            "not recognised: paste the whole error text, and what `cat /etc/nv_tegra_release` and\n"
            "`python3 -m torch.utils.collect_env` print; on the board itself run: jetproof doctor\n"
        )
    return int(code)


def _intake(name: str) -> Intake:
    from jetproof.facts.report.intake import intake, read

    if name == "-":
        if sys.stdin is None:
            raise UsageError("standard input is closed", hint="Name a text file.")
        if sys.stdin.isatty():
            sys.stderr.write("paste the text, then press Ctrl-D\n")
        elif _silent():
            sys.stderr.write("waiting for a text on standard input; or end this with Ctrl-C and name a file\n")
        return intake(read(sys.stdin.buffer, "standard input"), "standard input")
    path = Path(name)
    try:
        if not path.is_file() and not path.is_fifo():
            raise UsageError(
                f"{name} is not a file" if path.exists() else f"there is no file {name.splitlines()[0][:120]}",
                hint=_way_on(name),
            )
        with path.open("rb") as stream:
            return intake(read(stream, name), name)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot read {name[:80]}: {why}", hint=_way_on(name)) from error


def _way_on(name: str) -> str:
    """What to do instead, also where the message itself was typed in the place of a file's name."""
    if " " in name and "\n" not in name and len(name) <= 200:
        return f"to explain the words themselves: printf '%s\\n' {shlex.quote(name)} | jetproof explain"
    return "Name a text file; or call jetproof explain alone, paste the text and press Ctrl-D."


def _silent() -> bool:
    """Whether nothing comes from standard input for a while, so that a person should be told what is waited for."""
    import select

    try:
        return not select.select([sys.stdin.fileno()], [], [], _PATIENCE)[0]
    except (OSError, ValueError):
        return False


def _joined(intakes: list[Intake]) -> str | Mapping[str, object]:
    """Several files are one report: texts one after the other; an object must come alone."""
    objects = [one.members for one in intakes if one.members is not None]
    if objects and len(intakes) > 1:
        raise UsageError("a JSON report cannot be joined with other files", hint="Explain it by itself.")
    if objects:
        return objects[0]
    return "\n".join(one.text for one in intakes)
