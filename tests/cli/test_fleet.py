"""`jetproof fleet` as a program: simulated boards, a store, manifests, and words that a person can act on."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from jetproof.cli.main import main
from jetproof.errors import ExitCode

pytestmark = pytest.mark.process

FIXTURES = Path(__file__).parent.parent / "fixtures" / "boards"
ORIN = "028-orin-nx-16gb-super-r36.4.3.json"
PI = "080-raspberry-pi-5.json"


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a committed project and an inventory of two Jetsons and a Raspberry Pi."""
    project = tmp_path / "project"
    (project / "ci").mkdir(parents=True)
    gate = {
        "id": "board-check",
        "aliases": ["check"],
        "description": "d",
        "job": "j",
        "tracking_issue": "#1",
        "runner": {"labels": ["jetson"]},
        "platform": "jetson",
        "items": [{"probe": "architecture", "params": {"machine": platform.machine()}}],
        "expected_cost": {"minutes": 1},
    }
    policy = {
        "schema_version": 1,
        "owner": "o",
        "cadence": "weekly",
        "evidence_retention_days": 31,
        "host": {"name": "h"},
        "gates": [gate],
    }
    (project / "ci" / "conditional-test-policy.json").write_text(json.dumps(policy))
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(project), *identity, *words], check=True)
    lines = ['schema = "jetproof/fleet-inventory/1"', "[defaults]", f'python = "{sys.executable}"']
    for name, recording in (("orin-1", ORIN), ("orin-2", ORIN), ("pi", PI)):
        lines += ["[[board]]", f'name = "{name}"', f'target = "simulated:{FIXTURES / recording}"', 'labels = ["lab"]']
    (tmp_path / "boards.toml").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(project)
    return tmp_path


def test_from_boards_to_what_they_say_together(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inventory, store = str(lab / "boards.toml"), str(lab / "fleet.duckdb")

    code = main(["fleet", "run", inventory, "check", "--parallel", "2", "--into", store])

    text = capsys.readouterr().out
    assert code == ExitCode.UNDECIDED
    lines = text.splitlines()
    assert lines[0] == "board-check: green on 2 of 3 boards (1 not checked)"
    assert lines[1].startswith("  2 of the green ones prove nothing: the machine is recorded, not a live one")
    assert lines[2] == "  not checked  pi"
    assert "not-the-platform: the gate board-check needs a Jetson" in lines[3]
    assert "fix: jetproof doctor" in lines[4]

    assert main(["fleet", "status"]) == ExitCode.UNDECIDED
    assert capsys.readouterr().out.splitlines()[:5] == lines[:5]
    assert main(["fleet", "status", "--json"]) == ExitCode.UNDECIDED
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["green"], told["counts"]["green"]) == ("jetproof/fleet/1", False, 2)
    assert [board["proves"] for board in told["boards"]] == [False] * 3

    assert main(["fleet", "run", inventory, "check"]) == ExitCode.USAGE
    assert "--resume goes on with it" in capsys.readouterr().err
    assert main(["fleet", "load", store, "fleet-evidence"]) == ExitCode.OK
    assert capsys.readouterr().out.startswith("0 new runs in ")
    assert main(["fleet", "query", store, "passes", "--json"]) == ExitCode.OK
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["module"], row["l4t"], row["boards"], row["green"], row["proves"]) == (
        "Jetson Orin NX 16GB",
        "36.4.3",
        2,
        2,
        0,
    )
    assert main(["fleet", "query", store, "boards"]) == ExitCode.OK
    assert "pi" in capsys.readouterr().out


def test_views_and_boards_are_listed(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "query", str(lab / "none.duckdb")]) == ExitCode.OK
    assert capsys.readouterr().out.splitlines()[2].startswith("stale      boards whose last green run")
    assert main(["fleet", "query", str(lab / "none.duckdb"), "--json"]) == ExitCode.OK
    assert "differs" in json.loads(capsys.readouterr().out)["views"]
    assert main(["fleet", "boards", str(lab / "boards.toml"), "--board", "pi"]) == ExitCode.OK
    assert capsys.readouterr().out.splitlines()[0] == f"1 board in {lab}/boards.toml"
    assert main(["fleet", "boards", str(lab / "boards.toml"), "--json", "--label", "lab"]) == ExitCode.OK
    assert len(json.loads(capsys.readouterr().out)["boards"]) == 3


def test_the_same_for_other_engines(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inventory = str(lab / "boards.toml")

    assert (
        main(["fleet", "emit", "github", inventory, "board-check", "--output", str(lab / "fleet.yml")]) == ExitCode.OK
    )
    assert "runs-on: ${{ matrix.labels }}" in (lab / "fleet.yml").read_text()
    image = "registry.example/jetproof@sha256:" + "a" * 64
    words = ["fleet", "emit", "kubernetes", inventory, "board-check", "--image", image, "--claim", "results"]
    assert main(words) == ExitCode.OK
    assert capsys.readouterr().out.count("kind: Job") == 3
    words[words.index(image)] = "registry.example/jetproof:latest"
    assert main(words) == ExitCode.USAGE
    assert "must be pinned by digest" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["fleet"], ["fleet", "emit"], ["fleet", "run"], ["fleet", "run", "x", "y", "--parallel", "0"]]
)
def test_wrong_usage_is_told_by_the_parser(words: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)

    assert end.value.code == ExitCode.USAGE
