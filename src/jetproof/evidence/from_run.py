"""Makes the statement of a run: all that it says of the run follows from the journal, so that it can be made again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from jetproof.errors import EvidenceInvalid
from jetproof.evidence.statement import EXTENSION_SCHEMA, PREDICATE_TYPE, STATEMENT_TYPE, Artifact, time_text
from jetproof.qualify.journal import Journal
from jetproof.qualify.judge import plan_of, verdict
from jetproof.qualify.outcome import ItemResult, Outcome, Verdict
from jetproof.qualify.plan_model import Plan, PytestStep
from jetproof.qualify.record import record

_GIB = 1 << 30
_MEMORY_CLASSES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a statement stands among those that the same key signs, and what is not in the journal."""

    seq: int
    previous: str | None = None
    url: str | None = None
    """The run's page of the host, if it has one."""
    attempt: int | None = None
    policy_blob: str | None = None
    """git's id of the policy file."""
    others: tuple[tuple[str, Mapping[str, str]], ...] = ()
    """More descriptors of the configuration: (name, digests), like the workflow or the lock file."""


@dataclass(frozen=True, kw_only=True)
class _Tally:
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    retried: tuple[str, ...]
    not_run: tuple[str, ...]
    planned: int
    executed: int


def statement(journal: Journal, artifacts: Sequence[Artifact], place: Place) -> dict[str, Any]:
    """Return the statement of a run. Raises EvidenceInvalid when the journal has no plan or no commit."""
    plan = plan_of(journal)
    if plan is None:
        raise EvidenceInvalid("the journal does not begin with a plan", reason="no-plan")
    if plan.source.commit is None or plan.source.tree is None:
        raise EvidenceInvalid(
            "the run was made outside a git checkout, so there is no commit to prove", reason="no-commit"
        )
    ref = plan.source.ref
    subject: dict[str, Any] = {"digest": {"gitCommit": plan.source.commit, "gitTree": plan.source.tree}}
    if plan.source.repository:
        subject["uri"] = f"git+{plan.source.repository}" + (f"@{ref}" if ref else "")
    if ref:
        subject["annotations"] = {"sourceRefs": [ref]}
    predicate = predicate_of(journal, plan)
    extension = predicate["jetproof"]
    extension["run"].update(seq=place.seq, attempt=place.attempt)
    if place.previous is not None:
        extension["run"]["previousEvidence"] = {"sha256": place.previous}
    extension["artifacts"] = [
        {"name": item.name, "mediaType": item.media_type, "digest": {"sha256": item.sha256}, "size": item.size}
        for item in artifacts
    ]
    if place.url is not None:
        predicate["url"] = place.url
    predicate["configuration"] = _configuration(journal, plan, place)
    return {"_type": STATEMENT_TYPE, "subject": [subject], "predicateType": PREDICATE_TYPE, "predicate": predicate}


def payload(value: Mapping[str, Any]) -> bytes:
    """Return the bytes that are signed. They are never made again from the value, so any form will do."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"), sort_keys=True).encode("ascii")


def predicate_of(journal: Journal, plan: Plan) -> dict[str, Any]:
    """Return the part of the predicate that follows from the journal alone."""
    judged = verdict(journal)
    told = record(journal)
    tally = _tally(judged, plan)
    proven = judged.proves and tally.planned == tally.executed == len(tally.passed)
    time = told["time"]
    return {
        "result": "PASSED" if proven else "FAILED",
        "passedTests": list(tally.passed),
        "failedTests": list(tally.failed),
        "warnedTests": list(tally.retried),
        "successes": len(tally.passed),
        "failures": len(tally.failed),
        "warnings": len(tally.retried),
        "jetproof": {
            "schema": EXTENSION_SCHEMA,
            "plan": {
                "gate": plan.gate.id,
                "digest": plan.digest,
                "planned": tally.planned,
                "executed": tally.executed,
                "passed": len(tally.passed),
                "notRun": list(tally.not_run),
                "deselected": [],
                "retried": list(tally.retried),
                "waived": [],
                "excluded": [{"id": item.id, "reason": item.reason} for item in plan.excluded],
            },
            "outcome": _outcome(judged, proven).value,
            "because": [item.reason for item in (*judged.objections, *judged.not_proven)],
            "origin": "rehearsal" if plan.rehearsal and plan.origin == "live" else plan.origin,
            "source": {
                "dirty": bool(plan.source.changed or plan.source.hidden),
                "untracked": len(plan.source.untracked),
                "submodules": [{"path": item.path, "gitCommit": item.commit} for item in plan.source.submodules],
                "shallow": plan.source.shallow,
                "outside": told["source"]["outside"],
            },
            "environment": told["environment"],
            "device": _device(told),
            "time": {
                "started": _to_second(time["started"]),
                "finished": _to_second(time["last_line"]),
                "monotonicSeconds": time["seconds"],
                "bootHash": time["boots"][0] if time["boots"] else None,
                "clockSource": "board",
                "ntpSynced": _ntp(told),
                "notBefore": plan.source.committed_at,
            },
            "run": {"runId": plan.run, "challenge": plan.challenge},
            "tool": {
                "name": plan.tool.name,
                "version": plan.tool.release,
                "filesSha256": plan.tool.sha256,
                "workerSha256": plan.tool.worker_sha256,
            },
        },
    }


def _tally(judged: Verdict, plan: Plan) -> _Tally:
    steps = {step.id: step for step in plan.items}
    parts = [part for item in judged.items for part in _parts(item, steps.get(item.id))]
    of = {outcome: tuple(name for name, found in parts if found is outcome) for outcome in Outcome}
    return _Tally(
        passed=of[Outcome.PASS],
        failed=(*of[Outcome.FAIL], *of[Outcome.ERROR]),
        retried=of[Outcome.FLAKY],
        not_run=of[Outcome.MISS],
        planned=len(parts),
        executed=len(parts) - len(of[Outcome.MISS]),
    )


def _parts(item: ItemResult, step: object) -> list[tuple[str, Outcome]]:
    """Return one entry a test where tests are listed by id, else one for the item."""
    tests = item.last.tests if item.last is not None else ()
    if not isinstance(step, PytestStep) or not step.pytest.expected:
        return [(item.id, item.outcome)]
    outcomes = {test.id: test.outcome for test in tests}
    names = dict.fromkeys((*step.pytest.expected, *outcomes))
    parts = [(f"pytest::{name}", outcomes.get(name, Outcome.MISS)) for name in names]
    if item.outcome is Outcome.FLAKY:
        return [(name, Outcome.FLAKY if found is Outcome.PASS else found) for name, found in parts]
    if item.outcome is not Outcome.PASS and all(found is Outcome.PASS for _, found in parts):
        parts.append((item.id, item.outcome))  # the tests passed and their session did not
    return parts


def _outcome(judged: Verdict, proven: bool) -> Outcome:
    if proven:
        return Outcome.PASS
    worst = max((item.outcome for item in judged.items), key=lambda outcome: outcome.weight, default=Outcome.MISS)
    # an objection to the run as a whole means that the run broke, whatever its items say
    return Outcome.ERROR if worst is Outcome.PASS else worst


def _configuration(journal: Journal, plan: Plan, place: Place) -> list[dict[str, Any]]:
    policy: dict[str, Any] = {"sha256": plan.policy_sha256}
    if place.policy_blob is not None:
        policy["gitBlob"] = place.policy_blob
    found: list[dict[str, Any]] = [
        {"name": "policy", "uri": plan.policy_path, "digest": policy},
        {"name": "plan", "digest": {"sha256": plan.digest}},
        {"name": "jetproof", "digest": {"sha256": plan.tool.sha256}},
    ]
    runtime = _runtime(record(journal))
    if runtime is not None:
        found.append({"name": "runtime", "digest": {"sha256": runtime}})
    return [*found, *({"name": name, "digest": dict(digest)} for name, digest in place.others)]


def _runtime(told: Mapping[str, Any]) -> str | None:
    """Return the digest of the image, or of the wheel that torch came from, if the run recorded one.

    Of the two the tier says which one it pins.
    """
    pinned = ((told.get("tier") or {}).get("runtime") or {}).get("kind")
    names = {"image_digest": "image", "torch_wheel_sha256": "wheel"}
    for name in (name for name, kind in names.items() if pinned in (None, kind)):
        digest = told.get(name)
        if isinstance(digest, str) and digest:
            return digest.removeprefix("sha256:")
    return None


def _value(told: Mapping[str, Any], name: str) -> Any:
    fact = told.get("machine", {}).get(name)
    return fact.get("value") if isinstance(fact, dict) else None


def _device(told: Mapping[str, Any]) -> dict[str, Any]:
    seen = told.get("stack", {})
    memory = _value(told, "memory.total")
    return {
        "platformClass": _value(told, "platform_class"),
        "arch": _value(told, "arch"),
        "module": _value(told, "module"),
        "moduleSku": _value(told, "module_part_number"),
        "compatible": _value(told, "compatible"),
        "chip": _value(told, "soc"),
        "memTotalClass": _memory_class(memory) if isinstance(memory, int) else None,
        "l4t": _value(told, "l4t"),
        "jetpack": _value(told, "jetpack"),
        "kernel": _value(told, "kernel"),
        "cuda": _value(told, "cuda.toolkit") or seen.get("torch_cuda"),
        "driver": _value(told, "cuda.kernel_driver"),
        "cc": seen.get("capability") or _value(told, "compute_capability"),
        "torch": seen.get("torch"),
        "powerMode": _value(told, "cuda.power_mode"),
        "deviceId": told.get("device_id"),
    }


def _memory_class(size: int) -> str:
    """Return the nominal size: the next one up, since carve-outs make MemTotal smaller."""
    return f"{next((nominal for nominal in _MEMORY_CLASSES if size <= nominal * _GIB), _MEMORY_CLASSES[-1])}GB"


def _ntp(told: Mapping[str, Any]) -> bool | None:
    state = told.get("state")
    before = state.get("before") if isinstance(state, dict) else None
    synced = before.get("clock_synchronised") if isinstance(before, dict) else None
    return synced if isinstance(synced, bool) else None


def _to_second(text: str | None) -> str | None:
    if text is None:
        return None
    when = datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc)
    return time_text(when)
