from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from packaging.utils import canonicalize_name

from jetproof_worker import names


@given(st.text(alphabet="abZ-_.", max_size=12))
def test_it_is_the_form_that_indexes_use(name: str) -> None:
    assert names.normalised(name) == canonicalize_name(name)
