"""`jetproof explain` as it is called."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from jetproof.cli.main import main
from jetproof_worker.process import run

ERROR = "Jetson AGX Orin, JetPack 6.2\nImportError: libcusparseLt.so.0: cannot open shared object file\n"


def test_the_cause_comes_first_and_what_was_taken_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log"
    path.write_text(ERROR)
    assert main(["explain", str(path)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("blocked: libcusparseLt")
    assert "taken from the report" in out
    assert "not in the report" in out
    assert "line 2" in out


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.json"
    path.write_text(json.dumps({"reported": {"model": "Jetson Nano", "error_text": "Illegal instruction"}}))
    assert main(["explain", "--json", str(path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "jetproof/diagnosis/1"
    assert told["findings"][0]["root_cause"] == "numpy-illegal-instruction"
    assert told["findings"][0]["because"][0]["read_from"] == "reported.error_text"


def test_markdown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log"
    path.write_text(ERROR)
    assert main(["explain", "--markdown", str(path)]) == 0
    assert "JD080" in capsys.readouterr().out


def test_what_is_not_recognised_ends_with_4_and_says_what_to_paste(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log"
    path.write_text("hello, world\n")
    assert main(["explain", str(path)]) == 4
    assert "collect_env" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"\0" * 3000, b"\x7fELF" + bytes(range(256)) * 8])
def test_what_is_no_text_ends_with_2(tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log"
    path.write_bytes(content)
    assert main(["explain", str(path)]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_places_that_are_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (str(tmp_path), str(tmp_path / "absent"), "/dev/null"):
        assert main(["explain", name]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_message_typed_in_the_place_of_a_file_is_told_how_it_is_explained(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["explain", "RuntimeError: it isn't there"]) == 2
    told = capsys.readouterr().err
    hint = next(line for line in told.splitlines() if line.startswith("hint: "))
    assert shlex.split(hint)[-5:] == ["%s\\n", "RuntimeError: it isn't there", "|", "jetproof", "explain"]
    for long in ("Traceback\n  File x", "word " * 1000):
        assert main(["explain", long]) == 2
        told = capsys.readouterr().err
        assert len(told) < 300
        assert "hint: Name a text file; or call jetproof explain alone" in told


def test_a_bare_message_has_nothing_else_taken_from_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log"
    path.write_text("OSError: libcusparseLt.so.0: cannot open shared object file\n")
    assert main(["explain", str(path)]) == 0
    told = capsys.readouterr().out
    assert "not in the report" in told
    assert "taken from the report" not in told


def test_several_texts_are_one_report_and_objects_are_not(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("Jetson Nano, JetPack 4.6\n")
    (tmp_path / "b").write_text("Illegal instruction (core dumped)\n")
    (tmp_path / "c").write_text('{"model": "Jetson Nano"}')
    assert main(["explain", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    assert main(["explain", str(tmp_path / "a"), str(tmp_path / "c")]) == 2


@pytest.mark.process
@pytest.mark.parametrize(
    "seed", ["vendor torch ", "replaced ", "image for ", "( ", "works as root ", "libcublas.so.", "1.2.3.4.5.6.7.8 "]
)
def test_hostile_text_ends_by_itself(seed: str) -> None:
    text = (seed * 4000)[:20_000] + "\n" + "\n".join(f"error {seed}{number}" for number in range(800))
    done = run([sys.executable, "-m", "jetproof", "explain", "--json"], timeout=60, stdin=text.encode(), limit=1 << 22)
    assert done.status == "exited"
    assert done.code in (0, 4)
    assert b"Traceback (most" not in done.stderr


@pytest.mark.process
def test_a_pipe_that_says_nothing_is_spoken_of_and_a_closed_input_is_refused() -> None:
    call = [sys.executable, "-c", "import sys; from jetproof.cli.main import main; sys.exit(main(['explain']))"]
    script = (
        "import subprocess, sys\n"
        "child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stderr=subprocess.PIPE)\n"
        "told = child.stderr.readline()\n"
        "child.communicate(b'Illegal instruction')\n"
        "sys.exit(child.returncode or b'waiting for a text' not in told)"
    )
    done = run([sys.executable, "-c", script, *call], timeout=60)
    assert done.code == 0
    shut = "import os, sys; os.close(0); os.execv(sys.argv[1], sys.argv[1:])"
    done = run([sys.executable, "-c", shut, *call], timeout=60)
    assert done.code == 2
    assert b"Traceback" not in done.stderr
