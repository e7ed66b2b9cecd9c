"""Standard streams that are closed, full, or in an encoding that lacks our marks change no exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process
BOARD = Path(__file__).parent.parent / "fixtures" / "boards" / "022-orin-nano-r36.4.7.json"


def started(
    *words: str, redirect: str = "", encoding: str = "utf-8", cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    line = f'exec "$0" -m jetproof "$@" {redirect}'
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    argv = ["sh", "-c", line, sys.executable, *words]
    return subprocess.run(argv, capture_output=True, check=False, env=environment, cwd=cwd, timeout=60)


@pytest.mark.parametrize("redirect", ["2>&-", "2>/dev/full", ">&- 2>&- <&-", ">&-"])
def test_a_lost_stream_does_not_turn_wrong_usage_into_another_answer(redirect: str) -> None:
    done = started("doctor", "--from", "no-such-file.json", redirect=redirect)

    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_a_closed_output_loses_the_text_and_keeps_the_answer() -> None:
    expected = started("doctor", "--from", str(BOARD))
    done = started("doctor", "--from", str(BOARD), redirect=">&-")

    assert done.returncode == expected.returncode
    assert done.stderr == b""


def test_a_closed_stream_never_lends_its_number_to_a_file(tmp_path: Path) -> None:
    saved = tmp_path / "board.json"
    done = started("inspect", "--from", str(BOARD), "--save", str(saved), redirect=">&- 2>&- <&-")

    assert done.returncode == 0
    assert json.loads(saved.read_bytes())["schema"] == "jetproof/snapshot/1"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full is Linux's")
def test_a_full_output_is_told_as_such_and_never_green() -> None:
    done = started("inspect", "--from", str(BOARD), redirect=">/dev/full")

    assert done.returncode == 3
    assert b"cannot write the output" in done.stderr
    assert b"fault of jetproof" not in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp037"])
def test_an_encoding_that_lacks_our_marks_changes_nothing_but_them(encoding: str) -> None:
    expected = started("doctor", "--from", str(BOARD))
    done = started("doctor", "--from", str(BOARD), encoding=encoding)

    assert done.returncode == expected.returncode
    assert done.stdout.decode(encoding).splitlines()[0] == expected.stdout.decode().splitlines()[0]


def test_json_is_utf_8_whatever_the_locale() -> None:
    expected = started("inspect", "--from", str(BOARD), "--json")
    done = started("inspect", "--from", str(BOARD), "--json", encoding="latin-1")

    assert json.loads(done.stdout) == json.loads(expected.stdout)


def test_a_working_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    words = 'cd "$1" && rmdir "$1" && exec "$0" -m jetproof doctor'
    argv = ["sh", "-c", words, sys.executable, str(folder)]
    done = subprocess.run(argv, capture_output=True, check=False, timeout=60)

    assert done.returncode == 2
    assert done.stderr.startswith(b"error: the folder that you are in was deleted")
