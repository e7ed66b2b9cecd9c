"""Verifies files and folders of evidence against a checkout: each alone, then their numbering together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from jetproof.errors import ExitCode, JetproofError
from jetproof.evidence.bundle import countersigned
from jetproof.evidence.challenge import Challenge
from jetproof.evidence.circumstances import POLICY_PATH, Circumstances, Evidence
from jetproof.evidence.countersign import Countersigned, Expected
from jetproof.evidence.git import Repository
from jetproof.evidence.kept_challenges import NONE, KeptChallenges
from jetproof.evidence.opening import side_folder
from jetproof.evidence.reason import Refusal
from jetproof.evidence.sequence import Numbered, Sequences, first_uses, sequences
from jetproof.evidence.side_files import SideFiles
from jetproof.evidence.store import Store, read_bounded
from jetproof.evidence.trust import Trust
from jetproof.evidence.verify import Verification, accepted, judged, numbered, refused
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
    kept: KeptChallenges = NONE
    """The challenges that the judging revision holds."""
    store: Store | None = None
    """Looked through for another answer to the same challenge, where one stands in for the clock."""
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
    uses = _Uses(asked)
    found = tuple(_one(path, asked, uses) for path in paths)
    links = (numbered(one.evidence, one.signer) for one in found if one.evidence is not None and one.signer is not None)
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
    told = {refusal.reason for refusal in one.refusals}
    more = (refusal for refusal in chain.refusals[one.evidence.sha256] if refusal.reason not in told)
    return replace(one, refusals=(*one.refusals, *more))


class _Uses:
    """Which evidence of the store used which challenge first; the store is read once, and only if somebody asks."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._known: Mapping[str, Numbered] | None = None

    def of(self, evidence: Evidence) -> Mapping[str, Numbered]:
        """Return the first uses, where a challenge stands in for this evidence's clock."""
        said = evidence.statement
        if said.challenge is None or said.ntp_synced is True or self._asked.store is None:
            return {}
        if self._known is None:
            self._known = first_uses(self._links(self._asked.store))
        return self._known

    def _links(self, store: Store) -> Iterator[Numbered]:
        for name, data in store.envelopes():
            found = accepted(data, self._asked.trust, name)
            if not isinstance(found, Refusal):
                yield numbered(*found)


def _one(path: Path, asked: Asked, uses: _Uses) -> Verification:
    found = accepted(read_bounded(path), asked.trust, str(path))
    if isinstance(found, Refusal):
        return refused(found, asked.now, str(path))
    evidence, signer = found
    around = replace(_around(evidence, path, asked), used_challenges=uses.of(evidence))
    counter = _countersignature(evidence, path, asked)
    if isinstance(counter, Countersigned):
        around = replace(around, trusted_time=counter.when)
    result = judged(evidence, signer, around)
    if isinstance(counter, tuple):
        return replace(result, refusals=(*result.refusals, *counter))
    return result


def _around(evidence: Evidence, path: Path, asked: Asked) -> Circumstances:
    folder = None if asked.envelope_only else asked.side or side_folder(path, evidence.sha256)
    if folder is None and not asked.envelope_only:
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
        kept=asked.kept,
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
