"""Whether the lane still lives: how old the last evidence and the last run of each gate are.

A lane dies without a word: a schedule is switched off after 60 days without a commit, a board that is away leaves its
job in the queue, and the last green run stays on the page. This needs no network: it reads the evidence store, and a
file that `gh run list --json` wrote, where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import Any

from jetproof.errors import ExitCode, UsageError
from jetproof.policy.model import Policy
from jetproof.target import strict_json

SCHEMA = "jetproof/liveness/1"
GH_FIELDS = "name,workflowName,status,conclusion,createdAt,updatedAt,event"
_QUEUED = ("queued", "waiting", "pending", "requested")
_LONGEST_QUEUE = timedelta(hours=24)
_SWITCHED_OFF = 60
"""Days without a commit after which GitHub switches the schedules of a public repository off."""
_WARNED = 45
_CLOCKS_DIFFER = timedelta(minutes=5)
_MOST_RUNS = 10_000
_LARGEST = 16 << 20
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Sign(Enum):
    """Why a lane is not taken for alive. The values are the reason codes."""

    NEVER_PROVEN = "never-proven"
    """No evidence of this gate at all."""
    STALE = "evidence-stale"
    """The last pass is older than evidence counts."""
    LATE = "evidence-late"
    """The last evidence is older than the policy's cadence."""
    FAILING = "last-evidence-failed"
    NEVER_RAN = "workflow-never-ran"
    RUN_LATE = "workflow-late"
    """The last run is older than the policy's cadence."""
    RUNS_FAILING = "workflow-failing"
    """The last three runs that ended did not succeed."""
    QUEUED = "run-queued"
    """A run waits for its runner for more than a day."""
    SWITCHED_OFF = "schedule-switched-off"
    SOON_OFF = "schedule-soon-switched-off"


_NOTES = (Sign.SOON_OFF,)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One piece of evidence, as far as it matters here."""

    gate: str
    finished: datetime
    passed: bool


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of the lane's workflow."""

    created: datetime
    status: str
    conclusion: str


@dataclass(frozen=True, kw_only=True)
class Told:
    """One sign, with the value that shows it and what to do."""

    sign: Sign
    gate: str | None
    """None when it is about the workflow."""
    message: str
    fix: str


@dataclass(frozen=True, kw_only=True)
class Liveness:
    """What is known of each gate, and each sign that something is wrong."""

    last_evidence: Mapping[str, Evidence | None]
    """By the gates that may carry a claim."""
    last_run: Run | None
    runs_known: bool
    told: tuple[Told, ...]

    @property
    def never_ran(self) -> bool:
        """Whether nothing but the lack of any run speaks against it: a new lane, not a dead one."""
        signs = {one.sign for one in self.told if one.sign not in _NOTES}
        unborn = self.last_run is None and not any(self.last_evidence.values())
        return unborn and bool(signs) and signs <= {Sign.NEVER_PROVEN, Sign.NEVER_RAN}

    @property
    def exit_code(self) -> ExitCode:
        """0 when the lane lives, 4 when it has never run, 7 when evidence is stale, 1 for any other sign of death."""
        signs = {one.sign for one in self.told if one.sign not in _NOTES}
        if self.never_ran:
            return ExitCode.UNDECIDED
        if Sign.STALE in signs:
            return ExitCode.STALE
        return ExitCode.NO if signs else ExitCode.OK


def judge(
    policy: Policy,
    evidence: Iterable[Evidence],
    runs: Sequence[Run] | None,
    last_commit: datetime | None,
    now: datetime,
) -> Liveness:
    """Return what speaks against the lane's life. `runs` None: no list was given, and nothing is said of runs."""
    by_gate: dict[str, list[Evidence]] = {gate.id: [] for gate in policy.gates if gate.carries_claim}
    for one in evidence:
        gate = policy.gate(one.gate)
        # a board whose clock is ahead would otherwise keep a dead lane alive
        if gate is not None and gate.id in by_gate and one.finished <= now + _CLOCKS_DIFFER:
            by_gate[gate.id].append(one)
    told: list[Told] = []
    for gate_id, known in by_gate.items():
        told += _gate(policy, gate_id, sorted(known, key=lambda one: one.finished), now)
    ordered = sorted(runs or (), key=lambda run: run.created)
    if runs is not None:
        told += _runs(policy, ordered, now)
    told += _schedule(last_commit, now)
    return Liveness(
        last_evidence={name: max(known, key=lambda one: one.finished, default=None) for name, known in by_gate.items()},
        last_run=ordered[-1] if ordered else None,
        runs_known=runs is not None,
        told=tuple(told),
    )


def _days(now: datetime, when: datetime) -> int:
    """Count as evidence is aged: by days in UTC."""
    return (now.astimezone(timezone.utc).date() - when.astimezone(timezone.utc).date()).days


def _gate(policy: Policy, gate: str, known: Sequence[Evidence], now: datetime) -> Iterable[Told]:
    again = f"start the workflow, or on the board: jetproof run {gate}"
    if not known:
        yield Told(sign=Sign.NEVER_PROVEN, gate=gate, message="there is no evidence of it", fix=again)
        return
    last, passes = known[-1], [one for one in known if one.passed]
    if not last.passed:
        message = f"the last run, {_days(now, last.finished)} days ago, did not pass"
        yield Told(sign=Sign.FAILING, gate=gate, message=message, fix="read its record: jetproof evidence list")
    age = _days(now, passes[-1].finished) if passes else None
    if age is None or age > policy.maximum_evidence_age_days:
        shown = "it never passed" if age is None else f"it last passed {age} days ago"
        message = f"{shown}, and evidence counts for {policy.maximum_evidence_age_days} days"
        yield Told(sign=Sign.STALE, gate=gate, message=message, fix=again)
    elif _days(now, last.finished) > policy.cadence.days:
        message = f"its last evidence is {_days(now, last.finished)} days old, and it is to run {policy.cadence.value}"
        yield Told(sign=Sign.LATE, gate=gate, message=message, fix=again)


def _runs(policy: Policy, ordered: Sequence[Run], now: datetime) -> Iterable[Told]:
    if not ordered:
        message = "the list of runs holds none of this workflow"
        yield Told(sign=Sign.NEVER_RAN, gate=None, message=message, fix="gh workflow run conditional-tests.yml")
        return
    waiting = [run for run in ordered if run.status in _QUEUED and now - run.created > _LONGEST_QUEUE]
    if waiting:
        days = _days(now, waiting[0].created)
        message = f"a run waits for its runner since {days} days: the board is away, or its labels differ"
        yield Told(
            sign=Sign.QUEUED,
            gate=None,
            message=message,
            fix="look at the runner: gh api repos/{owner}/{repo}/actions/runners",
        )
    age = _days(now, ordered[-1].created)
    if age > policy.cadence.days:
        message = f"the last run began {age} days ago, and the lane is to run {policy.cadence.value}"
        yield Told(sign=Sign.RUN_LATE, gate=None, message=message, fix="gh workflow enable conditional-tests.yml")
    ended = [run for run in ordered if run.status == "completed"][-3:]
    if len(ended) == 3 and all(run.conclusion != "success" for run in ended):
        message = f"its last three runs ended with {', '.join(run.conclusion or 'nothing' for run in ended)}"
        yield Told(sign=Sign.RUNS_FAILING, gate=None, message=message, fix="gh run view --log-failed")


def _schedule(last_commit: datetime | None, now: datetime) -> Iterable[Told]:
    idle = None if last_commit is None else _days(now, last_commit)
    if idle is None or idle <= _WARNED:
        return
    off = idle >= _SWITCHED_OFF
    message = (
        f"the last commit is {idle} days old; GitHub switches schedules off after {_SWITCHED_OFF} days without one"
    )
    sign = Sign.SWITCHED_OFF if off else Sign.SOON_OFF
    yield Told(sign=sign, gate=None, message=message, fix="gh workflow enable conditional-tests.yml")


def runs_from(data: bytes, what: str, workflow: str | None) -> tuple[Run, ...]:
    """Return the runs that `gh run list --json` wrote, of one workflow when its name is known.

    Raises `UsageError` for anything else.
    """
    value = strict_json.loads(data, what=what, max_bytes=_LARGEST)
    if not isinstance(value, list) or len(value) > _MOST_RUNS or not all(isinstance(one, dict) for one in value):
        raise UsageError(
            f"{what} is no list of runs",
            hint=f"gh run list --limit 100 --json {GH_FIELDS} > {what}",
            reason="runs-malformed",
        )
    return tuple(_run(one, what) for one in value if workflow is None or one.get("workflowName", workflow) == workflow)


def _run(one: Mapping[str, Any], what: str) -> Run:
    created, status, conclusion = one.get("createdAt"), one.get("status"), one.get("conclusion")
    if not isinstance(created, str) or not _TIME.fullmatch(created) or not isinstance(status, str):
        raise UsageError(
            f"{what}: a run has no createdAt or no status",
            hint=f"gh run list --json {GH_FIELDS}",
            reason="runs-malformed",
        )
    try:
        when = datetime.strptime(created, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        raise UsageError(f"{what}: {created} is no time", reason="runs-malformed") from None
    return Run(created=when, status=status, conclusion=conclusion if isinstance(conclusion, str) else "")
