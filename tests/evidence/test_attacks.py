"""What an outsider, or a trusted signer who steps out of his role, might try beyond the table of threats."""

from __future__ import annotations

import base64
import json
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from tests.claims.test_gather import state_of
from tests.evidence.sample import (
    COMMIT,
    FINISHED,
    ITEMS,
    LANE,
    MODULE,
    NOW,
    ROGUE,
    SECOND,
    TABLES,
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

from jetproof.claims.assess import assessment
from jetproof.claims.calculus import State
from jetproof.claims.gather import gather
from jetproof.errors import JetproofError, PolicyInvalid, UsageError
from jetproof.evidence.branch_store import BranchStore
from jetproof.evidence.challenge import issued
from jetproof.evidence.from_run import payload
from jetproof.evidence.git import Entry, GitRepository
from jetproof.evidence.kept_challenges import NONE
from jetproof.evidence.keys import public_bytes
from jetproof.evidence.sequence import sequences
from jetproof.evidence.signer import sealed
from jetproof.evidence.store import FolderStore, digest_of
from jetproof.evidence.verify import numbered, verified
from jetproof.evidence.verify_files import Asked, verified_files

FAIL_1 = signed(changed(failing, put(f"{P}.run.seq", 1)))
PASS_1 = signed(changed(put(f"{P}.run.seq", 1)))


def state(*evidence: bytes, **options: Any) -> State:
    return state_of(list(evidence), NONE, NOW, **options)


# ---- making a failure disappear ----


def replacing(data: bytes, *changes: Any, signer: Any = LANE) -> bytes:
    return signed(changed(put(f"{P}.run.replaces", {"sha256": digest_of(data)}), *changes), signer)


@pytest.mark.parametrize(
    "other",
    [
        replacing(FAIL_1),
        replacing(FAIL_1, put(f"{P}.run.seq", 2), put(f"{P}.plan.gate", "linux-arm64-preflight")),
        replacing(FAIL_1, failing, put(f"{P}.run.seq", 1), put(f"{P}.plan.gate", "cuda-runtime")),
        replacing(FAIL_1, failing, put(f"{P}.run.seq", 1), signer=SECOND),
    ],
    ids=["as a pass", "as a later number", "as another gate", "by another signer"],
)
def test_a_redacted_issue_does_not_change_what_was_said(other: bytes) -> None:
    found = gather([("a", FAIL_1), ("b", other)], around(trust=trust(trusted(), trusted(SECOND))))

    assert digest_of(FAIL_1) in {proof.sha256 for proof in found.proofs}
    assert state(FAIL_1, other) is State.FAILING


def test_the_redacted_issue_of_a_failure_stands_for_it() -> None:
    again = replacing(FAIL_1, failing, put(f"{P}.run.seq", 1), put(f"{P}.device.kernel", None))

    assert [proof.sha256 for proof in gather([("a", FAIL_1), ("b", again)], around()).proofs] == [digest_of(again)]


def test_another_keys_name_on_the_same_bytes_takes_no_failure_out_of_its_sequence() -> None:
    other = signed(changed(failing, put(f"{P}.run.seq", 1)), SECOND)
    later = signed(changed(put(f"{P}.run.seq", 2)), SECOND)

    for order in ([FAIL_1, other, later], [other, later, FAIL_1]):
        assert state(*order) in (State.FAILING, State.CONTESTED)
        links = sequences(
            numbered(found.evidence, found.signer)
            for found in (verified(data, around(trust=trust(trusted(), trusted(SECOND)))) for data in order)
            if found.evidence is not None and found.signer is not None
        )
        assert digest_of(FAIL_1) in links.counted


def test_a_failure_counts_though_its_challenge_was_answered_before() -> None:
    asked = put(f"{P}.run.challenge", issued(COMMIT, "jetson-cuda-runtime", FINISHED - timedelta(minutes=5)).text)
    passed = signed(changed(asked, put(f"{P}.run.seq", 1)))
    failed = signed(changed(asked, failing, put(f"{P}.run.seq", 2)))

    assert state(passed) is State.SUPPORTED
    assert state(passed, failed) is State.FAILING


def test_a_note_of_pruning_does_not_explain_a_failure_away() -> None:
    """Number 2 was a failure; whoever takes it out writes into the store that it was pruned."""
    third = signed(changed(put(f"{P}.run.seq", 3), put(f"{P}.plan.gate", "linux-arm64-preflight")))
    lane = verified(PASS_1, around()).signer
    assert lane is not None

    assert state(PASS_1, third) is State.CONTESTED
    assert state(PASS_1, third, floors={lane.keyid: 2}) is State.CONTESTED
    after = signed(changed(put(f"{P}.run.seq", 4)))
    assert state(third, after, floors={lane.keyid: 2}) is State.SUPPORTED


# ---- saying it of another machine, project or commit ----


@pytest.mark.parametrize(
    ("gate", "item"), [("cuda-runtime", "probe::cuda-available"), ("linux-arm64-preflight", "probe::architecture")]
)
def test_a_machine_that_the_gate_is_not_for(gate: str, item: str) -> None:
    x86 = {"platformClass": "x86", "arch": "x86_64", "module": None}
    found = checked(changed(put(f"{P}.device", x86)))
    assert reasons(found) == ["DEVICE_CONTRADICTION"]
    assert "jetson-cuda-runtime is for jetson" in found.refusals[0].message

    def for_gate(body: dict[str, Any]) -> None:
        put(f"{P}.plan.gate", gate)(body)

    board = checked(changed(for_gate))
    assert reasons(board) == ([] if gate == "linux-arm64-preflight" else ["DEVICE_CONTRADICTION"])
    assert item in ITEMS


@pytest.mark.parametrize("gate", ["Jetson-CUDA-Runtime", "jetson-cuda-runtime\n", "jetson‐cuda‐runtime", " "])
def test_a_gate_whose_name_only_looks_right(gate: str) -> None:
    assert reasons(checked(changed(put(f"{P}.plan.gate", gate)))) == ["GATE_UNKNOWN"]
    assert state(signed(changed(put(f"{P}.plan.gate", gate)))) is State.UNPROVEN


@pytest.mark.parametrize(
    "ref",
    [
        "refs/remotes/pull/7/merge",
        "refs/pull/7/head",
        "pull/7/merge",
        "refs/merge-requests/7/head",
        "refs/remotes/origin/merge-requests/7/merge",
    ],
)
def test_a_proposal_by_any_of_its_names(ref: str) -> None:
    assert reasons(checked(changed(put("subject.0.annotations.sourceRefs", [ref])))) == ["MERGE_COMMIT"]
    assert checked(changed(put("subject.0.annotations.sourceRefs", ["refs/heads/full/7/merge"]))).proven


def test_a_second_commit_beside_the_first() -> None:
    body = changed()
    body["subject"].append({"digest": {"gitCommit": "dead" + "0" * 36}})
    assert reasons(checked(body)) == ["COMMIT_DIFFERENT"]

    wheel = changed()
    wheel["subject"].append({"name": "project.whl", "digest": {"sha256": "ab" * 32}})
    assert checked(wheel).proven


@pytest.mark.parametrize("module", ["", " ", MODULE.lower(), MODULE + "\u200b", MODULE.replace("O", "О")])
def test_a_module_whose_name_only_looks_right(module: str) -> None:
    found = checked(changed(put(f"{P}.device.module", module)), trust=trust(trusted(modules=("*",))))

    assert "DEVICE_CONTRADICTION" in reasons(found)


# ---- one key, two entries ----


@pytest.mark.parametrize("hint", [None, "", "named"])
def test_the_hint_does_not_choose_between_two_entries_of_one_key(hint: str | None) -> None:
    """allowed_signers may list a key on several lines: that one of them allows it is enough, whichever is tried."""
    over, other = trusted(valid_until=FINISHED), trusted(modules=("x86",))
    body = json.loads(signed())
    if hint != "named":
        body["signatures"][0]["keyid"] = hint or ""
    data = json.dumps(body).encode()

    for keys in ((over, other), (other, over)):
        assert not verified(data, around(trust=trust(*keys))).proven
        assert verified(data, around(trust=trust(*keys, trusted()))).proven
        assert verified(data, around(trust=trust(trusted(), *keys))).proven


@pytest.mark.parametrize(
    "point",
    [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ],
)
def test_a_key_under_which_anybody_can_sign_is_no_key(point: str) -> None:
    raw = bytes.fromhex(point)
    line = "ssh-ed25519 " + base64.b64encode(b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + raw).decode()

    with pytest.raises(UsageError):
        public_bytes(line)
    assert public_bytes("ssh-ed25519 " + _blob(LANE.public)) == LANE.public


def _blob(raw: bytes) -> str:
    return base64.b64encode(b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + raw).decode()


def test_another_form_of_the_same_signature_is_refused() -> None:
    """S plus the group's order satisfies the same equation; who accepts it lets anybody make new envelopes."""
    order = 2**252 + 27742317777372353535851937790883648493
    body = json.loads(signed())
    raw = base64.b64decode(body["signatures"][0]["sig"])
    moved = (int.from_bytes(raw[32:], "little") + order).to_bytes(32, "little")
    body["signatures"][0]["sig"] = base64.b64encode(raw[:32] + moved).decode()

    assert Ed25519PublicKey.from_public_bytes(LANE.public)
    assert reasons(verified(json.dumps(body).encode(), around())) == ["SIGNATURE_INVALID"]


@pytest.mark.parametrize("signature", [b"", b"\0" * 63, b"\0" * 64, b"\0" * 65, b"\xff" * 64])
def test_a_signature_of_nothing(signature: bytes) -> None:
    body = json.loads(signed())
    body["signatures"][0]["sig"] = base64.b64encode(signature).decode()

    assert not verified(json.dumps(body).encode(), around()).valid


# ---- numbers and times that no machine has ----


def raw(old: bytes, new: bytes) -> bytes:
    made = payload(statement())
    assert old in made
    return sealed(made.replace(old, new), LANE).to_bytes()


@pytest.mark.parametrize(
    "number", [b"1" + b"0" * 400, b"-1", b"1e308", b"-0.0", b"9" * 5000, b"1" + b"0" * 308], ids=range(6)
)
def test_a_duration_that_no_run_has_never_raises(number: bytes) -> None:
    found = verified(raw(b'"monotonicSeconds":30.0', b'"monotonicSeconds":' + number), around())

    assert not found.proven


@pytest.mark.parametrize("number", [b"1.0", b"1e0", b"true", b"9007199254740993", b"-1", b'"1"', b"9" * 5000])
def test_a_number_of_the_sequence_that_is_none(number: bytes) -> None:
    found = verified(raw(b'"seq":1', b'"seq":' + number), around())

    assert found.evidence is None


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30T23:59:60Z",
        "2026-11-30T24:00:00Z",
        "٢٠٢٦-11-30T12:00:30Z",
        "2026-11-30T12:00:30Z\n",
        "2026-02-30T12:00:30Z",
        "0000-01-01T00:00:00Z",
        "2026-11-30T12:00:30.5Z",
    ],
)
def test_a_time_that_only_some_readers_take(text: str) -> None:
    assert reasons(checked(changed(put(f"{P}.time.finished", text)))) == ["STATEMENT_MALFORMED"]


@pytest.mark.parametrize("year", [1, 1970, 9999])
@pytest.mark.parametrize("synced", [True, False])
def test_the_ends_of_the_calendar_never_raise(year: int, synced: bool) -> None:
    when = datetime(year, 12, 31, 23, 59, 59, tzinfo=timezone.utc)
    text = issued(COMMIT, "jetson-cuda-runtime", when).text if year > 1 else None
    body = changed(at(when), put(f"{P}.time.ntpSynced", synced), put(f"{P}.run.challenge", text))

    assert not checked(body).proven
    assert state(signed(body)) is not State.SUPPORTED


@pytest.mark.parametrize(
    "text",
    [
        "jpc1." + "0" * 32 + ".999999999999." + "0" * 32,
        "JPC1." + "ab" * 16 + ".1.".ljust(40, "0"),
        "jpc1." + "ab" * 16 + ".１." + "0" * 32,
        "jpc1." + "AB" * 16 + ".1." + "0" * 32,
        issued(COMMIT, "jetson-cuda-runtime", FINISHED).text + "\n",
        "\0",
        "x" * 100_000,
    ],
    ids=range(7),
)
def test_a_challenge_whose_form_is_nearly_right(text: str) -> None:
    body = changed(put(f"{P}.run.challenge", text), put(f"{P}.time.ntpSynced", False))

    assert set(reasons(checked(body))) == {"CHALLENGE_DIFFERENT", "CLOCK_UNTRUSTED"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"result":"PASSED"', b'"result":"FAILED","\\u0072esult":"PASSED"'),
        (b'"result":"PASSED"', b'"result":"PASSED\\u0000"'),
        (b'"origin":"live"', b'"origin":"live "'),
        (b'"origin":"live"', b'"origin":["live"]'),
        (b'"dirty":false', b'"dirty":0'),
        (b'"dirty":false', b'"dirty":null'),
        (b'"untracked":0', b'"untracked":false'),
        (b'"untracked":0', b'"untracked":0.0'),
        (b'"outcome":"PASS"', b'"outcome":"pass"'),
        (b'"schema":"1.0"', b'"schema":1.0'),
    ],
)
def test_a_value_that_another_reader_would_take_for_the_right_one(old: bytes, new: bytes) -> None:
    assert not verified(raw(old, new), around()).proven


@pytest.mark.parametrize("head", [b"\xef\xbb\xbf", b"\0", b"\xa0"])
def test_bytes_before_the_envelope(head: bytes) -> None:
    assert not verified(head + signed(), around()).valid
    assert not verified(signed().decode().encode("utf-16"), around()).valid


# ---- what is not there ----


def test_evidence_that_binds_no_journal_is_not_proven_unless_somebody_does_without(tmp_path: Path) -> None:
    file = tmp_path / "e.intoto.json"
    file.write_bytes(signed())
    asked = {"trust": trust(), "tables": TABLES, "now": NOW, "repository": FakeRepository()}

    assert reasons(verified_files([file], Asked(**asked))[0][0]) == ["ARTIFACT_MISSING"]  # type: ignore[arg-type]
    assert verified_files([file], Asked(**asked, envelope_only=True))[0][0].proven  # type: ignore[arg-type]


def test_a_file_of_the_store_under_another_name_counts_as_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / ("ab" * 32 + ".json")).write_bytes(FAIL_1)
    (tmp_path / "cd").mkdir()
    (tmp_path / "cd" / ("cd" * 32 + ".json")).write_bytes(signed(changed(put(f"{P}.run.seq", 2)), SECOND))
    items = [(path.name, path) for path in FolderStore(tmp_path).paths()]
    found = assessment(
        repository=FakeRepository(),
        revision=COMMIT,
        items=items,
        trust=trust(trusted(), trusted(SECOND)),
        tables=TABLES,
        now=NOW,
    )

    assert {proof.sha256 for proof in found.gathered.proofs} >= {digest_of(FAIL_1)}


def test_a_policy_whose_base_cannot_be_read_is_no_free_pass() -> None:
    repository = FakeRepository(names={"base": "b" * 40}, trees={COMMIT: "7ee5" + "0" * 36, "b" * 40: "1" * 40})
    repository.files["b" * 40, "ci/conditional-test-policy.json"] = policy_bytes(policy_value())[:-9]

    with pytest.raises(PolicyInvalid):
        checked(repository=repository, base="base")


class Branch(GitRepository):
    """A branch that holds one envelope, whose bytes git cannot give."""

    def resolve(self, revision: str) -> str | None:
        return "a" * 40

    def listing(self, commit: str) -> Any:
        sha256 = digest_of(PASS_1)
        return {f"{sha256[:2]}/{sha256}.json": Entry(mode="120000", oid="b" * 40)}

    def file(self, commit: str, path: str) -> bytes | None:
        return None


def test_a_branch_that_git_cannot_read_is_an_error_and_never_an_empty_store(tmp_path: Path) -> None:
    with pytest.raises(JetproofError, match="cannot be read"):
        list(BranchStore(Branch(tmp_path), "evidence").envelopes())

    class Nothing(Branch):
        def listing(self, commit: str) -> Any:
            return None

    with pytest.raises(JetproofError, match="cannot be read"):
        list(BranchStore(Nothing(tmp_path), "evidence").envelopes())


@pytest.mark.process
def test_a_commit_whose_files_git_cannot_list_is_an_error(tmp_path: Path) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"]
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a").write_text("a")
    for words in (["init", "-q"], ["add", "d"], ["commit", "-q", "-m", "one"]):
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, timeout=60)
    whole = GitRepository(tmp_path)
    head = whole.resolve("HEAD") or ""
    assert list(whole.listing(head) or ()) == ["d/a"]
    tree = whole.git("rev-parse", f"{head}:d").stdout.decode().strip()
    (tmp_path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()

    assert GitRepository(tmp_path).listing(head) is None  # not an empty one
    with pytest.raises(UsageError, match="does not list the files"):
        GitRepository(tmp_path, {head: tree}).listing(head)


def test_a_stranger_cannot_speak_for_a_trusted_key_by_adding_his_own_signature() -> None:
    body, other = json.loads(FAIL_1), json.loads(signed(changed(failing, put(f"{P}.run.seq", 1)), ROGUE))
    both = json.dumps({**body, "signatures": [*other["signatures"], *body["signatures"]]}).encode()

    assert state(both) is State.FAILING
    assert state(both, PASS_1) is State.FAILING
