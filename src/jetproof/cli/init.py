"""`jetproof init`: a lane for any project: policy, workflows, script, pages, issue form, README block."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from jetproof.cli import options
from jetproof.cli.evidence_source import now

if TYPE_CHECKING:
    from jetproof.workflow.scaffold.host import Asked


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_project(parser)
    show = parser.add_mutually_exclusive_group()
    options.add_diff(show)
    options.add_dry_run(show)
    options.add_json(show, "jetproof/init/1")
    parser.add_argument("--force", action="store_true", help="replace files that were changed by hand, too")
    options.add_policy(parser)
    host = parser.add_argument_group("the project; what the policy or pyproject says need not be said again")
    host.add_argument("--repository", metavar="OWNER/NAME", help="on GitHub (default: the remote origin)")
    host.add_argument("--protected-branch", metavar="NAME", help="the branch that the lane trusts (default: main)")
    host.add_argument("--import-name", metavar="NAME", help="what is imported to see whether the package works")
    host.add_argument("--resolver", metavar="PACKAGE.MODULE:FUNCTION", help="the project's own choice of a device")
    host.add_argument("--tracking-issue", metavar="URL", help="where the lane is spoken of")
    host.add_argument(
        "--test",
        action="append",
        default=[],
        metavar="ID",
        help="a test that must pass on the board, by its pytest id; repeatable",
    )
    host.add_argument(
        "--cpu-test", action="append", default=[], metavar="ID", help="a test of the ARM64 preflight; repeatable"
    )
    host.add_argument(
        "--tier",
        action="append",
        default=[],
        metavar="ID",
        help="a tier of the policy; of the plan for a first one, like agx-orin-64gb-jp62; repeatable (default: all)",
    )
    options.add_stack(host, default="the plan's tiers", repeatable=True)
    host.add_argument("--model-download", action="store_true", help="a gate of its own that downloads a tiny model")
    options.add_skip(host)
    torch = host.add_mutually_exclusive_group()
    options.add_torch_wheel(torch, "URL")
    options.add_image(torch)
    host.add_argument("--torch-sha256", metavar="HEX", help="digest of --torch-wheel")
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

    found = lane(
        arguments.project, _asked(arguments), policy=arguments.policy, today=now().date(), force=arguments.force
    )
    only_shown = arguments.diff or arguments.dry_run
    if not only_shown:
        apply(arguments.project, found.steps)
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
    from jetproof.tables import load
    from jetproof.workflow.scaffold.host import Asked, Runtime

    runtime = None
    if arguments.image:
        source, _, digest = arguments.image.partition("@")
        if not digest:
            raise UsageError(f"{arguments.image} has no digest", hint="--image NAME@sha256:…", reason="image-by-tag")
        runtime = Runtime(kind="image", source=source, digest=digest)
    elif arguments.torch_wheel:
        digest = None if arguments.torch_sha256 is None else f"sha256:{arguments.torch_sha256.removeprefix('sha256:')}"
        runtime = Runtime(kind="wheel", source=arguments.torch_wheel, digest=digest)
    return Asked(
        repository=arguments.repository,
        module=arguments.import_name,
        issue=arguments.tracking_issue,
        branch=arguments.protected_branch,
        resolver=arguments.resolver,
        gpu_tests=tuple(arguments.test),
        cpu_tests=tuple(arguments.cpu_test),
        runtime=runtime,
        hub=arguments.model_download,
        own_checkout=arguments.jetproof_from == "checkout",
        skips=tuple(arguments.skip),
        tiers=tuple(arguments.tier),
        stacks=tuple(load().stack(name) for name in arguments.stack) if arguments.stack else (),
    )
