"""A good run is green; whatever is left out, doubled, late, foreign or said wrongly makes it not green."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.qualify.runs import judged, ran, ticking
from tests.qualify.streams import TESTS, Scripted, a_plan, end, good_stream, rehearsal, with_attempts

from jetproof.qualify.clock import Instant
from jetproof.qualify.journal import read
from jetproof.qualify.outcome import Outcome
from jetproof.qualify.plan_model import Source

PYTEST = "pytest::gpu"
PROBE = "probe::numerics"


def test_a_good_run_is_green_and_proves(tmp_path: Path) -> None:
    verdict = judged(ran(Scripted(good_stream()), tmp_path))

    assert verdict.green
    assert verdict.proves
    assert [item.outcome for item in verdict.items] == [Outcome.PASS] * 3
    assert [test.id for test in verdict.items[2].attempts[0].tests] == list(TESTS)


def test_a_rehearsal_may_be_green_and_proves_nothing(tmp_path: Path) -> None:
    verdict = judged(ran(Scripted(good_stream()), tmp_path, plan=rehearsal()))

    assert verdict.green
    assert not verdict.proves


@pytest.mark.parametrize("origin", ["recorded", "emulated"])
def test_only_a_live_machine_proves(origin: str, tmp_path: Path) -> None:
    verdict = judged(ran(Scripted(good_stream()), tmp_path, plan=a_plan(origin=origin)))

    assert verdict.green
    assert not verdict.proves
    assert [entry.reason for entry in verdict.not_proven] == [f"origin-{origin}"]


def test_a_later_attempt_is_flaky_and_not_green(tmp_path: Path) -> None:
    first = changed(PROBE, end(PROBE, "FAIL", "bound-exceeded", seed=12))
    verdict = judged(ran(Scripted(first, good_stream([PROBE])), tmp_path, plan=with_attempts(2)))

    item = verdict.items[1]
    assert item.outcome is Outcome.FLAKY
    assert item.reason == "passed-on-attempt-2"
    assert [attempt.outcome for attempt in item.attempts] == [Outcome.FAIL, Outcome.PASS]
    assert not verdict.green


def changed(item: str, new_end: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the good stream with another end of one item."""
    return [new_end if r["record"] == "end" and r["item"] == item else r for r in good_stream()]


def without(stream: list[dict[str, Any]], **members: Any) -> list[dict[str, Any]]:
    """Return the stream without the records that have these members."""
    return [r for r in stream if any(r.get(name) != value for name, value in members.items())]


@pytest.mark.parametrize("position", range(len(good_stream())))
def test_no_record_may_be_missing(position: int, tmp_path: Path) -> None:
    stream = good_stream()
    lost = stream.pop(position)

    verdict = judged(ran(Scripted(stream), tmp_path))

    # what only describes the run may be absent; every step of it may not
    assert verdict.green == (lost["record"] in ("torch", "plan"))


@pytest.mark.parametrize("position", range(len(good_stream())))
def test_no_record_may_come_twice(position: int, tmp_path: Path) -> None:
    stream = good_stream()
    stream.insert(position, copy.deepcopy(stream[position]))

    assert not judged(ran(Scripted(stream), tmp_path)).green


@pytest.mark.parametrize("length", range(len(good_stream())))
def test_a_stream_that_breaks_off_is_not_green(length: int, tmp_path: Path) -> None:
    assert not judged(ran(Scripted(good_stream()[:length]), tmp_path)).green


@settings(
    max_examples=examples(80),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(order=st.permutations(range(len(good_stream()))))
def test_no_other_order_hides_anything(order: list[int], tmp_path_factory: pytest.TempPathFactory) -> None:
    stream = good_stream()
    shuffled = [stream[index] for index in order]

    verdict = judged(ran(Scripted(shuffled), tmp_path_factory.mktemp("run")))

    assert verdict.green <= lawful(shuffled)


def lawful(stream: list[dict[str, Any]]) -> bool:
    """Return whether the order is one that a worker running items side by side could have sent."""
    kinds = [record["record"] for record in stream]
    if kinds[0] != "hello" or kinds[-1] != "finish":
        return False
    for item in {record["item"] for record in stream if "item" in record}:
        own = [record["record"] for record in stream if record.get("item") == item]
        if own[0] != "start" or own[-1] != "end":
            return False
    return True


def test_a_clock_that_jumps_is_not_green(tmp_path: Path) -> None:
    verdict = judged(ran(Scripted(good_stream()), tmp_path, now=ticking(jump_at=8, jump=3600)))

    assert [entry.reason for entry in verdict.objections] == ["clock-jumped"]
    assert not verdict.green


def test_a_machine_that_starts_again_is_not_green(tmp_path: Path) -> None:
    clock = ticking()
    readings = 0

    def after_a_restart() -> Instant:
        nonlocal readings
        readings += 1
        return replace(clock(), boot="0" * 16 if readings < 9 else "1" * 16)

    verdict = judged(ran(Scripted(good_stream()), tmp_path, now=after_a_restart))

    assert [entry.reason for entry in verdict.objections] == ["restarted"]


def test_a_tree_that_changes_is_not_green(tmp_path: Path) -> None:
    after = Source(commit="a" * 40, tree="b" * 40, committed_at="2026-11-29T10:00:00Z", changed=("setup.py",))

    verdict = judged(ran(Scripted(good_stream()), tmp_path, after=after))

    assert [entry.reason for entry in verdict.objections] == ["tree-changed"]


@pytest.mark.parametrize(("status", "code"), [("exited", 3), ("signalled", 9), ("timed-out", None), ("missing", None)])
def test_a_worker_that_ends_badly_is_not_green(status: str, code: int | None, tmp_path: Path) -> None:
    verdict = judged(ran(Scripted(good_stream(), status=status, code=code), tmp_path))

    assert [entry.reason for entry in verdict.objections] == [f"worker-{status}"]


def test_ctrl_c_is_written_down_and_the_journal_gets_its_finish(tmp_path: Path) -> None:
    data = ran(Scripted(good_stream()[:5], raises=KeyboardInterrupt()), tmp_path)

    journal = read(data)
    verdict = judged(data)
    assert journal.finished
    assert "interrupted" in [entry.reason for entry in verdict.objections]
    assert not verdict.green


def test_a_journal_cut_at_any_line_or_in_its_last_is_not_green(green_journal: bytes) -> None:
    ends = [index + 1 for index, byte in enumerate(green_journal) if byte == ord("\n")]
    last = range(ends[-2], len(green_journal))
    between = range(0, len(green_journal), 41)

    assert judged(green_journal).green
    for length in sorted({*last, *between, *(line + near for line in ends[:-1] for near in (-1, 0, 1))}):
        assert not judged(green_journal[:length]).green


@pytest.mark.soak
def test_every_byte_of_a_green_journal_is_needed(green_journal: bytes) -> None:
    for length in range(len(green_journal)):
        assert not judged(green_journal[:length]).green


@settings(
    max_examples=examples(80),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_an_edited_journal_is_never_green(data: st.DataObject, green_journal: bytes) -> None:
    lines = green_journal.splitlines(keepends=True)
    kind = data.draw(st.sampled_from(["drop", "double", "swap", "flip", "append"]))
    at = data.draw(st.integers(0, len(lines) - 1))
    if kind == "drop":
        del lines[at]
    elif kind == "double":
        lines.insert(at, lines[at])
    elif kind == "swap":
        other = data.draw(st.integers(0, len(lines) - 1).filter(lambda index: index != at))
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == "append":
        lines.append(lines[at])
    else:
        position = data.draw(st.integers(0, len(lines[at]) - 1))
        bit = 1 << data.draw(st.integers(0, 7))
        line = bytearray(lines[at])
        line[position] ^= bit
        lines[at] = bytes(line)

    assert not judged(b"".join(lines)).green


def test_every_byte_of_the_last_line_is_bound(green_journal: bytes) -> None:
    """No later line binds the last one: it must bind itself."""
    start = green_journal.rindex(b"\n", 0, -1) + 1
    for position in range(start, len(green_journal)):
        edited = bytearray(green_journal)
        edited[position] ^= 1
        assert not judged(bytes(edited)).green


@pytest.fixture(scope="module")
def green_journal(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the journal of a good run."""
    return ran(Scripted(good_stream()), tmp_path_factory.mktemp("green"))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.binary(max_size=400))
def test_any_bytes_are_judged_without_an_error(data: bytes) -> None:
    assert not judged(data).green
