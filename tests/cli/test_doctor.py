"""doctor, inspect and rules from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from jetproof.cli.main import main
from jetproof.cli.progress import Progress

ROOT = Path(__file__).parent.parent.parent
BOARD = ROOT / "examples/boards/agx-orin-pypi-torch.json"
SERVER = ROOT / "tests/fixtures/snapshots/x86-h200.json"


def test_a_blocked_board_is_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--from", str(BOARD)]) == 1
    assert capsys.readouterr().out.splitlines()[0].startswith("blocked: ")


def test_a_healthy_server_is_0_and_no_jetson(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--from", str(SERVER)]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("not a Jetson: ")


def test_a_read_out_without_torch_is_undecided(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    path.write_text(json.dumps({"files": {"/proc/device-tree/model": "NVIDIA Jetson AGX Orin Developer Kit"}}))
    assert main(["doctor", "--from", str(path)]) == 4
    told = capsys.readouterr().out
    assert told.splitlines()[0].startswith("undecided: ")
    assert "\nnot known: l4t, torch.__version__, " in told
    assert "jetproof inspect --python PYTHON --save board.json" in told


def test_json_has_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", "--from", str(BOARD)]) == 1
    body = json.loads(capsys.readouterr().out)
    assert body["schema"] == "jetproof/diagnosis/1"
    assert body["verdict"] == "blocked"
    first = body["findings"][0]
    assert first["root_cause"] == "torch-cpu-build"
    assert {"rule", "name", "severity", "confidence", "message", "because", "remedy", "missing", "url"} <= set(first)
    assert {"fact", "value", "read_from"} == set(first["because"][0])
    assert {"text", "command"} == set(first["remedy"][0])


def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--markdown", "--from", str(BOARD)]) == 1
    assert capsys.readouterr().out.startswith("**blocked: ")


def test_inspect(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--from", str(BOARD)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "Jetson AGX Orin 64GB [recorded]"
    assert main(["inspect", "--all", "--from", str(BOARD)]) == 0
    assert "from /etc/nv_tegra_release" in capsys.readouterr().out


def test_inspect_json_has_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--json", "--from", str(BOARD)]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["schema"] == "jetproof/facts/1"
    platform = body["platform"]
    assert platform["is_jetson"] is True
    assert platform["platform_class"] == "jetson"
    assert (platform["l4t"], platform["jetpack"]) == ("36.4.4", "6.2.1")
    assert (platform["module"], platform["module_part_number"]) == ("Jetson AGX Orin 64GB", "p3701-0005")
    assert (platform["soc"], platform["compute_capability"]) == ("tegra234", "8.7")


def test_what_is_saved_is_judged_alike(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    assert main(["inspect", "--from", str(BOARD), "--save", str(saved)]) == 0
    capsys.readouterr()
    main(["doctor", "--from", str(BOARD)])
    first = capsys.readouterr().out
    main(["doctor", "--from", str(saved)])
    assert capsys.readouterr().out == first


def test_save_into_nowhere_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["inspect", "--from", str(BOARD), "--save", str(tmp_path / "no/such/folder.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_from_and_python_contradict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--from", str(BOARD), "--python", "/usr/bin/python3"]) == 2
    assert "contradict" in capsys.readouterr().err


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    listed = capsys.readouterr().out
    assert "torch-cpu-build" in listed
    assert main(["rules", "JD070"]) == 0
    assert "What to do" in capsys.readouterr().out
    assert main(["rules", "--json", "torch-cpu-build"]) == 0
    assert json.loads(capsys.readouterr().out)["rules"][0]["id"] == "JD070"
    assert main(["rules", "torch-cpu-buidl"]) == 2
    assert "torch-cpu-build" in capsys.readouterr().err


@pytest.mark.process
def test_this_machine(tmp_path: Path) -> None:
    """The main job on real input: whatever this machine is, the first line answers and names the Python."""
    run = subprocess.run(
        [sys.executable, "-m", "jetproof", "doctor", "--python", sys.executable],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
    )
    assert run.returncode in (0, 1, 4)
    assert f"[{sys.executable}".replace(str(Path.home()), "~")[:8] in run.stdout.splitlines()[0]
    assert "Traceback" not in run.stderr


class Terminal:
    """A stream that says it is a terminal."""

    def __init__(self, terminal: bool) -> None:
        self.terminal = terminal
        self.text = ""

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        return None


def test_progress_is_one_line_that_goes_away() -> None:
    stream = Terminal(True)
    with Progress(stream, delay=0) as progress:  # type: ignore[arg-type]
        progress("reading \x1b[31mfiles")
    assert "reading \\x1b" in stream.text
    assert stream.text.endswith("\r\x1b[2K")


def test_progress_is_silent_elsewhere() -> None:
    stream = Terminal(False)
    with Progress(stream, delay=0) as progress:  # type: ignore[arg-type]
        progress("reading files")
    assert stream.text == ""
