"""What a host's pytest came to, judged from the journal against the expected test ids. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from jetproof_worker.request import PytestSelection
from jetproof_worker.verdict import Verdict, signal_name

_WORST = ("FAIL", "ERROR", "MISS", "PASS")
_BROKEN_STATUS = {3: "pytest's own error", 4: "pytest was called or configured wrongly"}
_PHASES = {"setup", "call", "teardown"}
_SHOWN = 5_000


@dataclass(frozen=True)
class Judged:
    """The selection's verdict, and each test's."""

    verdict: Verdict
    detail: Dict[str, Any]


@dataclass
class _Read:
    """The journal, sorted."""

    collected: Optional[List[str]] = None
    deselected: List[str] = field(default_factory=list)
    problems: List[Tuple[str, str, str]] = field(default_factory=list)
    begun: Dict[str, int] = field(default_factory=dict)
    phases: Dict[str, List[Mapping[str, Any]]] = field(default_factory=dict)
    session: Mapping[str, Any] = field(default_factory=dict)
    finish: Optional[Mapping[str, Any]] = None
    no_pytest: Optional[str] = None
    broken: bool = False


def judge(
    selection: PytestSelection,
    journal: Sequence[Mapping[str, Any]],
    keeper: Mapping[str, Any],
    found: Verdict,
    broken: bool,
    out_of_memory: bool = False,
) -> Judged:
    """Judge a selection. `found` is the verdict on the keeper's process, `keeper` what it left."""
    read = _read(journal)
    tests = {} if selection.collect_only else _tests(selection, read)
    ended: Mapping[str, Any] = keeper.get("pytest") or {}
    # where not all can be shown, those that did not pass come first
    shown = list(tests.items()) if len(tests) <= _SHOWN else sorted(tests.items(), key=lambda one: one[1][0] == "PASS")
    detail: Dict[str, Any] = {
        "pytest": read.session.get("pytest"),
        "pytest_file": read.session.get("file"),
        "scrubbed": list(read.session.get("scrubbed") or ended.get("scrubbed") or ()),
        "collected": len(read.collected or ()),
        "deselected": read.deselected[:_SHOWN],
        "tests_left_out": max(len(tests) - _SHOWN, 0),
        "problems": [list(problem) for problem in read.problems[:200]],
        "tests": [dict(zip(("id", "outcome", "reason"), (id_, *one))) for id_, one in shown[:_SHOWN]],
        "output": ended.get("output", ""),
        "status": ended.get("code") if ended.get("status") == "exited" else ended.get("status"),
        "floor": selection.expected_at_least is not None,
    }
    return Judged(_verdict(selection, read, tests, ended, found, broken or read.broken, out_of_memory), detail)


def _read(journal: Sequence[Mapping[str, Any]]) -> _Read:
    read = _Read()
    more = False
    for index, record in enumerate(journal):
        if record.get("n") != index or record.get("pid") != journal[0].get("pid") or read.finish is not None:
            read.broken = True
            break
        kind = record.get("record")
        try:
            if kind == "session":
                read.session = record
            elif kind == "no-pytest":
                read.no_pytest = str(record["message"])
            elif kind == "collected":
                read.broken = read.broken or (read.collected is not None and not more)
                read.collected = (read.collected or []) + [str(id_) for id_ in record["ids"]]
                more = bool(record.get("more"))
            elif kind == "deselected":
                read.deselected += [str(id_) for id_ in record["ids"]]
            elif kind == "collect-problem":
                read.problems.append((str(record["id"]), str(record["outcome"]), str(record["message"])))
            elif kind == "begin":
                read.begun[str(record["id"])] = read.begun.get(str(record["id"]), 0) + 1
            elif kind == "test":
                read.phases.setdefault(str(record["id"]), []).append(record)
            elif kind == "pytest-finish":
                read.finish = record
            else:
                read.broken = True
        except (KeyError, TypeError):
            read.broken = True
    return read


def _tests(selection: PytestSelection, read: _Read) -> Dict[str, Tuple[str, str]]:
    """Outcome and reason of each expected test, and of each that ran without being expected."""
    expected = selection.expected if selection.expected_at_least is None else tuple(read.collected or ())
    wanted = set(expected)
    tests = {id_: _one(id_, read) for id_ in expected}
    for id_ in list(read.begun) + list(read.phases):
        if id_ not in wanted and id_ not in tests:
            tests[id_] = (
                ("ERROR", "unexpected-test")
                if _reason(id_, read) != "empty-parametrize"
                else (
                    "MISS",
                    "empty-parametrize",
                )
            )
    return tests


def _one(id_: str, read: _Read) -> Tuple[str, str]:
    phases = read.phases.get(id_, [])
    if read.begun.get(id_, 0) > 1:
        return "ERROR", "ran-twice"
    if id_ not in read.begun:
        return _unbegun(id_, read)
    bad = [(str(phase.get("outcome")), str(phase.get("reason"))) for phase in phases if phase.get("outcome") != "PASS"]
    if bad:
        return min(bad, key=lambda one: _WORST.index(one[0]) if one[0] in _WORST else 0)
    if read.finish is not None and id_ in (read.finish.get("unawaited") or ()):
        return "ERROR", "not-awaited"
    names = [phase.get("phase") for phase in phases]
    if len(names) != len(set(names)):
        return "ERROR", "ran-twice"
    return ("PASS", "ok") if set(names) == _PHASES else ("MISS", "not-finished")


def _unbegun(id_: str, read: _Read) -> Tuple[str, str]:
    """Why a test never began."""
    if id_ in read.deselected:
        return "MISS", "deselected"
    if read.collected is None or id_ in read.collected:
        return ("MISS", "not-started") if not read.problems or read.collected else _problem(id_, read)
    base = id_.partition("[")[0]
    if any(other.partition("[")[0] == base and _reason(other, read) == "empty-parametrize" for other in read.phases):
        return "MISS", "empty-parametrize"
    return _problem(id_, read)


def _problem(id_: str, read: _Read) -> Tuple[str, str]:
    for node, outcome, message in read.problems:
        if node and (id_ == node or id_.startswith((node + "::", node + "/"))):
            if outcome == "skipped":
                return "MISS", "importorskip" if "could not import" in message else "skip"
            return "ERROR", "collection-error"
    return "MISS", "not-collected"


def _reason(id_: str, read: _Read) -> Optional[str]:
    reasons = [str(phase.get("reason")) for phase in read.phases.get(id_, []) if phase.get("outcome") != "PASS"]
    return reasons[0] if reasons else None


def _verdict(
    selection: PytestSelection,
    read: _Read,
    tests: Mapping[str, Tuple[str, str]],
    ended: Mapping[str, Any],
    found: Verdict,
    broken: bool,
    out_of_memory: bool,
) -> Verdict:
    if found.outcome != "PASS":
        return found
    if read.no_pytest is not None:
        return Verdict("MISS", "pytest-missing", read.no_pytest)
    if ended.get("status") == "signalled":
        name = signal_name(ended.get("code"))
        if name == "SIGKILL":
            return Verdict("ERROR", "killed-out-of-memory" if out_of_memory else "killed", "pytest was killed", name)
        return Verdict("ERROR", "signal", "pytest died of %s" % name, name)
    if broken:
        return Verdict("ERROR", "journal-broken", "the journal's records are not in order")
    if read.finish is None:
        return Verdict(
            "ERROR", "no-finish", "pytest's session never came to its end (exit status %s)" % ended.get("code")
        )
    if ended.get("status") != "exited" or read.finish.get("status") != ended.get("code"):
        message = "pytest said %s, its process ended with %s" % (read.finish.get("status"), ended.get("code"))
        return Verdict("ERROR", "exit-status-differs", message)
    if selection.collect_only:
        return _collected(read, ended)
    return _of_tests(selection, read, tests, ended)


def _of_tests(
    selection: PytestSelection, read: _Read, tests: Mapping[str, Tuple[str, str]], ended: Mapping[str, Any]
) -> Verdict:
    """Judge a session that came to its end by what became of its tests."""
    status = ended.get("code")
    bad = sorted(((_WORST.index(one[0]), id_, one) for id_, one in tests.items() if one[0] != "PASS"))
    if status in _BROKEN_STATUS and not (bad and bad[0][2][0] == "FAIL"):
        message = "%s: %s" % (_BROKEN_STATUS[status], str(ended.get("output", ""))[-2000:])
        return Verdict("ERROR", "pytest-status", message)
    errors = [problem for problem in read.problems if problem[1] != "skipped"]
    if bad and not (errors and bad[0][2][0] == "MISS"):
        _, id_, (outcome, reason) = bad[0]
        return Verdict(outcome, reason, "%d of %d tests did not pass; %s: %s" % (len(bad), len(tests), id_, reason))
    if errors:
        return Verdict("ERROR", "collection-error", "%s: %s" % (errors[0][0], errors[0][2][-2000:]))
    if not tests or (selection.expected_at_least or 0) > len(tests):
        return Verdict("MISS", "not-collected", "%d tests ran, more are wanted" % len(tests))
    if ended.get("code") != 0:
        return Verdict(
            "ERROR", "pytest-status", "all tests passed, and pytest ended with status %s" % ended.get("code")
        )
    return Verdict("PASS", "ok")


def _collected(read: _Read, ended: Mapping[str, Any]) -> Verdict:
    for node, outcome, message in read.problems:
        if outcome != "skipped":
            return Verdict("ERROR", "collection-error", "%s: %s" % (node, message[-2000:]))
    if not read.collected:
        return Verdict("MISS", "not-collected", "no test was collected")
    if ended.get("code") != 0:
        return Verdict("ERROR", "pytest-status", "pytest ended with status %s" % ended.get("code"))
    return Verdict("PASS", "collected", "%d tests" % len(read.collected))
