"""What stands before or around a text's lines is taken off, and nothing of the text itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetproof.facts.report.intake import intake
from jetproof.facts.report.prefixes import bare

TEXT = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nImportError: it\'s gone\n>>> 1 | 2'


@pytest.mark.parametrize(
    "prefix",
    [
        "> ",
        "> > ",
        "Dec 01 00:12:09 orin-desktop trainer.service[4321]: ",
        "Dec  1 00:12:09 orin-desktop python3[4321]: ",
        "2026-11-30T22:10:09+0000 orin app[7]: ",
        "2026-11-30T22:10:09.1234567Z ",
        "2026-11-30T22:10:09.123456789Z stderr F ",
        "[2026-11-30 22:10:09] ",
        "2026-11-30 22:10:09,123 ",
        "#12 3.41 ",
        "2026-11-30T22:10:09.1234567Z #12 3.41 ",
        "app-1  | ",
        "trainer_1       | ",
        "[container-1] ",
    ],
)
def test_a_prefix_is_taken_off(prefix: str) -> None:
    lined = "\n".join(prefix + line for line in TEXT.split("\n"))
    assert bare(lined) == TEXT
    assert intake(lined.encode()).text == TEXT


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        ">>> import torch\n... x\n>> y",
        "| GPU | memory |\n|---|---|\n| 0 | 8 |",
        "torch-2  | yes\nplain words\nand more\nand more",
        "[1] a note\n[component] words",
        "#1 is the first issue",
        "Released 2026-11-30, not before",
    ],
)
def test_the_text_itself_stays(text: str) -> None:
    assert bare(text) == text


def test_marks_of_pages_are_read_as_plain_ones() -> None:
    assert (
        bare("No\u00a0module\u202fnamed \u2018torch\u2019\u200b and \u201ccuda\u201d")
        == "No module named 'torch' and \"cuda\""
    )


@given(st.text(max_size=300))
def test_no_line_comes_or_goes(text: str) -> None:
    assert bare(text).count("\n") == text.count("\n")
