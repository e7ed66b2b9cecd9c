"""`jetproof claims`: what the project may say today, until when, what is missing for more, and whether it says more."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.cli import options
from jetproof.cli.evidence_source import add_checkout, now, open_checkout

if TYPE_CHECKING:
    from jetproof.claims.assess import Assessment
    from jetproof.claims.texts import Documents
    from jetproof.evidence.opening import Opened
    from jetproof.tables import Tables

_PULL_REQUESTS = ("pull_request", "pull_request_target", "merge_group")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_checkout(parser)
    options.add_commit(parser, "HEAD")
    action = parser.add_mutually_exclusive_group()
    options.add_check(action)
    action.add_argument("--write", action="store_true", help="write the managed blocks and the badge anew")
    held = parser.add_mutually_exclusive_group()
    held.add_argument(
        "--as-of-block",
        action="store_true",
        help="with --check: hold blocks to the day that they carry (a pull request does so by itself)",
    )
    held.add_argument("--today", action="store_true", help="with --check: hold blocks to today in any case")
    parser.add_argument("--patch", type=Path, metavar="FILE", help="write what --write would change as a patch instead")
    options.add_skip(parser)
    form = parser.add_mutually_exclusive_group()
    options.add_json(form, "jetproof/claims/1, with --check jetproof/claims-check/1")
    options.add_sarif(form)
    options.add_github(form)
    parser.epilog = (
        "--check holds README, docs, notes, classifiers and badge to the proof. "
        "Exit codes: 0 computed or nothing exceeds the proof, 8 a text exceeds it, 9 no valid policy or trust store, "
        "2 wrong usage."
    )


def run(arguments: argparse.Namespace) -> int:
    """Compute and tell."""
    from jetproof.claims.documents import BADGE_PATH
    from jetproof.claims.texts import documents
    from jetproof.tables import load

    tables = load()
    opened = open_checkout(arguments)
    found = _assessed(opened, arguments, tables)
    if not (arguments.check or arguments.write or arguments.patch):
        return _table(found, as_json=arguments.json)
    root = opened.repository.root
    texts = documents(root, arguments.skip)
    badge = _badge(root / BADGE_PATH)
    code = _check(arguments, opened, found, tables, texts, badge) if arguments.check else 0
    if arguments.write or arguments.patch:
        from jetproof.claims.write import changes, patch
        from jetproof.render.claims_check import written
        from jetproof.render.style import style_for
        from jetproof.target.write import write_atomically
        from jetproof.workflow.scaffold.plan import inside

        done = changes(texts, found.claims, badge)
        if arguments.patch:
            write_atomically(arguments.patch, patch(done).encode("utf-8", "surrogateescape"))
        else:
            for change in done:
                file = inside(root, change.path)
                file.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(file, change.new, follow=False)
        told = written(done, style_for(sys.stdout), only_shown=bool(arguments.patch))
        (sys.stderr if arguments.check else sys.stdout).write(told)
    return code


def _table(found: Assessment, *, as_json: bool) -> int:
    from jetproof.render import claims as render
    from jetproof.render.style import style_for

    if as_json:
        sys.stdout.write(json.dumps(render.as_json(found), indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(render.table(found, style_for(sys.stdout)))
    return 0


def _assessed(opened: Opened, arguments: argparse.Namespace, tables: Tables) -> Assessment:
    from jetproof.claims.assess import assess_opened
    from jetproof.claims.documents import BADGE_PATH

    return assess_opened(
        opened, revision=arguments.commit, base=arguments.base, tables=tables, now=now(), badges=(BADGE_PATH,)
    )


def _badge(path: Path) -> bytes | None:
    from jetproof.target.recorded import read

    return read(path, 1 << 16) if os.path.lexists(path) else None


def _check(
    arguments: argparse.Namespace,
    opened: Opened,
    found: Assessment,
    tables: Tables,
    texts: Documents,
    badge: bytes | None,
) -> int:
    from jetproof import __version__
    from jetproof.claims.check import Proof, check
    from jetproof.claims.past import Past
    from jetproof.errors import ExitCode
    from jetproof.render import claims_check as render
    from jetproof.render.annotations import as_annotations
    from jetproof.render.sarif import as_sarif
    from jetproof.render.style import style_for

    event = os.environ.get("GITHUB_EVENT_NAME", "")
    checked = check(
        texts,
        Proof(
            claims=found.claims,
            at=Past(opened=opened, base=arguments.base, tables=tables),
            block_day=arguments.as_of_block or (event in _PULL_REQUESTS and not arguments.today),
            families={row.name: row.family_name for row in tables.modules if row.family_name},
        ),
        badge,
    )
    if arguments.json:
        sys.stdout.write(json.dumps(render.as_json(checked), indent=2, ensure_ascii=False) + "\n")
    elif arguments.github:
        sys.stdout.write(as_annotations(render.notices(checked)))
    elif arguments.sarif:
        sys.stdout.write(as_sarif(render.notices(checked), release=__version__, command="claims --check"))
    else:
        sys.stdout.write(render.told(checked, style_for(sys.stdout)))
    return int(ExitCode.CLAIM_EXCEEDS_PROOF if checked.exceeds else ExitCode.OK)
