"""A fleet of real boards: two sshd with an old and a newer Python, and one address where nobody listens."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.target.board import USER, Board, board
from tests.target.test_ssh import FAKE_TORCH, checkout

from jetproof.cli.main import main
from jetproof.errors import ExitCode

pytestmark = [pytest.mark.process, pytest.mark.pythons, pytest.mark.xdist_group("board")]

GATE = "board-gate"


@pytest.fixture
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Board]]:
    """Two boards, each a server, a user and a /tmp of its own: they may run at the same time."""
    with (
        board(tmp_path_factory.mktemp("old"), FAKE_TORCH, ("3.8",)) as old,
        board(tmp_path_factory.mktemp("new"), FAKE_TORCH, ("3.10",)) as new,
    ):
        yield {"3.8": old, "3.10": new}


@pytest.fixture
def deaf() -> Iterator[int]:
    """Return a port that refuses connections for as long as the test lasts: bound, and never listened on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@pytest.fixture
def calls(lab: dict[str, Board], deaf: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an `ssh` that takes each board's keys; return the file where it notes the ports."""
    log = tmp_path / "calls"
    programs = tmp_path / "bin"
    programs.mkdir()
    ports = {one.port: one.ssh for one in lab.values()} | {deaf: lab["3.8"].ssh}
    cases = "".join(f'*" -p {port} "*) echo {port} >>{log}; exec {ssh} "$@" ;;\n' for port, ssh in ports.items())
    (programs / "ssh").write_text(f'#!/bin/sh\ncase " $* " in\n{cases}esac\nexit 97\n')
    (programs / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return log


def inventory(path: Path, lab: dict[str, Board], deaf: int) -> Path:
    """Write the inventory of both boards and of the one that nobody answers for."""
    rows = [
        ("old", lab["3.8"].target, lab["3.8"].pythons["3.8"]),
        ("off", f"ssh://{USER}@127.0.0.1:{deaf}", "/usr/bin/python3"),
        ("new", lab["3.10"].target, lab["3.10"].pythons["3.10"]),
    ]
    tables = [f'[[board]]\nname = "{name}"\ntarget = "{at}"\npython = "{python}"\n' for name, at, python in rows]
    path.write_text("\n".join(['schema = "jetproof/fleet-inventory/1"', "[limits]\nparallel = 3", *tables]))
    return path


def test_two_boards_answer_and_the_third_is_asked_again(
    lab: dict[str, Board],
    deaf: int,
    calls: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    state = tmp_path / "state"
    fleet = ["fleet", "run", str(inventory(tmp_path / "boards.toml", lab, deaf)), GATE]
    fleet += ["--project", str(checkout(tmp_path / "project")), "--output", str(state)]

    assert main([*fleet, "--json"]) == ExitCode.UNDECIDED
    found = json.loads(capsys.readouterr().out)

    results: dict[str, Any] = {one["board"]: one for one in found["boards"]}
    assert {name: (one["status"], one["reason"]) for name, one in results.items()} == {
        "old": ("green", "ok"),
        "off": ("not-checked", "ssh-refused"),
        "new": ("green", "ok"),
    }
    assert (found["green"], found["missing"]) == (False, [])
    for name, release in (("old", "3.8"), ("new", "3.10")):
        record = json.loads((state / results[name]["record"]).read_bytes())
        assert record["worker"]["python"].startswith(f"{release}.")
        assert [item["outcome"] for item in record["items"]] == ["PASS"] * 3
    assert "refuses the connection" in results["off"]["message"]
    assert results["off"]["hint"]
    assert results["off"]["record"] is None
    assert [one.left() for one in lab.values()] == [[], []]

    assert set(calls.read_text().split()) == {str(port) for port in (deaf, *(one.port for one in lab.values()))}
    calls.unlink()
    kept = {name: (state / "boards" / name / "result.json").read_bytes() for name in ("old", "new")}

    assert main([*fleet, "--resume"]) == ExitCode.UNDECIDED
    told = capsys.readouterr()

    assert told.out.startswith(f"{GATE}: green on 2 of 3 boards (1 not checked)\n")
    assert "ssh-refused: " in told.out
    assert "2 kept from before" in told.out
    assert [line.split()[:2] for line in told.err.splitlines()] == [["[3/3]", "off"]]
    assert set(calls.read_text().split()) == {str(deaf)}
    assert kept == {name: (state / "boards" / name / "result.json").read_bytes() for name in kept}
    assert [one.left() for one in lab.values()] == [[], []]
