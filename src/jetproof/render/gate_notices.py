"""What did not pass in a gate or lets it prove nothing, as remarks for SARIF and annotations: the worst first."""

from __future__ import annotations

from jetproof.qualify.outcome import Outcome, TestResult, Verdict
from jetproof.render.annotations import as_annotations
from jetproof.render.notice import Level, Notice
from jetproof.render.style import printable

SHOWN = 10
"""Annotations of one kind that GitHub shows of a step."""


def gate_notices(verdict: Verdict, policy_path: str) -> tuple[Notice, ...]:
    """Return one remark for each test, item and objection that keeps the gate from being green.

    Last comes why it could prove nothing, green or not: a recording, a rehearsal, a gate without a claim.
    """
    found: list[tuple[int, Notice]] = []
    for item in verdict.items:
        if item.outcome is Outcome.PASS:
            continue
        tests = [test for test in (item.last.tests if item.last else ()) if test.outcome is not Outcome.PASS]
        found += [(-test.outcome.weight, _test(test)) for test in tests]
        if not tests:
            message = f"{item.id}: {item.outcome.value} ({item.reason}) {item.message}"
            found.append((-item.outcome.weight, _notice(item.reason, message, policy_path)))
    for entry in verdict.objections:
        found.append((-Outcome.ERROR.weight, _notice(entry.reason, f"{verdict.gate}: {entry.message}", policy_path)))
    warned = (
        _notice(entry.reason, f"{verdict.gate} proves nothing: {entry.message}", policy_path, Level.WARNING)
        for entry in verdict.not_proven
    )
    return (*(notice for _, notice in sorted(found, key=lambda pair: pair[0])), *warned)


def gate_annotations(verdict: Verdict, policy_path: str) -> str:
    """Return the remarks as workflow commands; what would not be shown is counted in the last one."""
    notices = gate_notices(verdict, policy_path)
    errors = [notice for notice in notices if notice.level is Level.ERROR]
    shown = errors[: SHOWN - 1] if len(errors) > SHOWN else list(errors)
    if len(shown) < len(errors):
        message = f"{len(errors) - len(shown)} more; all are in the job's summary and in the record"
        shown.append(_notice("more", message, policy_path))
    return as_annotations([*shown, *(notice for notice in notices if notice.level is not Level.ERROR)])


def _test(test: TestResult) -> Notice:
    path = test.id.partition("::")[0]
    return _notice(test.reason, f"{test.id}: {test.outcome.value} ({test.reason}) {test.message}", path)


def _notice(reason: str, message: str, path: str, level: Level = Level.ERROR) -> Notice:
    return Notice(
        rule=f"gate/{reason}",
        name=reason,
        level=level,
        message=printable(message).strip(),
        path=printable(path).replace("\n", " "),
    )
