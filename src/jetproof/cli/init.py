"""`jetproof init`: a lane for any project: policy, workflows, script, pages, issue form, README block."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.cli.evidence_source import now

if TYPE_CHECKING:
    from jetproof.workflow.scaffold.host import Asked


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("path", nargs="?", type=Path, default=Path(), metavar="PATH", help="top of the project")
    show = parser.add_mutually_exclusive_group()
    show.add_argument("--diff", action="store_true", help="print what would change as a diff, and write nothing")
    show.add_argument("--dry-run", action="store_true", help="list what would be written, and write nothing")
    show.add_argument("--json", action="store_true", help="print JSON (schema jetproof/init/1)")
    parser.add_argument("--force", action="store_true", help="replace files that were changed by hand, too")
    parser.add_argument("--policy", metavar="FILE", help="the policy, relative to the project; else pyproject's")
    host = parser.add_argument_group("the project; what the policy or pyproject says need not be said again")
    host.add_argument("--repository", metavar="OWNER/NAME", help="on GitHub (default: the remote origin)")
    host.add_argument("--branch", metavar="NAME", help="the protected branch (default: main)")
    host.add_argument("--module", metavar="NAME", help="what is imported to see whether the package works")
    host.add_argument("--resolver", metavar="PACKAGE.MODULE:FUNCTION", help="the project's own choice of a device")
    host.add_argument("--tracking-issue", metavar="URL", help="where the lane is spoken of")
    host.add_argument(
        "--test", action="append", default=[], metavar="ID", help="a test that must pass on the board, by its pytest id"
    )
    host.add_argument("--cpu-test", action="append", default=[], metavar="ID", help="a test of the ARM64 preflight")
    host.add_argument("--model-download", action="store_true", help="a gate of its own that downloads a tiny model")
    host.add_argument("--skip", action="append", default=[], metavar="PATH", help="documents that claim nothing of it")
    torch = host.add_mutually_exclusive_group()
    torch.add_argument("--wheel", metavar="URL", help="the torch wheel of the first tier")
    torch.add_argument("--image", metavar="NAME@sha256:…", help="the image that the board's job runs in")
    host.add_argument("--sha256", metavar="HEX", help="digest of --wheel")
    host.add_argument(
        "--jetproof-from",
        choices=("requirements", "checkout"),
        default="requirements",
        help="where the lane takes jetproof from: ci/jetproof-requirements.txt, or this very checkout",
    )
    parser.epilog = "Nothing that a person changed is overwritten without --force. Calling it again changes nothing."


def run(arguments: argparse.Namespace) -> int:
    """Plan, show or write."""
    from jetproof.cli.first_lane import lane
    from jetproof.render.init import as_json, told
    from jetproof.render.style import printable, style_for
    from jetproof.workflow.scaffold.plan import apply, diff

    found = lane(arguments.path, _asked(arguments), policy=arguments.policy, today=now().date(), force=arguments.force)
    only_shown = arguments.diff or arguments.dry_run
    if not only_shown:
        apply(arguments.path, found.steps)
    if arguments.diff:
        text = diff(found.steps)
        sys.stdout.write(printable(text) if sys.stdout.isatty() else text)
    elif arguments.json:
        value = as_json(found.steps, found.host, found.policy, only_shown=only_shown)
        sys.stdout.write(json.dumps(value, indent=2) + "\n")
    else:
        sys.stdout.write(told(found.steps, found.host, found.policy, style_for(sys.stdout), only_shown=only_shown))
    return 0


def _asked(arguments: argparse.Namespace) -> Asked:
    from jetproof.errors import UsageError
    from jetproof.workflow.scaffold.host import Asked, Runtime

    runtime = None
    if arguments.image:
        source, _, digest = arguments.image.partition("@")
        if not digest:
            raise UsageError(f"{arguments.image} has no digest", hint="--image NAME@sha256:…", reason="image-by-tag")
        runtime = Runtime(kind="image", source=source, digest=digest)
    elif arguments.wheel:
        digest = None if arguments.sha256 is None else f"sha256:{arguments.sha256.removeprefix('sha256:')}"
        runtime = Runtime(kind="wheel", source=arguments.wheel, digest=digest)
    return Asked(
        repository=arguments.repository,
        module=arguments.module,
        issue=arguments.tracking_issue,
        branch=arguments.branch,
        resolver=arguments.resolver,
        gpu_tests=tuple(arguments.test),
        cpu_tests=tuple(arguments.cpu_test),
        runtime=runtime,
        hub=arguments.model_download,
        own_checkout=arguments.jetproof_from == "checkout",
        skips=tuple(arguments.skip),
    )
