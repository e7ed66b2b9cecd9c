"""Foreign text cannot drive a terminal, and a foreign name cannot look like a line of its own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jetproof.render.style import counted, printable, printable_line


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    assert all(char.isprintable() or char in "\n\t" for char in printable(text))
    assert printable_line(text).isprintable()


def test_text_keeps_its_lines_and_a_name_has_none() -> None:
    assert printable("one\n\ttwo\x1b[2J") == "one\n\ttwo\\x1b[2J"
    assert printable_line("docs/a\nproven: all.md") == "docs/a\\x0aproven: all.md"


def test_one_thing_takes_no_s() -> None:
    assert [counted(count, "item") for count in (0, 1, 2)] == ["0 items", "1 item", "2 items"]
