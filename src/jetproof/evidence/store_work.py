"""What is done with a store: list what it holds, add to it after a check, redact, prune."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from jetproof.errors import EvidenceInvalid, UsageError
from jetproof.evidence import privacy
from jetproof.evidence.checks import signature
from jetproof.evidence.circumstances import Evidence
from jetproof.evidence.opening import Opened, side_folder
from jetproof.evidence.prune import Kept, Pruning, pruning
from jetproof.evidence.reason import Refusal, Unreadable
from jetproof.evidence.seal import reissued
from jetproof.evidence.sequence import Numbered, Sequences, sequences
from jetproof.evidence.side_files import SideFiles
from jetproof.evidence.signer import Signer
from jetproof.evidence.statement import time_text
from jetproof.evidence.store import Added, FolderStore, Store, read_bounded
from jetproof.evidence.trust import Trust
from jetproof.evidence.verify import accepted, numbered, read

LIST_SCHEMA = "jetproof/evidence-list/1"


@dataclass(frozen=True, kw_only=True)
class Contents:
    """The index of a store, made from its files."""

    rows: tuple[Mapping[str, Any], ...]
    sequences: Sequences
    odd: tuple[tuple[str, str], ...]
    """(name, why) of files that are no evidence here: unreadable, misnamed, links, not signed by a trusted key."""

    def as_json(self) -> dict[str, Any]:
        """Return the index for programs."""
        return {
            "schema": LIST_SCHEMA,
            "evidence": [dict(row) for row in self.rows],
            "gaps": [{"signer": gap.signer, "first": gap.first, "last": gap.last} for gap in self.sequences.gaps],
            "duplicates": [list(pair) for pair in self.sequences.duplicates],
            "places": {
                sha256: [refusal.as_json() for refusal in found] for sha256, found in self.sequences.refusals.items()
            },
            "odd": [{"name": name, "message": message} for name, message in self.odd],
        }


def contents(store: Store, trust: Trust) -> Contents:
    """Return what a store holds. Nothing is taken from an index file: there is none."""
    rows: list[Mapping[str, Any]] = []
    links: list[Numbered] = []
    odd = [(item.name, item.message) for item in store.odd()] if isinstance(store, FolderStore) else []
    for name, evidence in _readable(store, odd):
        signer = signature.accepted(evidence.envelope, trust)
        if isinstance(signer, Refusal):
            odd.append((name, f"{signer.reason.value}: {signer.message}"))
            continue
        said = evidence.statement
        links.append(numbered(evidence, signer))
        rows.append(
            {
                "sha256": evidence.sha256,
                "gate": said.gate,
                "commit": said.commit,
                "result": said.result,
                "outcome": said.outcome,
                "finished": time_text(said.finished),
                "module": said.module,
                "platform_class": said.device.get("platformClass"),
                "signer": signer.name,
                "keyid": signer.keyid,
                "seq": said.seq,
            }
        )
    rows.sort(key=lambda row: (row["finished"], row["sha256"]))
    return Contents(rows=tuple(rows), sequences=sequences(links, floors=store.floors()), odd=tuple(odd))


def _readable(store: Store, odd: list[tuple[str, str]]) -> Iterator[tuple[str, Evidence]]:
    for name, data in store.envelopes():
        try:
            yield name, read(data, name)
        except Unreadable as error:
            odd.append((name, f"{error.refusal.reason.value}: {error.refusal.message}"))


def add(opened: Opened, path: Path, *, side_files: bool) -> Added:
    """Keep an envelope that a trusted key signed and that gives nothing private away.

    Failures are kept like passes. Raises EvidenceInvalid with the reason for anything else.
    """
    data = read_bounded(path)
    found = accepted(data, opened.trust, str(path))
    if isinstance(found, Refusal):
        raise _invalid(path, found)
    evidence, signer = found
    standing = signature.standing_in(opened.trust, signer, evidence.statement, evidence.statement.finished)
    if standing is not None:
        raise _invalid(path, standing)
    leaks = privacy.refusals(evidence.statement.body)
    if leaks:
        raise _invalid(path, leaks[0])
    if side_files and not isinstance(opened.store, FolderStore):
        raise UsageError("a branch keeps envelopes alone", hint="leave out --side-files", reason="side-files")
    folder = side_folder(path, evidence.sha256) if side_files else None
    bytes_by_artifact = []
    if folder is not None:
        files = SideFiles(folder)
        try:
            bytes_by_artifact = [(item, files.read(item)) for item in evidence.statement.artifacts]
        except Unreadable as error:
            raise _invalid(path, error.refusal) from None
    added = opened.store.add(data)
    if isinstance(opened.store, FolderStore):
        for item, content in bytes_by_artifact:
            opened.store.add_file(added.sha256, item, content)
    return added


def _invalid(path: Path, refusal: Refusal) -> EvidenceInvalid:
    return EvidenceInvalid(f"{path} is not kept: {refusal.message}", hint=refusal.hint, reason=refusal.reason.value)


def located(opened: Opened, named: str) -> tuple[Path, bool]:
    """Return the file that a path or the beginning of a digest names, and whether it lies in the store."""
    path = Path(named)
    if path.is_file():
        return path, False
    if not isinstance(opened.store, FolderStore):
        raise UsageError(f"there is no file {named}", reason="evidence-not-found")
    return opened.store.find(named), True


def redact(opened: Opened, named: str, signer: Signer, output: Path | None) -> tuple[str, Path | None]:
    """Issue evidence again without what should not be published.

    In a store the new envelope takes the place of the old one, whose private part would else stay; a file gets a
    neighbour. Returns the new digest and the file that was written, if it is not the store's.
    """
    from jetproof.evidence.store import digest_of, replace

    path, kept = located(opened, named)
    before = read_bounded(path)
    data = reissued(before, signer)
    if kept and output is None:
        added = opened.store.add(data)
        opened.store.remove([digest_of(before)], {})
        return added.sha256, None
    target = output or path.with_name(path.name.removesuffix(".intoto.json") + ".redacted.intoto.json")
    replace(target, data)
    return digest_of(data), target


def prune(opened: Opened, now: datetime, retention_days: int, *, dry: bool) -> Pruning:
    """Let go what is older than the policy keeps. With `dry` nothing is removed."""
    held: list[Kept] = []
    for _, evidence in _readable(opened.store, []):
        signer = signature.accepted(evidence.envelope, opened.trust)
        if isinstance(signer, Refusal):
            continue
        said = evidence.statement
        held.append(
            Kept(
                sha256=evidence.sha256,
                signer=signer.keyid,
                seq=said.seq,
                gate=said.gate,
                commit=said.commit,
                passed=said.result == "PASSED",
                finished=said.finished,
            )
        )
    found = pruning(held, now, retention_days)
    if found.sha256s and not dry:
        opened.store.remove(found.sha256s, found.floors)
    return found


def retention_days(opened: Opened, policy_path: str) -> int:
    """Return how many days the policy at HEAD keeps evidence."""
    from jetproof.policy.load import parse

    data = opened.repository.file(opened.commit("HEAD"), policy_path)
    if data is None:
        raise UsageError(f"HEAD holds no {policy_path} that says how long evidence is kept", reason="policy-missing")
    return parse(data, what=policy_path)[0].evidence_retention_days


def shown(paths: Sequence[Path]) -> Iterator[tuple[Path, Evidence]]:
    """Yield each file's evidence. Raises UsageError for what is none."""
    for path in paths:
        try:
            yield path, read(read_bounded(path), str(path))
        except Unreadable as error:
            raise UsageError(
                f"{path} is no evidence: {error.refusal.message}", reason=error.refusal.reason.value
            ) from None
