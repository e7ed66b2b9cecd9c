from __future__ import annotations

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetproof.errors import UsageError
from jetproof.target import strict_json

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values, st.booleans())
def test_valid_json_is_read_as_json_reads_it(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=1)
    assert strict_json.loads(text.encode(), what="it") == json.loads(text)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_a_usage_error(data: bytes) -> None:
    with contextlib.suppress(UsageError):
        strict_json.loads(data, what="it")


@given(st.text(alphabet='{}[]":,\\u0123 dDeEaN-Infity.\n', max_size=60))
def test_what_is_accepted_is_what_the_standard_reader_accepts(text: str) -> None:
    try:
        value = strict_json.loads(text.encode(), what="it")
    except UsageError:
        return
    assert value == json.loads(text)
    json.dumps(value, allow_nan=False).encode("utf-8")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"a": 1,\n "b": {"c": 1, "c": 2}}', 'name "c" is given twice: line 2, column 16'),
        (b'{"a": [{"x": 1}, {"x": 1}], "\\u0061": 2}', "given twice: line 1, column 29"),
        (b"[1,\nNaN]", "NaN, line 2, column 1"),
        (b"[-Infinity]", "-Infinity, line 1, column 2"),
        (b"[1e400]", "too large: 1e400, line 1, column 2"),
        (b"[" + b"9" * 500 + b"]", "a number is too long"),
        (b'["a", "\\ud800"]', "half of a surrogate pair: line 1, column 7"),
        (b'{"\\udc00": 1}', "half of a surrogate pair: line 1, column 2"),
        (b'"\xff"', "not UTF-8: line 1, byte 2"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"{} {}", "extra data at line 1, column 4"),
        (b'{"a": ', "not valid JSON"),
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"\0" * 1000, "holds NUL bytes"),
        (b'{"a": "\0"}', "holds NUL bytes"),
        (b"[" * 100_000, "nested deeper than 64 levels: line 1, column 65"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "nested deeper than 64"),
    ],
)
def test_refusals_name_the_fault_and_the_place(data: bytes, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        strict_json.loads(data, what="it")
    assert raised.value.message.startswith("it")
    assert told in raised.value.message


def test_a_cut_off_file_gets_the_hint() -> None:
    with pytest.raises(UsageError) as raised:
        strict_json.loads(b'{"files": {"/etc/nv', what="it")
    with pytest.raises(UsageError) as later:
        strict_json.loads(b'{"files": {"a": "b"', what="it")
    assert later.value.hint == "the file may have been cut off"
    assert "line 1" in raised.value.message


def test_too_many_bytes_are_refused_before_they_are_read() -> None:
    with pytest.raises(UsageError, match="at most 10"):
        strict_json.loads(b" " * 11, what="it", max_bytes=10)


def test_a_pair_of_surrogates_is_a_character() -> None:
    assert strict_json.loads(b'"\\ud83d\\ude00"', what="it") == "\U0001f600"


def test_numbers_keep_their_kind() -> None:
    value = strict_json.loads(b"[1, 1.0, -0.0, 1e3]", what="it")
    assert isinstance(value, list)
    assert [type(one) for one in value] == [int, float, float, float]
    assert math.copysign(1, value[2]) == -1
