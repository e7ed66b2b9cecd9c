"""The request is checked field by field; what pytest says of a phase is judged by what was raised."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from jetproof_worker import pytest_journal, request
from jetproof_worker.request import BadRequest

from .conftest import Serve

GOOD: dict[str, Any] = {"id": "a", "probe": "architecture"}
TESTS: dict[str, Any] = {"root": "/r", "args": ["tests"], "expected": ["tests/t.py::a"]}


def asked(**change: Any) -> dict[str, Any]:
    return {"nonce": "n", "items": [GOOD], **change}


def selection(**change: Any) -> dict[str, Any]:
    return asked(items=[{"id": "t", "pytest": {**TESTS, **change}}])


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (asked(nonce=""), "nonce"),
        (asked(nonce=None), "nonce"),
        (asked(items="all"), "items: a list"),
        (asked(items=["a"]), "items[0]: an object"),
        (asked(items=[{"id": "a"}]), "one of probe and pytest"),
        (asked(items=[{**GOOD, "pytest": TESTS}]), "one of probe and pytest"),
        (asked(items=[{**GOOD, "id": ""}]), "items[0].id"),
        (asked(items=[{**GOOD, "id": "x\0"}]), "items[0].id"),
        (asked(items=[{**GOOD, "params": []}]), "params"),
        (asked(items=[{**GOOD, "params": {"bounds": {"x": True}}}]), "bounds"),
        (asked(items=[{**GOOD, "params": {"bounds": {"x": float("nan")}}}]), "bounds"),
        (asked(items=[{**GOOD, "exclusive": 1}]), "exclusive"),
        (asked(items=[{**GOOD, "memory": -1}]), "memory"),
        (asked(items=[{**GOOD, "timeout": 0}]), "timeout"),
        (asked(items=[{**GOOD, "timeout": True}]), "timeout"),
        (asked(mode="thread"), "mode"),
        (asked(parallel=0), "parallel"),
        (asked(parallel=True), "parallel"),
        (asked(project_root="here"), "project_root"),
        (asked(project_paths=["../x"]), "project_paths"),
        (asked(project_paths=[1]), "project_paths"),
        (asked(python_env=[]), "python_env"),
        (asked(python_env={"A=B": "x"}), "python_env"),
        (asked(python_env={"PYTEST_ADDOPTS": "x"}), "python_env.PYTEST_ADDOPTS"),
        (asked(grace=100), "grace"),
        (asked(items=[{"id": "t", "pytest": []}]), "items[0].pytest"),
        (selection(root="r"), "root"),
        (selection(args=["/etc"]), "args"),
        (selection(args=["@file"]), "args"),
        (selection(expected=["a", "a"]), "expected"),
        (selection(expected_at_least=1), "one of expected and expected_at_least"),
        (selection(expected=[], expected_at_least=0), "expected_at_least"),
        (selection(allow_plugins=["a b"]), "allow_plugins"),
        (selection(side_folder="x"), "side_folder"),
        (selection(collect_only="yes"), "collect_only"),
    ],
)
def test_a_bad_request_names_its_field(given: dict[str, Any], word: str) -> None:
    with pytest.raises(BadRequest) as caught:
        request.parse(given)
    assert word in str(caught.value)


def test_a_good_request_has_its_defaults() -> None:
    parsed = request.parse(selection(expected=[], collect_only=True))
    wanted = parsed.items[0].pytest
    assert wanted is not None
    assert wanted.collect_only
    assert (parsed.mode, parsed.grace, parsed.project_paths) == ("auto", 0.5, ("src", "."))
    assert request.parse(asked(parallel=3, exclusive=None)).parallel == 3


EMPTY = "got empty parameter set"


class Mark(SimpleNamespace):
    name: str


def item(*marks: str) -> Any:
    named = [Mark(name=mark) for mark in marks]
    return SimpleNamespace(iter_markers=lambda name=None: [mark for mark in named if name in (None, mark.name)])


def report(outcome: str, longrepr: Any = "", **more: Any) -> Any:
    return SimpleNamespace(outcome=outcome, longrepr=longrepr, **more)


class Skipped(Exception):
    pass


class XFailed(Exception):
    pass


class Failed(Exception):
    pass


@pytest.mark.parametrize(
    ("marks", "phase", "raised", "told", "found"),
    [
        ((), "call", None, report("passed"), ("PASS", "ok")),
        ((), "setup", None, report("passed"), ("PASS", "ok")),
        ((), "call", AssertionError("x"), report("failed"), ("FAIL", "test-failed")),
        ((), "call", Failed("x"), report("failed"), ("FAIL", "test-failed")),
        ((), "call", ValueError("x"), report("failed"), ("ERROR", "test-error")),
        ((), "setup", AssertionError("x"), report("failed"), ("ERROR", "setup-error")),
        ((), "teardown", AssertionError("x"), report("failed"), ("ERROR", "teardown-error")),
        ((), "call", AssertionError("x"), report("passed"), ("ERROR", "outcome-differs")),
        ((), "call", None, report("failed"), ("ERROR", "outcome-differs")),
        ((), "call", Skipped("no GPU"), report("passed"), ("MISS", "skip")),
        ((), "call", Skipped("could not import 'x'"), report("skipped"), ("MISS", "importorskip")),
        (("skip",), "setup", Skipped("x"), report("skipped"), ("MISS", "skip")),
        (("skipif",), "setup", Skipped("x"), report("skipped"), ("MISS", "skipif")),
        ((), "setup", Skipped("x"), report("skipped"), ("MISS", "skip-in-setup")),
        (
            ("skip",),
            "setup",
            Skipped("got empty parameter set"),
            report("skipped"),
            ("MISS", "empty-parametrize"),
        ),
        ((), "call", None, report("skipped", ("f", 1, "Skipped: x")), ("MISS", "skip")),
        ((), "call", XFailed("x"), report("skipped"), ("MISS", "xfail")),
        (("xfail",), "call", ValueError("x"), report("skipped", wasxfail="known"), ("MISS", "xfail")),
        ((), "call", None, report("passed", wasxfail="known"), ("FAIL", "xpass")),
        ((), "call", None, report("failed", "[XPASS(strict)] known"), ("FAIL", "xpass")),
        (("xfail",), "call", None, report("passed"), ("FAIL", "xpass")),
    ],
)
def test_a_phase_is_judged_by_what_was_raised(
    marks: tuple[str, ...],
    phase: str,
    raised: BaseException | None,
    told: Any,
    found: tuple[str, str],
) -> None:
    assert pytest_journal.judged(item(*marks), phase, raised, told)[:2] == found


@pytest.mark.process
def test_the_project_imports_from_the_checkout(host: Callable[..., dict[str, Any]], serve: Serve) -> None:
    asked_for = host("return 'cpu'")
    asked_for["items"] = [
        {"id": name, "probe": "import-project", "params": {"modules": modules}}
        for name, modules in (
            ("good", ["hostproject", "hostproject.device"]),
            ("absent", ["hostproject.absent"]),
            ("elsewhere", ["json"]),
            ("nothing", []),
        )
    ]
    served = serve(asked_for)
    assert {id_: (end["outcome"], end["reason"]) for id_, end in served.ends.items()} == {
        "good": ("PASS", "ok"),
        "absent": ("FAIL", "import-failed"),
        "elsewhere": ("FAIL", "not-from-project"),
        "nothing": ("ERROR", "nothing-to-check"),
    }
    assert served.ends["good"]["detail"]["files"]["hostproject.device"] == "src/hostproject/device.py"
    without = serve({"items": asked_for["items"][:1]})
    assert without.verdict == ("ERROR", "no-project")
