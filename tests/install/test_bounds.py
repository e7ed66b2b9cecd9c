"""Which NumPy a vendor's torch bears."""

from __future__ import annotations

import pytest

from jetproof.install.bounds import bounds
from jetproof.tables import load


@pytest.mark.parametrize(
    ("torch", "bounded"),
    [
        ("2.1.0a0+41361538.nv23.06", True),
        ("2.5.0a0+872d972e41.nv24.8", True),
        ("2.5.0a0+872d972e41.nv24.08", True),
        ("2.8.0a0+5228986c39.nv25.6", False),
        ("2.8.0", False),
        ("unknown", False),
        (None, False),
    ],
)
def test_numpy_below_2_for_what_was_built_against_numpy_1(torch: str | None, bounded: bool) -> None:
    assert [text for text, _ in bounds(torch, load())] == (["numpy<2"] if bounded else [])
