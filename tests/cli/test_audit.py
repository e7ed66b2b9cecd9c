"""`jetproof audit` from its arguments to its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jetproof.cli.main import main

LOCKS = Path(__file__).parent.parent / "fixtures" / "locks"
VENDOR = "torch==2.8.0a0+5228986c39.nv25.6"


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["audit", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ran(capsys, str(LOCKS / "uv"), "--stack", "jp6.2", "--held", VENDOR, "--json")
    body = json.loads(out)
    assert code == 1
    assert err == ""
    assert (body["schema"], body["stack"], body["verdict"]) == ("jetproof/audit/1", "jp6.2", "REPLACES_TORCH")
    assert body["findings"][0]["rule"] == "JA002"
    assert body["conditional"] is False


@pytest.mark.parametrize(
    ("text", "verdict", "code"),
    [("torch\n", "OK", 0), ("torch==2.1\n", "REPLACES_TORCH", 1), ("-r gone.txt\n", "UNDETERMINED", 4)],
)
def test_exit_codes(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, verdict: str, code: int) -> None:
    (tmp_path / "requirements.txt").write_text(text)
    got, out, _ = ran(capsys, str(tmp_path), "--stack", "jp6.2")
    assert got == code
    assert out.startswith(f"{verdict}: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "which board?"),
        (["--stack", "jp99"], "no stack"),
        (["--stack", "jp6.2", "--held", "torch>=2"], "--held"),
        (["--stack", "jp6.2", "--python-release", "2.7"], "no Python"),
        (["--stack", "jp6.2", "--diff"], "--fix"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    code, out, err = ran(capsys, str(LOCKS / "uv"), *words)
    assert code == 2
    assert out == ""
    assert message in err
    assert "hint: " in err


def test_a_broken_lock_is_told_with_its_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text('version = 1\n[[package]]\nname = "a\n')
    code, out, err = ran(capsys, str(tmp_path), "--stack", "jp6.2", "--json")
    assert code == 2
    assert out == ""
    assert "uv.lock:3" in json.loads(err)["message"]


def test_sarif_and_annotations(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["torch==2.1"]\n')
    monkeypatch.chdir(tmp_path)
    code, out, _ = ran(capsys, "sub", "--stack", "jp6.2", "--sarif")
    place = json.loads(out)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert code == 1
    assert place["artifactLocation"]["uri"] == "sub/pyproject.toml"
    assert place["region"]["startLine"] == 3
    _, out, _ = ran(capsys, "sub", "--stack", "jp6.2", "--github")
    assert out.startswith("::error file=sub/pyproject.toml,line=3,title=JA003 ")
    assert out.splitlines()[-1].startswith("REPLACES_TORCH: ")


def test_extras_groups_and_python(capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(LOCKS / "uv"), "--stack", "jp6.2", "--extra", "vision", "--group", "dev", "--json"]
    _, out, _ = ran(capsys, *words)
    assert json.loads(out)["selected"] == 5
    _, out, _ = ran(capsys, *words, "--python-release", "3.8")
    assert json.loads(out)["verdict"] == "FAILS_PYTHON"


def test_emit_and_fix(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text('[project]\nname = "x"\ndependencies = ["torch>=2.9"]\n')
    code, out, _ = ran(capsys, str(tmp_path), "--stack", "jp6.2", "--held", VENDOR, "--emit", "constraints")
    assert code == 0
    assert out.splitlines()[-1] == VENDOR
    code, out, _ = ran(capsys, str(tmp_path), "--stack", "jp6.2", "--fix", "--diff")
    assert (code, out[:4]) == (0, "--- ")
    assert "override" not in path.read_text()
    code, out, _ = ran(capsys, str(tmp_path), "--stack", "jp6.2", "--fix")
    assert out.startswith("written: ")
    code, out, _ = ran(capsys, str(tmp_path), "--stack", "jp6.2", "--fix")
    assert out.startswith("nothing to write: ")
    code, out, _ = ran(capsys, str(tmp_path), "--stack", "jp6.2")
    assert (code, out[:3]) == (0, "OK:")


def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ran(capsys, str(LOCKS / "poetry"), "--stack", "jp6.2/agx-orin-64gb", "--markdown")
    assert out.startswith("**REPLACES")


def test_a_saved_read_out_names_the_board(capsys: pytest.CaptureFixture[str]) -> None:
    boards = Path(__file__).parent.parent / "fixtures" / "boards"
    orin = boards / "014-agx-orin-64gb-r36.4.4-dpkg-tegrastats.json"
    code, out, _ = ran(capsys, str(LOCKS / "uv"), "--from", str(orin), "--json")
    body = json.loads(out)
    assert (code, body["verdict"]) == (1, "REPLACES_TORCH")
    assert body["stack"].startswith("jp6.2")
    code, _, err = ran(capsys, str(LOCKS / "uv"), "--from", str(boards / "019-agx-orin-nixos-nvidia-smi.json"))
    assert code == 4
    assert "--stack" in err


def test_a_target_names_the_board_too(capsys: pytest.CaptureFixture[str]) -> None:
    orin = Path(__file__).parent.parent / "fixtures" / "boards" / "014-agx-orin-64gb-r36.4.4-dpkg-tegrastats.json"
    by_file = ran(capsys, str(LOCKS / "uv"), "--from", str(orin), "--json")
    by_target = ran(capsys, str(LOCKS / "uv"), "--target", f"simulated:{orin}", "--json")
    assert by_target[:2] == by_file[:2]
    for words in (["--stack", "jp6.2"], ["--from", str(orin)]):
        code, _, err = ran(capsys, str(LOCKS / "uv"), *words, "--python", "/usr/bin/python3")
        assert code == 2
        assert "--python-release" in err
