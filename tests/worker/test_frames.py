from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetproof_worker import frames

SOURCE = Path(__file__).parents[2] / "src"

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
records = st.dictionaries(st.text(max_size=8), values, max_size=4)
noise = st.sampled_from(
    [b"", b"\n", b"JP", b"JP1", b"JP1 ", b"JP1 3 ", b"JP1 12 0123456789abcdef\n", b"warning: x\n", b"\xff\0"]
)


@given(st.lists(st.tuples(noise, records), max_size=5), noise, st.lists(st.integers(1, 60), max_size=30))
def test_records_survive_noise_and_any_cut(
    items: list[tuple[bytes, dict[str, object]]], last: bytes, cuts: list[int]
) -> None:
    stream = b"".join(before + frames.frame(record) for before, record in items) + last
    reader = frames.Reader()
    got = []
    for cut in [*cuts, len(stream) + 1]:
        got += reader.feed(stream[:cut])
        stream = stream[cut:]
    assert got == [record for _, record in items]


def test_a_flipped_byte_makes_a_record_not_count() -> None:
    whole = frames.frame({"record": "end", "outcome": "FAIL"})
    spoiled = whole.replace(b"FAIL", b"PASS")
    assert frames.Reader().feed(spoiled + whole) == [{"record": "end", "outcome": "FAIL"}]


def test_half_a_record_does_not_count() -> None:
    reader = frames.Reader()
    assert reader.feed(frames.frame({"a": 1})[:-1]) == []
    assert reader.feed(b"\n") == [{"a": 1}]


@pytest.mark.parametrize("body", [b"[1]", b"nonsense", b"[" * 100_000])
def test_what_is_no_object_does_not_count(body: bytes) -> None:
    import hashlib

    digest = hashlib.sha256(body).hexdigest()[:16].encode()
    wire = b"JP1 %d %s\n%s\n" % (len(body), digest, body)
    assert frames.Reader().feed(wire + frames.frame({"ok": True})) == [{"ok": True}]


def test_memory_stays_bounded_whatever_comes() -> None:
    reader = frames.Reader()
    for piece in (b"x" * (1 << 20), b"JP1 " * (1 << 16), b"JP1 9999999 0123456789abcdef\n" * 1000):
        assert reader.feed(piece) == []
        assert len(reader._buffer) < 64
    for _ in range(6):
        reader.feed(b"\nJP1 4000000 0123456789abcdef\n" + b"y" * (1 << 20))
        assert len(reader._buffer) <= frames.MAX_RECORD + 64
    assert reader.feed(b"\n" + frames.frame({"still": "here"})) == [{"still": "here"}]


def test_a_record_that_is_too_large_is_refused() -> None:
    with pytest.raises(frames.RecordTooLarge):
        frames.frame({"text": "x" * frames.MAX_RECORD})


def test_nan_is_refused_and_a_lone_surrogate_travels() -> None:
    with pytest.raises(ValueError):
        frames.frame({"x": float("nan")})
    assert frames.Reader().feed(frames.frame({"x": "\udc80"})) == [{"x": "\udc80"}]


@pytest.mark.process
def test_stdout_belongs_to_records_alone(tmp_path: Path) -> None:
    script = (
        "import os, subprocess, sys\n"
        "from jetproof_worker import frames\n"
        "print('before', flush=True)\n"
        "out = frames.take_stdout()\n"
        "print('noise', flush=True); os.write(1, b'more noise\\n')\n"
        "subprocess.check_call([sys.executable, '-c', 'print(\"from a child\")'])\n"
        "frames.write(out, {'record': 'hello'})\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ran = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=True)
    assert ran.stdout == b"before\n" + frames.frame({"record": "hello"})
    assert ran.stderr == b"noise\nmore noise\nfrom a child\n"
    assert json.loads(ran.stdout.split(b"\n")[2]) == {"record": "hello"}
