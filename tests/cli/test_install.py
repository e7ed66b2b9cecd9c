"""What an installation says while it goes on."""

from __future__ import annotations

import pytest

from jetproof.cli import install


@pytest.mark.parametrize("text", ["\x1b]0;title\x07", "\x9b2J", "one\njetproof: two", "a\rb", "\ud800", "\u202e"])
def test_what_a_board_says_cannot_drive_the_terminal(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    install._say(f"installing {text}")
    said = capsys.readouterr().err
    assert said.startswith("jetproof: installing ")
    assert said.endswith("\n")
    assert said[:-1].isprintable()
