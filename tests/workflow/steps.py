"""Run the shell steps of a workflow here, as the hosting service's runner would, up to what needs that service."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from jetproof.workflow.document import Text
from jetproof.workflow.model import Job, Step, Workflow, default_shell
from jetproof_worker import process

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def filled(text: str, values: Mapping[str, str]) -> str:
    """Put values in the place of expressions; one without a value is an error."""
    return _EXPRESSION.sub(lambda match: values[match.group(1)], text)


def run(
    workflow: Workflow, job: Job, step: Step, cwd: Path, values: Mapping[str, str], env: Mapping[str, str]
) -> process.Completed:
    """Run one script with the step's own environment, in the shell that the workflow names."""
    shell = step.table.text("shell") or next(
        (found.value for table in (job.table, workflow.root) if (found := default_shell(table))), None
    )
    options = ["--noprofile", "--norc", "-e", *(["-o", "pipefail"] if shell == "bash" else [])]
    given = {
        name: filled(value.value, values)
        for table in (workflow.env, job.env, step.env)
        for name, value in table.members.items()
        if isinstance(value, Text)
    }
    script = cwd / ".step.sh"
    script.write_text(filled(step.table.text("run") or "", values))
    base = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    try:
        return process.run(["bash", *options, str(script)], 120, cwd=cwd, env={**base, **env, **given})
    finally:
        script.unlink()


def python_shim(path: Path, python: str) -> None:
    """Put a program there that hands over to an interpreter with jetproof, as an installation would."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec "{python}" "$@"\n')
    path.chmod(0o755)
