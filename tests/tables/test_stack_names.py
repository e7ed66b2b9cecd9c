"""How a person writes a stack: JetPack, L4T release, board, or several of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetproof.errors import UsageError
from jetproof.tables import load

TABLES = load()


@pytest.mark.parametrize(
    ("written", "stack"),
    [
        ("jp6.2", "jp6.2"),
        ("JP6.2/AGX-Orin-64GB", "jp6.2/agx-orin-64gb"),
        ("36.4.3", "jp6.2"),
        ("L4T 36.4.3", "jp6.2"),
        ("r36.4.3", "jp6.2"),
        ("l4t-r35.4.1", "jp5.1.2"),
        ("# R36 (release), REVISION: 4.3, GCID: 38968081", "jp6.2"),
        ("38.2", "jp7.0"),
        ("jetpack-6.2.1", "jp6.2.1"),
        ("JetPack 6.2", "jp6.2"),
        ("6.2", "jp6.2"),
        ("jp62", "jp6.2"),
        ("jp512", "jp5.1.2"),
        ("7", "jp7"),
        ("AGX Orin 6.2", "jp6.2-orin"),
        ("AGX Orin Developer Kit JetPack 6.2.1", "jp6.2.1-orin"),
        ("jp6.2 orin nano", "jp6.2-orin"),
        ("orin nx 16gb 6.2", "jp6.2/orin-nx-16gb"),
        ("xavier nx jetpack 5.1.2", "jp5.1.2-xavier"),
        ("thor", "jp7-thor"),
        ("Jetson AGX Thor", "jp7-thor"),
        ("thor 7.1", "jp7.1-thor"),
        ("tx2", "jp4-tx2"),
    ],
)
def test_it_is_understood(written: str, stack: str) -> None:
    assert TABLES.stack(written).name == stack


@pytest.mark.parametrize(
    ("written", "reason", "hint"),
    [
        ("orin-nano", "ambiguous-stack", "jp5-orin, jp6-orin, jp7-orin"),
        ("xavier", "ambiguous-stack", "jp4-xavier, jp5-xavier"),
        ("nano", "ambiguous-stack", "jp4-nano, jp5-orin, jp6-orin, jp7-orin"),
        ("36.4", "ambiguous-stack", "jp6.1, jp6.2, jp6.2.1"),
        ("36.9.9", "unknown-stack", "36.4.3 (jp6.2)"),
        ("36.2.0", "unknown-stack", "36.3.0 (jp6.0)"),
        ("99.1", "unknown-stack", "39.2.0 (jp7.2)"),
        ("jp6.3", "unknown-stack", "jp6.2"),
        ("igx-thor", "unknown-stack", "jp7-thor"),
        ("", "unknown-stack", "jp5.1"),
        ("dgx-spark", "unknown-stack", "jp7.0"),
        ("thor 6.2", "module-not-on-stack", "jp7-thor"),
        ("jp6.2-thor", "module-not-on-stack", "jp7-thor"),
        ("jp6.2/agx-thor", "unknown-module", "agx-thor-t5000"),
        ("jp5.1/agx-thor-t5000", "module-not-on-stack", "jp7.0"),
    ],
)
def test_what_is_not_understood_lists_what_there_is(written: str, reason: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        TABLES.stack(written)
    assert caught.value.reason == reason
    assert hint in (caught.value.hint or "")


def test_every_name_and_every_release_means_itself() -> None:
    for name, stack in TABLES.stacks.items():
        assert TABLES.stack(name).name == name
        if name == f"jp{stack.jetpack}":
            assert {TABLES.stack(l4t).name for l4t in stack.l4t_releases} == {name}


@given(st.text(max_size=200))
def test_any_text_is_a_stack_or_an_error_with_a_hint(text: str) -> None:
    refused: UsageError | None = None
    try:
        name = TABLES.stack(text).name
    except UsageError as error:
        refused = error
    if refused is None:
        assert name.partition("/")[0] in TABLES.stacks
    else:
        assert refused.hint
        assert len(refused.message) < 400
