"""What may be claimed today: a pure function of policy, evidence, commit and day.

Monotone: taking away or ageing a pass, adding a failure or a waiver never brings a claim nearer to "supported".
A missing number in a signer's sequence is taken for the worst that it could be, a failure: only a later pass clears it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import Enum

from jetproof.claims.proof import Proof, Told
from jetproof.claims.scope import Kind, Scope, scopes
from jetproof.policy.model import Policy, Waiver


class State(Enum):
    """How a claim stands."""

    SUPPORTED = "supported"
    FLAKY = "flaky"
    """Passed only on a later attempt, and no clean pass since."""
    CONTESTED = "contested"
    """Passes, beside a failure of another board that is not cleared, or with a number of the sequence missing."""
    STALE = "stale"
    """Passed once, too long ago."""
    WAIVED = "waived"
    """Not proven; the missing lane is excused until a date."""
    UNPROVEN = "unproven"
    FAILING = "failing"

    @property
    def rank(self) -> int:
        """How near it is to supported; a waiver brings nothing nearer."""
        return _RANKS[self]


_RANKS = {
    State.FAILING: 0,
    State.UNPROVEN: 1,
    State.WAIVED: 1,
    State.STALE: 2,
    State.FLAKY: 3,
    State.CONTESTED: 4,
    State.SUPPORTED: 5,
}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What may be said about one scope on one day."""

    scope: Scope
    state: State
    missing: tuple[str, ...] = ()
    """What would have to happen for "supported", in words."""
    proven_commit: str | None = None
    """The commit that was run; not always the one that was asked about."""
    holds_until: date | None = None
    """Last day in UTC on which it holds without new evidence."""
    evidence: tuple[str, ...] = ()
    """sha256 of the envelopes that speak for the state, strongest first."""
    signers: int = 0
    """How many different keys passed it."""
    waiver: Waiver | None = None


@dataclass(frozen=True, kw_only=True)
class Claims:
    """All claims of a policy for one commit on one day."""

    commit: str
    today: date
    claims: tuple[Claim, ...]
    unused_waivers: tuple[Waiver, ...] = ()
    """They excuse something that needs no excuse."""
    expired_waivers: tuple[Waiver, ...] = ()

    def of(self, scope: str) -> Claim | None:
        """Return the claim of the tier or gate with that id."""
        return next((claim for claim in self.claims if claim.scope.id == scope), None)


@dataclass(frozen=True, kw_only=True)
class Record:
    """All that is known of the store: what stands, and which numbers are missing from each signer's sequence."""

    proofs: Sequence[Proof]
    missing: Mapping[str, int] = field(default_factory=dict)
    """Signer to the highest missing number."""
    material: Mapping[str, str] = field(default_factory=dict)
    """Commit to the digest of its material paths; a commit that is not listed serves only itself."""
    families: Mapping[str, str] = field(default_factory=dict)
    """Module name to family name, as in the tables."""


def claims(policy: Policy, record: Record, commit: str, today: date) -> Claims:
    """Return the state of every claim that the policy knows."""
    relevant = _by_gate(record, commit)
    found: list[Claim] = []
    used: set[str] = set()
    held = [waiver for waiver in policy.environment_waivers if waiver.opened <= today <= waiver.expires]
    for scope in scopes(policy):
        group = [proof for name in scope.gates for proof in relevant.get(name, ())]
        claim = _claim(scope, group, record, today, policy.maximum_evidence_age_days)
        waiver = next((item for item in held if scope.waived_by(item)), None)
        if waiver is not None and claim.state in (State.UNPROVEN, State.STALE):
            used.add(waiver.id)
            claim = _excused(claim, waiver)
        found.append(claim)
    return Claims(
        commit=commit,
        today=today,
        claims=tuple(found),
        unused_waivers=tuple(waiver for waiver in held if waiver.id not in used),
        expired_waivers=tuple(waiver for waiver in policy.environment_waivers if today > waiver.expires),
    )


def _by_gate(record: Record, commit: str) -> dict[str, list[Proof]]:
    """Keep the evidence for the commit itself, and for commits whose material paths are the same."""
    wanted = record.material.get(commit)
    found: dict[str, list[Proof]] = {}
    for proof in record.proofs:
        if proof.commit == commit or (wanted is not None and record.material.get(proof.commit) == wanted):
            found.setdefault(proof.gate, []).append(proof)
    return found


def _excused(claim: Claim, waiver: Waiver) -> Claim:
    return Claim(
        scope=claim.scope,
        state=State.WAIVED,
        missing=claim.missing,
        proven_commit=claim.proven_commit,
        evidence=claim.evidence,
        waiver=waiver,
    )


@dataclass(frozen=True, kw_only=True)
class _Sorted:
    """The evidence of one scope by what it tells."""

    passes: tuple[Proof, ...]
    """Datable passes in the right runtime with nothing missing after them."""
    gapped: tuple[Proof, ...]
    """The same, but a number after them is missing."""
    failures: tuple[Proof, ...]
    """That no later pass of the same signer clears."""
    flaky: tuple[Proof, ...]


def _claim(scope: Scope, group: Sequence[Proof], record: Record, today: date, age: int) -> Claim:
    blockers = scope.blockers
    near = [proof for proof in group if scope.concerns(proof, record.families)]
    kept = _sorted(scope, near, record)
    state = _state(kept, today, age)
    if blockers:
        state = State.FAILING if kept.failures else State.UNPROVEN
    shown = _shown(state, kept, blockers)
    return Claim(
        scope=scope,
        state=state,
        missing=(*blockers, *_missing(scope, state, kept, near, age)),
        proven_commit=shown[0].commit if shown and shown[0].told is Told.PASS else None,
        holds_until=_holds_until(kept, today, age) if state is State.SUPPORTED else None,
        evidence=tuple(proof.sha256 for proof in shown[:20]),
        signers=len({proof.signer for proof in kept.passes if _fresh(proof, today, age)}),
    )


def _sorted(scope: Scope, near: Iterable[Proof], record: Record) -> _Sorted:
    passes: list[Proof] = []
    gapped: list[Proof] = []
    failures: list[Proof] = []
    flaky: list[Proof] = []
    for proof in near:
        if proof.told is Told.FAIL:
            failures.append(proof)
        elif proof.told is Told.FLAKY:
            flaky.append(proof)
        elif proof.told is Told.PASS and proof.clock_trusted and scope.shortfall(proof) is None:
            lost = record.missing.get(proof.signer)
            whole = lost is None or (proof.seq is not None and proof.seq > lost)
            (passes if whole else gapped).append(proof)
    last = _last_passes((*passes, *gapped))
    return _Sorted(
        passes=tuple(passes),
        gapped=tuple(gapped),
        failures=tuple(item for item in failures if not _cleared(item, last.get(item.signer))),
        flaky=tuple(flaky),
    )


@dataclass(frozen=True, kw_only=True)
class _Last:
    """The latest passes of one signer: by number, and by time where a number is wanting."""

    number: int = -1
    finished: datetime | None = None
    finished_unnumbered: datetime | None = None


def _last_passes(passes: Iterable[Proof]) -> dict[str, _Last]:
    found: dict[str, _Last] = {}
    for proof in passes:
        last = found.get(proof.signer, _Last())
        unnumbered = proof.finished if proof.seq is None else None
        found[proof.signer] = _Last(
            number=max(last.number, -1 if proof.seq is None else proof.seq),
            finished=_later(last.finished, proof.finished),
            finished_unnumbered=_later(last.finished_unnumbered, unnumbered),
        )
    return found


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((item for item in (one, other) if item is not None), default=None)


def _cleared(failure: Proof, last: _Last | None) -> bool:
    """Whether the same signer passed it later: by number, or by time where either has none (see `Proof.later_than`)."""
    if last is None:
        return False
    if failure.seq is not None and last.number > failure.seq:
        return True
    by_time = last.finished if failure.seq is None else last.finished_unnumbered
    return by_time is not None and by_time > failure.finished


def _fresh(proof: Proof, today: date, age: int) -> bool:
    return (today - proof.finished.date()).days <= age


def _state(kept: _Sorted, today: date, age: int) -> State:
    passes = [proof for proof in kept.passes if _fresh(proof, today, age)]
    gapped = [proof for proof in kept.gapped if _fresh(proof, today, age)]
    flaky = [
        proof
        for proof in kept.flaky
        if not any(item.signer == proof.signer and item.later_than(proof) for item in passes)
    ]
    if kept.failures:
        # another board's later pass does not clear a failure, it disputes it
        disputed = not flaky and all(_passed_elsewhere(failure, passes) for failure in kept.failures)
        return State.CONTESTED if disputed else State.FAILING
    if passes or gapped:
        if flaky:
            return State.FLAKY
        return State.SUPPORTED if passes else State.CONTESTED
    if any(_fresh(proof, today, age) and proof.clock_trusted for proof in flaky):
        return State.FLAKY
    return State.STALE if kept.passes or kept.gapped else State.UNPROVEN


def _passed_elsewhere(failure: Proof, passes: Iterable[Proof]) -> bool:
    return any(proof.signer != failure.signer and proof.later_than(failure) for proof in passes)


def _holds_until(kept: _Sorted, today: date, age: int) -> date:
    """Return the last day on which it is still supported."""
    days = sorted({proof.finished.date() + timedelta(days=age) for proof in kept.passes}, reverse=True)
    return next((day for day in days if day > today and _state(kept, day, age) is State.SUPPORTED), today)


def _shown(state: State, kept: _Sorted, blockers: Sequence[str]) -> list[Proof]:
    """Return the evidence that speaks for a state, strongest first."""
    by_state = {
        State.FAILING: (*kept.failures,),
        State.CONTESTED: (*kept.failures, *kept.gapped),
        State.FLAKY: (*kept.flaky,),
    }
    chosen = by_state.get(state) or ((*kept.passes, *kept.gapped) if not blockers or kept.passes else ())
    return sorted(chosen, key=lambda proof: (proof.finished, proof.sha256), reverse=True)


def _missing(scope: Scope, state: State, kept: _Sorted, near: Sequence[Proof], age: int) -> tuple[str, ...]:
    again = f"a green run of {scope.gate_id} on {scope.machine}"
    if state is State.SUPPORTED:
        return ()
    if state is State.FAILING:
        return (f"{again}, later than the failure of {kept.failures[0].finished:%Y-%m-%d}",)
    if state is State.CONTESTED and kept.failures:
        return (f"{again} by the signer whose run failed on {kept.failures[0].finished:%Y-%m-%d}",)
    if state is State.CONTESTED:
        return (f"the missing evidence of the sequence of {kept.gapped[0].signer[:8]}, or {again} after it",)
    if state is State.FLAKY:
        return (f"{again} that passes at the first attempt",)
    if state is State.STALE:
        return (f"{again}: the last is older than {age} days",)
    short = sorted({text for proof in near if (text := scope.shortfall(proof)) is not None})
    if any(proof.told is Told.PASS and not proof.clock_trusted for proof in near):
        short.append("a run whose time can be trusted")
    if any(proof.told is Told.WAIVED for proof in near):
        short.append("a run without waived items")
    if kept.passes:
        return tuple(short)
    return (again, *short)


__all__ = ["Claim", "Claims", "Kind", "Record", "State", "claims"]
