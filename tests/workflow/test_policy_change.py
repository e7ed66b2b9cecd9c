"""A policy is compared with that of a base revision, and each weakening is named."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.workflow.planted import GOOD, POLICY

from jetproof.cli.main import main

pytestmark = pytest.mark.process


def git(project: Path, *words: str) -> None:
    identity = ["-c", "user.name=ada", "-c", "user.email=ada@mail.example"]
    subprocess.run(["git", "-C", str(project), *identity, *words], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "nothing yet")
    shutil.copytree(GOOD, tmp_path, dirs_exist_ok=True)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "a policy")
    return tmp_path


def diff(project: Path, base: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, object], str]:
    code = main(["policy", "diff", base, "--project", str(project), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert main(["policy", "diff", base, "--project", str(project)]) == code
    return code, told, capsys.readouterr().out


def test_no_change(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told, text = diff(project, "HEAD", capsys)
    assert (code, told["weakened"], told["weakenings"]) == (0, False, [])
    assert text.startswith("the policy is the same")


def test_each_weakening_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (project / POLICY).read_text()
    text = text.replace('"maximum_evidence_age_days": 30', '"maximum_evidence_age_days": 31')
    (project / POLICY).write_text(text.replace('{"probe": "cuda-available"}, ', ""))
    code, told, shown = diff(project, "HEAD", capsys)
    assert code == 1
    assert {one["kind"] for one in told["weakenings"]} == {"evidence-may-be-older", "item-removed"}  # type: ignore[attr-defined]
    assert shown.startswith("the policy is weaker: 2 weakenings")


def test_stricter_is_no_weakening(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (project / POLICY).read_text()
    (project / POLICY).write_text(text.replace('"cadence": "weekly"', '"cadence": "daily"'))
    code, _, shown = diff(project, "HEAD", capsys)
    assert code == 0
    assert shown.startswith("the policy asks no less")


def test_a_policy_that_is_gone_is_weaker(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / POLICY).unlink()
    code, told, shown = diff(project, "HEAD", capsys)
    assert (code, told["new_sha256"]) == (1, None)
    assert shown.startswith("the policy is gone")


def test_a_base_without_a_policy(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told, shown = diff(project, "HEAD~1", capsys)
    assert (code, told["old_sha256"]) == (0, None)
    assert shown.startswith("nothing to compare")


def test_an_unknown_base(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "diff", "nowhere", "--project", str(project)]) == 2
    assert "there is no revision" in capsys.readouterr().err


def test_liveness_of_a_project_without_anybody_to_trust(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(project, "rm", "-q", ".jetproof/trust.toml")
    git(project, "commit", "-q", "-m", "nobody")
    assert main(["policy", "liveness", "--project", str(project)]) == 9
    assert "nobody is trusted" in capsys.readouterr().err


def test_pin_says_why_not_on_this_machine(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (project / POLICY).read_bytes()
    assert main(["policy", "pin", "agx-orin-64gb-jp62", "--project", str(project)]) == 4
    assert "pinned on the board" in capsys.readouterr().err
    assert (project / POLICY).read_bytes() == before
