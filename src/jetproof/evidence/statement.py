"""An in-toto Statement that tells one gate's result for one commit, read with care.

Statement v1, predicate test-result/v0.1, subject `gitCommit` and `gitTree`, and one extension object `jetproof`
in the predicate. The strictness stands in `result` already; the extension only explains it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, NoReturn

from jetproof.evidence import strict
from jetproof.evidence.reason import Reason, Unreadable

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
EXTENSION_SCHEMA = "1.0"
OUTCOMES = ("PASS", "FAIL", "ERROR", "MISS", "FLAKY")
RESULTS = ("PASSED", "WARNED", "FAILED")
_HEX_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3}(?:\d{3})?)?Z")
_NOTHING: Mapping[str, Any] = {}
_TEXT = frozenset({str})


@dataclass(frozen=True, kw_only=True, slots=True)
class Artifact:
    """A side file, bound by its digest."""

    name: str
    """Path relative to the evidence's folder, forward slashes."""
    sha256: str
    size: int
    media_type: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """What a signer says about one run. Its form was checked; whether it is true is for verification."""

    commit: str
    tree: str
    uri: str
    source_refs: tuple[str, ...]
    result: str
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    warned: tuple[str, ...]
    configuration: Mapping[str, Mapping[str, str]]
    """Digests by the descriptor's name: policy, plan, runtime, workflow, lock, jetproof."""
    gate: str
    planned: int
    executed: int
    passed_count: int
    not_run: tuple[str, ...]
    deselected: tuple[str, ...]
    retried: tuple[str, ...]
    waived: tuple[str, ...]
    excluded: tuple[str, ...]
    """Items of the gate that the tier itself declares unsupported: neither passed nor proven."""
    outcome: str
    origin: str
    """live, recorded, emulated or rehearsal: only live may prove anything."""
    source: Mapping[str, Any]
    device: Mapping[str, Any]
    started: datetime
    finished: datetime
    monotonic_seconds: float | None
    ntp_synced: bool | None
    challenge: str | None
    seq: int | None
    """Counts up by one with each statement that the same key signs."""
    previous: str | None
    """sha256 of the envelope with the number before."""
    replaces: str | None
    """sha256 of the envelope of which this is the redacted issue."""
    artifacts: tuple[Artifact, ...]
    body: Mapping[str, Any]
    """The statement as it was read."""

    @property
    def module(self) -> str | None:
        """The module's name as in jetproof's tables; None where the machine is no Jetson or it is not known."""
        value = self.device.get("module")
        return value if isinstance(value, str) else None

    @property
    def speaks_for(self) -> str:
        """What a key must be allowed to speak for: the module's name, else the platform class."""
        return self.module or str(self.device.get("platformClass") or "unknown")


def _fail(what: str, reason: Reason = Reason.STATEMENT_MALFORMED) -> NoReturn:
    raise Unreadable(reason, what)


def _object(holder: Mapping[str, Any], name: str, optional: bool = False) -> Mapping[str, Any]:
    value = holder.get(name)
    if value is None and optional:
        return _NOTHING
    if type(value) is not dict:
        _fail(f"{name} is not an object")
    return value


def _text(holder: Mapping[str, Any], name: str) -> str:
    value = holder.get(name)
    if type(value) is not str:
        _fail(f"{name} is not a text")
    return value


def _maybe_text(holder: Mapping[str, Any], name: str) -> str | None:
    value = holder.get(name)
    if value is not None and type(value) is not str:
        _fail(f"{name} is neither a text nor absent")
    return value


def _texts(holder: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = holder.get(name)
    if value is None:
        return ()
    if type(value) is not list or not _TEXT.issuperset(map(type, value)):
        _fail(f"{name} is not a list of texts")
    return tuple(value)


def _count(holder: Mapping[str, Any], name: str) -> int:
    value = holder.get(name)
    if type(value) is not int or not 0 <= value < 1 << 53:
        _fail(f"{name} is not a count")
    return value


def moment(text: object, name: str) -> datetime:
    """Return an RFC 3339 time in UTC ("…Z"), or raise Unreadable."""
    if type(text) is not str or not _TIME.fullmatch(text):
        _fail(f"{name} is not a UTC time like 2026-11-30T12:00:00Z")
    try:
        return datetime.fromisoformat(text[:-1]).replace(tzinfo=timezone.utc)
    except ValueError:
        _fail(f"{name} is no time that exists")


def time_text(when: datetime) -> str:
    """Return a time as RFC 3339 in UTC, to the second."""
    return when.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def parsed(payload: bytes) -> Statement:
    """Read a statement from the payload's bytes, or raise Unreadable with the reason."""
    body = strict.parsed(payload, "the statement")
    if type(body) is not dict:
        _fail("a statement is a JSON object")
    if body.get("_type") != STATEMENT_TYPE:
        _fail(f"_type is {str(body.get('_type'))[:80]!r}, expected {STATEMENT_TYPE!r}", Reason.STATEMENT_TYPE_UNKNOWN)
    if body.get("predicateType") != PREDICATE_TYPE:
        found = str(body.get("predicateType"))[:80]
        _fail(f"predicateType is {found!r}, expected {PREDICATE_TYPE!r}", Reason.PREDICATE_TYPE_UNKNOWN)
    commit, tree, uri, refs = _subject(body.get("subject"))
    predicate = _object(body, "predicate")
    result = predicate.get("result")
    if result not in RESULTS:
        _fail(f"result is {str(result)[:40]!r}, expected one of {', '.join(RESULTS)}")
    extension = _object(predicate, "jetproof")
    if extension.get("schema") != EXTENSION_SCHEMA:
        _fail(f"jetproof.schema is {str(extension.get('schema'))[:40]!r}, expected {EXTENSION_SCHEMA!r}")
    plan, time, run = _object(extension, "plan"), _object(extension, "time"), _object(extension, "run", optional=True)
    outcome = extension.get("outcome")
    if outcome not in OUTCOMES:
        _fail(f"outcome is {str(outcome)[:40]!r}, expected one of {', '.join(OUTCOMES)}")
    monotonic, synced = time.get("monotonicSeconds"), time.get("ntpSynced")
    if monotonic is not None and type(monotonic) not in (int, float):
        _fail("time.monotonicSeconds is not a number")
    if synced is not None and type(synced) is not bool:
        _fail("time.ntpSynced is neither true, false nor absent")
    seq = None if run.get("seq") is None else _count(run, "seq")
    return Statement(
        commit=commit,
        tree=tree,
        uri=uri,
        source_refs=refs,
        result=result,
        passed=_texts(predicate, "passedTests"),
        failed=_texts(predicate, "failedTests"),
        warned=_texts(predicate, "warnedTests"),
        configuration=_configuration(predicate.get("configuration")),
        gate=_text(plan, "gate"),
        planned=_count(plan, "planned"),
        executed=_count(plan, "executed"),
        passed_count=_count(plan, "passed"),
        not_run=_texts(plan, "notRun"),
        deselected=_texts(plan, "deselected"),
        retried=_texts(plan, "retried"),
        waived=_ids(plan, "waived"),
        excluded=_ids(plan, "excluded"),
        outcome=outcome,
        origin=_text(extension, "origin"),
        source=_object(extension, "source"),
        device=_object(extension, "device"),
        started=moment(time.get("started"), "time.started"),
        finished=moment(time.get("finished"), "time.finished"),
        monotonic_seconds=monotonic,
        ntp_synced=synced,
        challenge=_maybe_text(run, "challenge"),
        seq=seq,
        previous=_digest(run.get("previousEvidence"), "run.previousEvidence"),
        replaces=_digest(run.get("replaces"), "run.replaces"),
        artifacts=_artifacts(extension.get("artifacts")),
        body=body,
    )


def _subject(value: object) -> tuple[str, str, str, tuple[str, ...]]:
    if type(value) is not list or not value or type(value[0]) is not dict:
        _fail("subject is not a list with the commit first")
    first = value[0]
    digest = _object(first, "digest")
    commit, tree = digest.get("gitCommit"), digest.get("gitTree")
    if type(commit) is not str or not _HEX_OBJECT.fullmatch(commit):
        _fail("subject[0].digest.gitCommit is not a whole commit id in lower-case hex")
    if type(tree) is not str or not _HEX_OBJECT.fullmatch(tree) or len(tree) != len(commit):
        _fail("subject[0].digest.gitTree is not a whole tree id in lower-case hex")
    annotations = _object(first, "annotations", optional=True)
    return commit, tree, _maybe_text(first, "uri") or "", _texts(annotations, "sourceRefs")


def _configuration(value: object) -> Mapping[str, Mapping[str, str]]:
    if type(value) is not list:
        _fail("configuration is not a list of descriptors")
    found: dict[str, Mapping[str, str]] = {}
    for item in value:
        if type(item) is not dict:
            _fail("a descriptor of configuration is not an object")
        name, digest = _text(item, "name"), _object(item, "digest")
        if name in found or not _TEXT.issuperset(map(type, digest.values())):
            _fail(f"the descriptor {name[:80]!r} is doubled or its digests are not texts")
        found[name] = digest
    return found


def _ids(plan: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = plan.get(name)
    if value is None:
        return ()
    if type(value) is not list:
        _fail(f"plan.{name} is not a list")
    return tuple(
        _text(item, "id") if type(item) is dict else _fail(f"plan.{name} holds a non-object") for item in value
    )


def _digest(value: object, name: str) -> str | None:
    if value is None:
        return None
    found = value.get("sha256") if type(value) is dict else None
    if type(found) is not str or not _SHA256.fullmatch(found):
        _fail(f"{name} holds no sha256")
    return found


def _artifacts(value: object) -> tuple[Artifact, ...]:
    if value is None:
        return ()
    if type(value) is not list or len(value) > 1000:
        _fail("artifacts is not a list of at most 1000 descriptors")
    found = {}
    for item in value:
        if type(item) is not dict:
            _fail("an artifact is not an object")
        name, sha256 = _text(item, "name"), _digest(item.get("digest"), "artifact.digest")
        if sha256 is None or name in found:
            _fail(f"the artifact {name[:80]!r} has no digest, or is named twice")
        found[name] = Artifact(
            name=name, sha256=sha256, size=_count(item, "size"), media_type=_maybe_text(item, "mediaType") or ""
        )
    return tuple(found.values())
