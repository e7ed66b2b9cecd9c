"""Ways of not running something, or dying in it, as the controller meets them: what the worker does, and the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.qualify.streams import TESTS, Record, Scripted, end, good_stream, tests_of

PROBE = "probe::numerics"
PYTEST = "pytest::gpu"


@dataclass(frozen=True)
class Way:
    """One way: the item it hits (None: the whole run), the outcome there, and the reason that must be given."""

    target: Callable[[], Scripted]
    item: str | None
    outcome: str
    reason: str


def _ended(item: str, outcome: str, reason: str, **more: Any) -> Callable[[], Scripted]:
    """Return a target whose worker ends one item so."""

    def target() -> Scripted:
        stream = [end(item, outcome, reason, **more) if _is_end(r, item) else r for r in good_stream()]
        return Scripted(stream)

    return target


def _is_end(record: Record, item: str) -> bool:
    return record["record"] == "end" and record["item"] == item


def _without(keep: Callable[[Record], bool]) -> Callable[[], Scripted]:
    return lambda: Scripted([record for record in good_stream() if keep(record)])


def _also(extra: Record, before: str = "finish") -> Callable[[], Scripted]:
    """Return a target whose worker sends one more record before the first of kind `before` (after all if "")."""

    def target() -> Scripted:
        stream = good_stream()
        at = next((i for i, record in enumerate(stream) if record["record"] == before), len(stream))
        return Scripted([*stream[:at], extra, *stream[at:]])

    return target


def _test(test: str, phase: str, outcome: str, reason: str) -> Callable[[], Scripted]:
    """Return a target in which the worker calls the selection passed, and one phase of one test says otherwise."""

    def target() -> Scripted:
        stream = good_stream()
        for record in stream:
            if record["record"] == "test" and record["id"] == test and record["phase"] == phase:
                record.update(outcome=outcome, reason=reason)
        return Scripted(stream)

    return target


def _session(change: Callable[[list[Record]], list[Record]]) -> Callable[[], Scripted]:
    def target() -> Scripted:
        inner = tests_of(PYTEST)
        stream = [r for r in good_stream() if r not in inner]
        at = next(i for i, r in enumerate(stream) if r["record"] == "start" and r["item"] == PYTEST) + 1
        return Scripted([*stream[:at], *change(inner), *stream[at:]])

    return target


def _of(test: str, phases: tuple[str, ...]) -> Callable[[Record], bool]:
    return lambda r: r["record"] == "test" and r["id"] == test and r["phase"] in phases


_OTHER = {
    "record": "test",
    "item": PYTEST,
    "id": "tests/other.py::x",
    "phase": "call",
    "outcome": "PASS",
    "reason": "ok",
}
_BAD = {"name": "error", "value": 1.0, "unit": "", "bound": 1e-5, "sense": "at-most"}
_LOW = {"name": "rate", "value": 1.0, "unit": "", "bound": 2.0, "sense": "at-least"}
_NAN = {"name": "error", "value": "nan", "unit": "", "bound": 1e-5, "sense": "at-most"}

WAYS: dict[str, Way] = {
    "an item that was never started": Way(
        lambda: Scripted(
            [{**r, "items": 2} if r["record"] == "finish" else r for r in good_stream() if r.get("item") != PROBE]
        ),
        PROBE,
        "MISS",
        "not-started",
    ),
    "an item whose end is never told": Way(_without(lambda r: not _is_end(r, PROBE)), PROBE, "ERROR", "unfinished"),
    "a pass of an item that never started": Way(
        _without(lambda r: not (r["record"] == "start" and r["item"] == PROBE)), None, "", "record-before-start"
    ),
    "a pass told twice": Way(_also(end(PROBE, seed=12)), None, "", "doubled-record"),
    "a failure with a pass after it": Way(
        lambda: Scripted([*good_stream()[:6], end(PROBE, "FAIL", "wrong"), end(PROBE, seed=12), good_stream()[-1]]),
        PROBE,
        "FAIL",
        "wrong",
    ),
    "a pass of an item that is not planned": Way(_also(end("probe::other")), None, "", "unknown-item"),
    "a pass after the worker's last record": Way(_also(end(PROBE, seed=12), before=""), None, "", "late-record"),
    "records before the worker introduced itself": Way(
        _without(lambda r: r["record"] != "hello"), None, "", "record-before-hello"
    ),
    "records of another process": Way(lambda: Scripted(good_stream(), nonce="0" * 32), None, "", "foreign-record"),
    "a kind of record that nobody knows": Way(_also({"record": "green"}), None, "", "unknown-record"),
    "a worker without a last record (os._exit(0), power cut)": Way(
        _without(lambda r: r["record"] != "finish"), None, "", "worker-unfinished"
    ),
    "a worker that tells another number of items": Way(
        lambda: Scripted([{**r, "items": 99} if r["record"] == "finish" else r for r in good_stream()]),
        None,
        "",
        "count-differs",
    ),
    "a worker killed by SIGKILL": Way(
        lambda: Scripted(good_stream()[:7], status="signalled", code=9), None, "", "worker-signalled"
    ),
    "a worker that exits with an error after its last record": Way(
        lambda: Scripted(good_stream(), code=3), None, "", "worker-exited"
    ),
    "a worker that runs past the time limit": Way(
        lambda: Scripted(good_stream()[:7], status="timed-out", code=None), None, "", "worker-timed-out"
    ),
    "an interpreter that does not exist": Way(
        lambda: Scripted([], status="missing", code=None), None, "", "worker-missing"
    ),
    "a worker that refuses the request": Way(
        lambda: Scripted([{"record": "refused", "reason": "bad", "message": "no"}], code=2),
        PROBE,
        "MISS",
        "worker-refused",
    ),
    "Ctrl-C in the middle": Way(
        lambda: Scripted(good_stream()[:6], raises=KeyboardInterrupt()), PROBE, "ERROR", "interrupted"
    ),
    "torch that cannot be imported": Way(
        _ended(PROBE, "MISS", "torch-import-failed"), PROBE, "MISS", "torch-import-failed"
    ),
    "a package that is missing": Way(_ended(PROBE, "MISS", "package-missing"), PROBE, "MISS", "package-missing"),
    "a probe killed for memory": Way(
        _ended(PROBE, "ERROR", "killed-out-of-memory"), PROBE, "ERROR", "killed-out-of-memory"
    ),
    "a probe that crashed": Way(_ended(PROBE, "ERROR", "signal", signal="SIGSEGV"), PROBE, "ERROR", "signal"),
    "a probe that hung": Way(_ended(PROBE, "ERROR", "timeout"), PROBE, "ERROR", "timeout"),
    "a probe that left no result": Way(_ended(PROBE, "ERROR", "no-result"), PROBE, "ERROR", "no-result"),
    "a pass for another reason than ok (only collected)": Way(
        _ended(PROBE, "PASS", "collected", seed=12), PROBE, "MISS", "collected"
    ),
    "an outcome that nobody knows": Way(_ended(PROBE, "GREEN", "ok"), None, "", "malformed-record"),
    "a pass with a figure above its bound": Way(
        _ended(PROBE, "PASS", "ok", seed=12, measurements=[_BAD]), PROBE, "FAIL", "bound-exceeded"
    ),
    "a pass with a figure below its bound": Way(
        _ended(PROBE, "PASS", "ok", seed=12, measurements=[_LOW]), PROBE, "FAIL", "bound-exceeded"
    ),
    "a pass with a figure that is not finite": Way(
        _ended(PROBE, "PASS", "ok", seed=12, measurements=[_NAN]), PROBE, "FAIL", "not-finite"
    ),
    "a pass with a bound that is no number": Way(
        _ended(PROBE, "PASS", "ok", seed=12, measurements=[{**_BAD, "bound": "x"}]), PROBE, "ERROR", "bad-measurement"
    ),
    "a pass with other inputs than planned": Way(_ended(PROBE, "PASS", "ok", seed=99), PROBE, "ERROR", "seed-differs"),
    "a skipped test in a selection called passed": Way(_test(TESTS[0], "call", "MISS", "skip"), PYTEST, "MISS", "skip"),
    "a test skipped by its setup": Way(_test(TESTS[0], "setup", "MISS", "skipif"), PYTEST, "MISS", "skipif"),
    "an expected failure": Way(_test(TESTS[0], "call", "MISS", "xfail"), PYTEST, "MISS", "xfail"),
    "an unexpected pass": Way(_test(TESTS[0], "call", "FAIL", "xpass"), PYTEST, "FAIL", "xpass"),
    "a teardown that raised": Way(
        _test(TESTS[1], "teardown", "ERROR", "teardown-error"), PYTEST, "ERROR", "teardown-error"
    ),
    "a test that was not collected (deselected, importorskip)": Way(
        _session(
            lambda s: [
                {**r, "ids": [TESTS[0]]} if r["record"] == "collected" else r for r in s if r.get("id") != TESTS[1]
            ]
        ),
        PYTEST,
        "MISS",
        "not-collected",
    ),
    "a test that was collected and not run": Way(
        _session(lambda s: [r for r in s if r.get("id") != TESTS[1]]), PYTEST, "MISS", "not-started"
    ),
    "a test that began and did not end": Way(
        _session(lambda s: [r for r in s if not _of(TESTS[1], ("call", "teardown"))(r)]), PYTEST, "MISS", "not-finished"
    ),
    "a test that ran twice (reruns)": Way(
        _session(lambda s: [*s[:-1], *[r for r in s if _of(TESTS[0], ("call",))(r)], s[-1]]), None, "", "doubled-record"
    ),
    "a test that is not in the plan": Way(
        _session(lambda s: [*s[:-1], _OTHER, s[-1]]), PYTEST, "ERROR", "unexpected-test"
    ),
    "a session that never came to its end": Way(_session(lambda s: s[:-1]), PYTEST, "ERROR", "no-finish"),
    "a session that ended otherwise than its tests": Way(
        _session(lambda s: [*s[:-1], {**s[-1], "status": 1}]), PYTEST, "ERROR", "exit-status-differs"
    ),
    "a selection in which nothing ran": Way(_session(lambda s: []), PYTEST, "MISS", "not-started"),
}
