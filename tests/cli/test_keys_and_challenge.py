"""Keys and their trust from the command line: what is printed is what a person needs next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jetproof.cli.main import main
from jetproof.evidence.keys import load
from jetproof.evidence.signer import keyid

pytestmark = pytest.mark.process  # git is asked whether it would publish the key


def test_a_new_key_says_what_comes_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "new", str(tmp_path / "lane")]) == 0

    text = capsys.readouterr().out
    assert f"key id {keyid(load(tmp_path / 'lane').public)}" in text
    assert text.splitlines()[-1].startswith(f"next: jetproof keys trust {tmp_path / 'lane'}.pub")


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "new", str(tmp_path / "lane"), "--json"]) == 0

    body = json.loads(capsys.readouterr().out)
    assert body["schema"] == "jetproof/keys/1"
    assert body["keyid"] == keyid(load(tmp_path / "lane").public)


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lane").write_text("mine")

    assert main(["keys", "new", str(tmp_path / "lane")]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert "hint: " in told


def test_a_key_with_a_passphrase_needs_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["keys", "new", str(tmp_path / "lane"), "--passphrase-env", "NOT_SET"]) == 2
    assert "NOT_SET" in capsys.readouterr().err
    monkeypatch.setenv("SET", "open sesame")
    assert main(["keys", "new", str(tmp_path / "lane"), "--passphrase-env", "SET"]) == 0
    assert b"ENCRYPTED" in (tmp_path / "lane").read_bytes() or b"OPENSSH" in (tmp_path / "lane").read_bytes()


def test_trust_keeps_what_is_written_and_refuses_a_key_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import subprocess

    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, timeout=60)
    file = tmp_path / ".jetproof" / "trust.toml"
    file.parent.mkdir()
    file.write_text('# our signers\nschema = "jetproof/trust/1"\n')
    for name in ("one", "two"):
        assert main(["keys", "new", str(tmp_path / name)]) == 0
        words = ["--name", name, "--module", "x86", "--until", "2027-01-01", "--project", str(tmp_path)]
        assert main(["keys", "trust", str(tmp_path / f"{name}.pub"), *words]) == 0

    text = file.read_text()
    assert text.startswith("# our signers\n")
    assert text.count("[[signer]]") == 2
    assert "valid_until = 2027-01-01" in text
    capsys.readouterr()
    words = ["--name", "again", "--module", "x86", "--project", str(tmp_path)]
    assert main(["keys", "trust", str(tmp_path / "two.pub"), *words]) == 2
    assert "trusts this key already" in capsys.readouterr().err
    assert file.read_text() == text


def test_a_key_that_git_could_publish_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import subprocess

    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, timeout=60)
    (tmp_path / ".gitignore").write_text("*.key\n")
    assert main(["keys", "new", str(tmp_path / "lane.key")]) == 0
    assert capsys.readouterr().err == ""
    assert main(["keys", "new", str(tmp_path / "lane")]) == 0
    assert capsys.readouterr().err.startswith(f"warning: {tmp_path / 'lane'} lies in a git work tree")


def test_a_key_outside_a_checkout_is_no_matter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "new", str(tmp_path / "lane")]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("module", "known"),
    [
        ("Jetson AGX Orin 64GB", True),
        ("jetson-agx-orin-64gb", True),
        ("Jetson AGX Orin*", True),
        ("x86", True),
        ("Jetson AGX Orin 65GB", False),
        ("nope", False),
    ],
)
def test_only_a_module_that_exists_is_trusted_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], module: str, known: bool
) -> None:
    import subprocess

    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True, timeout=60)
    assert main(["keys", "new", str(tmp_path / "lane")]) == 0
    words = ["--name", "lane", "--module", module, "--project", str(tmp_path / "repo")]
    assert main(["keys", "trust", str(tmp_path / "lane.pub"), *words]) == (0 if known else 2)
    told = capsys.readouterr().err
    assert known or f"no module or platform class '{module}'" in told
    assert known is (tmp_path / "repo" / ".jetproof" / "trust.toml").is_file()


def test_a_challenge_is_for_a_gate_that_exists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import subprocess

    who = ["-c", "user.name=x", "-c", "user.email=x@example.invalid"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, timeout=60)
    words = ["git", "-C", str(tmp_path), *who, "commit", "-q", "--allow-empty", "-m", "first"]
    subprocess.run(words, check=True, timeout=60)
    assert main(["challenge", "jetson-cuda-runtim", "--project", str(tmp_path)]) == 2
    assert "did you mean jetson-cuda-runtime" in capsys.readouterr().err
    assert main(["challenge", "jetson-cuda-runtime", "--project", str(tmp_path)]) == 0
    assert not (tmp_path / ".jetproof").exists()

    # kept where the branch that judges will hold it, for one machine
    capsys.readouterr()
    words = ["--module", "X86", "--keep", "--json", "--project", str(tmp_path)]
    assert main(["challenge", "jetson-cuda-runtime", *words]) == 0
    told = capsys.readouterr()
    made = json.loads(told.out)
    (file,) = (tmp_path / ".jetproof" / "challenges").iterdir()
    assert json.loads(file.read_text()) == made
    assert made["module"] == "x86"
    assert file.name == made["challenge"].split(".")[1] + ".json"
    assert "before the gate is run" in told.err
    assert main(["challenge", "jetson-cuda-runtime", "--module", "y86", "--project", str(tmp_path)]) == 2
