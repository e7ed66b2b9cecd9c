"""From a checkout and its store of evidence to what may be claimed today."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from jetproof.claims.calculus import Claims, Record, claims
from jetproof.claims.gather import Gathered, Item, checked, gather
from jetproof.claims.material import digest, managed
from jetproof.errors import PolicyInvalid, UsageError
from jetproof.evidence.circumstances import POLICY_PATH, Circumstances
from jetproof.evidence.git import Repository
from jetproof.evidence.kept_challenges import NONE, KeptChallenges, kept_at
from jetproof.evidence.opening import Opened
from jetproof.evidence.store import STORE_PATH, FolderStore, Store, digest_of, is_envelope, read_bounded
from jetproof.evidence.trust import Trust
from jetproof.policy.load import parse
from jetproof.tables import Tables

_MOST_TAKEN_OUT = 10_000


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """The claims, and all that went into them."""

    claims: Claims
    gathered: Gathered
    trust: Trust
    policy_sha256: str
    taken_out: tuple[str, ...] = ()
    """Names of the evidence that counts though the store no longer holds it: the judging revision does."""
    judge: str = ""
    """That revision."""


def assessment(
    *,
    repository: Repository,
    revision: str,
    items: Iterable[Item],
    trust: Trust,
    tables: Tables,
    now: datetime,
    base: str | None = None,
    kept: KeptChallenges = NONE,
    store: str = STORE_PATH,
    badges: Iterable[str] = (),
    floors: Mapping[str, int] | None = None,
) -> Assessment:
    """Return what may be claimed for a revision at a time. The policy is the one that the revision holds.

    Raises UsageError when the revision is not there, PolicyInvalid when it has no policy.
    """
    commit = repository.resolve(revision)
    if commit is None:
        raise UsageError(f"there is no revision {revision!r} here", reason="revision-unknown")
    data = repository.file(commit, POLICY_PATH)
    if data is None:
        raise PolicyInvalid(
            f"commit {commit[:12]} holds no {POLICY_PATH}, so it claims nothing",
            hint="jetproof init",
            reason="policy-missing",
        )
    policy, policy_sha256 = parse(data, what=POLICY_PATH)
    around = Circumstances(
        trust=trust,
        now=now,
        tables=tables,
        maximum_age_days=policy.maximum_evidence_age_days,
        repository=repository,
        repository_uri=repository.remote(),
        base=base,
        kept=kept,
    )
    known = list(items)
    gathered = gather(known, around, floors=floors)
    exempt = managed(repository, commit, badges)
    material: dict[str, str] = {}
    for one in dict.fromkeys((commit, *(proof.commit for proof in gathered.proofs))):
        found = digest(repository, one, material_paths=policy.host.material_paths, exempt=exempt, store=store)
        if found is not None:
            material[one] = found
    serving = frozenset(one for one, found in material.items() if found == material[commit])
    wanted = {proof.sha256 for proof in gathered.proofs if proof.commit in serving}
    by_digest = {_digest(item): item for item in known if _may_be(item, wanted)}
    if not wanted <= by_digest.keys():  # a file of the store was given another name: it is still what it is
        by_digest.update((_digest(item), item) for item in known)
    gathered = checked(gathered, by_digest, around, serving)
    record = Record(
        proofs=gathered.proofs,
        missing=gathered.sequences.missing,
        material=material,
        families={row.name: row.family_name for row in tables.modules if row.family_name},
    )
    today = now.astimezone(timezone.utc).date()
    return Assessment(
        claims=claims(policy, record, commit, today), gathered=gathered, trust=trust, policy_sha256=policy_sha256
    )


def _may_be(item: Item, wanted: set[str]) -> bool:
    """Whether an item can be one of those wanted: a store's file bears its digest as its name."""
    stem = item[0].removesuffix(".json")
    return stem in wanted or len(stem) != 64


def _digest(item: Item) -> str:
    data = item[1]
    return digest_of(data if isinstance(data, bytes) else read_bounded(data))


def assess_opened(
    opened: Opened, *, revision: str, base: str | None, tables: Tables, now: datetime, badges: Iterable[str] = ()
) -> Assessment:
    """Return what may be claimed from an opened checkout; `base` is the revision whose policy must not be weakened."""
    store = opened.store
    place = _inside(opened.repository.root, store)
    if isinstance(store, FolderStore):
        here: list[Item] = [(path.name, path) for path in store.paths()]
        taken_out = _taken_out(opened, place, here)
    else:
        here, taken_out = list(store.envelopes()), {}
    found = assessment(
        repository=opened.repository,
        revision=revision,
        items=[*here, *taken_out.items()],
        trust=opened.trust,
        tables=tables,
        now=now,
        base=base,
        kept=kept_at(opened.repository, opened.base),
        store=place,
        badges=badges,
        floors=store.floors(),
    )
    return replace(found, taken_out=tuple(taken_out), judge=opened.base)


def _taken_out(opened: Opened, place: str, here: Iterable[Item]) -> Mapping[str, bytes]:
    """Return, by its name, the evidence that the judging revision holds and the folder no longer does.

    It counts all the same: else a proposal would be rid of a failure by deleting the file.
    """
    commit = opened.repository.resolve(opened.base)
    if commit is None:
        return {}
    names = {name for name, _ in here}

    def wanted(path: str) -> bool:
        return is_envelope(path.removeprefix(f"{place}/")) and path.rpartition("/")[2] not in names

    held = opened.repository.contents(commit, place, _MOST_TAKEN_OUT, wanted)
    return {path.rpartition("/")[2]: data for path, data in held.items()}


def _inside(root: Path, store: Store) -> str:
    """Return where the store lies in the checkout, so that keeping evidence changes nothing that matters."""
    if isinstance(store, FolderStore):
        folder = store.root.resolve()
        if folder.is_relative_to(root.resolve()) and folder != root.resolve():
            return folder.relative_to(root.resolve()).as_posix()
    return STORE_PATH
