"""Evidence is reduced to proofs: what does not stand does not count, and all cores give the same answer as one."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.sample import (
    COMMIT,
    FINISHED,
    LANE,
    NOW,
    OTHER_COMMIT,
    ROGUE,
    SECOND,
    TABLES,
    TREE,
    FakeRepository,
    P,
    around,
    at,
    changed,
    failing,
    put,
    signed,
    trust,
    trusted,
)

from jetproof.claims import gather as gathering
from jetproof.claims.assess import assessment
from jetproof.claims.calculus import State
from jetproof.claims.gather import Gathered, gather
from jetproof.claims.material import digest, managed
from jetproof.claims.proof import Told
from jetproof.errors import PolicyInvalid, UsageError
from jetproof.evidence.git import Entry
from jetproof.evidence.kept_challenges import KeptChallenges
from jetproof.evidence.signer import keyid
from jetproof.evidence.store import FolderStore, digest_of
from jetproof.render import claims as render
from jetproof.render.style import PLAIN


def numbered(seq: int, *changes: Any) -> bytes:
    return signed(changed(put(f"{P}.run.seq", seq), *changes))


def of(*data: bytes, **options: Any) -> Gathered:
    return gather([(f"{digest_of(item)}.json", item) for item in data], around(), **options)


def test_what_stands_counts_for_or_against() -> None:
    found = of(numbered(1), numbered(2, failing))

    assert [(proof.told, proof.seq) for proof in found.proofs] == [(Told.PASS, 1), (Told.FAIL, 2)]
    assert found.proofs[0].signer == keyid(LANE.public)
    assert found.turned == ()
    assert found.read == 2


@pytest.mark.parametrize(
    "change",
    [
        put(f"{P}.origin", "recorded"),
        put(f"{P}.origin", "emulated"),
        put(f"{P}.source.dirty", True),
        put(f"{P}.plan.planned", 9),
        put(f"{P}.device.chip", "tegra194"),
        put("subject.0.annotations.sourceRefs", ["refs/pull/1/merge"]),
    ],
)
def test_what_does_not_stand_counts_neither_way(change: Any) -> None:
    found = of(numbered(1, change))

    assert found.proofs == ()
    assert len(found.turned) == 1


def test_strangers_do_not_count_and_their_numbers_neither() -> None:
    found = of(numbered(1), signed(changed(put(f"{P}.run.seq", 9)), ROGUE), b"{}")

    assert len(found.proofs) == 1
    assert found.sequences.gaps == ()
    assert sorted(item.refusals[0].reason.value for item in found.turned) == ["ENVELOPE_MALFORMED", "KEY_UNKNOWN"]


def test_old_evidence_is_kept_with_its_date_and_undatable_evidence_as_such() -> None:
    old = numbered(1, at(FINISHED - timedelta(days=50)))
    undated = numbered(2, put(f"{P}.time.ntpSynced", False))
    found = of(old, undated)

    assert [proof.clock_trusted for proof in found.proofs] == [True, False]
    assert found.proofs[0].finished == FINISHED - timedelta(days=50)


def test_another_wrapping_of_the_same_counts_once() -> None:
    import json

    spaced = json.dumps(json.loads(numbered(1)), indent=1).encode()

    assert len(of(numbered(1), spaced).proofs) == 1


def test_all_cores_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "WORTH_A_POOL", 4)
    monkeypatch.setattr(gathering, "BATCH", 2)
    store = FolderStore(tmp_path)
    for seq in range(1, 12):
        store.add(numbered(seq, *([failing] if seq % 3 == 0 else [])))
    store.add(b"{}")
    items = [(path.name, path) for path in store.paths()]

    alone, together = gather(items, around(), workers=1), gather(items, around(), workers=2)

    assert alone == together
    assert len(alone.proofs) == 11


# ---- what matters in a commit ----

CODE = {"src/a.py": b"1", "README.md": b"<!-- jetproof:begin x -->\n<!-- jetproof:end x -->", "docs/b.md": b"plain"}


def repository(**commits: dict[str, bytes]) -> FakeRepository:
    found = FakeRepository()
    for commit, files in commits.items():
        found.trees[commit] = TREE
        found.times[commit] = FINISHED - timedelta(hours=1)
        for path, data in files.items():
            found.files[commit, path] = data
    return found


def same(one: dict[str, bytes], other: dict[str, bytes], paths: list[str] | None = None) -> bool:
    found = repository(a=one, b=other)
    exempt = managed(found, "b")
    first, second = (digest(found, commit, material_paths=paths, exempt=exempt) for commit in "ab")
    return first == second


def test_a_managed_block_and_the_store_do_not_matter_and_all_else_does() -> None:
    assert same(CODE, {**CODE, "README.md": b"jetproof:begin other"})
    assert same(CODE, {**CODE, ".jetproof/evidence/ab/x.json": b"x"})
    assert same(CODE, {**CODE, f".jetproof/challenges/{'ab' * 16}.json": b"x"})
    assert not same(CODE, {**CODE, ".jetproof/challenges/other.py": b"x"})
    assert not same(CODE, {**CODE, "src/a.py": b"2"})
    assert not same(CODE, {**CODE, "docs/b.md": b"other"})
    assert not same(CODE, {**CODE, "new.py": b""})
    assert not same(CODE, {**CODE, ".jetproof/trust.toml": b"x"})
    assert not same(CODE, {**CODE, "src/b.py": b"# jetproof:begin"})  # a marker in code exempts nothing


def test_a_policy_may_name_what_matters() -> None:
    assert same(CODE, {**CODE, "docs/b.md": b"other"}, ["src"])
    assert not same(CODE, {**CODE, "src/a.py": b"2"}, ["src/"])
    assert same(CODE, {**CODE, "srcx/a.py": b"2"}, ["src"])
    assert not same(CODE, {**CODE, "docs/b.md": b"other"}, ["."])


def test_a_mode_matters() -> None:
    found = repository(a=CODE, b=CODE)
    found.listings["b"] = {"src/a.py": Entry(mode="100755", oid=found.listing("a")["src/a.py"].oid)}  # type: ignore[index]

    assert digest(found, "a", material_paths=None, exempt=frozenset()) != digest(
        found, "b", material_paths=None, exempt=frozenset()
    )
    assert digest(found, "nowhere", material_paths=None, exempt=frozenset()) is None


# ---- all together ----


def assessed(checkout: FakeRepository, *data: bytes, revision: str = COMMIT, **options: Any) -> Any:
    return assessment(
        repository=checkout,
        revision=revision,
        items=[(f"{digest_of(item)}.json", item) for item in data],
        trust=trust(),
        tables=TABLES,
        now=NOW,
        **options,
    )


def state_of(evidence: list[bytes], kept: KeptChallenges, now: datetime, **options: Any) -> State:
    """Return what may be claimed for the board of these tests."""
    found = assessment(
        repository=FakeRepository(times={COMMIT: FINISHED - timedelta(days=60)}),
        revision=COMMIT,
        items=[(f"{digest_of(item)}.json", item) for item in evidence],
        trust=trust(trusted(), trusted(SECOND)),
        tables=TABLES,
        now=now,
        kept=kept,
        **options,
    )
    return state(found)


def state(found: Any) -> State:
    claim = found.claims.of("agx-orin-jp62")
    assert claim is not None
    return claim.state


def test_from_a_checkout_and_its_evidence_to_a_claim() -> None:
    found = assessed(FakeRepository(), numbered(1))

    assert state(found) is State.SUPPORTED
    assert render.as_json(found)["claims"][0]["holds_until"] == "2026-12-30"
    text = render.table(found, PLAIN)
    assert text.splitlines()[0] == (
        f"Proven at {COMMIT[:12]} on 2026-11-30 (UTC): Jetson AGX Orin 64GB, JetPack 6.2 (L4T 36.4.3, CUDA 12.6)"
    )
    assert "unproven: imports on ARM64 (no CUDA, no Jetson)" in text


def test_the_checkout_has_the_last_word() -> None:
    assert state(assessed(FakeRepository(trees={COMMIT: "1" * 40}), numbered(1))) is State.UNPROVEN
    late = FakeRepository(times={COMMIT: FINISHED + timedelta(hours=1)})
    assert state(assessed(late, numbered(1))) is State.UNPROVEN
    other = numbered(1, put("predicate.configuration.0.digest.sha256", "0" * 64))
    assert state(assessed(FakeRepository(), other)) is State.UNPROVEN


def test_evidence_of_an_older_commit_serves_when_what_matters_is_the_same() -> None:
    checkout = FakeRepository()
    for commit in (COMMIT, OTHER_COMMIT):
        checkout.trees[commit] = TREE
        checkout.times[commit] = FINISHED - timedelta(hours=1)
        checkout.files[commit, "src/a.py"] = b"1"
    found = assessed(checkout, numbered(1), revision=OTHER_COMMIT)

    assert state(found) is State.SUPPORTED
    assert found.claims.of("agx-orin-jp62").proven_commit == COMMIT
    assert "whose material paths are the same" in render.table(found, PLAIN)
    checkout.files[OTHER_COMMIT, "src/a.py"] = b"2"
    assert state(assessed(checkout, numbered(1), revision=OTHER_COMMIT)) is State.UNPROVEN


def test_a_number_that_is_not_held_is_missed() -> None:
    undated = numbered(3, put(f"{P}.time.ntpSynced", False))  # tells of number 2, and clears nothing

    assert state(assessed(FakeRepository(), numbered(1), undated)) is State.CONTESTED
    assert "gap: number 2" in render.table(assessed(FakeRepository(), numbered(1), undated), PLAIN)


def test_without_policy_or_revision_there_is_no_claim() -> None:
    with pytest.raises(PolicyInvalid):
        assessed(FakeRepository(policy=None))
    with pytest.raises(UsageError):
        assessed(FakeRepository(), revision="nowhere")
