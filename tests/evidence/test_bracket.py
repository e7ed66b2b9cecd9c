"""A challenge that was kept before the run stands in for a clock that nobody set; every way to forge one is refused."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.sample import (
    COMMIT,
    FINISHED,
    NOW,
    OTHER_COMMIT,
    SECOND,
    TABLES,
    FakeRepository,
    P,
    around,
    at,
    changed,
    checked,
    failing,
    put,
    reasons,
    signed,
    trust,
    trusted,
)

from jetproof.errors import ExitCode, UsageError
from jetproof.evidence import kept_challenges
from jetproof.evidence.challenge import Challenge, answer, issue_time, issued, kept_path, nonce_of, parsed, suits
from jetproof.evidence.checks.clock import effective
from jetproof.evidence.git import GitRepository
from jetproof.evidence.kept_challenges import Kept, KeptChallenges, kept_at
from jetproof.evidence.store import FolderStore
from jetproof.evidence.verify import Verification, numbered, verified
from jetproof.evidence.verify_files import Asked, verified_files
from jetproof.render import evidence as render
from jetproof.render.style import PLAIN

GATE = "jetson-cuda-runtime"
BEFORE = FINISHED - timedelta(minutes=10)
NONCE = "ab" * 16
ASKED = issued(COMMIT, GATE, BEFORE, nonce=NONCE)
UNSET = put(f"{P}.time.ntpSynced", False)


def answers(challenge: Challenge | str) -> Any:
    return put(f"{P}.run.challenge", challenge if isinstance(challenge, str) else challenge.text)


def keeps(*challenges: Challenge, since: datetime | None = BEFORE + timedelta(minutes=1)) -> KeptChallenges:
    held = {nonce_of(one.text) or "": Kept(challenge=one, since=since) for one in challenges}
    return KeptChallenges(held=held, read_from="main (abc)")


def run(challenge: Challenge | str = ASKED, *changes: Any, kept: KeptChallenges | None = None, **more: Any) -> Any:
    """Return the verification of a run on a board whose clock nobody set, which answers a challenge."""
    body = changed(UNSET, answers(challenge), *changes)
    return checked(body, kept=keeps(ASKED) if kept is None else kept, **more)


def told(found: Verification) -> str:
    return " ".join(refusal.message for refusal in found.refusals)


# ---- what it does ----


@pytest.mark.parametrize("synced", [False, None])
def test_a_kept_challenge_stands_in_for_the_clock(synced: bool | None) -> None:
    found = run(ASKED, put(f"{P}.time.ntpSynced", synced))

    assert found.proven
    assert found.counts_from == BEFORE
    assert "the challenge was not compared with an issued one" not in found.unchecked


def test_the_age_counts_from_the_issue() -> None:
    # asked for on one day, run on the next
    asked = issued(COMMIT, GATE, datetime(2026, 11, 29, 23, 59, tzinfo=timezone.utc), nonce=NONCE)
    kept = keeps(asked, since=asked.issued + timedelta(minutes=1))
    times = FakeRepository(times={COMMIT: FINISHED - timedelta(days=2)})
    day = datetime(2026, 11, 29, 12, tzinfo=timezone.utc)

    assert run(asked, kept=kept, repository=times, now=day + timedelta(days=30)).proven
    late = run(asked, kept=kept, repository=times, now=day + timedelta(days=31))
    assert reasons(late) == ["STALE"]
    assert late.exit_code is ExitCode.STALE


def test_a_clock_that_was_set_is_believed_and_needs_no_challenge_to_be_kept() -> None:
    found = checked(changed(answers(ASKED)), kept=keeps(ASKED))

    assert found.proven
    assert found.counts_from is None
    assert checked(changed(answers(ASKED))).proven


def test_a_failure_is_not_made_earlier() -> None:
    body = changed(failing, UNSET, answers(ASKED))
    evidence = verified(signed(body), around()).evidence
    assert evidence is not None

    assert effective(evidence.statement, around(kept=keeps(ASKED))) == FINISHED
    assert reasons(checked(body, kept=keeps(ASKED))) == ["NOT_PASSED"]


# ---- who could forge it ----


def test_a_challenge_that_the_boards_owner_made_himself() -> None:
    own = issued(COMMIT, GATE, BEFORE)
    found = run(own)

    assert reasons(found) == ["CLOCK_UNTRUSTED"]
    assert "its challenge is not kept at main (abc)" in told(found)
    assert found.exit_code is ExitCode.STALE


def test_naming_a_file_by_hand_keeps_nothing() -> None:
    assert reasons(run(kept=KeptChallenges(), challenge=ASKED)) == ["CLOCK_UNTRUSTED"]


def test_a_challenge_of_long_ago() -> None:
    old = issued(COMMIT, GATE, FINISHED - timedelta(days=40), nonce=NONCE)

    assert reasons(run(old, kept=keeps(old, since=old.issued), repository=None)) == ["STALE"]


@pytest.mark.parametrize(
    "other",
    [
        issued(OTHER_COMMIT, GATE, BEFORE, nonce=NONCE),
        issued(COMMIT, "cuda-runtime", BEFORE, nonce=NONCE),
        issued(COMMIT, GATE, BEFORE, nonce=NONCE, module="Jetson Orin Nano 8GB"),
        issued(COMMIT, GATE, BEFORE, nonce=NONCE, module="x86"),
    ],
    ids=["commit", "gate", "module", "class"],
)
def test_a_challenge_for_something_else(other: Challenge) -> None:
    found = run(other, kept=keeps(other))

    assert set(reasons(found)) == {"CHALLENGE_DIFFERENT", "CLOCK_UNTRUSTED"}
    assert found.exit_code is ExitCode.EVIDENCE_INVALID


def test_a_gate_and_module_cannot_be_shifted_into_one_another() -> None:
    bound = issued(COMMIT, GATE, BEFORE, module="x86")

    assert issue_time(bound.text, COMMIT, GATE, "x86") == BEFORE
    assert issue_time(bound.text, COMMIT, f"{GATE}\0x86") is None


def test_a_challenge_for_this_module() -> None:
    mine = issued(COMMIT, GATE, BEFORE, nonce=NONCE, module="Jetson AGX Orin 64GB")

    assert run(mine, kept=keeps(mine)).proven


def test_an_issue_time_in_the_future() -> None:
    ahead = issued(COMMIT, GATE, NOW + timedelta(minutes=6), nonce=NONCE)
    found = run(ahead, at(NOW + timedelta(minutes=4)), kept=keeps(ahead, since=NOW + timedelta(minutes=6)))

    assert reasons(found) == ["CHALLENGE_FUTURE"]
    assert found.exit_code is ExitCode.STALE


def test_an_issue_time_that_is_later_than_the_commit_that_keeps_it() -> None:
    """Made and kept long ago, dated ahead: a run of then would look like one of today."""
    found = run(kept=keeps(ASKED, since=BEFORE - timedelta(minutes=6)))

    assert reasons(found) == ["CHALLENGE_FUTURE"]
    assert "dated ahead" in told(found)
    assert run(kept=keeps(ASKED, since=BEFORE - timedelta(minutes=4))).proven


def test_evidence_that_was_seen_before_its_challenge_was_issued() -> None:
    assert reasons(run(trusted_time=BEFORE - timedelta(minutes=6))) == ["CHALLENGE_FUTURE"]


def test_another_challenge_under_the_same_nonce() -> None:
    twin = issued(COMMIT, GATE, BEFORE - timedelta(hours=1), nonce=NONCE)
    found = run(ASKED, kept=keeps(twin))

    assert reasons(found) == ["CLOCK_UNTRUSTED"]
    assert "another challenge is kept under its nonce" in told(found)


@pytest.mark.parametrize(
    ("start", "end"),
    [(-20, -10), (-20, 0), (400, 401), (-60 * 24 * 365 * 50, -60 * 24 * 365 * 50 + 1)],
    ids=["before it", "begun before it", "after now", "in 1976"],
)
def test_board_times_outside_of_what_others_saw(start: int, end: int) -> None:
    finished = BEFORE + timedelta(minutes=end)
    body = (UNSET, at(finished, (end - start) * 60))
    found = run(ASKED, *body, repository=None)

    assert "CLOCK_UNTRUSTED" in reasons(found)
    assert "outside of the" in told(found)
    assert found.valid  # a wrong clock takes no failure out of the record


def test_since_when_it_is_kept_must_be_known() -> None:
    found = run(kept=keeps(ASKED, since=None))

    assert reasons(found) == ["CLOCK_UNTRUSTED"]
    assert "the history is cut off" in told(found)


# ---- single use ----


def stored(tmp_path: Path, *evidence: bytes) -> FolderStore:
    store = FolderStore(tmp_path / "store")
    for data in evidence:
        store.add(data)
    return store


def in_a_checkout(tmp_path: Path, store: FolderStore, *evidence: bytes) -> list[list[str]]:
    paths = []
    for number, data in enumerate(evidence):
        paths.append(tmp_path / f"{number}.intoto.json")
        paths[-1].write_bytes(data)
    asked = Asked(
        trust=trust(trusted(), trusted(SECOND)),
        tables=TABLES,
        now=NOW,
        repository=FakeRepository(),
        envelope_only=True,
        kept=keeps(ASKED),
        store=store,
    )
    return [reasons(one) for one in verified_files(paths, asked)[0]]


def test_a_second_answer_is_refused_and_the_same_one_is_not(tmp_path: Path) -> None:
    first = signed(changed(UNSET, answers(ASKED)))
    again = signed(changed(UNSET, answers(ASKED), put(f"{P}.run.seq", 2)))
    spaced = json.dumps(json.loads(first), indent=1).encode()
    store = stored(tmp_path, first)

    assert in_a_checkout(tmp_path, store, first) == [[]]
    assert in_a_checkout(tmp_path, store, spaced) == [[]]
    assert in_a_checkout(tmp_path, store, again) == [["CHALLENGE_REUSED"]]
    assert in_a_checkout(tmp_path, stored(tmp_path / "none"), first, again) == [[], ["CHALLENGE_REUSED"]]


def test_only_the_redacted_issue_of_the_same_evidence_may_answer_again(tmp_path: Path) -> None:
    first = signed(changed(UNSET, answers(ASKED)))
    store = stored(tmp_path, first)
    sha256 = verified(first, around()).evidence.sha256  # type: ignore[union-attr]
    clean = signed(changed(UNSET, answers(ASKED), put(f"{P}.run.replaces", {"sha256": sha256})))
    stolen = signed(changed(UNSET, answers(ASKED), put(f"{P}.run.replaces", {"sha256": "0" * 64})))

    assert in_a_checkout(tmp_path, store, clean) == [[]]
    assert in_a_checkout(tmp_path, store, stolen) == [["CHALLENGE_REUSED"]]


def test_an_answer_to_another_runs_challenge_uses_nothing_up() -> None:
    other = verified(signed(changed(put(f"{P}.plan.gate", "cuda-runtime"), answers(ASKED))), around())
    mine = verified(signed(changed(answers(ASKED))), around())
    assert other.evidence is not None
    assert mine.evidence is not None
    assert mine.signer is not None

    assert numbered(other.evidence, mine.signer).nonce is None
    assert numbered(mine.evidence, mine.signer).nonce == NONCE


# ---- where they are kept ----


class Project:
    """A repository whose commits have the times that a test gives."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.call("init", "-q", "-b", "main")
        self.commit("first", BEFORE - timedelta(hours=1))

    def call(self, *words: str, when: datetime = BEFORE) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"]
        env = {**os.environ, "GIT_COMMITTER_DATE": when.isoformat(), "GIT_AUTHOR_DATE": when.isoformat()}
        done = subprocess.run(
            ["git", *who, *words], cwd=self.root, env=env, capture_output=True, check=True, timeout=60
        )
        return done.stdout.decode().strip()

    def commit(self, message: str, when: datetime) -> str:
        self.call("add", "-A")
        self.call("commit", "-q", "--allow-empty", "-m", message, when=when)
        return self.call("rev-parse", "HEAD")

    def write(self, challenge: Challenge, path: str = "", **members: Any) -> Path:
        file = self.root / (path or challenge.path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({**challenge.as_json(), **members}))
        return file

    def kept(self, revision: str = "HEAD") -> KeptChallenges:
        return kept_at(GitRepository(self.root), revision)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.process
def test_only_what_the_revision_holds_is_kept(project: Project) -> None:
    project.write(ASKED)
    assert project.kept().of(ASKED.text) == f"its challenge is not kept at {project.kept().read_from}"

    when = BEFORE + timedelta(minutes=1)
    project.commit("ask", when)
    assert project.kept().of(ASKED.text) == Kept(challenge=ASKED, since=when)
    assert isinstance(project.kept("HEAD~1").of(ASKED.text), str)
    assert isinstance(project.kept("nowhere").of(ASKED.text), str)
    project.call("rm", "-q", ASKED.path)
    assert isinstance(project.kept().of(ASKED.text), Kept)  # the working tree has no say


@pytest.mark.process
def test_since_counts_from_the_first_touch_so_that_no_date_is_moved_later(project: Project) -> None:
    first = BEFORE - timedelta(days=50)
    project.write(issued(COMMIT, GATE, first, nonce=NONCE))
    project.commit("ask", first)
    project.write(ASKED)
    project.commit("edit", BEFORE)

    kept = project.kept().of(ASKED.text)
    assert isinstance(kept, Kept)
    assert kept.since == first
    assert reasons(run(kept=project.kept())) == ["CHALLENGE_FUTURE"]


@pytest.mark.process
def test_of_dates_out_of_order_the_earliest_counts(project: Project) -> None:
    project.write(ASKED)
    project.commit("ask, dated ahead", NOW)
    (project.root / ASKED.path).write_text(json.dumps(ASKED.as_json(), indent=1))
    project.commit("lay it out anew", BEFORE)

    kept = project.kept().of(ASKED.text)
    assert isinstance(kept, Kept)
    assert kept.since == BEFORE


@pytest.mark.process
def test_what_a_merge_brings_in_is_dated_too(project: Project) -> None:
    project.call("checkout", "-q", "-b", "side")
    project.commit("work", BEFORE)
    project.call("checkout", "-q", "main")
    project.call("merge", "-q", "--no-ff", "--no-commit", "side")
    project.write(ASKED)
    project.commit("an evil merge", BEFORE + timedelta(minutes=2))

    kept = project.kept().of(ASKED.text)
    assert isinstance(kept, Kept)
    assert kept.since == BEFORE + timedelta(minutes=2)


@pytest.mark.process
def test_the_side_of_a_merge_that_held_the_same_file_earlier_counts(project: Project) -> None:
    project.call("checkout", "-q", "-b", "side")
    project.write(ASKED)
    project.commit("ask early", BEFORE - timedelta(days=3))
    project.call("checkout", "-q", "main")
    project.write(ASKED)
    project.commit("ask again", BEFORE)
    project.call("merge", "-q", "--no-ff", "-m", "both", "side")

    kept = project.kept().of(ASKED.text)
    assert isinstance(kept, Kept)
    assert kept.since == BEFORE - timedelta(days=3)


@pytest.mark.process
@pytest.mark.parametrize("when", ["253402300800", "99999999999999", "18446744073709551615", "-5"])
def test_a_commit_of_no_calendar_dates_nothing(project: Project, when: str) -> None:
    project.write(ASKED)
    project.commit("ask", BEFORE)
    (project.root / ASKED.path).write_text(json.dumps(ASKED.as_json(), indent=1))
    project.call("add", "-A")
    who = f"a <a@b.example> {when} +0000"
    lines = (f"tree {project.call('write-tree')}", f"parent {project.call('rev-parse', 'HEAD')}", f"author {who}")
    (project.root / "commit").write_text("\n".join((*lines, f"committer {who}", "", "odd", "")))
    odd = project.call("hash-object", "-t", "commit", "-w", "--literally", "commit")
    kept = project.kept(odd).of(ASKED.text)
    assert isinstance(kept, Kept)
    assert kept.since is None


@pytest.mark.process
def test_a_history_that_is_cut_off_dates_nothing(project: Project, tmp_path: Path) -> None:
    project.write(ASKED)
    project.commit("ask", BEFORE)
    shallow = tmp_path / "shallow"
    project.call("clone", "-q", "--depth=1", f"file://{project.root}", str(shallow))

    kept = kept_at(GitRepository(shallow), "HEAD").of(ASKED.text)
    assert isinstance(kept, Kept)
    assert kept.since is None


@pytest.mark.process
def test_a_file_that_keeps_something_else_is_told(project: Project) -> None:
    project.write(ASKED, kept_path("cd" * 16))
    project.write(ASKED, ".jetproof/challenges/other.json")
    (project.root / kept_path("ef" * 16)).write_bytes(b"{}")
    (project.root / kept_path("aa" * 16)).symlink_to("other.json")
    project.commit("odd", BEFORE)
    found = project.kept()

    assert found.held == {}
    assert set(found.broken) == {"cd" * 16, "ef" * 16}
    assert "keeps none" in str(found.of(issued(COMMIT, GATE, BEFORE, nonce="cd" * 16).text))
    assert "not kept" in str(found.of(ASKED.text))


@pytest.mark.process
def test_too_many_are_an_error_and_never_passed_over(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_challenges, "MOST", 1)
    project.write(ASKED)
    project.write(issued(COMMIT, GATE, BEFORE))
    project.commit("ask twice", BEFORE)

    with pytest.raises(UsageError, match="more than 1 files"):
        project.kept()


# ---- the file ----


@pytest.mark.parametrize(
    "change",
    [
        {"issued": "2026-11-30T00:00:00Z"},
        {"issued": "soon"},
        {"issued": None},
        {"commit": OTHER_COMMIT},
        {"gate": "cuda-runtime"},
        {"module": "x86"},
        {"module": 7},
        {"module": ""},
        {"note": "trust me"},
        {"schema": "jetproof/challenge/2"},
    ],
    ids=repr,
)
def test_a_file_that_says_other_things_than_its_text(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        parsed(json.dumps({**ASKED.as_json(), **change}).encode(), "it")


def test_a_run_takes_a_nonce_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "challenge.json"
    file.write_text(json.dumps(ASKED.as_json()))

    assert answer(ASKED.text) == (ASKED.text, None)
    assert answer("free-nonce") == ("free-nonce", None)
    assert answer(str(file)) == (ASKED.text, ASKED)
    with pytest.raises(UsageError):
        answer(str(tmp_path / "absent.json"))


def test_a_run_that_could_not_answer_is_not_begun() -> None:
    suits(ASKED, COMMIT, GATE)
    with pytest.raises(UsageError, match="for commit c0ffee000000, this is dead11"):
        suits(ASKED, OTHER_COMMIT, GATE)
    with pytest.raises(UsageError, match="for gate jetson-cuda-runtime, this is other"):
        suits(ASKED, COMMIT, "other")


def test_a_person_is_told_which_clock_the_age_counts_by() -> None:
    text = render.verification([run()], PLAIN, "a test")

    assert f"its age counts from {BEFORE:%Y-%m-%d %H:%M}Z, which others saw, not from its own clock" in text
    assert "its age counts from" not in render.verification([checked()], PLAIN, "a test")
    told = render.verification_json([run(), checked()], "a test")["evidence"]
    assert [one["counts_from"] for one in told] == ["2026-11-30T11:50:30Z", "2026-11-30T12:00:30Z"]
