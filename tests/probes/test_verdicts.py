"""The pure judges: how a process ended, what a journal says, what may start next, what a build covers."""

from __future__ import annotations

import math
import os
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetproof_worker import (
    catalogue,
    frames,
    item_process,
    journal_pipe,
    pytest_verdict,
    request,
    schedule,
    torch_import,
    verdict,
)
from jetproof_worker.probe import GIB, MIB, Broken, Context, Failed, Measurement
from jetproof_worker.probes import arch_list, jetson_identity
from jetproof_worker.request import Item, PytestSelection

RESULT = {"record": "result", "outcome": "PASS", "reason": "ok", "message": ""}


@given(
    status=st.none() | st.integers(0, 0xFFFF),
    results=st.lists(
        st.sampled_from([RESULT, {**RESULT, "outcome": "FAIL", "reason": "x"}, {}, {**RESULT, "reason": 1}])
    ),
    stray=st.integers(0, 3),
    killed_for=st.sampled_from([None, "timeout", "worker-stopped", "fork-failed"]),
    lost=st.booleans(),
    oom=st.booleans(),
)
def test_only_one_sound_result_and_a_good_end_is_a_pass(
    status: int | None, results: list[dict[str, Any]], stray: int, killed_for: str | None, lost: bool, oom: bool
) -> None:
    ended = verdict.Ended(status, results, stray, killed_for, 1.0, oom, lost)
    found = verdict.judge(ended)
    clean = status == 0 and results == [RESULT] and not stray and killed_for is None and not lost
    assert (found.outcome == "PASS") == clean
    assert found.reason


def test_signals_are_named_and_a_kill_for_memory_is_told_apart() -> None:
    assert verdict.judge(verdict.Ended(11, [])).signal == "SIGSEGV"
    assert verdict.judge(verdict.Ended(9, [])).reason == "killed"
    assert verdict.judge(verdict.Ended(9, [], out_of_memory=True)).reason == "killed-out-of-memory"
    assert verdict.signal_name(45) == "SIG45"


def test_a_result_that_claims_a_pass_for_another_reason_is_none() -> None:
    lie = {**RESULT, "reason": "skipped"}
    assert verdict.judge(verdict.Ended(0, [lie])).reason == "bad-result"


# what may start


def item(name: str, **change: Any) -> Item:
    given_: dict[str, Any] = {
        "id": name,
        "timeout": 1.0,
        "exclusive": False,
        "memory": GIB,
        "seed": 0,
        "weight": 1.0,
        "needs_torch": False,
        **change,
    }
    return Item(**given_)


def names(items: list[Item]) -> list[str]:
    return [one.id for one in items]


BOTH = frozenset({True, False})


def test_the_heaviest_start_first_and_exclusive_ones_last() -> None:
    light, heavy = item("light"), item("heavy", weight=9.0)
    alone = item("alone", weight=99.0, exclusive=True)
    ordered = schedule.order([light, alone, heavy])
    assert names(ordered) == ["heavy", "light", "alone"]
    assert names(schedule.startable(ordered, [], BOTH, 8, None, None)) == ["heavy", "light"]
    assert schedule.startable([alone], [light], BOTH, 8, None, None) == []
    assert names(schedule.startable([alone], [], BOTH, 8, None, None)) == ["alone"]
    assert schedule.startable([light], [alone], BOTH, 8, None, None) == []


def test_memory_bounds_what_runs_side_by_side_and_something_always_runs() -> None:
    waiting = [item("a", memory=3 * GIB), item("b", memory=3 * GIB), item("c", memory=GIB)]
    assert names(schedule.startable(waiting, [], BOTH, 8, 4 * GIB, 4 * GIB)) == ["a", "c"]
    assert names(schedule.startable(waiting, [], BOTH, 8, 0, 0)) == ["a"]
    assert schedule.startable(waiting, [item("r", memory=4 * GIB)], BOTH, 8, 4 * GIB, 4 * GIB) == []
    assert names(schedule.startable(waiting, [], BOTH, 2, None, None)) == ["a", "b"]


def test_what_cannot_be_forked_yet_waits_without_holding_up_others() -> None:
    waiting = [item("torch", needs_torch=True), item("plain")]
    assert names(schedule.startable(waiting, [], frozenset({False}), 4, None, None)) == ["plain"]
    assert schedule.startable(waiting, [], frozenset(), 4, None, None) == []


@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.booleans()), min_size=1, max_size=8),
    st.integers(1, 4),
    st.integers(0, 8),
)
def test_every_plan_comes_to_its_end_within_its_limits(
    shapes: list[tuple[int, bool, bool]], parallel: int, budget: int
) -> None:
    waiting = schedule.order(
        [item(str(n), memory=m * GIB, exclusive=e, needs_torch=t) for n, (m, e, t) in enumerate(shapes)]
    )
    running: list[Item] = []
    for _ in range(100):
        new = schedule.startable(waiting, running, BOTH, parallel, budget * GIB, budget * GIB)
        waiting = [one for one in waiting if one not in new]
        running += new
        assert len(running) <= parallel
        assert len(running) == 1 or sum(one.memory for one in running) <= budget * GIB or not new
        assert len(running) == 1 or not any(one.exclusive for one in running)
        if not running:
            break
        running.pop(0)
    assert waiting == []


def test_parallelism_and_reserve() -> None:
    assert schedule.parallelism(None, 20, 6) == 7
    assert [schedule.parallelism(None, 20, cores) for cores in (1, 2, 3)] == [1, 2, 4]
    assert schedule.parallelism(3, 20, 6) == 3
    assert schedule.parallelism(None, 2, 64) == 2
    assert schedule.reserve(64 * GIB) == 2 * GIB
    assert schedule.reserve(0) == 256 * MIB


# a host's tests

SELECTION = PytestSelection("/r", (), ("t.py::a",), None, (), None, False)
KEEPER = {"pytest": {"status": "exited", "code": 0}}
FOUND = verdict.Verdict("PASS", "ok")


def journal(*records: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**record, "n": n, "pid": 1} for n, record in enumerate(records)]


def phases(id_: str) -> list[dict[str, Any]]:
    tests = [
        {"record": "test", "id": id_, "phase": p, "outcome": "PASS", "reason": "ok"}
        for p in ("setup", "call", "teardown")
    ]
    return [{"record": "begin", "id": id_}, *tests]


GOOD = journal(
    {"record": "session"},
    {"record": "collected", "ids": ["t.py::a"]},
    *phases("t.py::a"),
    {"record": "pytest-finish", "status": 0},
)


def judged(records: list[dict[str, Any]], keeper: dict[str, Any] = KEEPER, broken: bool = False) -> tuple[str, str]:
    found = pytest_verdict.judge(SELECTION, records, keeper, FOUND, broken).verdict
    return found.outcome, found.reason


def test_the_whole_journal_is_a_pass() -> None:
    assert judged(GOOD) == ("PASS", "ok")


def test_work_that_nobody_waited_for_is_no_pass() -> None:
    assert judged([*GOOD[:-1], {**GOOD[-1], "unawaited": ["t.py::a"]}]) == ("ERROR", "not-awaited")
    assert judged([*GOOD[:-1], {**GOOD[-1], "unawaited": ["t.py::b"]}]) == ("PASS", "ok")


@given(st.data())
def test_a_journal_that_lacks_repeats_or_swaps_a_record_is_no_pass(data: st.DataObject) -> None:
    records = list(GOOD)
    index = data.draw(st.integers(0, len(records) - 1))
    how = data.draw(st.sampled_from(["drop", "repeat", "cut", "renumbered drop"]))
    if how == "drop":
        del records[index]
    elif how == "repeat":
        records.insert(index, records[index])
    elif how == "cut":
        del records[index:]
    else:
        del records[index]
        records = [{**record, "n": n} for n, record in enumerate(records)]
        if index == 0:
            return  # the session's own words are told and not judged
    if how == "renumbered drop" and index == 1:
        return  # without the list of what was collected, what ran still counts by its own records
    assert judged(records)[0] != "PASS"


def test_an_exit_status_that_differs_is_told() -> None:
    assert judged(GOOD, {"pytest": {"status": "exited", "code": 1}}) == ("ERROR", "exit-status-differs")
    assert judged(GOOD, {"pytest": {"status": "signalled", "code": 11}}) == ("ERROR", "signal")
    assert judged(GOOD, broken=True) == ("ERROR", "journal-broken")
    assert judged(GOOD, {}) == ("ERROR", "exit-status-differs")


def test_records_of_another_process_break_it() -> None:
    records = [dict(record) for record in GOOD]
    records[3]["pid"] = 2
    assert judged(records) == ("ERROR", "journal-broken")


def test_long_lists_travel_in_parts() -> None:
    receiver, sender = os.pipe()
    writer = journal_pipe.Writer(sender)
    ids = [f"t.py::{'x' * 200}{n}" for n in range(12_000)]
    taken = bytearray()
    thread = threading.Thread(
        target=lambda: [taken.extend(part) for part in iter(lambda: os.read(receiver, 1 << 16), b"")]
    )
    thread.start()
    writer.write({"record": "session"})
    writer.write_ids("collected", ids)
    os.close(sender)
    thread.join()
    os.close(receiver)
    records = frames.Reader().feed(bytes(taken))
    assert [record.get("more") for record in records] == [None, True, True, False]
    assert judged_all(records) == ids


def judged_all(records: list[dict[str, Any]]) -> list[str]:
    floor = PytestSelection("/r", (), (), 1, (), None, False)
    found = pytest_verdict.judge(floor, records, KEEPER, FOUND, False)
    assert found.verdict.reason == "no-finish"
    assert found.detail["collected"] == len(found.detail["tests"]) + found.detail["tests_left_out"]
    return [id_ for record in records[1:] for id_ in record["ids"]]


def test_a_second_list_of_what_was_collected_breaks_the_journal() -> None:
    twice = journal(*[{k: v for k, v in r.items() if k not in ("n", "pid")} for r in [*GOOD[:2], *GOOD[1:]]])
    assert judged(twice) == ("ERROR", "journal-broken")


# figures


def test_figures_are_held_against_their_bounds() -> None:
    def run(value: float, bound: float | None = 1.0, sense: str = "at-most") -> tuple[str, str]:
        outcome, _ = item_process.judged(
            lambda context: context.measure("x", value, "", bound, sense) and None, Context()
        )
        return outcome["outcome"], outcome["reason"]

    assert run(1.0) == ("PASS", "ok")
    assert run(1.1) == ("FAIL", "bound-exceeded")
    assert run(0.9, sense="at-least") == ("FAIL", "bound-exceeded")
    assert run(math.nan) == ("FAIL", "not-finite")
    assert run(math.inf, None) == ("FAIL", "not-finite")
    assert run(7.0, None) == ("PASS", "ok")
    assert Measurement("x", math.nan).as_record()["value"] == "nan"


def test_a_policy_may_set_another_bound() -> None:
    context = Context(params={"bounds": {"x": 2.0}})
    assert context.measure("x", 1.5, "", 1.0).kept
    assert context.measure("y", 1.5).bound is None


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), "out-of-memory"),
        (RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory"), "out-of-memory"),
        (
            RuntimeError('NVML_SUCCESS == r INTERNAL ASSERT FAILED at "c10/cuda/CUDACachingAllocator.cpp":1016'),
            "nvml-assert-is-oom",
        ),
        (MemoryError(), "memory-error"),
        (SystemExit(0), "exit-called"),
        (RuntimeError("CUDA error: no kernel image"), "exception"),
    ],
)
def test_errors_of_torch_that_have_a_name(error: BaseException, reason: str) -> None:
    def run(context: Context) -> None:
        raise error

    outcome, trace = item_process.judged(run, Context())
    assert (outcome["outcome"], outcome["reason"]) == ("ERROR", reason)
    assert "Traceback" in trace


# what a build's list of architectures covers


@pytest.mark.parametrize(
    ("arches", "capability", "integrated", "by"),
    [
        (["sm_80", "sm_87"], (8, 7), True, "sm_87"),
        (["sm_80", "sm_90"], (8, 7), True, None),
        (["sm_80", "sm_90"], (8, 6), False, "sm_80"),
        (["sm_80", "compute_80"], (8, 7), True, "compute_80"),
        (["compute_90"], (8, 7), True, None),
        (["sm_90a"], (9, 0), False, "sm_90a"),
        (["sm_90a"], (9, 1), False, None),
        (["sm_100f"], (10, 1), True, "sm_100f"),
        (["sm_110", "sm_121"], (8, 7), True, None),
        (["sm_110"], (11, 0), True, "sm_110"),
        (["nonsense"], (9, 0), False, None),
        ([], (9, 0), False, None),
    ],
)
def test_coverage(arches: list[str], capability: tuple[int, int], integrated: bool, by: str | None) -> None:
    assert arch_list.covered(arches, capability, integrated) == by


# the board's own words

ORIN = {
    "release_line": "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic",
    "l4t": "36.4.3",
    "model": "NVIDIA Jetson AGX Orin Developer Kit",
    "compatible": ["nvidia,p3737-0000+p3701-0005", "nvidia,tegra234"],
}


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"l4t": "36.4.3", "compatible": "p3701-0005", "model": "AGX Orin"}, None),
        ({"l4t": ["36.4.3", "36.4.4"]}, None),
        ({"l4t": "36.4.4"}, "wrong-l4t"),
        ({"compatible": "p3701-000"}, "wrong-module"),
        ({"model": "Thor"}, "wrong-module"),
        ({}, "nothing-to-check"),
    ],
)
def test_identity(params: dict[str, Any], reason: str | None) -> None:
    if reason is None:
        jetson_identity.judge(ORIN, params)
        return
    with pytest.raises((Failed, Broken)) as caught:
        jetson_identity.judge(ORIN, params)
    assert caught.value.reason == reason


def test_identity_that_cannot_be_read_is_not_the_right_one(tmp_path: Any) -> None:
    found = jetson_identity.read(str(tmp_path))
    assert found == {"release_line": None, "l4t": None, "model": None, "compatible": []}
    for params in ({"l4t": "36.4.3"}, {"compatible": "p3701-0005"}, {"model": "Orin"}):
        with pytest.raises(Failed, match=r"absent|no L4T release"):
            jetson_identity.judge(found, params)
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/nv_tegra_release").write_text(str(ORIN["release_line"]) + "\n")
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_text("NVIDIA Jetson AGX Orin Developer Kit\0")
    (tmp_path / "proc/device-tree/compatible").write_text("nvidia,p3737-0000+p3701-0005\0nvidia,tegra234\0")
    assert jetson_identity.read(str(tmp_path)) == ORIN


# the catalogue and the request


def test_every_probe_has_a_page_and_a_name_of_its_own() -> None:
    assert len({probe.id for probe in catalogue.PROBES}) == len(catalogue.PROBES)
    for probe in catalogue.PROBES:
        assert "What it proves\n" in probe.documentation
        assert "What it does not prove\n" in probe.documentation
        assert probe.summary.endswith(".")
        assert catalogue.find(probe.id) is probe
    assert catalogue.find("nothing") is None


def test_a_probe_brings_its_own_limits() -> None:
    parsed = request.parse({"nonce": "n", "items": [{"id": "m", "probe": "memory"}]})
    (one,) = parsed.items
    assert one.exclusive
    assert one.timeout == 120
    assert one.needs_torch
    assert parsed.parallel is None


def test_what_keeps_a_process_from_being_forked() -> None:
    assert torch_import.unsafe_to_fork({"threads": 1, "device_nodes": [], "cuda_initialised": False}) == []
    assert (
        len(torch_import.unsafe_to_fork({"threads": 16, "device_nodes": ["/dev/nvidia0"], "cuda_initialised": True}))
        == 3
    )
    assert torch_import.unsafe_to_fork({"threads": None}) != []
