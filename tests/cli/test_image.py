"""`jetproof image` as a program, as far as it goes without an engine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.conftest import ROOT

from jetproof.cli.main import main
from jetproof.errors import ExitCode
from jetproof.image.choose import choose
from jetproof.policy.load import load
from jetproof.policy.model import Runtime
from jetproof.tables import load as load_tables

DIGEST = "sha256:" + "a" * 64
WEIGHTLAB = ROOT / "examples" / "weightlab"


def test_choose_answers_first_and_has_a_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["image", "choose", "--stack", "jp6.2"]) == ExitCode.OK
    assert capsys.readouterr().out.startswith("docker.io/dustynv/pytorch:2.7-r36.4.0 for jp6.2")
    assert main(["image", "choose", "--stack", "jp7.0", "--json"]) == ExitCode.NO
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["best"]) == ("jetproof/image-choice/1", None)
    assert main(["image", "choose", "--stack", "jp9"]) == ExitCode.USAGE


def test_a_board_that_was_read_elsewhere_is_judged_by_its_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "# R36 (release), REVISION: 4.7, GCID: 1, BOARD: generic, EABI: aarch64, DATE: x\n"
    (tmp_path / "board.json").write_text(json.dumps({"files": {"/etc/nv_tegra_release": text}, "commands": {}}))
    assert main(["image", "choose", "--from", "board.json", "--json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["l4t"] == "36.4.7"


def test_what_the_policy_has_pinned_is_the_last_known_good() -> None:
    policy = load(WEIGHTLAB, None).policy
    runtime = Runtime(kind="image", source="docker.io/x/y:1", digest=DIGEST)
    tiers = tuple(tier.model_copy(update={"runtime": runtime, "l4t": "36.4.3"}) for tier in policy.tiers[:1])
    tables = load_tables()
    found = choose(tables.stack("jp6.2"), "36.4.3", tables, policy.model_copy(update={"tiers": tiers}))
    assert [pin.reference for pin in found.pinned] == [f"docker.io/x/y:1@{DIGEST}"]
    other = choose(tables.stack("jp6.0"), "36.3.0", tables, policy.model_copy(update={"tiers": tiers}))
    assert other.pinned == ()


@pytest.mark.process
def test_plan_and_dockerfile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = shutil.copytree(WEIGHTLAB, tmp_path / "p")
    base = ["--base-image", f"nvcr.io/nvidia/l4t-pytorch@{DIGEST}"]
    assert main(["image", "plan", str(project), *base, "--extra", "gpu"]) == ExitCode.OK
    assert "with gpu" in capsys.readouterr().out
    assert main(["image", "plan", str(project), *base, "--json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["schema"] == "jetproof/image-plan/1"
    assert main(["image", "dockerfile", str(project), *base, "--output", str(tmp_path / "c")]) == ExitCode.OK
    assert capsys.readouterr().out == (tmp_path / "c" / "Dockerfile").read_text()
    assert (tmp_path / "c/project/pyproject.toml").is_file()
    assert main(["image", "dockerfile", str(project), *base, "--output", str(tmp_path / "c")]) == ExitCode.USAGE


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--stack", "jp6.2"], ExitCode.UNDECIDED),
        (["--stack", "jp7.0"], ExitCode.NO),
        (["--base-image", "x:latest"], ExitCode.USAGE),
    ],
)
def test_a_base_that_is_not_pinned_is_not_built_on(tmp_path: Path, words: list[str], code: ExitCode) -> None:
    assert main(["image", "plan", str(tmp_path), *words]) == code
    assert main(["image", "plan", str(tmp_path / "none"), *words]) == ExitCode.USAGE


@pytest.mark.parametrize("where", ["container:x:latest", "docker://x", "ssh://a b", "orin"])
def test_a_target_that_is_none_is_refused(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JETPROOF_ENGINE", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["inspect", "--target", where]) in (ExitCode.USAGE, ExitCode.UNDECIDED)
    assert main(["inspect", "--target", "ssh://orin", "--from", "x"]) == ExitCode.USAGE
