"""The record of a run: one JSON value, a pure function of the journal, that a person or a program can read alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jetproof.qualify.journal import Journal
from jetproof.qualify.judge import plan_of, verdict
from jetproof.qualify.outcome import Attempt, ItemResult, Objection, Outcome, Verdict
from jetproof.qualify.plan_model import Plan
from jetproof.qualify.sessions import sessions
from jetproof.qualify.shape import misshapen
from jetproof.qualify.stack import stack

SCHEMA = "jetproof/record/1"


def record(journal: Journal) -> dict[str, Any]:
    """Return the record of a run. Works on any journal, also on one that was cut: then it says so."""
    judged = verdict(journal)
    plan = plan_of(journal)
    members: dict[str, Any] = {
        "schema": SCHEMA,
        "gate": judged.gate,
        "green": judged.green,
        "proves": judged.proves,
        "reach": judged.reach.as_json() if judged.reach is not None else None,
        "objections": [_objection(entry) for entry in judged.objections],
        "not_proven_because": [_objection(entry) for entry in judged.not_proven],
        "counts": {
            "planned": len(judged.items),
            **{outcome.value.lower(): judged.count(outcome) for outcome in Outcome},
        },
        "journal": {
            "sha256": journal.sha256,
            "lines": len(journal.entries),
            "finished": journal.finished,
            "cut": journal.cut,
        },
        "time": _time(journal),
    }
    if plan is not None and misshapen(journal.entries[0]) is None:
        members.update(_planned(plan), **_context(journal), bitsandbytes=_bitsandbytes(plan, judged))
        context, worker = journal.entries[0].body["context"], _told_by_worker(journal, "hello")
        members["stack"] = stack(context, worker, judged.items)
        around = sessions(journal)
        members["source"]["outside"] = list(around.outside)
        members["environment"] = {"scrubbed": list(around.scrubbed), "unclean": list(around.unclean)}
    members["torch"] = _told_by_worker(journal, "torch")
    members["worker"] = _told_by_worker(journal, "hello")
    members["items"] = [_item(item) for item in judged.items]
    return members


def interpreter(journal: Journal) -> str | None:
    """Return the path of the interpreter that ran the items, as the worker told it."""
    told = _told_by_worker(journal, "hello") or {}
    found = told.get("executable")
    return found if isinstance(found, str) else None


def to_bytes(value: Mapping[str, Any]) -> bytes:
    """Return a JSON value as the files hold it: one form, so that a replay gives the same bytes."""
    # ASCII only: a lone surrogate in a message is escaped and the bytes stay valid everywhere
    return (json.dumps(value, indent=2, sort_keys=True, allow_nan=False) + "\n").encode("ascii")


def _planned(plan: Plan) -> dict[str, Any]:
    told = plan.as_json()
    members = {
        name: told[name]
        for name in (
            "run",
            "challenge",
            "tier",
            "origin",
            "rehearsal",
            "source",
            "tool",
            "host",
            "resolver",
            "excluded",
        )
    }
    members["plan_sha256"] = plan.digest
    members["policy"] = {"path": plan.policy_path, "sha256": plan.policy_sha256}
    members["gate_facts"] = told["gate"]
    return members


def _context(journal: Journal) -> dict[str, Any]:
    context = journal.entries[0].body["context"]
    after = journal.of("after")
    state = context.get("state", {})
    return {
        "device_id": context.get("device_id"),
        "machine": context.get("facts", {}),
        "snapshot_sha256": context.get("snapshot_sha256"),
        "image_digest": context.get("image_digest"),
        **({"image": context["image"]} if context.get("image") else {}),
        "torch_wheel_sha256": context.get("torch_wheel_sha256"),
        "state": {"before": state, "after": after[0].body.get("state", {}) if after else None},
    }


def _told_by_worker(journal: Journal, kind: str) -> dict[str, Any] | None:
    """Return the first record of that kind, without what names places of the machine."""
    for entry in journal.of("record"):
        if misshapen(entry) is None and entry.body["record"]["record"] == kind:
            told = entry.body["record"]
            return {name: value for name, value in told.items() if name not in ("record", "pid", "t")}
    return None


def _bitsandbytes(plan: Plan, judged: Verdict) -> dict[str, Any]:
    """Return what the run says of bitsandbytes: proven only by a probe that passed."""
    excluded = [entry for entry in plan.excluded if entry.id.startswith("probe::bitsandbytes")]
    ran = [item for item in judged.items if item.id.startswith("probe::bitsandbytes")]
    if ran:
        passed = all(item.outcome is Outcome.PASS for item in ran)
        said = ", ".join(f"{item.id.removeprefix('probe::')} {item.outcome.value} ({item.reason})" for item in ran)
        return {"status": "passed" if passed else "not-passed", "message": said}
    if excluded:
        return {"status": "unsupported", "message": excluded[0].message}
    return {"status": "not-planned", "message": "no item of this gate exercises it"}


def _time(journal: Journal) -> dict[str, Any]:
    if not journal.entries:
        return {"started": None, "finished": None, "seconds": None, "boots": []}
    first, last = journal.entries[0].at, journal.entries[-1].at
    return {
        "started": first.utc,
        "finished": last.utc if journal.finished else None,
        "last_line": last.utc,
        "seconds": round(last.monotonic - first.monotonic, 3) if first.boot == last.boot else None,
        "boots": sorted({entry.at.boot for entry in journal.entries}),
    }


def _objection(entry: Objection) -> dict[str, str]:
    return {"reason": entry.reason, "message": entry.message}


def _item(item: ItemResult) -> dict[str, Any]:
    return {
        "id": item.id,
        "outcome": item.outcome.value,
        "reason": item.reason,
        "message": item.message,
        "attempts": [_attempt(attempt) for attempt in item.attempts],
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "outcome": attempt.outcome.value,
        "reason": attempt.reason,
        "message": attempt.message,
        "seconds": attempt.seconds,
        "peak_memory_bytes": attempt.peak_memory_bytes,
        "signal": attempt.signal,
        "stderr": attempt.stderr,
        "traceback": attempt.traceback,
        "kernel": attempt.kernel,
        "measurements": [
            {"name": m.name, "value": m.value, "unit": m.unit, "bound": m.bound, "sense": m.sense}
            for m in attempt.measurements
        ],
        "tests": [
            {"id": t.id, "outcome": t.outcome.value, "reason": t.reason, "message": t.message, "seconds": t.seconds}
            for t in attempt.tests
        ],
        "detail": attempt.detail,
    }
