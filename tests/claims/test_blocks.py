"""Managed blocks: what is outside stays byte for byte, what is inside is known to be whole."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jetproof.claims.blocks import LARGEST, Found, appended, block_text, blocks, replaced, without
from jetproof.claims.said import Said, Saying, read
from jetproof.errors import UsageError

DAY = date(2026, 11, 30)
NOTHING = Said(as_of=DAY)
SOMETHING = Said(as_of=DAY, sayings=(Saying(scope="agx-orin-jp62", commit="c0" * 20, until=date(2026, 12, 30)),))
BLOCK = block_text("support", SOMETHING, "It is proven.\n").encode()


def test_a_block_is_read_as_it_was_written() -> None:
    found = blocks(b"# Title\n\n" + BLOCK + b"\nEnd")
    assert not found.faults
    block = found.block("support")
    assert block is not None
    assert (block.line, block.last_line, block.said, block.text, block.edited) == (
        3,
        5,
        SOMETHING,
        "It is proven.\n",
        False,
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"It is proven.", b"It is proven everywhere."),
        (b"2026-12-30", b"2027-12-30"),
        (b"as-of=2026-11-30", b"as-of=2026-12-01"),
        (b"says=agx-orin-jp62", b"says=agx-thor-jp7"),
        (b"c0c0", b"d0d0"),
        (b"It is proven.\n", b""),
    ],
)
def test_a_change_by_hand_shows(old: bytes, new: bytes) -> None:
    found = blocks(BLOCK.replace(old, new, 1))
    assert [block.edited for block in found.blocks] == [True]


@pytest.mark.parametrize(
    ("data", "reason", "line"),
    [
        (BLOCK.split(b"<!-- jetproof:end")[0], "end-missing", 1),
        (b"\n<!-- jetproof:end support -->\n", "begin-missing", 2),
        (BLOCK + BLOCK, "block-doubled", 4),
        (BLOCK.split(b"\n")[0] + b"\n" + BLOCK, "end-missing", 1),
        (BLOCK.replace(b"jetproof:end support", b"jetproof:end other"), "begin-missing", 3),
        (b"<!-- jetproof:begin support -->\nx\n<!-- jetproof:end support -->\n", "marker-unreadable", 1),
        (BLOCK.replace(b"says=agx-orin-jp62:", b"says=agx-orin-jp62"), "marker-unreadable", 1),
        (BLOCK.replace(b"2026-12-30", b"2026-02-30", 1), "marker-unreadable", 1),
        (BLOCK.replace(b"sha256=", b"sha256=x"), "marker-unreadable", 1),
    ],
)
def test_markers_out_of_order_are_faults(data: bytes, reason: str, line: int) -> None:
    found = blocks(data)
    assert (reason, line) in [(fault.reason, fault.line) for fault in found.faults]
    with pytest.raises(UsageError):
        replaced(data, "support", NOTHING, "Nothing.\n")


def test_writing_keeps_all_else_and_is_the_same_twice() -> None:
    before, after = b"\xff\xfe no UTF-8\r\n", b"last line, no end"
    data = before + BLOCK.replace(b"\n", b"\r\n") + after
    new = replaced(data, "support", NOTHING, "Nothing.\nAt all.\n")
    assert new.startswith(before)
    assert new.endswith(b"-->\r\n" + after)
    inside = new[len(before) : -len(after)]
    assert inside.count(b"\n") == inside.count(b"\r\n") == 4
    assert replaced(new, "support", NOTHING, "Nothing.\nAt all.\n") == new
    assert blocks(new).blocks[0].text == "Nothing.\nAt all.\n"


def test_turned_line_ends_are_no_edit() -> None:
    assert [block.edited for block in blocks(BLOCK.replace(b"\n", b"\r\n")).blocks] == [False]


def test_a_block_at_the_very_end_keeps_its_missing_line_end() -> None:
    data = b"# Title\n" + BLOCK.removesuffix(b"\n")
    assert replaced(data, "support", SOMETHING, "It is proven.\n") == data
    assert not replaced(data, "support", NOTHING, "No.\n").endswith(b"\n")


@pytest.mark.parametrize("data", [b"", b"x", b"x\n", b"x\r\ny", b"\xff\n", b"\xef\xbb\xbf# Title\r\n"])
def test_appending_keeps_what_was_there(data: bytes) -> None:
    new = appended(data, "support", SOMETHING, "It is proven.\n")
    assert new.startswith(data)
    found = blocks(new)
    assert not found.faults
    assert [block.said for block in found.blocks] == [SOMETHING]
    with pytest.raises(UsageError):
        appended(new, "support", SOMETHING, "again\n")


def test_restructured_text_has_markers_of_its_own() -> None:
    new = appended(b"Title\n=====\n", "support", SOMETHING, "It is proven.\n", rst=True)
    assert b"\n.. jetproof:begin support" in new
    assert b"<!--" not in new
    assert not blocks(new).blocks[0].edited
    again = replaced(new, "support", NOTHING, "No.\n")
    assert b"<!--" not in again
    assert blocks(again).blocks[0].text == "No.\n"


def test_blocks_are_taken_out_without_moving_lines() -> None:
    data = b"a\n" + BLOCK + b"b\n"
    assert without(data, blocks(data)) == ["a", "", "", "", "b"]


def test_a_huge_document_is_refused() -> None:
    with pytest.raises(UsageError, match="larger"):
        blocks(b"x" * (LARGEST + 1))


def test_a_missing_block_is_told() -> None:
    with pytest.raises(UsageError) as error:
        replaced(b"# Title\n", "support", NOTHING, "No.\n")
    assert error.value.reason == "block-missing"
    assert error.value.hint == "jetproof init adds it"


@pytest.mark.parametrize(
    "text",
    ["", "x", "a:b:c", f"a:{'c0' * 20}:2026-13-01", f"a:{'c0' * 20}:2026-12-01,a:{'c0' * 20}:2026-12-01", "a:" * 9000],
)
def test_a_marker_that_says_nothing_readable(text: str) -> None:
    assert read("2026-11-30", text) is None


words = st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,5}){0,2}", fullmatch=True)
sayings = st.lists(
    st.builds(Saying, scope=words, commit=st.sampled_from(["a" * 40, "0b" * 32]), until=st.dates(date(2020, 1, 1))),
    max_size=4,
    unique_by=lambda saying: saying.scope,
).map(tuple)
facts = st.builds(Said, as_of=st.dates(date(2020, 1, 1)), sayings=sayings)


@settings(max_examples=60, deadline=None)
@given(facts, st.binary(max_size=200), st.binary(max_size=200), st.sampled_from([b"\n", b"\r\n"]))
def test_any_surroundings_are_kept(said: Said, before: bytes, after: bytes, end: bytes) -> None:
    assert read(str(said.as_of), said.text()) == said
    if b"jetproof" in before + after:
        return
    before = before + end if before else before
    data = before + BLOCK.replace(b"\n", end) + after
    new = replaced(data, "support", said, "Text.\n")
    assert new.startswith(before)
    assert new.endswith(after)
    assert replaced(new, "support", said, "Text.\n") == new
    assert [(block.said, block.edited) for block in blocks(new).blocks] == [(said, False)]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    blocks(b"<!-- jetproof:begin support " + data)


def test_code_that_shows_a_block_holds_none() -> None:
    shown = b"```markdown\n" + BLOCK + b"```\n"
    assert blocks(shown) == Found()
    assert [block.id for block in blocks(shown + BLOCK).blocks] == ["support"]
    inside = block_text("support", NOTHING, "```\ncode\n```\n").encode()
    assert [block.edited for block in blocks(inside).blocks] == [False]
    with pytest.raises(UsageError) as error:
        appended(b"```\nnot closed\n", "support", NOTHING, "x\n")
    assert error.value.reason == "code-unclosed"
