"""Signs a run: binds its side files, gives it the next number of the key, and writes one envelope."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jetproof.errors import JetproofError, Refused, UsageError
from jetproof.evidence import from_run, privacy, strict
from jetproof.evidence.reason import Unreadable
from jetproof.evidence.side_files import artifact
from jetproof.evidence.signer import Signer, keyid, sealed
from jetproof.evidence.statement import Artifact
from jetproof.evidence.store import digest_of, read_bounded, replace
from jetproof.qualify import journal as journals
from jetproof.qualify.folder import SIDE_FILES
from jetproof.qualify.judge import plan_of, verdict
from jetproof.qualify.locks import held
from jetproof.qualify.record import record, to_bytes

COUNTER_SCHEMA = "jetproof/sequence/1"
_TYPES = {
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
    ".xml": "application/xml",
    ".md": "text/markdown",
    ".sarif": "application/sarif+json",
}


@dataclass(frozen=True, kw_only=True)
class Sealed:
    """A signed run."""

    envelope: bytes
    sha256: str
    seq: int
    commit: str
    gate: str
    proves: bool
    """False for a failure: that is evidence too."""
    artifacts: tuple[Artifact, ...]


@dataclass(frozen=True, kw_only=True)
class Extras:
    """What a statement says that is not in the journal."""

    url: str | None = None
    attempt: int | None = None
    others: tuple[tuple[str, Mapping[str, str]], ...] = ()


_MENDS = {
    "rehearsal": "run it without --rehearsal",
    "no-policy": "give the project a policy (jetproof init), then run its gate",
    "checkout-not-clean": "commit or remove what differs from the commit, then run it without --rehearsal",
    "code-not-in-commit": "commit or remove the code that was imported and is not in the commit",
    "no-claim": "run a gate whose entry in the policy says carries_claim (jetproof gates), or let this one say so",
    "no-tier": "run it on a board of one of the policy's tiers, or add this board's tier to the policy",
    "origin-recorded": "run it on the board itself",
    "origin-emulated": "run it on the board itself",
    "code-outside-tree": "uninstall the other copy of the project, or install this checkout with pip install -e",
    "environment-unclean": "unset or uninstall what is named, or allow a plugin in the policy's host.plugins",
}
"""What a run lacked to be evidence, and what mends it."""


def _towards_evidence(reasons: Sequence[str]) -> str:
    """Return what mends each of the reasons."""
    mends = dict.fromkeys(_MENDS[reason] for reason in reasons if reason in _MENDS)
    return "; ".join(mends) or "run the gate again without what is named"


def seal(run: Path, signer: Signer, counter: Path, extras: Extras) -> Sealed:
    """Sign the run in a folder that `jetproof run` wrote. A failed run is signed too, so that it is not lost.

    `counter` is the file beside the key that holds the last number; it goes up before the envelope is given out, so
    that two envelopes never bear one number. Raises Refused for a run that can be no evidence: a rehearsal, a
    recording, a gate without a claim, private data.
    """
    journal = journals.read(journals.load(run / "journal.jsonl"))
    if journal.broken is not None:
        raise Refused(f"the journal in {run} was changed: {journal.broken}", reason="journal-broken")
    plan, judged = plan_of(journal), verdict(journal)
    if plan is None:
        raise Refused(f"the journal in {run} does not begin with a plan", reason="no-plan")
    if judged.not_proven:
        raise Refused(
            f"this run can be no evidence: {'; '.join(why.message for why in judged.not_proven)}",
            hint=_towards_evidence([why.reason for why in judged.not_proven]),
            reason=judged.not_proven[0].reason,
        )
    _same_record(run, journal)
    artifacts = tuple(artifact(run, name, _media_type(name)) for name in _present(run))
    identity = keyid(signer.public)
    with _locked(counter):
        seq, previous = _last(counter, identity)
        place = from_run.Place(
            seq=seq + 1, previous=previous, url=extras.url, attempt=extras.attempt, others=extras.others
        )
        body = from_run.statement(journal, artifacts, place)
        leak = next(privacy.leaks(body), None)
        if leak is not None:
            raise Refused(
                f"{leak.path} holds {leak.what}, which would be published",
                hint="take it out where it comes from (a test's id, the repository's URL), then run again",
                reason="PRIVATE_DATA",
            )
        envelope = sealed(from_run.payload(body), signer).to_bytes()
        sha256 = digest_of(envelope)
        _count(counter, identity, seq + 1, sha256)
    return Sealed(
        envelope=envelope,
        sha256=sha256,
        seq=seq + 1,
        commit=str(plan.source.commit),
        gate=plan.gate.id,
        proves=body["predicate"]["result"] == "PASSED",
        artifacts=artifacts,
    )


def reissued(data: bytes, signer: Signer) -> bytes:
    """Return a new envelope without what should not be published; it names the one that it replaces.

    The statement is made anew and signed anew, with the same number: signed bytes are never edited.
    """
    from jetproof.evidence.verify import read

    try:
        evidence = read(data)
    except Unreadable as error:
        raise UsageError(error.refusal.message, reason=error.refusal.reason.value) from None
    clean = privacy.redacted(evidence.statement.body, evidence.sha256)
    return sealed(from_run.payload(clean), signer).to_bytes()


def _same_record(run: Path, journal: journals.Journal) -> None:
    """Refuse to sign a record that the journal does not give."""
    path = run / "record.json"
    beside = run.parent / f"{run.name}.json"
    for file in (path, beside):
        if file.is_file() and file.read_bytes() != to_bytes(record(journal)):
            raise Refused(
                f"{file} is not what the journal gives", hint=f"jetproof replay {run}", reason="RECORD_NOT_REPLAYED"
            )


def _present(run: Path) -> list[str]:
    return sorted(name for name in SIDE_FILES if (run / name).is_file() and not (run / name).is_symlink())


def _media_type(name: str) -> str:
    return _TYPES.get(Path(name).suffix, "text/plain")


@contextmanager
def _locked(counter: Path) -> Iterator[None]:
    counter.parent.mkdir(parents=True, exist_ok=True)
    with held(counter.with_name(counter.name + ".lock"), "this key's sequence"):
        yield


def _last(counter: Path, identity: str) -> tuple[int, str | None]:
    """Return the last number that the key gave and the digest of that envelope."""
    if not counter.exists():
        return 0, None
    body = _counter(counter)
    if body.get("keyid") != identity:
        raise UsageError(
            f"{counter} counts for another key", hint="name another file: --counter", reason="sequence-key"
        )
    return body["seq"], body["sha256"]


def _counter(counter: Path) -> dict[str, Any]:
    try:
        body = strict.parsed(read_bounded(counter), str(counter))
    except Unreadable as error:
        body = error.refusal.message
    if not isinstance(body, dict) or body.get("schema") != COUNTER_SCHEMA or type(body.get("seq")) is not int:
        raise JetproofError(
            f"{counter} does not hold a sequence",
            hint="look into the store for the key's last number (jetproof evidence list) and write it there",
            reason="sequence-broken",
        )
    return body


def _count(counter: Path, identity: str, seq: int, sha256: str) -> None:
    body = {"schema": COUNTER_SCHEMA, "keyid": identity, "seq": seq, "sha256": sha256}
    replace(counter, json.dumps(body, indent=2).encode() + b"\n")


def url_of(environment: Mapping[str, str]) -> Extras:
    """Return the run's page and attempt as GitHub's runner tells them, where one does."""
    server, project = environment.get("GITHUB_SERVER_URL", ""), environment.get("GITHUB_REPOSITORY", "")
    run, attempt = environment.get("GITHUB_RUN_ID", ""), environment.get("GITHUB_RUN_ATTEMPT", "")
    plain = re.fullmatch(r"https://[\w.-]+", server) and re.fullmatch(r"[\w.-]+/[\w.-]+", project)
    if not plain or not run.isdigit() or not attempt.isdigit():
        return Extras()
    return Extras(url=f"{server}/{project}/actions/runs/{run}/attempts/{attempt}", attempt=int(attempt))


def counter_of(key: Path | None) -> Path:
    """Return the file that holds a key's last number: beside the key. A key elsewhere needs one named."""
    if key is None:
        raise UsageError(
            "a key that lies elsewhere needs a file for its numbers", hint="--counter FILE", reason="counter"
        )
    return key.with_name(key.name + ".seq")


def envelope_path(run: Path) -> Path:
    """Return where the envelope of a run goes: beside its folder, so that the folder stays as it was signed."""
    folder = run.resolve()
    return folder.with_name(f"{folder.name}.intoto.json")
