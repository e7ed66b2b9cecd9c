"""`jetproof doctor`: why PyTorch has no CUDA here, and what mends it."""

from __future__ import annotations

import argparse
import json
import sys

from jetproof.cli import options
from jetproof.cli.source import add_source, read


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_source(parser)
    form = parser.add_mutually_exclusive_group()
    options.add_json(form, "jetproof/diagnosis/1")
    options.add_markdown(form)
    parser.epilog = "Exit codes: 0 nothing blocks, 1 a blocking finding, 4 undecided, 2 wrong usage."


def run(arguments: argparse.Namespace) -> int:
    """Read, judge, render."""
    snapshot = read(arguments, trials=True, meanwhile=_get_ready)

    from jetproof.diagnosis.as_json import as_json, missing
    from jetproof.diagnosis.engine import Verdict, diagnose
    from jetproof.diagnosis.exit_code import exit_code
    from jetproof.facts.from_snapshot import facts as facts_of
    from jetproof.render import diagnosis as render
    from jetproof.render.style import style_for
    from jetproof.tables import load

    tables = load()
    facts = facts_of(snapshot, tables)
    diagnosis = diagnose(facts, tables)
    if arguments.json:
        sys.stdout.write(json.dumps(as_json(diagnosis, facts), indent=2, ensure_ascii=False) + "\n")
    elif arguments.markdown:
        sys.stdout.write(render.markdown(diagnosis, facts))
    else:
        sys.stdout.write(render.told(diagnosis, facts, style_for(sys.stdout)))
        lacking = missing(diagnosis, facts)
        if diagnosis.verdict is Verdict.UNDECIDED and lacking:
            sys.stdout.write(
                f"\nnot known: {', '.join(lacking)}\n"
                "On the board, with the Python that has torch: jetproof doctor --python PYTHON; a read-out for here:\n"
                "jetproof inspect --python PYTHON --save board.json\n"
            )
    return int(exit_code(diagnosis))


def _get_ready() -> None:
    """Import what the judgement needs."""
    import jetproof.diagnosis.as_json
    import jetproof.diagnosis.engine
    import jetproof.facts.from_snapshot
    import jetproof.render.diagnosis  # noqa: F401 - loading them is all that is wanted
