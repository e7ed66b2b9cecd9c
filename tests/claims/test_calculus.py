"""The calculus: each state, and that nothing but a new pass ever brings a claim nearer to supported."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evidence.sample import COMMIT, ITEMS, MODULE, OTHER_COMMIT, RUNTIME, policy_bytes, policy_value
from tests.examples import examples

from jetproof.claims.calculus import Claim, Record, State, claims
from jetproof.claims.proof import Proof, Told
from jetproof.policy.load import parse
from jetproof.policy.model import Policy

TODAY = date(2026, 11, 30)
NOON = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)
TIER = "agx-orin-jp62"


@lru_cache
def _policy(data: bytes) -> Policy:
    return parse(data, what="policy")[0]


def policy(**changes: Any) -> Policy:
    return _policy(policy_bytes(policy_value(**changes)))


def with_tier(**changes: Any) -> Policy:
    return policy(tiers=[{**policy_value()["tiers"][0], **changes}])


def waiver(**changes: Any) -> dict[str, Any]:
    return {
        "id": "board-away",
        "gate": "jetson-cuda-runtime",
        "owner": "owner",
        "reason": "the board is away",
        "issue": "https://git.example/owner/project/issues/2",
        "opened": "2026-11-20",
        "expires": "2026-12-10",
        **changes,
    }


def proof(days: int = 0, **changes: Any) -> Proof:
    members: dict[str, Any] = {
        "sha256": "00",
        "commit": COMMIT,
        "gate": "jetson-cuda-runtime",
        "told": Told.PASS,
        "finished": NOON - timedelta(days=days),
        "clock_trusted": True,
        "signer": "lane",
        "seq": 1,
        "platform_class": "jetson",
        "arch": "aarch64",
        "module": MODULE,
        "l4t": "36.4.3",
        "jetpack": "6.2",
        "cuda": "12.6",
        "runtime": RUNTIME,
        "passed": frozenset(ITEMS),
        "excluded": frozenset(),
    }
    return Proof(**{**members, **changes})


def claim(*proofs: Proof, chosen: Policy | None = None, today: date = TODAY, scope: str = TIER, **record: Any) -> Claim:
    found = claims(chosen or policy(), Record(proofs=proofs, **record), COMMIT, today).of(scope)
    assert found is not None
    return found


FAILED = proof(told=Told.FAIL)


def test_supported() -> None:
    found = claim(proof(days=3, sha256="aa"))

    assert found.state is State.SUPPORTED
    assert found.holds_until == date(2026, 12, 27)
    assert found.proven_commit == COMMIT
    assert found.evidence == ("aa",)
    assert found.missing == ()
    assert found.signers == 1


@pytest.mark.parametrize(("days", "state"), [(30, State.SUPPORTED), (31, State.STALE)])
def test_day_30_counts_and_day_31_does_not(days: int, state: State) -> None:
    early = claim(
        proof(finished=datetime(2026, 11, 30, 0, 0, 0, tzinfo=timezone.utc)), today=TODAY + timedelta(days=days)
    )
    late = claim(
        proof(finished=datetime(2026, 11, 30, 23, 59, 59, tzinfo=timezone.utc)), today=TODAY + timedelta(days=days)
    )

    assert early.state is late.state is state


def test_it_holds_to_the_day_that_is_told_and_not_a_day_longer() -> None:
    proofs = (proof(days=12, seq=1), proof(days=2, seq=2))
    until = claim(*proofs).holds_until
    assert until is not None

    assert claim(*proofs, today=until).state is State.SUPPORTED
    assert claim(*proofs, today=until + timedelta(days=1)).state is State.STALE


def test_nothing_is_unproven_and_says_what_is_missing() -> None:
    found = claim()

    assert found.state is State.UNPROVEN
    assert found.missing == (f"a green run of jetson-cuda-runtime on {MODULE} with JetPack 6.2",)
    assert found.holds_until is None


def test_a_failure_does_not_age_and_only_a_later_pass_clears_it() -> None:
    old = FAILED._replace(finished=NOON - timedelta(days=500), seq=5)

    assert claim(old).state is State.FAILING
    assert claim(old, proof(days=501, seq=4)).state is State.FAILING
    assert claim(old, proof(days=0, seq=6)).state is State.SUPPORTED
    # the number decides within a stream, whatever the clocks say
    assert claim(old, proof(days=0, seq=4)).state is State.FAILING


def test_another_boards_pass_disputes_a_failure_and_does_not_clear_it() -> None:
    failed = FAILED._replace(finished=NOON - timedelta(days=2), signer="second", seq=9)

    assert claim(failed, proof(days=1)).state is State.CONTESTED
    assert claim(failed, proof(days=3)).state is State.FAILING
    assert claim(failed, proof(days=1), proof(signer="second", seq=10, days=1)).state is State.SUPPORTED


def test_a_missing_number_is_taken_for_a_failure_until_a_later_pass() -> None:
    assert claim(proof(seq=3), missing={"lane": 4}).state is State.CONTESTED
    assert claim(proof(seq=5), missing={"lane": 4}).state is State.SUPPORTED
    assert claim(proof(seq=3), missing={"other": 4}).state is State.SUPPORTED
    assert claim(proof(seq=None), missing={"lane": 4}).state is State.CONTESTED
    assert "missing evidence" in claim(proof(seq=3), missing={"lane": 4}).missing[0]


def test_flaky_until_a_clean_pass() -> None:
    flaky = proof(told=Told.FLAKY, seq=2)

    assert claim(flaky).state is State.FLAKY
    assert claim(proof(seq=1, days=1), flaky).state is State.FLAKY
    assert claim(flaky, proof(seq=3)).state is State.SUPPORTED


def test_waived_items_are_not_proven() -> None:
    found = claim(proof(told=Told.WAIVED))

    assert found.state is State.UNPROVEN
    assert "a run without waived items" in found.missing


def test_a_run_that_cannot_be_dated_supports_nothing_and_clears_nothing() -> None:
    undated = proof(clock_trusted=False, seq=9)

    assert claim(undated).state is State.UNPROVEN
    assert claim(FAILED, undated).state is State.FAILING
    assert "a run whose time can be trusted" in claim(undated).missing


@pytest.mark.parametrize("stage", ["evaluate", "legacy"])
def test_only_a_target_tier_can_be_supported(stage: str) -> None:
    found = claim(proof(sha256="aa"), chosen=with_tier(stage=stage))

    assert found.state is State.UNPROVEN
    assert found.evidence == ("aa",)  # it is shown
    assert f"it is {stage}" in found.missing[0]
    assert claim(proof(), FAILED, FAILED._replace(seq=2), chosen=with_tier(stage=stage)).state is State.FAILING


def test_a_tier_whose_runtime_is_not_pinned_cannot_be_claimed() -> None:
    runtime = {"kind": "image", "source": "registry.example/torch"}

    found = claim(proof(), chosen=with_tier(runtime=runtime))

    assert found.state is State.UNPROVEN
    assert found.missing == (f"a runtime pinned by digest (jetproof policy pin {TIER})",)


@pytest.mark.parametrize(
    "change",
    [
        {"runtime": "cd" * 32},
        {"runtime": None},
        {"module": "Jetson AGX Orin 32GB"},
        {"module": None},
        {"l4t": "36.4.4"},
        {"l4t": None},
        {"jetpack": "6.2.1"},
        {"cuda": "12.8"},
        {"cuda": None},
        {"gate": "cuda-runtime"},
        {"arch": "x86_64"},
        {"platform_class": "x86"},
        {"platform_class": "arm64-server"},
        {"platform_class": "emulated"},
        {"commit": OTHER_COMMIT},
        {"passed": frozenset(ITEMS[1:])},
        {"passed": frozenset(ITEMS) - {"probe::bitsandbytes-nf4"}, "excluded": frozenset({"probe::bitsandbytes-nf4"})},
    ],
    # names alone: the order of a set's members differs from process to process
    ids="-".join,
)
def test_what_is_not_this_tier_in_this_runtime_at_this_commit_does_not_prove_it(change: dict[str, Any]) -> None:
    assert claim(proof(**change)).state is State.UNPROVEN


def test_a_tier_that_declares_bitsandbytes_unsupported_does_without() -> None:
    left_out = frozenset({"probe::bitsandbytes-nf4"})
    run = proof(passed=frozenset(ITEMS) - left_out, excluded=left_out)
    tier = with_tier(bitsandbytes="unsupported: no build for this release")

    assert claim(run, chosen=tier).state is State.SUPPORTED
    assert claim(run._replace(excluded=frozenset()), chosen=tier).state is State.UNPROVEN


def test_the_alias_of_a_gate_serves() -> None:
    assert claim(proof(gate="jetson-runtime")).state is State.SUPPORTED


def test_a_family_is_met_by_its_modules() -> None:
    families = {MODULE: "Jetson AGX Orin"}
    tier = with_tier(module="Jetson AGX Orin")

    assert claim(proof(), chosen=tier, families=families).state is State.SUPPORTED
    assert claim(proof(), chosen=tier).state is State.UNPROVEN


def test_a_failure_that_died_before_it_learned_its_release_counts() -> None:
    assert claim(FAILED._replace(l4t=None, jetpack=None, runtime=None)).state is State.FAILING
    assert claim(FAILED._replace(runtime="cd" * 32)).state is State.UNPROVEN


# ---- commits ----


def test_an_older_commit_serves_only_when_what_matters_is_the_same() -> None:
    older = proof(commit=OTHER_COMMIT)

    found = claim(older, material={COMMIT: "same", OTHER_COMMIT: "same"})
    assert found.state is State.SUPPORTED
    assert found.proven_commit == OTHER_COMMIT
    assert claim(older, material={COMMIT: "one", OTHER_COMMIT: "two"}).state is State.UNPROVEN
    assert claim(older, material={COMMIT: "one"}).state is State.UNPROVEN
    assert claim(older, material={}).state is State.UNPROVEN


def test_a_failure_of_a_commit_that_is_the_same_counts_too() -> None:
    failed = FAILED._replace(commit=OTHER_COMMIT, seq=2)

    assert claim(proof(), failed, material={COMMIT: "same", OTHER_COMMIT: "same"}).state is State.FAILING
    assert claim(proof(), failed, material={COMMIT: "one", OTHER_COMMIT: "two"}).state is State.SUPPORTED


# ---- other machines ----


def test_x86_cuda_is_a_claim_of_its_own() -> None:
    run = proof(
        gate="cuda-runtime", platform_class="x86", arch="x86_64", module=None, l4t=None, jetpack=None,
        passed=frozenset({"probe::cuda-available"}),
    )  # fmt: skip

    assert claim(run, scope="cuda-runtime").state is State.SUPPORTED
    assert claim(run).state is State.UNPROVEN
    assert claim(run, scope="linux-arm64-preflight").state is State.UNPROVEN
    assert "no Jetson" in claim(run, scope="cuda-runtime").scope.title
    # a Jetson gate on an x86 machine proves neither
    assert claim(run._replace(gate="jetson-cuda-runtime", passed=frozenset(ITEMS))).state is State.UNPROVEN


@pytest.mark.parametrize("kind", ["arm64-server", "jetson", "unknown"])
def test_the_arm64_preflight_proves_imports_and_never_a_jetson(kind: str) -> None:
    run = proof(
        gate="linux-arm64-preflight", platform_class=kind, runtime=None, passed=frozenset({"probe::architecture"})
    )

    assert claim(run, scope="linux-arm64-preflight").state is State.SUPPORTED
    assert claim(run, scope="linux-arm64-preflight").scope.title == "imports on ARM64 (no CUDA, no Jetson)"
    assert claim(run).state is State.UNPROVEN
    assert claim(run._replace(arch="x86_64"), scope="linux-arm64-preflight").state is State.UNPROVEN


# ---- waivers ----


def test_a_waiver_excuses_and_proves_nothing() -> None:
    chosen = policy(environment_waivers=[waiver()])

    assert claim(chosen=chosen).state is State.WAIVED
    assert claim(chosen=chosen).waiver is not None
    assert claim(proof(days=60), chosen=chosen).state is State.WAIVED
    assert claim(FAILED, chosen=chosen).state is State.FAILING
    assert claim(proof(), chosen=chosen).state is State.SUPPORTED
    assert claim(chosen=chosen).holds_until is None


@pytest.mark.parametrize(
    ("today", "state"),
    [("2026-11-19", "unproven"), ("2026-11-20", "waived"), ("2026-12-10", "waived"), ("2026-12-11", "unproven")],
)
def test_a_waiver_holds_from_its_day_to_the_end_of_its_last(today: str, state: str) -> None:
    chosen = policy(environment_waivers=[waiver()])

    assert claim(chosen=chosen, today=date.fromisoformat(today)).state.value == state


def test_a_waiver_for_another_tier_or_gate_excuses_nothing_here() -> None:
    other = {**policy_value()["tiers"][0], "id": "other"}
    tiers = [policy_value()["tiers"][0], other]
    chosen = policy(tiers=tiers, environment_waivers=[waiver(tier="other")])

    assert claim(chosen=chosen).state is State.UNPROVEN
    assert claim(chosen=chosen, scope="other").state is State.WAIVED


def test_unused_and_expired_waivers_are_told() -> None:
    chosen = policy(environment_waivers=[waiver(), waiver(id="old", opened="2026-10-01", expires="2026-10-20")])
    found = claims(chosen, Record(proofs=[proof()]), COMMIT, TODAY)

    assert [item.id for item in found.unused_waivers] == ["board-away"]
    assert [item.id for item in found.expired_waivers] == ["old"]


# ---- properties ----

SIGNERS = ("lane", "second", "third")
PROOFS = st.builds(
    lambda days, hours, **members: proof(finished=NOON - timedelta(days=days, hours=hours), **members),
    days=st.integers(0, 70),
    hours=st.integers(0, 11),
    told=st.sampled_from([Told.PASS, Told.PASS, Told.PASS, Told.FAIL, Told.FLAKY, Told.WAIVED]),
    clock_trusted=st.sampled_from([True, True, True, False]),
    signer=st.sampled_from(SIGNERS),
    seq=st.one_of(st.none(), st.integers(1, 12)),
    commit=st.sampled_from([COMMIT, COMMIT, OTHER_COMMIT]),
    runtime=st.sampled_from([RUNTIME, RUNTIME, RUNTIME, None]),
)


RECORDS = st.lists(PROOFS, max_size=7)
MATERIAL = st.sampled_from([{}, {COMMIT: "same", OTHER_COMMIT: "same"}, {COMMIT: "one", OTHER_COMMIT: "two"}])
HEADS = dict.fromkeys(SIGNERS, 12)


def missing(proofs: Sequence[Proof]) -> dict[str, int]:
    """Return the highest missing number of each signer, when numbers to the highest held one were given."""
    found = {}
    for signer in SIGNERS:
        held = {one.seq for one in proofs if one.signer == signer and one.seq is not None}
        lost = [number for number in range(1, max(held, default=0)) if number not in held]
        if lost:
            found[signer] = max(lost)
    return found


def rank(
    proofs: Sequence[Proof], material: dict[str, str], lost: dict[str, int], today: date = TODAY, **policy_: Any
) -> int:
    return claim(*proofs, material=material, missing=lost, today=today, chosen=policy(**policy_)).state.rank


@settings(max_examples=examples(70), deadline=None)
@given(RECORDS, MATERIAL, st.data())
def test_taking_a_pass_away_never_raises(proofs: list[Proof], material: dict[str, str], data: st.DataObject) -> None:
    passes = [number for number, one in enumerate(proofs) if one.told is Told.PASS]
    if not passes:
        return
    number = data.draw(st.sampled_from(passes))
    gone = proofs[number]
    left = proofs[:number] + proofs[number + 1 :]
    before = missing(proofs)
    # its number is known to have been given, so that it is missing now
    after = dict(before)
    still = any(one.signer == gone.signer and one.seq == gone.seq for one in left)
    if gone.seq is not None and not still:
        after[gone.signer] = max(gone.seq, after.get(gone.signer, 0))

    assert rank(left, material, after) <= rank(proofs, material, before)
    # and where nobody knew of it
    assert rank(left, material, before) <= rank(proofs, material, before)


@settings(max_examples=examples(70), deadline=None)
@given(RECORDS, MATERIAL, st.integers(1, 60), st.data())
def test_ageing_a_pass_never_raises(
    proofs: list[Proof], material: dict[str, str], days: int, data: st.DataObject
) -> None:
    passes = [number for number, one in enumerate(proofs) if one.told is Told.PASS]
    if not passes:
        return
    number = data.draw(st.sampled_from(passes))
    aged = list(proofs)
    aged[number] = aged[number]._replace(finished=aged[number].finished - timedelta(days=days))
    lost = missing(proofs)

    assert rank(aged, material, lost) <= rank(proofs, material, lost)


@settings(max_examples=examples(70), deadline=None)
@given(RECORDS, MATERIAL, st.integers(0, 90))
def test_time_never_raises(proofs: list[Proof], material: dict[str, str], days: int) -> None:
    lost = missing(proofs)

    assert rank(proofs, material, lost, TODAY + timedelta(days=days)) <= rank(proofs, material, lost)


@settings(max_examples=examples(70), deadline=None)
@given(RECORDS, MATERIAL, PROOFS)
def test_adding_a_failure_never_raises(proofs: list[Proof], material: dict[str, str], one: Proof) -> None:
    """Also where it fills a gap: the gap was taken for a failure already."""
    failed = one._replace(told=Told.FAIL, commit=COMMIT, runtime=RUNTIME)

    assert rank([*proofs, failed], material, missing([*proofs, failed])) <= rank(proofs, material, missing(proofs))


@settings(max_examples=examples(60), deadline=None)
@given(RECORDS, MATERIAL, st.booleans())
def test_adding_a_waiver_never_raises(proofs: list[Proof], material: dict[str, str], for_tier: bool) -> None:
    more = waiver(tier=TIER) if for_tier else waiver()
    lost = missing(proofs)

    assert rank(proofs, material, lost, environment_waivers=[more]) <= rank(proofs, material, lost)


@settings(max_examples=examples(60), deadline=None)
@given(RECORDS, MATERIAL)
def test_a_supported_claim_rests_on_a_fresh_pass_of_its_own(proofs: list[Proof], material: dict[str, str]) -> None:
    found = claim(*proofs, material=material, missing=missing(proofs))
    if found.state is not State.SUPPORTED:
        return
    assert found.holds_until is not None
    assert found.proven_commit in (COMMIT, OTHER_COMMIT)
    assert any(
        one.told is Told.PASS
        and one.clock_trusted
        and one.runtime == RUNTIME
        and (TODAY - one.finished.date()).days <= 30
        for one in proofs
    )
    assert claim(*proofs, material=material, missing=missing(proofs), today=found.holds_until).state is State.SUPPORTED
    late = found.holds_until + timedelta(days=1)
    assert claim(*proofs, material=material, missing=missing(proofs), today=late).state is not State.SUPPORTED


@settings(max_examples=examples(50), deadline=None)
@given(RECORDS, st.randoms())
def test_the_order_of_evidence_does_not_matter(proofs: list[Proof], shuffle: Any) -> None:
    other = list(proofs)
    shuffle.shuffle(other)

    assert claim(*proofs, missing=missing(proofs)).state is claim(*other, missing=missing(proofs)).state
