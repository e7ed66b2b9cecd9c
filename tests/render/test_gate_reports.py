"""What a person and a machine read of a gate, held against files that somebody has looked at."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.qualify.runs import ran, ticking
from tests.qualify.streams import TESTS, Record, Scripted, a_plan, end, good_stream, with_attempts

from jetproof.qualify.journal import read
from jetproof.qualify.judge import exit_code, verdict
from jetproof.qualify.outcome import ItemResult, Outcome, Verdict
from jetproof.render.gate_live import GateView
from jetproof.render.gate_notices import gate_annotations, gate_notices
from jetproof.render.gate_text import gate_text
from jetproof.render.junit import junit
from jetproof.render.notice import Level
from jetproof.render.reports import reports
from jetproof.render.tap import tap

GOLDEN = Path(__file__).parent.parent / "golden" / "gate"


def bad_stream() -> list[Record]:
    """Return a run in which one probe fails, one crashes with hostile words, and one test is skipped."""
    bad = {"name": "matmul float16", "value": 0.25, "unit": "", "bound": 0.001, "sense": "at-most"}
    ends = {
        "probe::cuda-available": end(
            "probe::cuda-available", "ERROR", "signal", signal="SIGSEGV", message="ended by SIGSEGV", seed=11,
            stderr="line one\n\x1b]0;owned\x07::error::not a command\nlast line\n",
        ),
        "probe::numerics": end("probe::numerics", seed=12, measurements=[bad]),
    }  # fmt: skip
    stream = [ends.get(r["item"], r) if r["record"] == "end" else r for r in good_stream()]
    for record in stream:
        if record["record"] == "test" and record["id"] == TESTS[1] and record["phase"] == "call":
            record.update(outcome="MISS", reason="skip", message="no GPU <here> & |there| `now`")
    return stream


RUNS: dict[str, Callable[[Path], bytes]] = {
    "green": lambda folder: ran(Scripted(good_stream()), folder),
    "not-green": lambda folder: ran(Scripted(bad_stream()), folder),
    "cut": lambda folder: ran(Scripted(good_stream()), folder)[:6500],
    "flaky": lambda folder: ran(
        Scripted(
            [
                end("probe::numerics", "ERROR", "timeout", seed=12)
                if r.get("item") == "probe::numerics" and r["record"] == "end"
                else r
                for r in good_stream()
            ],
            good_stream(["probe::numerics"]),
        ),
        folder,
        plan=with_attempts(2),
    ),
    "recorded": lambda folder: ran(Scripted(good_stream()), folder, plan=a_plan(origin="recorded")),
    "interrupted": lambda folder: ran(Scripted(good_stream()[:6], raises=KeyboardInterrupt()), folder),
}


@pytest.mark.parametrize("name", RUNS)
def test_reports_are_as_looked_at(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda size=16: "5" * size * 2)
    journal = read(RUNS[name](tmp_path))
    judged = verdict(journal)
    files = {
        "txt": gate_text(judged, where="conditional-evidence/jetson-cuda-runtime", python="/usr/bin/python3"),
        **{file.replace(".", "-"): data.decode() for file, data in reports(journal).items()},
    }

    for suffix, text in files.items():
        place = GOLDEN / f"{name}.{suffix}"
        if os.environ.get("JETPROOF_WRITE_GOLDEN") == "1":
            place.write_text(text, encoding="utf-8")
        assert text == place.read_text(encoding="utf-8"), place


def test_no_report_of_a_red_gate_counts_as_good(tmp_path: Path) -> None:
    for name, run in RUNS.items():
        folder = tmp_path / name
        folder.mkdir()
        judged = verdict(read(run(folder)))
        suite = ElementTree.fromstring(junit(judged, {})).find("testsuite")
        assert suite is not None
        bad = int(suite.get("failures", "0")) + int(suite.get("errors", "0"))
        assert (bad == 0) is judged.green
        assert suite.get("skipped") == "0"
        assert int(suite.get("tests", "0")) == len(suite.findall("testcase"))
        assert ("not ok" in tap(judged)) is not judged.green
        errors = [notice for notice in gate_notices(judged, "p") if notice.level is Level.ERROR]
        assert bool(errors) is not judged.green
        assert (exit_code(judged) == 0) is judged.green


def test_annotations_are_bounded_and_the_worst_come_first() -> None:
    items = tuple(
        ItemResult(id=f"probe::p{number}", outcome=outcome, reason="r", message="m\n::error::injected")
        for number, outcome in enumerate([Outcome.MISS] * 20 + [Outcome.FAIL])
    )
    judged = Verdict(gate="g", green=False, items=items, objections=(), not_proven=())

    lines = gate_annotations(judged, "policy.json").splitlines()

    assert len(lines) == 10
    assert "probe::p20: FAIL" in lines[0]
    assert "12 more" in lines[-1]
    assert all(line.startswith("::error file=") for line in lines)


def test_a_green_that_proves_nothing_says_so_in_every_report(tmp_path: Path) -> None:
    files = reports(read(RUNS["recorded"](tmp_path)))

    assert {name for name, data in files.items() if b"recorded" not in data} == set()
    assert files["annotations.txt"].startswith(b"::warning ")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.text(max_size=60))
def test_hostile_words_break_no_report(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    ends = end("probe::numerics", "FAIL", text or "x", message=text, stderr=text, traceback=text)
    stream = [ends if r["record"] == "end" and r["item"] == "probe::numerics" else r for r in good_stream()]

    journal = read(ran(Scripted(stream), tmp_path_factory.mktemp("run")))
    files = reports(journal)

    assert not verdict(journal).green
    ElementTree.fromstring(files["junit.xml"])
    json.loads(files["report.sarif"])
    json.loads(files["record"])
    assert all(line.startswith(b"::error ") for line in files["annotations.txt"].splitlines())
    assert "\x1b" not in gate_text(verdict(journal), where="x")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [io.StringIO(), _Terminal()])
def test_the_view_follows_a_run(stream: io.StringIO, tmp_path: Path) -> None:
    journal = read(ran(Scripted(bad_stream()), tmp_path))
    clock = ticking()

    with GateView(a_plan(), stream, clock=lambda: clock().monotonic) as view:
        for entry in journal.entries:
            view(entry)

    told = stream.getvalue()
    if stream.isatty():
        assert "3 of 3 done" in told
    else:
        assert "[3/3] pytest::gpu ok 0.5 s" in told
        assert "\x1b" not in told
