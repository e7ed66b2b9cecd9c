"""The generated pages are those of the code, and the files by which others call an audit are whole."""

from __future__ import annotations

import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from jetproof.install.judgements import JUDGEMENTS
from jetproof.install.readers import READERS

ROOT = Path(__file__).parent.parent.parent


def script(name: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / name))


def test_every_judgement_and_format_has_a_fresh_page() -> None:
    pages = script("audit-pages")["pages"]()
    assert len(pages) == len(JUDGEMENTS) + len(READERS) + 2
    for path, text in pages.items():
        assert path.read_text(encoding="utf-8") == text, f"run scripts/audit-pages: {path.name}"
    for judgement in JUDGEMENTS:
        page = (ROOT / "docs" / "audit" / f"{judgement.id}.md").read_text()
        assert "## Why it matters" in page
        assert "## What to do" in page


@pytest.mark.shared
def test_the_table_of_real_projects_is_fresh(shared: Path) -> None:
    made = script("lock-table")
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"]()


def test_the_hook_takes_what_the_readers_take() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    pattern = re.compile(hook["files"])
    for name in ("uv.lock", "a/poetry.lock", "pylock.dev.toml", "requirements-dev.txt", "setup.cfg", "pyproject.toml"):
        assert pattern.search(name)
    assert not pattern.search("README.md")


def test_the_action_takes_inputs_by_variables_alone() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"


@pytest.mark.process
@pytest.mark.parametrize(
    ("requirement", "allowed", "code", "verdict"),
    [
        ("torch", "false", 0, "OK"),
        ("torch==2.1", "false", 1, "REPLACES_TORCH"),
        ("-r gone.txt", "false", 4, "UNDETERMINED"),
        ("-r gone.txt", "true", 0, "UNDETERMINED"),
    ],
)
def test_the_action_s_script(tmp_path: Path, requirement: str, allowed: str, code: int, verdict: str) -> None:
    import sys

    action = yaml.safe_load((ROOT / "action.yml").read_text())
    (tmp_path / "requirements.txt").write_text(f"{requirement}\n")
    program = tmp_path / "jetproof" / "bin" / "jetproof"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m jetproof "$@"\n')
    program.chmod(0o755)
    variables = {
        "PATH": "/usr/bin:/bin",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "AUDIT_PATH": str(tmp_path),
        "AUDIT_STACK": "jp6.2",
        "AUDIT_HELD": "torch==2.8.0a0+5228986c39.nv25.6\n",
        "AUDIT_EXTRAS": "vision",
        "AUDIT_GROUPS": "",
        "AUDIT_SARIF": str(tmp_path / "audit.sarif"),
        "ALLOW_UNDETERMINED": allowed,
    }
    done = subprocess.run(
        ["bash", "-e", "-c", action["runs"]["steps"][1]["run"]],
        env=variables, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert (tmp_path / "output").read_text() == f"verdict={verdict}\n"
    assert (tmp_path / "summary.md").read_text().startswith("**")
    assert (tmp_path / "audit.sarif").read_text().startswith("{")
