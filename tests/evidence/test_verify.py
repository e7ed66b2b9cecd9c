"""Every threat is forged and must be refused with its own reason; the good evidence is proven."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from tests.evidence.sample import (
    COMMIT,
    FINISHED,
    ITEMS,
    LANE,
    NOW,
    OTHER_COMMIT,
    ROGUE,
    SECOND,
    FakeRepository,
    P,
    around,
    at,
    changed,
    checked,
    failing,
    policy_bytes,
    policy_value,
    put,
    reasons,
    signed,
    statement,
    trust,
    trusted,
)

from jetproof.errors import ExitCode
from jetproof.evidence import challenge as challenges
from jetproof.evidence.envelope import MAX_SIGNATURES, parsed
from jetproof.evidence.git import Entry
from jetproof.evidence.reason import Effect, Reason
from jetproof.evidence.signer import keyid
from jetproof.evidence.verify import numbered, verified


def test_good_evidence_is_proven() -> None:
    found = checked()

    assert found.refusals == ()
    assert found.proven
    assert found.exit_code is ExitCode.OK
    assert found.signer is not None
    assert found.signer.name == "lane"
    assert "the record was not replayed: the side files are not at hand" in found.unchecked


# ---- form ----


def raw(change: Callable[[bytes], bytes]) -> bytes:
    """Return good evidence whose payload's bytes were changed before signing: the form itself is the forgery."""
    from jetproof.evidence.from_run import payload
    from jetproof.evidence.signer import sealed

    return sealed(change(payload(statement())), LANE).to_bytes()


def envelope_with(**members: Any) -> bytes:
    body = {**json.loads(signed()), **members}
    return json.dumps(body).encode()


FORMS: dict[Reason, Callable[[], bytes]] = {
    Reason.TOO_LARGE: lambda: b" " * (9 << 20),
    Reason.NOT_UTF8: lambda: b"\xff" + signed(),
    Reason.NOT_JSON: lambda: signed()[:-20],
    Reason.TRAILING_DATA: lambda: signed() + b"{}",
    Reason.DUPLICATE_NAME: lambda: raw(
        lambda text: text.replace(b'"result":"PASSED"', b'"result":"FAILED","result":"PASSED"')
    ),
    Reason.NOT_FINITE: lambda: raw(lambda text: text.replace(b'"monotonicSeconds":30.0', b'"monotonicSeconds":NaN')),
    Reason.TOO_DEEP: lambda: raw(lambda text: text.replace(b'"because":[]', b'"because":' + b"[" * 90 + b"]" * 90)),
    Reason.LONE_SURROGATE: lambda: raw(lambda text: text.replace(b'"because":[]', b'"because":["\\ud800"]')),
    Reason.ENVELOPE_MALFORMED: lambda: envelope_with(payload=None),
    Reason.BASE64_INVALID: lambda: envelope_with(payload=json.loads(signed())["payload"][:-1] + "*"),
    Reason.PAYLOAD_TYPE_UNKNOWN: lambda: envelope_with(payloadType="application/json"),
    Reason.STATEMENT_TYPE_UNKNOWN: lambda: signed({**statement(), "_type": "https://in-toto.io/Statement/v0.1"}),
    Reason.PREDICATE_TYPE_UNKNOWN: lambda: signed({**statement(), "predicateType": "https://slsa.dev/provenance/v1"}),
    Reason.STATEMENT_MALFORMED: lambda: signed(changed(put("subject.0.digest.gitCommit", "zz"))),
}


@pytest.mark.parametrize("reason", FORMS, ids=lambda reason: reason.value)
def test_form(reason: Reason) -> None:
    found = verified(FORMS[reason](), around())

    assert reasons(found) == [reason.value]
    assert not found.valid
    assert found.exit_code is ExitCode.EVIDENCE_INVALID


@pytest.mark.parametrize(
    "path",
    [
        "subject",
        "subject.0.digest",
        "subject.0.digest.gitTree",
        "predicate",
        "predicate.result",
        "predicate.configuration",
        f"{P}",
        f"{P}.schema",
        f"{P}.plan",
        f"{P}.plan.planned",
        f"{P}.plan.waived",
        f"{P}.outcome",
        f"{P}.origin",
        f"{P}.device",
        f"{P}.time",
        f"{P}.time.finished",
        f"{P}.time.monotonicSeconds",
        f"{P}.time.ntpSynced",
        f"{P}.run.seq",
        f"{P}.run.challenge",
        f"{P}.run.previousEvidence",
        f"{P}.artifacts",
    ],
)
@pytest.mark.parametrize("value", [7.5, "text", [], [{}], {}, True, -1], ids=repr)
def test_a_member_of_another_kind_never_raises(path: str, value: Any) -> None:
    found = verified(signed(changed(put(path, value))), around())

    assert not found.proven or value == statement_value(path)


def statement_value(path: str) -> Any:
    value: Any = statement()
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


@pytest.mark.parametrize("text", ["2026-11-30", "2026-13-01T00:00:00Z", "2026-11-30T12:00:00+01:00", "1e9"])
def test_a_time_that_is_none_is_malformed(text: str) -> None:
    assert reasons(checked(changed(put(f"{P}.time.finished", text)))) == ["STATEMENT_MALFORMED"]


# ---- signature and trust ----


def test_unsigned() -> None:
    assert reasons(verified(envelope_with(signatures=[]), around())) == ["UNSIGNED"]


def test_edited_payload() -> None:
    body = json.loads(signed())
    body["payload"] = base64.b64encode(base64.b64decode(body["payload"]).replace(b"36.4.3", b"36.4.4")).decode()

    assert reasons(verified(json.dumps(body).encode(), around())) == ["SIGNATURE_INVALID"]


def test_payload_type_is_signed_too() -> None:
    data = envelope_with(payloadType="application/vnd.in-toto.test-result+json")

    assert reasons(verified(data, around())) == ["SIGNATURE_INVALID"]


def test_unknown_key() -> None:
    assert reasons(checked(signer=ROGUE)) == ["KEY_UNKNOWN"]


def test_the_key_id_of_a_trusted_key_does_not_help_another_key() -> None:
    body = json.loads(signed(signer=ROGUE))
    body["signatures"][0]["keyid"] = keyid(LANE.public)

    assert reasons(verified(json.dumps(body).encode(), around())) == ["SIGNATURE_INVALID"]


@pytest.mark.parametrize("hint", [None, "", "nonsense", keyid(ROGUE.public)])
def test_the_key_id_is_only_a_hint(hint: str | None) -> None:
    body = json.loads(signed())
    body["signatures"][0]["keyid"] = hint
    if hint is None:
        del body["signatures"][0]["keyid"]

    assert verified(json.dumps(body).encode(), around()).proven


def test_url_safe_base64_is_read_too_and_a_mixture_is_not() -> None:
    body = json.loads(signed())
    safe = body["payload"].replace("+", "-").replace("/", "_")
    body["signatures"][0]["sig"] = body["signatures"][0]["sig"].replace("+", "-").replace("/", "_")

    assert verified(json.dumps({**body, "payload": safe}).encode(), around()).proven
    assert reasons(verified(json.dumps({**body, "payload": "-/" + safe[2:]}).encode(), around())) == ["BASE64_INVALID"]


def test_stray_bits_at_the_end_of_base64_are_refused() -> None:
    body = json.loads(signed())
    last = body["signatures"][0]["sig"]
    assert last.endswith("==")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    other = alphabet[alphabet.index(last[-3]) + 1]
    body["signatures"][0]["sig"] = f"{last[:-3]}{other}=="

    assert reasons(verified(json.dumps(body).encode(), around())) == ["BASE64_INVALID"]


def test_one_trusted_signature_among_others_is_enough() -> None:
    body, other = json.loads(signed(signer=ROGUE)), json.loads(signed())
    body["signatures"] += other["signatures"]

    assert verified(json.dumps(body).encode(), around()).proven


def test_too_many_signatures_are_not_tried() -> None:
    body = json.loads(signed())
    body["signatures"] *= MAX_SIGNATURES + 1

    assert reasons(verified(json.dumps(body).encode(), around())) == ["TOO_LARGE"]


def test_a_key_that_is_not_valid_yet() -> None:
    assert reasons(checked(trust=trust(trusted(valid_from=FINISHED + timedelta(seconds=1))))) == ["KEY_NOT_YET_VALID"]
    assert checked(trust=trust(trusted(valid_from=FINISHED))).proven


def test_an_expired_key() -> None:
    assert reasons(checked(trust=trust(trusted(valid_until=FINISHED)))) == ["KEY_EXPIRED"]
    assert checked(trust=trust(trusted(valid_until=FINISHED + timedelta(seconds=1)))).proven


def test_a_revoked_key_says_nothing_whenever_it_spoke() -> None:
    assert reasons(checked(trust=trust(trusted(revoked=True)))) == ["KEY_REVOKED"]


def test_a_revoked_key_does_not_shadow_a_good_one() -> None:
    body, other = json.loads(signed(signer=SECOND)), json.loads(signed())
    body["signatures"] += other["signatures"]
    store = trust(trusted(SECOND, revoked=True), trusted())

    assert verified(json.dumps(body).encode(), around(trust=store)).proven


@pytest.mark.parametrize(
    ("modules", "refused"),
    [
        ((), True),
        (("Jetson Orin Nano 8GB",), True),
        (("x86",), True),
        (("jetson-agx-orin-64gb",), False),
        (("Jetson AGX *",), False),
        (("*",), False),
    ],
)
def test_a_key_speaks_only_for_its_modules(modules: tuple[str, ...], refused: bool) -> None:
    found = checked(trust=trust(trusted(modules=modules)))

    assert reasons(found) == (["KEY_ROLE"] if refused else [])


# ---- subject ----


def test_another_commit() -> None:
    repository = FakeRepository()
    repository.trees[OTHER_COMMIT] = "1" * 40

    assert reasons(checked(commit=OTHER_COMMIT, repository=repository)) == ["COMMIT_DIFFERENT"]


def test_a_commit_that_is_not_here() -> None:
    assert "COMMIT_UNKNOWN" in reasons(checked(repository=FakeRepository(trees={})))


def test_another_tree() -> None:
    assert reasons(checked(repository=FakeRepository(trees={COMMIT: "1" * 40}))) == ["TREE_MISMATCH"]


@pytest.mark.parametrize(
    "change",
    [put(f"{P}.source.dirty", True), put(f"{P}.source.untracked", 2), put(f"{P}.source", {})],
    ids=["changed", "untracked", "not told"],
)
def test_a_dirty_tree(change: Any) -> None:
    assert reasons(checked(changed(change))) == ["DIRTY_TREE"]


def test_a_submodule_at_another_commit() -> None:
    repository = FakeRepository(listings={COMMIT: {"lib": Entry(mode="160000", oid="a" * 40)}})
    good = put(
        f"{P}.source.submodules", [{"path": "lib", "gitCommit": "a" * 40}, {"path": "lib/deep", "gitCommit": "c"}]
    )
    bad = put(f"{P}.source.submodules", [{"path": "lib", "gitCommit": "b" * 40}])

    assert checked(changed(good), repository=repository).proven
    assert reasons(checked(changed(bad), repository=repository)) == ["SUBMODULE_MISMATCH"]


@pytest.mark.parametrize(
    "change",
    [
        put("subject.0.annotations.sourceRefs", ["refs/pull/7/merge"]),
        put("subject.0.uri", "git+https://git.example/owner/project@refs/pull/7/merge"),
    ],
    ids=["ref", "uri"],
)
def test_a_proposed_merge_never_serves_a_branch(change: Any) -> None:
    assert reasons(checked(changed(change))) == ["MERGE_COMMIT"]


def test_another_repository() -> None:
    change = put("subject.0.uri", "git+https://git.example/somebody/fork@refs/heads/main")

    assert reasons(checked(changed(change))) == ["REPOSITORY_DIFFERENT"]


def test_code_from_outside_the_tree() -> None:
    change = put(f"{P}.source.outside", ["site-packages/project/__init__.py"])

    assert reasons(checked(changed(change))) == ["CODE_OUTSIDE_TREE"]


# ---- plan and result ----


@pytest.mark.parametrize(
    "change",
    [
        put("predicate.passedTests", list(ITEMS[1:])),
        put("predicate.failedTests", ["probe::x"]),
        put("predicate.passedTests", [ITEMS[0], *ITEMS[:3]]),
        put("predicate.successes", 9),
        put(f"{P}.plan.planned", 5),
        put(f"{P}.plan.executed", 3),
        put(f"{P}.plan.notRun", ["probe::x"]),
        put(f"{P}.plan.retried", ["probe::architecture"]),
        put(f"{P}.plan.waived", [{"id": "probe::architecture", "waiver": "w"}]),
        put(f"{P}.outcome", "ERROR"),
        put("predicate.result", "FAILED"),
    ],
)
def test_a_result_that_contradicts_its_plan(change: Any) -> None:
    assert "RESULT_CONTRADICTS_PLAN" in reasons(checked(changed(change)))


def test_an_empty_plan() -> None:
    def empty(body: dict[str, Any]) -> None:
        put("predicate.passedTests", [])(body)
        put("predicate.successes", 0)(body)
        for name in ("planned", "executed", "passed"):
            put(f"{P}.plan.{name}", 0)(body)

    assert "PLAN_EMPTY" in reasons(checked(changed(empty)))


def test_hidden_tests() -> None:
    assert "TESTS_HIDDEN" in reasons(checked(changed(failing, put(f"{P}.plan.deselected", ["pytest::a::b"]))))


def test_an_environment_that_can_hide_tests() -> None:
    change = put(f"{P}.environment", {"unclean": ["PYTEST_ADDOPTS"]})

    assert reasons(checked(changed(change))) == ["ENVIRONMENT_UNCLEAN"]


def test_a_plan_that_leaves_out_items_of_the_gate() -> None:
    def short(body: dict[str, Any]) -> None:
        put("predicate.passedTests", list(ITEMS[:3]))(body)
        put("predicate.successes", 3)(body)
        for name in ("planned", "executed", "passed"):
            put(f"{P}.plan.{name}", 3)(body)

    found = checked(changed(short))

    assert reasons(found) == ["PLAN_SHORT"]
    assert ITEMS[3] in found.refusals[0].message


def test_only_what_a_tier_may_exclude_is_excused() -> None:
    def without(item: str) -> dict[str, Any]:
        def short(body: dict[str, Any]) -> None:
            put("predicate.passedTests", [name for name in ITEMS if name != item])(body)
            put("predicate.successes", 3)(body)
            put(f"{P}.plan.excluded", [{"id": item, "reason": "unsupported-by-tier"}])(body)
            for name in ("planned", "executed", "passed"):
                put(f"{P}.plan.{name}", 3)(body)

        return changed(short)

    assert checked(without("probe::bitsandbytes-nf4")).proven
    assert reasons(checked(without("probe::architecture"))) == ["PLAN_SHORT"]


def test_a_failure_stands_and_proves_nothing() -> None:
    found = checked(changed(failing))

    assert reasons(found) == ["NOT_PASSED"]
    assert found.valid
    assert found.exit_code is ExitCode.NO


def flaky(body: dict[str, Any]) -> None:
    put("predicate.result", "FAILED")(body)
    put("predicate.passedTests", list(ITEMS[1:]))(body)
    put("predicate.warnedTests", [ITEMS[0]])(body)
    put("predicate.successes", 3)(body)
    put(f"{P}.plan.passed", 3)(body)
    put(f"{P}.plan.retried", [ITEMS[0]])(body)
    put(f"{P}.outcome", "FLAKY")(body)


def test_passed_only_on_a_later_attempt() -> None:
    assert reasons(checked(changed(flaky))) == ["FLAKY"]


def test_a_waived_item_is_not_proven() -> None:
    def waived(body: dict[str, Any]) -> None:
        put("predicate.result", "FAILED")(body)
        put("predicate.passedTests", list(ITEMS[1:]))(body)
        put("predicate.successes", 3)(body)
        put(f"{P}.plan.passed", 3)(body)
        put(f"{P}.plan.executed", 3)(body)
        put(f"{P}.plan.waived", [{"id": ITEMS[0], "waiver": "board-away", "expires": "2026-12-01"}])(body)
        put(f"{P}.plan.notRun", [ITEMS[0]])(body)
        put(f"{P}.outcome", "MISS")(body)

    assert reasons(checked(changed(waived))) == ["WAIVED"]


# ---- policy ----


def test_a_commit_without_policy() -> None:
    assert reasons(checked(repository=FakeRepository(policy=None))) == ["POLICY_MISSING"]
    assert reasons(checked(repository=FakeRepository(policy=b"{}"))) == ["POLICY_MISSING"]


def test_another_policy() -> None:
    value = policy_value(owner="somebody else")

    assert reasons(checked(repository=FakeRepository(policy=policy_bytes(value)))) == ["POLICY_DIFFERENT"]


def test_a_weaker_policy_than_the_base_has() -> None:
    strict = policy_value(maximum_evidence_age_days=7)
    repository = FakeRepository(names={"base": OTHER_COMMIT})
    repository.trees[OTHER_COMMIT] = "1" * 40
    repository.files[OTHER_COMMIT, "ci/conditional-test-policy.json"] = policy_bytes(strict)

    found = checked(repository=repository, base="base")

    assert reasons(found) == ["POLICY_WEAKER"]
    assert "maximum_evidence_age_days" in found.refusals[0].message


def test_a_gate_that_the_policy_does_not_have() -> None:
    assert reasons(checked(changed(put(f"{P}.plan.gate", "other-gate")))) == ["GATE_UNKNOWN"]


# ---- device ----


@pytest.mark.parametrize("origin", ["recorded", "emulated", "rehearsal", "reported", ""])
def test_only_a_live_run_counts(origin: str) -> None:
    found = checked(changed(put(f"{P}.origin", origin)))

    assert reasons(found) == ["ORIGIN_NOT_LIVE"]
    assert found.refusals[0].reason.effect is Effect.INVALID


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("arch", "x86_64"),
        ("platformClass", "x86"),
        ("platformClass", "arm64-server"),
        ("compatible", ["raspberrypi,5"]),
        ("compatible", ["nvidia,p3768-0000", "nvidia,tegra264"]),
        ("chip", "tegra194"),
        ("chip", None),
        ("cc", "7.2"),
        ("cc", "12.0"),
        ("module", "Jetson AGX Orin 128GB"),
        ("moduleSku", "p3767-0000"),
        ("jetpack", "5.1.2"),
        ("l4t", "32.7.1"),
    ],
)
def test_a_machine_that_contradicts_itself(member: str, value: Any) -> None:
    store = trust(trusted(modules=("*",)))

    assert "DEVICE_CONTRADICTION" in reasons(checked(changed(put(f"{P}.device.{member}", value)), trust=store))


def test_a_point_release_that_the_tables_do_not_know_is_no_contradiction() -> None:
    change = put(f"{P}.device.l4t", "36.4.99")

    assert checked(changed(change)).proven


# ---- time ----


@pytest.mark.parametrize(("days", "fresh"), [(1, True), (29, True), (30, True), (31, False), (400, False)])
def test_day_30_counts_and_day_31_does_not(days: int, fresh: bool) -> None:
    repository = FakeRepository(times={COMMIT: FINISHED - timedelta(days=1)})
    # the last moment of the day at which it ran, the first moment of the day on which it is read
    finished = datetime(2026, 11, 30, 23, 59, 59, tzinfo=timezone.utc)
    body = changed(at(finished))
    early = checked(
        body, repository=repository, now=datetime(2026, 12, 1, tzinfo=timezone.utc) + timedelta(days=days - 1)
    )
    late = checked(
        body, repository=repository, now=datetime(2026, 11, 30, 23, 59, 59, tzinfo=timezone.utc) + timedelta(days=days)
    )

    assert reasons(early) == reasons(late) == ([] if fresh else ["STALE"])
    assert late.exit_code is (ExitCode.OK if fresh else ExitCode.STALE)


def test_the_day_is_utc_wherever_the_verifier_sits() -> None:
    tokyo = timezone(timedelta(hours=9))
    now = datetime(2026, 12, 31, 8, 59, tzinfo=tokyo)  # 30 December, 23:59 UTC

    assert checked(now=now).proven
    assert reasons(checked(now=now + timedelta(minutes=1))) == ["STALE"]


def test_what_another_party_saw_is_stronger_than_the_boards_clock() -> None:
    assert reasons(checked(trusted_time=NOW - timedelta(days=40))) == ["STALE"]


def test_in_the_future() -> None:
    assert "FUTURE" in reasons(checked(changed(at(NOW + timedelta(minutes=6)))))
    assert checked(changed(at(NOW + timedelta(minutes=4)))).proven


def test_before_the_commit() -> None:
    found = checked(repository=FakeRepository(times={COMMIT: FINISHED + timedelta(seconds=1)}))

    assert reasons(found) == ["BEFORE_COMMIT"]
    assert found.exit_code is ExitCode.STALE


def test_a_board_that_starts_in_1970() -> None:
    found = checked(changed(at(datetime(1970, 1, 1, 0, 10, tzinfo=timezone.utc)), put(f"{P}.time.ntpSynced", False)))

    assert reasons(found) == ["BEFORE_COMMIT", "CLOCK_UNTRUSTED", "STALE"]


@pytest.mark.parametrize("synced", [False, None])
def test_a_clock_that_nobody_set(synced: bool | None) -> None:
    assert reasons(checked(changed(put(f"{P}.time.ntpSynced", synced)))) == ["CLOCK_UNTRUSTED"]


def test_a_challenge_before_and_a_witness_after_make_up_for_the_clock() -> None:
    asked = challenges.issued(COMMIT, "jetson-cuda-runtime", FINISHED - timedelta(minutes=10))
    body = changed(put(f"{P}.time.ntpSynced", False), put(f"{P}.run.challenge", asked.text))

    assert checked(body, challenge=asked, trusted_time=FINISHED + timedelta(minutes=10)).proven
    assert "CLOCK_UNTRUSTED" in reasons(checked(body, challenge=asked))
    assert "CLOCK_UNTRUSTED" in reasons(checked(body, challenge=asked, trusted_time=FINISHED - timedelta(minutes=8)))


@pytest.mark.parametrize(
    "change",
    [
        put(f"{P}.time.monotonicSeconds", 300.0),
        put(f"{P}.time.monotonicSeconds", None),
        put(f"{P}.time.started", "2026-11-30T12:00:31Z"),
    ],
    ids=["moved", "restarted", "backwards"],
)
def test_clocks_that_disagree(change: Any) -> None:
    assert reasons(checked(changed(change))) == ["MONOTONIC_MISMATCH"]


# ---- replay ----

ASKED = challenges.issued(COMMIT, "jetson-cuda-runtime", FINISHED - timedelta(minutes=10), nonce="ab" * 16)
ANSWERED = put(f"{P}.run.challenge", ASKED.text)


def test_an_answered_challenge() -> None:
    assert checked(changed(ANSWERED), challenge=ASKED, challenge_required=True).proven


def test_no_challenge_where_one_was_issued() -> None:
    assert reasons(checked(challenge=ASKED)) == ["CHALLENGE_MISSING"]
    assert reasons(checked(challenge_required=True)) == ["CHALLENGE_MISSING"]


def test_another_challenge() -> None:
    other = challenges.issued(COMMIT, "jetson-cuda-runtime", FINISHED, nonce="cd" * 16)

    assert reasons(checked(changed(ANSWERED), challenge=other)) == ["CHALLENGE_DIFFERENT"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonce",
        ASKED.text[:-1] + ("0" if ASKED.text[-1] != "0" else "1"),
        challenges.issued(OTHER_COMMIT, "jetson-cuda-runtime", FINISHED).text,
        challenges.issued(COMMIT, "cuda-runtime", FINISHED).text,
    ],
    ids=["empty", "free", "altered", "of another commit", "of another gate"],
)
def test_a_challenge_cannot_be_moved_to_another_run(text: str) -> None:
    assert reasons(checked(changed(put(f"{P}.run.challenge", text)))) == ["CHALLENGE_DIFFERENT"]


def test_a_challenge_serves_once() -> None:
    body = changed(ANSWERED)
    mine = verified(signed(body), around())
    assert mine.evidence is not None
    assert mine.signer is not None
    first = numbered(mine.evidence, mine.signer)

    assert reasons(checked(body, used_challenges={"ab" * 16: first._replace(payload_sha256="9" * 64)})) == [
        "CHALLENGE_REUSED"
    ]
    assert checked(body, used_challenges={"ab" * 16: first}).proven


def test_a_run_before_its_challenge() -> None:
    late = challenges.issued(COMMIT, "jetson-cuda-runtime", FINISHED + timedelta(minutes=6))

    assert reasons(checked(changed(put(f"{P}.run.challenge", late.text)))) == ["CHALLENGE_LATER_THAN_RUN"]


def test_nothing_below_an_unaccepted_signature_is_looked_at() -> None:
    found = checked(changed(put(f"{P}.origin", "recorded")), signer=ROGUE)

    assert reasons(found) == ["KEY_UNKNOWN"]
    assert parsed(signed()).payload_type == "application/vnd.in-toto+json"
