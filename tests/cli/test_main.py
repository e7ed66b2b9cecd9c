"""The command line as a whole: help, usage errors, errors without a traceback, completion."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from jetproof import __version__
from jetproof.cli import main as entry
from jetproof.cli.commands import COMMANDS
from jetproof.cli.main import main
from jetproof.errors import ExitCode, JetproofError, Undecided
from jetproof.render.errors import told


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for name, _, _ in COMMANDS:
        assert name in text


@pytest.mark.parametrize("name", [name for name, _, _ in COMMANDS])
def test_each_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert "usage: jetproof " + name in capsys.readouterr().out


@pytest.mark.parametrize("module", [module for _, module, _ in COMMANDS])
def test_each_command_has_its_two_functions(module: str) -> None:
    loaded = importlib.import_module(module)
    assert callable(loaded.configure)
    assert callable(loaded.run)


def test_release(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"jetproof {__version__}\n"


@pytest.mark.parametrize("words", [[], ["nonsense"], ["doctor", "--nonsense"], ["explain", "--json", "--nonsense"]])
def test_wrong_usage_is_2(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("words", "usage", "hint"),
    [
        (["doctr"], "usage: jetproof [-h]", "hint: did you mean doctor?"),
        (["policy", "chek"], "usage: jetproof policy", "hint: did you mean check?"),
        (["doctor", "--save", "x"], "usage: jetproof doctor", "hint: jetproof doctor --help"),
        (["keys", "new", "x", "--nonsense"], "usage: jetproof keys new", "hint: jetproof keys new --help"),
        (["zzzzzz"], "usage: jetproof [-h]", "hint: jetproof --help"),
    ],
)
def test_wrong_usage_shows_the_usage_of_the_command_in_question(
    words: list[str], usage: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(words)
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith(usage)
    assert streams.err.splitlines()[-1] == hint


def test_wrong_usage_is_json_when_json_was_asked(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--json", "--nonsense"])
    assert ended.value.code == 2
    error = json.loads(capsys.readouterr().err)
    assert (error["schema"], error["reason"], error["exit_code"]) == ("jetproof/error/1", "usage", 2)


def test_a_text_is_no_read_out_and_the_hint_says_what_reads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tb.txt").write_text("Traceback (most recent call last):")
    assert main(["doctor", "--from", str(tmp_path / "tb.txt")]) == 2
    assert f"jetproof explain {tmp_path / 'tb.txt'}" in capsys.readouterr().err


def test_a_stack_without_torch_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "--stack", "jp6.2"]) == 2
    assert "jetproof install --torch --stack jp6.2" in capsys.readouterr().err


def test_an_error_is_a_message_and_a_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--from", str(tmp_path / "missing.json")]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("error: ")
    assert "Traceback" not in streams.err


def test_an_error_is_json_when_json_was_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", "--from", str(tmp_path / "missing.json")]) == 2
    error = json.loads(capsys.readouterr().err)
    assert error["schema"] == "jetproof/error/1"
    assert error["exit_code"] == 2


def test_foreign_text_in_an_error_cannot_drive_the_terminal() -> None:
    assert "\x1b" not in told(Undecided("bad \x1b[2J name", hint="try \x07"))


def test_interrupted_while_a_class_is_made(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Before Python 3.12 what a class's own parts raise comes as a RuntimeError."""

    def run(arguments: object) -> int:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr(importlib.import_module("jetproof.cli.gates"), "run", run)
    assert main(["gates"]) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err == "jetproof: interrupted\n"


def test_interrupted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(only: str | None = None) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "parser", interrupted)
    assert main(["doctor"]) == ExitCode.INTERRUPTED
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "fish", "tcsh", "zsh"])
def test_completion(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name in (*(name for name, _, _ in COMMANDS), "liveness", "countersign", "kubernetes", "torch-wheel"):
        assert name in script, name


def test_every_error_kind_has_an_exit_code_and_a_reason() -> None:
    kinds = [kind for kind in JetproofError.__subclasses__() if kind.__module__ == "jetproof.errors"]
    assert len({kind.exit_code for kind in kinds}) == len(kinds)
    assert len({kind.default_reason for kind in kinds}) == len(kinds)
