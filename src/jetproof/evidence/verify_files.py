"""Verifies files and folders of evidence against a checkout: each alone, then their numbering together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from jetproof.errors import ExitCode, JetproofError
from jetproof.evidence.bundle import countersigned
from jetproof.evidence.challenge import Challenge
from jetproof.evidence.circumstances import POLICY_PATH, Circumstances, Evidence
from jetproof.evidence.countersign import Countersigned, Expected
from jetproof.evidence.git import Repository
from jetproof.evidence.opening import side_folder
from jetproof.evidence.reason import Refusal
from jetproof.evidence.sequence import Numbered, Sequences, sequences
from jetproof.evidence.side_files import SideFiles
from jetproof.evidence.store import read_bounded
from jetproof.evidence.trust import Trust
from jetproof.evidence.verify import Verification, accepted, judged, refused
from jetproof.policy.load import parse
from jetproof.tables import Tables

DEFAULT_AGE = 30


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What to verify against."""

    trust: Trust
    tables: Tables
    now: datetime
    repository: Repository | None
    commit: str | None = None
    base: str | None = None
    policy_path: str = POLICY_PATH
    side: Path | None = None
    """Folder of the side files; None: where they usually lie."""
    envelope_only: bool = False
    """Do without side files, and say so."""
    challenge: Challenge | None = None
    countersignature: Path | None = None
    countersigner: Expected | None = None
    """Who must have countersigned; the envelope's digest and the commit are filled in."""
    trusted_root: Path | None = None


def verified_files(
    paths: Iterable[Path], asked: Asked, floors: Mapping[str, int] | None = None
) -> tuple[tuple[Verification, ...], Sequences]:
    """Return what each file is worth, and what is wrong with their numbering as a set.

    `floors`: up to which number each signer's evidence was pruned.
    """
    found = tuple(_one(path, asked) for path in paths)
    links = (
        Numbered(
            signer=one.signer.keyid,
            seq=one.evidence.statement.seq,
            sha256=one.evidence.sha256,
            payload_sha256=one.evidence.payload_sha256,
            previous=one.evidence.statement.previous,
            replaces=one.evidence.statement.replaces,
            challenge=one.evidence.statement.challenge,
        )
        for one in found
        if one.evidence is not None and one.signer is not None
    )
    chain = sequences(links, floors=floors)
    return tuple(_with_place(one, chain) for one in found), chain


def worst(found: Iterable[Verification]) -> ExitCode:
    """Return the exit code for all: what does not stand counts most, then what is not fresh, then what failed."""
    codes = {one.exit_code for one in found}
    order = (ExitCode.EVIDENCE_INVALID, ExitCode.STALE, ExitCode.NO)
    return next((code for code in order if code in codes), ExitCode.OK)


def _with_place(one: Verification, chain: Sequences) -> Verification:
    if one.evidence is None or one.evidence.sha256 not in chain.refusals:
        return one
    return replace(one, refusals=(*one.refusals, *chain.refusals[one.evidence.sha256]))


def _one(path: Path, asked: Asked) -> Verification:
    found = accepted(read_bounded(path), asked.trust, str(path))
    if isinstance(found, Refusal):
        return refused(found, asked.now, str(path))
    evidence, signer = found
    around = _around(evidence, path, asked)
    counter = _countersignature(evidence, path, asked)
    if isinstance(counter, Countersigned):
        around = replace(around, trusted_time=counter.when)
    result = judged(evidence, signer, around)
    if isinstance(counter, tuple):
        return replace(result, refusals=(*result.refusals, *counter))
    return result


def _around(evidence: Evidence, path: Path, asked: Asked) -> Circumstances:
    folder = None if asked.envelope_only else asked.side or side_folder(path, evidence.sha256)
    if folder is None and not asked.envelope_only and evidence.statement.artifacts:
        # told as missing, not passed over: who wants to do without says so
        folder = path.with_name(f"{evidence.sha256}.files")
    return Circumstances(
        trust=asked.trust,
        now=asked.now,
        tables=asked.tables,
        maximum_age_days=_age(asked, asked.commit or evidence.statement.commit),
        repository=asked.repository,
        commit=asked.commit,
        repository_uri=None if asked.repository is None else asked.repository.remote(),
        base=asked.base,
        policy_path=asked.policy_path,
        side_files=None if folder is None else SideFiles(folder),
        challenge=asked.challenge,
    )


def _age(asked: Asked, commit: str) -> int:
    """Return how old evidence may be, as the policy of the commit says."""
    data = None if asked.repository is None else asked.repository.file(commit, asked.policy_path)
    if data is None:
        return DEFAULT_AGE
    try:
        return parse(data, what=asked.policy_path)[0].maximum_evidence_age_days
    except JetproofError:
        return DEFAULT_AGE  # the policy check refuses it by name


def _countersignature(evidence: Evidence, path: Path, asked: Asked) -> Countersigned | tuple[Refusal, ...] | None:
    file = asked.countersignature
    if file is None:
        beside = path.with_name(f"{evidence.sha256}.sigstore.json")
        file = beside if asked.countersigner is not None and beside.is_file() else None
    if file is None or asked.countersigner is None:
        return None
    expected = replace(asked.countersigner, envelope_sha256=evidence.sha256, commit=evidence.statement.commit)
    return countersigned(read_bounded(file), expected, asked.trusted_root)
