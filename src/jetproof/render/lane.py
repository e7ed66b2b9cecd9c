"""What the lane's lint, the policy's change and the lane's liveness say: for a person, for programs, as remarks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any

from jetproof.diagnosis.rule import Severity
from jetproof.render.notice import Level, Notice
from jetproof.render.style import Style, counted, printable, printable_line
from jetproof.workflow.check import Checked
from jetproof.workflow.liveness import SCHEMA as LIVENESS_SCHEMA
from jetproof.workflow.liveness import Liveness
from jetproof.workflow.policy_change import Change
from jetproof.workflow.rule import Finding

_LEVELS = {Severity.BLOCKING: Level.ERROR, Severity.WARNING: Level.WARNING, Severity.NOTE: Level.NOTE}
_COLOURS = {Severity.BLOCKING: "red", Severity.WARNING: "yellow", Severity.NOTE: "blue"}


def checked(found: Checked, style: Style) -> str:
    """Return the answer first, then each finding with its place, its reason and what mends it."""
    lines = [_answer(found, style)]
    for one in found.findings:
        place = f"{printable_line(one.place.path)}:{one.place.line}:{one.place.column}"
        mark = style(one.severity.value, _COLOURS[one.severity])
        lines += [
            "",
            f"{mark} {style(one.rule, 'bold')} {one.name}  {place}",
            f"  {_line(one.message)}",
            f"  fix: {_line(one.fix)}",
            style(f"  {one.url}", "dim"),
        ]
    looked = ", ".join(found.workflows) or "no workflow"
    lines += ["", f"looked at: {printable(looked)}; policy {printable(found.policy or 'invalid or missing')}"]
    lines.append(f"{found.rules} rules; zizmor: {printable(found.zizmor)}")
    return "\n".join(lines) + "\n"


_NOUNS = {Severity.BLOCKING: "blocking finding", Severity.WARNING: "warning", Severity.NOTE: "note"}


def _answer(found: Checked, style: Style) -> str:
    counts = {level: sum(one.severity is level for one in found.findings) for level in Severity}
    if not found.findings:
        return style("the lane keeps its promises", "green", "bold") + f": {found.rules} rules found nothing"
    told = ", ".join(counted(count, _NOUNS[level]) for level, count in counts.items() if count)
    if counts[Severity.BLOCKING]:
        return style("the lane does not keep its promises", "red", "bold") + f": {told}"
    return style("nothing blocks the lane", "yellow", "bold") + f": {told}"


def _line(text: str) -> str:
    return printable(text).replace("\n", " ")


def checked_json(found: Checked) -> dict[str, Any]:
    """Return the check for programs."""
    return {
        "schema": "jetproof/policy-check/1",
        "ok": found.exit_code == 0,
        "exit_code": int(found.exit_code),
        "rules": found.rules,
        "workflows": list(found.workflows),
        "policy": found.policy,
        "zizmor": found.zizmor,
        "findings": [_finding(one) for one in found.findings],
    }


def _finding(one: Finding) -> dict[str, Any]:
    return {
        "rule": one.rule,
        "name": one.name,
        "severity": one.severity.value,
        "path": one.place.path,
        "line": one.place.line,
        "column": one.place.column,
        "message": one.message,
        "fix": one.fix,
        "url": one.url,
    }


def notices(findings: Iterable[Finding]) -> tuple[Notice, ...]:
    """Return findings as remarks for SARIF and annotations."""
    return tuple(
        Notice(
            rule=one.rule,
            name=one.name,
            level=_LEVELS[one.severity],
            message=f"{_line(one.message)} {_line(one.fix)}",
            path=one.place.path,
            line=one.place.line,
            column=one.place.column,
            url=one.url,
        )
        for one in findings
    )


def change(found: Change, style: Style) -> str:
    """Return whether the policy became weaker, then each weakening."""
    where = f"{printable_line(found.path)} against {found.base[:12]}"
    if found.old_sha256 is None:
        return f"nothing to compare: {where} has no policy at the base\n"
    if found.new_sha256 is None:
        return style("the policy is gone", "red", "bold") + f": {where}\n"
    if not found.loosened:
        same = "is the same" if found.old_sha256 == found.new_sha256 else "asks no less"
        return style(f"the policy {same}", "green", "bold") + f": {where}\n"
    lines = [style("the policy is weaker", "red", "bold") + f": {len(found.loosened)} weakenings of {where}", ""]
    lines += [f"  {printable(one.message)}" for one in found.loosened]
    return "\n".join(lines) + "\n"


def change_json(found: Change) -> dict[str, Any]:
    """Return the change for programs."""
    return {
        "schema": "jetproof/policy-diff/1",
        "path": found.path,
        "base": found.base,
        "old_sha256": found.old_sha256,
        "new_sha256": found.new_sha256,
        "weakened": found.weakened,
        "weakenings": [
            {"kind": one.kind.value, "where": one.where, "old": one.old, "new": one.new} for one in found.loosened
        ],
    }


def liveness(found: Liveness, now: datetime, style: Style) -> str:
    """Return whether the lane lives, each sign against it, then what is known of each gate."""
    if found.never_ran:
        answer = style("the lane has never run", "yellow", "bold") + ": nothing can be said of its life yet"
    elif found.exit_code != 0:
        answer = style("the lane has died or is dying", "red", "bold")
    else:
        answer = style("the lane lives", "green", "bold")
    lines = [answer]
    for one in found.told:
        who = one.gate or "workflow"
        lines += [f"  {style(one.sign.value, 'yellow')} {who}: {printable(one.message)}", f"    fix: {one.fix}"]
    lines.append("")
    for gate, last in found.last_evidence.items():
        shown = "none" if last is None else f"{'passed' if last.passed else 'failed'} {_ago(last.finished, now)}"
        lines.append(f"  last evidence of {gate}: {shown}")
    if not found.runs_known:
        lines.append("  runs of the workflow: not looked at (--runs FILE, from gh run list --json)")
    elif found.last_run is not None:
        ended = printable(found.last_run.conclusion or found.last_run.status)
        lines.append(f"  last run of the workflow: {ended}, began {_ago(found.last_run.created, now)}")
    return "\n".join(lines) + "\n"


def _ago(when: datetime, now: datetime) -> str:
    return f"{max((now - when).days, 0)} days ago ({when.astimezone(timezone.utc):%Y-%m-%d})"


def liveness_json(found: Liveness) -> dict[str, Any]:
    """Return the liveness for programs."""
    return {
        "schema": LIVENESS_SCHEMA,
        "alive": None if found.never_ran else found.exit_code == 0,
        "never_ran": found.never_ran,
        "exit_code": int(found.exit_code),
        "signs": [
            {"reason": one.sign.value, "gate": one.gate, "message": one.message, "fix": one.fix} for one in found.told
        ],
        "last_evidence": {
            gate: None if last is None else {"finished": last.finished.isoformat(), "passed": last.passed}
            for gate, last in found.last_evidence.items()
        },
        "last_run": None
        if found.last_run is None
        else {
            "created": found.last_run.created.isoformat(),
            "status": found.last_run.status,
            "conclusion": found.last_run.conclusion,
        },
        "runs_known": found.runs_known,
    }
