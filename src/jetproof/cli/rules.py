"""`jetproof rules [ID]`: every rule by its id, or what one of them means."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys

from jetproof.cli import options


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("rule", nargs="?", metavar="ID", help="a rule's id or name, like JD070 or torch-cpu-build")
    options.add_json(parser, "jetproof/rules/1")


def run(arguments: argparse.Namespace) -> int:
    """Look the rules up and render them."""
    from jetproof.diagnosis.all_rules import RULES
    from jetproof.install.judgements import JUDGEMENTS
    from jetproof.render.rules import find, listed, meanings, told
    from jetproof.render.style import style_for
    from jetproof.workflow.all_rules import RULES as LANE_RULES

    rules = meanings((*RULES, *JUDGEMENTS, *LANE_RULES))
    chosen = (find(rules, arguments.rule),) if arguments.rule else rules
    if arguments.json:
        body = {"schema": "jetproof/rules/1", "rules": [dataclasses.asdict(rule) for rule in chosen]}
        sys.stdout.write(json.dumps(body, indent=2, ensure_ascii=False) + "\n")
    elif arguments.rule:
        sys.stdout.write(told(chosen[0], style_for(sys.stdout)))
    else:
        sys.stdout.write(listed(chosen, style_for(sys.stdout)))
    return 0
