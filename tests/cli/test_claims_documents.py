"""claims --write and --check in a real repository: a proven claim, a lapse, and hostile files."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_evidence_commands import Project, git

from jetproof.claims.blocks import appended
from jetproof.claims.documents import WRITERS
from jetproof.claims.said import Said
from jetproof.cli import claims as command
from jetproof.cli.main import main

pytestmark = pytest.mark.process


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("GITHUB_EVENT_NAME", raising=False)
    made = Project(tmp_path)
    nothing = Said(as_of=datetime.now(timezone.utc).date())
    readme = appended(b"# project\r\n", "support", nothing, WRITERS["support"]([], nothing))
    (made.root / "README.md").write_bytes(readme)
    made.commit("readme")
    return made


def proven(project: Project) -> None:
    envelope = project.ran()
    assert project.call("evidence", "add", str(envelope)) == 0
    project.commit("evidence")


def checked(project: Project, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    capsys.readouterr()
    code = project.call("claims", "--check", "--json", *words)
    return code, json.loads(capsys.readouterr().out)


def in_days(monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    monkeypatch.setattr(command, "now", lambda: datetime.now(timezone.utc) + timedelta(days=days))


def test_write_check_lapse(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    proven(project)
    assert project.call("claims", "--write") == 0
    readme = (project.root / "README.md").read_bytes()
    assert readme.startswith(b"# project\r\n")
    assert b"Jetson AGX Orin 64GB, JetPack 6.2" in readme
    assert readme.count(b"\n") == readme.count(b"\r\n")
    badge = json.loads((project.root / ".jetproof" / "badge.json").read_text())
    assert badge["color"] == "brightgreen"
    project.commit("say so")
    code, body = checked(project, capsys)
    assert (code, body["remarks"]) == (0, [])
    assert body["may_say"][0]["id"] == "agx-orin-jp62"
    assert project.call("claims", "--write") == 0
    assert git(project.root, "status", "--porcelain") == ""

    in_days(monkeypatch, 31)
    code, body = checked(project, capsys)
    assert code == 8
    assert {remark["reason"] for remark in body["remarks"]} == {"block-exceeds", "badge-exceeds"}
    # a bystander's pull request is held to the day that the block carries
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    assert checked(project, capsys)[0] == 0
    assert checked(project, capsys, "--today")[0] == 8
    monkeypatch.setenv("GITHUB_EVENT_NAME", "schedule")
    file = tmp_path / "lapse.patch"
    code, _ = checked(project, capsys, "--patch", str(file))
    assert code == 8
    assert git(project.root, "status", "--porcelain") == ""
    git(project.root, "apply", str(file))
    assert checked(project, capsys)[0] == 0
    assert json.loads((project.root / ".jetproof" / "badge.json").read_text())["isError"] is True


def test_a_pull_request_that_changes_code_keeps_the_block(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    proven(project)
    assert project.call("claims", "--write") == 0
    project.commit("say so")
    (project.root / "code.py").write_text("2\n")
    project.commit("change")
    assert checked(project, capsys)[0] == 8
    assert checked(project, capsys, "--as-of-block")[0] == 0
    # and one that claims what nobody has proven does not pass
    readme = project.root / "README.md"
    readme.write_bytes(readme.read_bytes() + b"\r\nTested on Jetson Orin Nano.\r\n")
    code, body = checked(project, capsys, "--as-of-block")
    assert code == 8
    assert [(remark["reason"], remark["path"]) for remark in body["remarks"]] == [("text-exceeds", "README.md")]


def test_text_and_forge_forms(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    (project.root / "docs").mkdir()
    (project.root / "docs" / "a.md").write_text("# a\n\nWorks on Jetson.\x1b[2J\n")
    assert project.call("claims", "--check") == 8
    out = capsys.readouterr().out
    assert out.startswith("1 place says more than is proven")
    assert "docs/a.md:3: text-exceeds" in out
    assert "\x1b" not in out
    assert project.call("claims", "--check", "--github") == 8
    assert capsys.readouterr().out.startswith("::error file=docs/a.md,line=3")
    assert project.call("claims", "--check", "--sarif") == 8
    assert json.loads(capsys.readouterr().out)["runs"][0]["results"][0]["ruleId"] == "text-exceeds"
    assert project.call("claims", "--check", "--skip", "docs") == 0
    assert "not looked at: docs/a.md: left out by --skip" in capsys.readouterr().out


def test_hostile_files(project: Project, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("Works on Jetson.\n")
    (project.root / "docs").mkdir()
    (project.root / "docs" / "link.md").symlink_to(outside)
    (project.root / "docs" / "binary.md").write_bytes(b"\xff\xfe\x00Works\n" * 10)
    (project.root / "docs" / "huge.md").write_bytes(b"x" * ((4 << 20) + 1))
    code, body = checked(project, capsys)
    assert code == 0
    assert {one["path"] for one in body["not_looked_at"]} == {"docs/link.md", "docs/huge.md"}
    badge = project.root / ".jetproof" / "badge.json"
    badge.symlink_to(outside)
    assert project.call("claims", "--write") == 2
    assert outside.read_text() == "Works on Jetson.\n"
    badge.unlink()
    (project.root / ".jetproof").rename(tmp_path / "elsewhere")
    (project.root / ".jetproof").symlink_to(tmp_path / "elsewhere")
    assert project.call("claims", "--write") == 2
    assert not (tmp_path / "elsewhere" / "badge.json").exists()
    readme = project.root / "README.md"
    readme.rename(tmp_path / "README.md")
    readme.symlink_to(tmp_path / "README.md")
    assert project.call("claims", "--write") == 2
    assert "hint: jetproof init" in capsys.readouterr().err


def test_a_run_is_reported_without_what_it_said(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    envelope = project.ran()
    folder = envelope.with_name("jetson-cuda-runtime")
    capsys.readouterr()
    assert main(["report", str(folder), "--markdown"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("**jetson-cuda-runtime on Jetson AGX Orin 64GB, JetPack 6.2: green**")
    journal = folder / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-400])
    assert main(["report", str(folder), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert (body["green"], body["finished"]) == (False, False)
    assert str(project.root) not in json.dumps(body)
