"""A journal whose chain is right and whose contents are not: written by somebody who knows the format."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.qualify.runs import journal_of, judged, ran
from tests.qualify.streams import CLEAN, Scripted, end, good_stream

from jetproof.errors import Undecided
from jetproof.qualify.journal import GENESIS, Entry, line, read
from jetproof.qualify.judge import exit_code
from jetproof.qualify.plan_model import from_json
from jetproof.qualify.record import interpreter, record
from jetproof.qualify.run import MOST_FAULTS
from jetproof.render.reports import reports
from jetproof_worker.process import Completed

Lines = list[tuple[str, dict[str, Any]]]


def forged(data: bytes, change: Callable[[Lines], None]) -> bytes:
    """Return the journal with its lines changed and chained anew."""
    import hashlib

    entries = journal_of(data).entries
    lines: Lines = [(entry.kind, copy.deepcopy(dict(entry.body))) for entry in entries]
    change(lines)
    previous, out = GENESIS, b""
    for number, (kind, body) in enumerate(lines):
        at = entries[min(number, len(entries) - 1)].at
        made = line(Entry(number=number, kind=kind, body=body, at=at), previous)
        previous = hashlib.sha256(made).hexdigest()
        out += made
    return out


def with_member(kind: str, name: str, value: Any) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        next(body for found, body in lines if found == kind)[name] = value

    return change


def _drop(kind: str) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        lines.remove(next(entry for entry in lines if entry[0] == kind))

    return change


def _without(kind: str, name: str) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        del next(body for found, body in lines if found == kind)[name]

    return change


def _insert(at: int, kind: str, body: dict[str, Any]) -> Callable[[Lines], None]:
    return lambda lines: lines.insert(at, (kind, body))


def _smaller_plan(lines: Lines) -> None:
    lines[0][1]["plan"]["items"].pop()


def _empty_plan(lines: Lines) -> None:
    lines[0][1]["plan"]["items"] = []
    lines[0][1]["plan_digest"] = from_json(lines[0][1]["plan"]).digest


def _other_source(lines: Lines) -> None:
    lines[0][1]["plan"]["source"]["commit"] = "9" * 40


def _double_begin(lines: Lines) -> None:
    lines.insert(1, copy.deepcopy(lines[0]))


def _fewer_items(lines: Lines) -> None:
    next(body for kind, body in lines if kind == "attempt")["items"].pop()


FORGERIES: dict[str, tuple[Callable[[Lines], None], str]] = {
    "an item taken out of the plan": (_smaller_plan, "plan-differs"),
    "a plan of nothing, with its own digest": (_empty_plan, "nothing-planned"),
    "another commit in the plan": (_other_source, "plan-differs"),
    "another digest of the plan": (with_member("begin", "plan_digest", "0" * 64), "plan-differs"),
    "another format": (with_member("begin", "schema", "jetproof/journal/9"), "journal-broken"),
    "two beginnings": (_double_begin, "journal-broken"),
    "no beginning": (_drop("begin"), "no-plan"),
    "no attempt": (_drop("attempt"), "worker-not-started"),
    "an attempt of fewer items": (_fewer_items, "plan-differs"),
    "attempts that do not follow": (with_member("attempt", "number", 2), "journal-broken"),
    "no end of the worker": (_drop("worker-end"), "worker-unfinished"),
    "a worker that failed": (with_member("worker-end", "code", 1), "worker-exited"),
    "no second look at the tree": (_drop("after"), "tree-not-read-again"),
    "a second look that tells nothing of the code": (_without("after", "code"), "code-not-checked"),
    "a second look at the code that is none": (with_member("after", "code", None), "code-not-checked"),
    "a second look at the code that leaves out half": (
        with_member("after", "code", {"not_in_commit": []}),
        "code-not-checked",
    ),
    "code that could not be checked": (
        with_member("after", "code", {"not_in_commit": [], "unchecked": "git is missing"}),
        "code-not-checked",
    ),
    "code that the commit does not hold": (
        with_member("after", "code", {"not_in_commit": ["src/lab/more.py"], "unchecked": None}),
        "code-not-in-commit",
    ),
    "no finish": (_drop("finish"), "unfinished"),
    "a finish that is none": (with_member("finish", "complete", False), "no-plan"),
    "a kind that nobody knows": (_insert(2, "green", {}), "no-plan"),
    "a record without its shape": (_insert(2, "record", {"attempt": 1, "record": []}), "no-plan"),
    "a record that does not fit": (
        _insert(3, "record", {"attempt": 1, "record": end("probe::numerics", seed=12)}),
        "record-before-start",
    ),
    "a plan that is none": (with_member("begin", "plan", {"gate": 1}), "no-plan"),
    "a fault left in": (_insert(3, "fault", {"code": "late-record", "detail": "x"}), "late-record"),
    "an interruption left in": (_insert(3, "interrupted", {"by": "Ctrl-C"}), "interrupted"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_no_forgery_is_green(name: str, tmp_path: Path) -> None:
    change, reason = FORGERIES[name]

    data = forged(ran(Scripted(good_stream()), tmp_path), change)

    assert read(data).broken is None
    verdict = judged(data)
    assert not verdict.green
    assert reason in [entry.reason for entry in verdict.objections]
    assert exit_code(verdict) != 0
    assert record(read(data))["green"] is False
    assert reports(read(data))
    interpreter(read(data))


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_value_in_any_place_breaks_a_report(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Put any JSON value in the place of any member of any line."""

    def change(lines: Lines) -> None:
        place: Any = lines[data.draw(st.integers(0, len(lines) - 1))][1]
        for _ in range(data.draw(st.integers(0, 4))):
            inner = [key for key, value in _members(place) if isinstance(value, dict | list) and value]
            if not inner:
                break
            place = place[data.draw(st.sampled_from(inner))]
        keys = [key for key, _ in _members(place)]
        if keys:
            place[data.draw(st.sampled_from(keys))] = data.draw(ANYTHING)

    journal = read(forged(ran(Scripted(good_stream()), tmp_path_factory.mktemp("run")), change))

    assert reports(journal)
    interpreter(journal)


ANYTHING = st.none() | st.booleans() | st.integers(-2, 2**70) | st.text(max_size=5) | st.just([]) | st.just({"a": [1]})


def _members(place: Any) -> list[tuple[Any, Any]]:
    return list(place.items()) if isinstance(place, dict) else list(enumerate(place))


def test_the_same_lines_chained_anew_are_green(tmp_path: Path) -> None:
    data = ran(Scripted(good_stream()), tmp_path)

    assert forged(data, lambda lines: None) == data


def test_a_worker_that_floods_is_ended(tmp_path: Path) -> None:
    flood = [{"record": "nonsense"}] * 10_000

    data = ran(Scripted([*good_stream()[:2], *flood, *good_stream()[2:]]), tmp_path)

    assert len(journal_of(data).of("fault")) == MOST_FAULTS
    assert journal_of(data).finished
    assert not judged(data).green


def test_a_record_that_cannot_be_written_is_a_fault(tmp_path: Path) -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    for number, value in enumerate((float("nan"), deep)):
        stream = good_stream()
        stream.insert(3, {"record": "beat", "running": value})
        folder = tmp_path / str(number)
        folder.mkdir()

        data = ran(Uncopied(stream), folder)

        assert [entry.body["code"] for entry in journal_of(data).of("fault")] == ["malformed-record"]
        assert not judged(data).green


class Uncopied(Scripted):
    """A worker whose records are too deep to be copied."""

    def serve(self, request: Any, on_record: Any, timeout: float) -> Completed:
        for told in self._streams.pop(0):
            on_record({**told, "nonce": request["nonce"]})
        return Completed(["worker"], "exited", 0, b"", b"", 1.0)


def test_a_target_that_fails_is_written_down(tmp_path: Path) -> None:
    data = ran(Scripted(good_stream()[:4], raises=Undecided("the board is gone")), tmp_path)

    verdict = judged(data)
    assert journal_of(data).finished
    assert "worker-failed" in [entry.reason for entry in verdict.objections]
    assert journal_of(data).of("worker-end")[0].body["detail"] == "the board is gone"


def test_a_record_bears_any_journal() -> None:
    told = record(read(b""))

    assert told["green"] is False
    assert told["time"]["started"] is None
    assert CLEAN.clean


def test_a_tree_that_cannot_be_read_again_is_told(tmp_path: Path) -> None:
    data = ran(Scripted(good_stream()), tmp_path, after=Undecided("git takes too long"))

    verdict = judged(data)
    assert journal_of(data).finished
    assert not verdict.green
    assert "git takes too long" in [entry.message for entry in verdict.objections]
