"""Everything about the project's policy: show it, lint it with its workflow, compare it, pin it, watch its lane."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jetproof.cli import options
from jetproof.cli.source import add_target, target_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, words in (
        ("show", "say what the policy asks: gates, tiers, waivers"),
        ("check-schema", "check the form of the policy, and name each fault by line and column"),
    ):
        _common(actions.add_parser(name, help=words), "jetproof/policy-shown/1")

    check = actions.add_parser("check", help="lint policy, workflows and pages together")
    options.add_project(check)
    options.add_policy(check)
    form = check.add_mutually_exclusive_group()
    options.add_json(form, "jetproof/policy-check/1")
    options.add_sarif(form)
    options.add_github(form)
    check.add_argument("--no-zizmor", action="store_true", help="do not ask zizmor, also where it is installed")
    check.epilog = "Exit codes: 0 nothing blocks, 1 a rule is broken, 9 the policy or a waiver does not stand."

    diff = actions.add_parser("diff", help="name each way in which the policy asks less than at BASE")
    diff.add_argument("base", metavar="BASE", help="a revision, like origin/main")
    _common(diff, "jetproof/policy-diff/1")
    diff.epilog = "Exit codes: 0 not weaker, 1 weaker."

    pin = actions.add_parser("pin", help="write the digest of the tier's torch into the policy; on or from the board")
    pin.add_argument("tier", metavar="TIER", help="id of a tier of the policy")
    known = pin.add_mutually_exclusive_group()
    options.add_torch_wheel(known, "FILE")
    options.add_image(known)
    options.add_python(pin)
    add_target(pin)
    options.add_dry_run(pin)
    _common(pin, "jetproof/policy-pin/1")

    live = actions.add_parser("liveness", help="say whether the lane has silently died; needs no network")
    live.add_argument("--runs", type=Path, metavar="FILE", help="what gh run list --json wrote")
    options.add_store(live.add_mutually_exclusive_group())
    _common(live, "jetproof/liveness/1")
    live.epilog = "Exit codes: 0 it lives, 4 it has never run, 7 its evidence is stale, 1 any other sign of death."


def _common(parser: argparse.ArgumentParser, schema: str) -> None:
    options.add_policy(parser)
    options.add_project(parser)
    options.add_json(parser, schema)


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked."""
    actions: dict[str, Callable[[argparse.Namespace], int]] = {
        "show": _show,
        "check-schema": _show,
        "check": _check,
        "diff": _diff,
        "pin": _pin,
        "liveness": _liveness,
    }
    return actions[arguments.action](arguments)


def _told(arguments: argparse.Namespace, members: dict[str, Any], text: str) -> None:
    sys.stdout.write(json.dumps(members, indent=2, ensure_ascii=False) + "\n" if arguments.json else text)


def _show(arguments: argparse.Namespace) -> int:
    from jetproof.policy.load import load
    from jetproof.render.policy import checked, policy_json, shown

    loaded = load(arguments.project, arguments.policy)
    _told(arguments, policy_json(loaded), shown(loaded) if arguments.action == "show" else checked(loaded))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from jetproof import __version__
    from jetproof.cli.evidence_source import now
    from jetproof.render import lane
    from jetproof.render.annotations import as_annotations
    from jetproof.render.sarif import as_sarif
    from jetproof.render.style import style_for
    from jetproof.workflow.lint import lint

    found = lint(arguments.project, policy=arguments.policy, now=now(), zizmor=not arguments.no_zizmor)
    if arguments.sarif:
        sys.stdout.write(as_sarif(lane.notices(found.findings), release=__version__, command="policy-check"))
    elif arguments.github:
        sys.stdout.write(as_annotations(lane.notices(found.findings)))
    else:
        _told(arguments, lane.checked_json(found), lane.checked(found, style_for(sys.stdout)))
    return int(found.exit_code)


def _diff(arguments: argparse.Namespace) -> int:
    from jetproof.evidence.git import repository
    from jetproof.render import lane
    from jetproof.render.style import style_for
    from jetproof.workflow.policy_change import change

    found = change(repository(arguments.project), arguments.base, arguments.project, arguments.policy)
    _told(arguments, lane.change_json(found), lane.change(found, style_for(sys.stdout)))
    return 1 if found.weakened else 0


def _pin(arguments: argparse.Namespace) -> int:
    from jetproof.errors import UsageError
    from jetproof.facts.from_snapshot import facts
    from jetproof.policy import pin
    from jetproof.tables import load as load_tables
    from jetproof.target.interface import CollectRequest

    planned = pin.begun(arguments.project, arguments.policy, arguments.tier)
    arguments.source = None
    snapshot = target_of(arguments).collect(CollectRequest(trials=False))
    if snapshot.origin != "live":
        raise UsageError(f"a runtime is pinned from a board, and {arguments.target[:120]!r} is {snapshot.origin}")
    found = pin.found(planned.tier, facts(snapshot, load_tables()), wheel=arguments.torch_wheel, image=arguments.image)
    changed = pin.finished(planned, found, write=not arguments.dry_run)
    did = "would be pinned to" if arguments.dry_run else "is pinned to" if changed else "was pinned already to"
    members = {
        "schema": "jetproof/policy-pin/1",
        "tier": planned.tier.id,
        "digest": found.digest,
        "read_from": found.read_from,
        "written": changed and not arguments.dry_run,
    }
    _told(arguments, members, f"{planned.tier.id} {did} {found.digest}\n  read from {found.read_from}\n")
    return 0


def _liveness(arguments: argparse.Namespace) -> int:
    from jetproof.cli.evidence_source import now
    from jetproof.render import lane
    from jetproof.render.style import style_for
    from jetproof.workflow.liveness_sources import liveness

    moment = now()
    found = liveness(
        arguments.project,
        policy=arguments.policy,
        runs=arguments.runs,
        store=arguments.store,
        branch=arguments.branch,
        now=moment,
    )
    _told(arguments, lane.liveness_json(found), lane.liveness(found, moment, style_for(sys.stdout)))
    return int(found.exit_code)
