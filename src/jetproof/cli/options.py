"""Options that several commands take: one word and one sentence each, so that what is learnt once holds everywhere."""

from __future__ import annotations

import argparse
from pathlib import Path

Takes = argparse._ActionsContainer
"""What options can be added to: a parser, or a group in one."""


MODULE = "a module, like 'Jetson AGX Orin 64GB', or a platform class, like x86"
"""What `--module` names, whatever it is named for."""


def add_project(parser: Takes) -> None:
    """Add the checkout that policy, store and commits are of."""
    parser.add_argument(
        "--project", type=Path, default=Path(), metavar="DIR", help="top of the project's checkout (default: here)"
    )


def add_policy(parser: Takes) -> None:
    """Add the policy's file."""
    parser.add_argument("--policy", metavar="FILE", help="the policy, relative to the project (default: pyproject's)")


def add_gate(parser: Takes) -> None:
    """Add the gate that is meant."""
    parser.add_argument("gate", metavar="GATE", help="id or alias of a gate of the policy (see jetproof gates)")


def add_run(parser: Takes, *, optional: bool = False) -> None:
    """Add the folder of a run."""
    parser.add_argument(
        "run",
        nargs="?" if optional else None,
        type=Path,
        metavar="RUN",
        help="a run's folder, like conditional-evidence/jetson-cuda-runtime",
    )


def add_evidence(parser: Takes) -> None:
    """Add one piece of evidence."""
    parser.add_argument("evidence", metavar="FILE|DIGEST", help="an envelope, or the start of its digest in the store")


def add_commit(parser: Takes, default: str) -> None:
    """Add the commit that is meant; `default` is told, and taken where it is a revision."""
    parser.add_argument(
        "--commit",
        metavar="REV",
        default=default if default == "HEAD" else None,
        help=f"the commit that is meant (default: {default})",
    )


def add_store(parser: Takes) -> None:
    """Add where evidence is kept: two options, of which a call names one at most."""
    parser.add_argument(
        "--store", type=Path, metavar="DIR", help="folder of the evidence (default: .jetproof/evidence)"
    )
    parser.add_argument("--branch", metavar="NAME", help="the git branch that the evidence is kept on instead")


def add_stack(parser: Takes, default: str = "this board", *, repeatable: bool = False) -> None:
    """Add the named stack."""
    told = ("; repeatable" if repeatable else "") + (f" (default: {default})" if default else "")
    parser.add_argument(
        "--stack",
        action="append" if repeatable else "store",
        metavar="NAME",
        help=f"a stack, like jp6.2 or jp6.2/agx-orin-64gb{told}",
    )


def add_saved(parser: Takes) -> None:
    """Add the saved read-out that stands for a machine."""
    parser.add_argument(
        "--from",
        dest="source",
        metavar="FILE",
        type=Path,
        help="judge a saved read-out instead of this machine (see inspect --save)",
    )


def add_python(parser: Takes) -> None:
    """Add the Python that is judged."""
    parser.add_argument(
        "--python",
        metavar="PATH",
        help="the Python that holds torch (default: of $VIRTUAL_ENV, $CONDA_PREFIX, ./.venv, or python3 on PATH)",
    )


def add_image(parser: Takes, *, required: bool = False) -> None:
    """Add the image that the gate runs in."""
    parser.add_argument(
        "--image", required=required, metavar="NAME@sha256:…", help="the image that the gate runs in, by its digest"
    )


def add_torch_wheel(parser: Takes, metavar: str) -> None:
    """Add the wheel that torch comes from; a FILE is held against what is installed."""
    parser.add_argument(
        "--torch-wheel",
        type=Path if metavar == "FILE" else str,
        metavar=metavar,
        help="the wheel that torch is, or was, installed from",
    )


def add_wanted(parser: Takes, *, groups: bool = True) -> None:
    """Add which of a project's optional requirements are meant."""
    parser.add_argument(
        "--extra", action="append", default=[], metavar="NAME", help="an extra of the project; repeatable"
    )
    if groups:
        parser.add_argument(
            "--group", action="append", default=[], metavar="NAME", help="a dependency group; repeatable"
        )


def add_index(parser: Takes) -> None:
    """Add where packages come from, for uv."""
    parser.add_argument("--index-url", metavar="URL", help="the package index instead of the usual one")
    parser.add_argument("--offline", action="store_true", help="use no network: uv's cache and local folders only")


def add_output(parser: Takes, metavar: str, default: str) -> None:
    """Add where the result is written; `default` says where that is if nothing is named."""
    parser.add_argument(
        "--output", type=Path, metavar=metavar, help=f"where the result is written (default: {default})"
    )


def add_dry_run(parser: Takes) -> None:
    """Add the promise that nothing happens."""
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")


def add_check(parser: Takes) -> None:
    """Add the comparison that changes nothing."""
    parser.add_argument("--check", action="store_true", help="only compare, and write nothing")


def add_diff(parser: Takes) -> None:
    """Add the same promise, with the change shown."""
    parser.add_argument("--diff", action="store_true", help="print the change as a diff, and write nothing")


def add_rehearsal(parser: Takes) -> None:
    """Add the run that proves nothing."""
    parser.add_argument("--rehearsal", action="store_true", help="run an unclean checkout; proves nothing")


def add_timeout(parser: Takes, seconds: float, step: str) -> None:
    """Add the time limit of each `step`."""
    parser.add_argument(
        "--timeout",
        type=float,
        default=seconds,
        metavar="SECONDS",
        help=f"time limit in seconds (default: {seconds:.0f}, for {step})",
    )


def add_side_files(parser: Takes) -> None:
    """Add where a run's journal and reports lie."""
    parser.add_argument(
        "--side-files", type=Path, metavar="DIR", help="folder of the side files (default: beside the envelope)"
    )


def add_challenge_file(parser: Takes) -> None:
    """Add the challenge that a run has to answer."""
    parser.add_argument("--challenge-file", type=Path, metavar="FILE", help="what jetproof challenge --json printed")


def add_passphrase(parser: Takes) -> None:
    """Add where the passphrase of a key is found; never the passphrase itself."""
    parser.add_argument("--passphrase-env", metavar="NAME", help="variable that holds the key's passphrase")


def add_skip(parser: Takes) -> None:
    """Add documents that no claim is looked for in."""
    parser.add_argument(
        "--skip",
        action="append",
        default=[],
        metavar="PATH",
        help="a document or folder not searched for claims; repeatable",
    )


def add_json(parser: Takes, schema: str) -> None:
    """Add the answer for programs; `schema` is what it says of itself."""
    parser.add_argument("--json", action="store_true", help=f"print JSON (schema {schema})")


def add_sarif(parser: Takes) -> None:
    """Add the answer for code scanning."""
    parser.add_argument("--sarif", action="store_true", help="print SARIF 2.1.0, for code scanning")


def add_github(parser: Takes) -> None:
    """Add the answer for a workflow's log."""
    parser.add_argument("--github", action="store_true", help="print annotations, for a GitHub workflow")


def add_markdown(parser: Takes) -> None:
    """Add the answer for people elsewhere."""
    parser.add_argument("--markdown", action="store_true", help="print Markdown, for an issue or a job summary")
