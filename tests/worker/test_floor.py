"""The worker's floor: which Python it needs, and that it needs nothing but Python."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import jetproof
import jetproof_worker
from jetproof.target import pack

PACKAGE = Path(jetproof_worker.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
IN_3_6 = frozenset(pack.COLLECTOR)
PLUGIN = ("pytest_journal.py", "pytest_body.py")
"""Loaded by a host's own pytest alone, so that pytest is there."""


def test_the_worker_and_the_controller_are_of_one_release() -> None:
    assert jetproof.__version__ == jetproof_worker.RELEASE


@pytest.mark.parametrize("name", MODULES)
def test_only_the_standard_library_at_module_level(name: str) -> None:
    tree = ast.parse((PACKAGE / name).read_text())
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.Lambda))
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if id(node) in inside or not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        for one in names:
            top = one.partition(".")[0]
            own = top == "jetproof_worker" or (name in PLUGIN and top in ("pytest", "_pytest"))
            assert own or top in sys.stdlib_module_names, f"{name} imports {one}"


@pytest.mark.process
@pytest.mark.parametrize("floor", ["3.6", "3.8"])
def test_the_sources_stay_at_their_floor(floor: str) -> None:
    names = [name for name in MODULES if (name in IN_3_6) == (floor == "3.6")]
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "from vermin import main; main()",
            "--no-tips",
            f"-t={floor}-",
            "--violations",
            "--backport",
            "typing",
            *names,
        ],
        cwd=PACKAGE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
