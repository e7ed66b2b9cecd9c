"""A run is sealed, verified with its side files, and every change to them or to the statement is found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.run_sample import SOURCE, X86, context, made, plan
from tests.evidence.sample import COMMIT, LANE, P, around, put, reasons, signed, trust, trusted
from tests.qualify.streams import rehearsal

from jetproof.errors import Refused, UsageError
from jetproof.evidence.reason import Reason
from jetproof.evidence.seal import Extras, Sealed, counter_of, envelope_path, reissued, seal, url_of
from jetproof.evidence.side_files import MAX_SIDE_FILE, SideFiles
from jetproof.evidence.verify import Verification, read, verified


def sealed(folder: Path, counter: Path | None = None, **changes: Any) -> Sealed:
    return seal(folder, LANE, counter or folder.parent / "key.seq", Extras(**changes))


def verified_beside(data: bytes, folder: Path, **circumstances: Any) -> Verification:
    return verified(data, around(side_files=SideFiles(folder), **circumstances))


def test_a_sealed_run_is_proven_from_its_journal(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    made_here = sealed(folder)
    found = verified_beside(made_here.envelope, folder)

    assert found.refusals == ()
    assert found.proven
    assert made_here.proves
    assert made_here.commit == COMMIT
    assert [item.name for item in made_here.artifacts] == ["journal.jsonl", "plan.json", "record.json"]
    assert found.evidence is not None
    assert found.evidence.statement.passed == (
        "probe::architecture",
        "probe::cuda-available",
        "probe::bitsandbytes-nf4",
        "pytest::tests/test_gpu.py::test_edit",
    )
    assert found.evidence.statement.device["memTotalClass"] == "64GB"


def test_a_failed_run_is_signed_too(tmp_path: Path) -> None:
    folder = made(tmp_path / "run", bad={"probe::cuda-available": ("FAIL", "no-device")})
    made_here = sealed(folder)
    found = verified_beside(made_here.envelope, folder)

    assert not made_here.proves
    assert reasons(found) == ["NOT_PASSED"]
    assert found.valid


def test_a_run_that_was_killed_is_signed_as_what_it_is(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    journal = folder / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-40])
    (folder / "record.json").unlink()

    found = verified_beside(sealed(folder).envelope, folder)

    assert reasons(found) == ["NOT_PASSED"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"chosen": rehearsal()}, "rehearsal"),
        ({"chosen": plan(origin="recorded")}, "origin-recorded"),
        ({"chosen": plan(origin="emulated")}, "origin-emulated"),
        ({"chosen": plan(gate=plan().gate.model_copy(update={"carries_claim": False}))}, "no-claim"),
    ],
)
def test_what_can_be_no_evidence_is_not_signed(change: dict[str, Any], reason: str, tmp_path: Path) -> None:
    folder = made(tmp_path / "run", change["chosen"])

    with pytest.raises(Refused) as refused:
        sealed(folder)

    assert refused.value.reason == reason
    assert not (tmp_path / "key.seq").exists()


def test_a_record_that_the_journal_does_not_give_is_not_signed(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    (folder / "record.json").write_text((folder / "record.json").read_text().replace("probe::arch", "probe::xrch"))

    with pytest.raises(Refused, match=r"record\.json is not what the journal gives"):
        sealed(folder)


def test_private_data_is_not_signed(tmp_path: Path) -> None:
    source = SOURCE.model_copy(update={"repository": "https://user:secret@git.example/owner/project"})
    folder = made(tmp_path / "run", plan(source=source))

    with pytest.raises(Refused) as refused:
        sealed(folder)

    assert refused.value.reason == "PRIVATE_DATA"
    assert "secret" not in refused.value.message


def test_each_envelope_has_the_next_number_and_names_the_one_before(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    first, second = sealed(folder), sealed(folder)

    assert (first.seq, second.seq) == (1, 2)
    assert read(second.envelope).statement.previous == hashlib.sha256(first.envelope).hexdigest()


def test_a_counter_of_another_key_is_refused(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    sealed(folder)
    text = (tmp_path / "key.seq").read_text()
    (tmp_path / "key.seq").write_text(text.replace('"keyid": "', '"keyid": "0'))

    with pytest.raises(UsageError, match="counts for another key"):
        sealed(folder)


def test_url_and_attempt_of_the_runner(tmp_path: Path) -> None:
    environment = {
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "owner/name",
        "GITHUB_RUN_ID": "77",
        "GITHUB_RUN_ATTEMPT": "2",
    }
    extras = url_of(environment)

    assert extras == Extras(url="https://github.com/owner/name/actions/runs/77/attempts/2", attempt=2)
    assert url_of({**environment, "GITHUB_REPOSITORY": "owner/name\nx"}) == Extras()
    assert url_of({}) == Extras()
    assert counter_of(tmp_path / "key") == tmp_path / "key.seq"
    assert envelope_path(tmp_path / "gate").name == "gate.intoto.json"


def test_an_x86_run_never_names_a_module(tmp_path: Path) -> None:
    folder = made(tmp_path / "run", about=context(facts=X86, image_digest=None))
    said = read(sealed(folder).envelope).statement

    assert said.module is None
    assert said.speaks_for == "x86"
    assert "runtime" not in said.configuration


# ---- side files ----


def test_an_edited_side_file(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    envelope = sealed(folder).envelope
    text = (folder / "record.json").read_text()
    (folder / "record.json").write_text(text.replace('"green": true', '"green": trUe'))

    assert reasons(verified_beside(envelope, folder)) == ["ARTIFACT_DIGEST"]


def test_a_missing_side_file(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    envelope = sealed(folder).envelope
    (folder / "journal.jsonl").unlink()

    assert reasons(verified_beside(envelope, folder)) == ["ARTIFACT_MISSING"]
    assert "ARTIFACT_MISSING" in reasons(verified_beside(envelope, tmp_path / "nowhere"))


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    envelope = sealed(folder).envelope
    (folder / "record.json").rename(tmp_path / "elsewhere")
    (folder / "record.json").symlink_to(tmp_path / "elsewhere")

    assert reasons(verified_beside(envelope, folder)) == ["ARTIFACT_LINK"]


def bound(name: str, data: bytes = b"x", size: int | None = None) -> dict[str, Any]:
    digest = hashlib.sha256(data).hexdigest()
    return {
        "name": name,
        "mediaType": "text/plain",
        "digest": {"sha256": digest},
        "size": len(data) if size is None else size,
    }


@pytest.mark.parametrize(
    "name", ["../record.json", "/etc/passwd", "a/../../b", "./a", "a//b", "", "~/a", "a\\b", "C:/a", "a\nb", "x" * 500]
)
def test_a_path_that_leads_elsewhere(name: str, tmp_path: Path) -> None:
    body = signed_with(bound(name))

    assert "ARTIFACT_PATH" in reasons(verified_beside(body, tmp_path))


def signed_with(*artifacts: dict[str, Any]) -> bytes:
    from tests.evidence.sample import changed

    return signed(changed(put(f"{P}.artifacts", list(artifacts))))


def test_a_folder_on_the_way_that_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "log.txt").write_bytes(b"x")
    (tmp_path / "logs").symlink_to(tmp_path / "real")

    assert "ARTIFACT_LINK" in reasons(verified_beside(signed_with(bound("logs/log.txt")), tmp_path))


def test_a_side_file_that_is_too_large(tmp_path: Path) -> None:
    body = signed_with(bound("log.txt", size=MAX_SIDE_FILE + 1))

    assert "ARTIFACT_TOO_LARGE" in reasons(verified_beside(body, tmp_path))


def test_a_side_file_that_is_a_pipe_does_not_hang(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "log.txt")

    assert "ARTIFACT_LINK" in reasons(verified_beside(signed_with(bound("log.txt")), tmp_path))


# ---- the statement against the journal ----


def forged(
    folder: Path, change: Callable[[dict[str, Any]], None], *, files: Callable[[Path], None] | None = None
) -> bytes:
    """Sign a statement that was changed after it was made from the journal: a dishonest signer with a trusted key."""
    if files is not None:
        files(folder)
    said = json.loads(read(sealed(folder, folder.parent / "other.seq").envelope).envelope.payload)
    change(said)
    return signed(said)


@pytest.mark.parametrize(
    "change",
    [
        put(f"{P}.device.l4t", "36.4.4"),
        put(f"{P}.device.deviceId", "0" * 32),
        put(f"{P}.time.finished", "2026-11-30T12:00:01Z"),
        put(f"{P}.tool.version", "9.9"),
        put(f"{P}.run.runId", "0" * 32),
    ],
)
def test_a_statement_that_says_more_than_the_journal(change: Callable[[dict[str, Any]], None], tmp_path: Path) -> None:
    folder = made(tmp_path / "run")

    assert "STATEMENT_CONTRADICTS_RECORD" in reasons(verified_beside(forged(folder, change), folder))


def test_a_failure_signed_as_a_pass(tmp_path: Path) -> None:
    folder = made(tmp_path / "run", bad={"probe::cuda-available": ("FAIL", "no-device")})

    def green(body: dict[str, Any]) -> None:
        items = [*body["predicate"]["passedTests"], "probe::cuda-available"]
        put("predicate.passedTests", items)(body)
        put("predicate.failedTests", [])(body)
        put("predicate.successes", 4)(body)
        put("predicate.failures", 0)(body)
        put("predicate.result", "PASSED")(body)
        put(f"{P}.outcome", "PASS")(body)
        put(f"{P}.plan.passed", 4)(body)

    found = verified_beside(forged(folder, green), folder)

    assert set(reasons(found)) == {"STATEMENT_CONTRADICTS_RECORD"}


def test_another_plan(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    change = put("predicate.configuration.1.digest.sha256", "0" * 64)

    assert reasons(verified_beside(forged(folder, change), folder)) == ["PLAN_DIGEST"]


def rebound(folder: Path, name: str, data: bytes) -> Callable[[dict[str, Any]], None]:
    """Put other bytes in place of a side file and bind them in the statement."""
    (folder / name).write_bytes(data)

    def change(body: dict[str, Any]) -> None:
        for item in body["predicate"]["jetproof"]["artifacts"]:
            if item["name"] == name:
                item["digest"]["sha256"] = hashlib.sha256(data).hexdigest()
                item["size"] = len(data)

    return change


def test_a_journal_whose_chain_is_broken(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    said = json.loads(read(sealed(folder).envelope).envelope.payload)
    data = (folder / "journal.jsonl").read_bytes().replace(b'"outcome":"PASS"', b'"outcome":"FAIL"', 1)
    rebound(folder, "journal.jsonl", data)(said)

    assert reasons(verified_beside(signed(said), folder)) == ["JOURNAL_BROKEN"]


def test_a_journal_without_finish(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    said = json.loads(read(sealed(folder).envelope).envelope.payload)
    lines = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    rebound(folder, "journal.jsonl", b"".join(lines[:-1]))(said)

    assert reasons(verified_beside(signed(said), folder)) == ["JOURNAL_UNFINISHED"]


def test_a_record_that_does_not_follow_from_the_journal(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    said = json.loads(read(sealed(folder).envelope).envelope.payload)
    data = (
        (folder / "record.json").read_bytes().replace(b'"peak_memory_bytes": 1048576', b'"peak_memory_bytes": 104857')
    )
    assert data != (folder / "record.json").read_bytes()
    rebound(folder, "record.json", data)(said)

    assert reasons(verified_beside(signed(said), folder)) == ["RECORD_NOT_REPLAYED"]


def test_a_statement_that_binds_no_journal(tmp_path: Path) -> None:
    assert reasons(verified_beside(signed_with(), tmp_path)) == ["ARTIFACT_MISSING"]


# ---- redaction ----


def test_redacted_evidence_is_a_new_statement_with_the_same_number(tmp_path: Path) -> None:
    from tests.evidence.sample import changed

    leaky = changed(
        put(f"{P}.device.kernel", "5.15.148 built by me@host.example in /home/me/src"), put(f"{P}.run.seq", 4)
    )
    leaky["predicate"]["jetproof"]["device"]["serial"] = "1421900000001"
    old = signed(leaky)
    new = read(reissued(old, LANE))

    assert "serial" not in new.statement.device
    assert new.statement.device["kernel"] == "5.15.148 built by [redacted] in [redacted]/src"
    assert new.statement.replaces == hashlib.sha256(old).hexdigest()
    assert new.statement.seq == 4
    assert verified(reissued(old, LANE), around()).proven


def test_redaction_by_another_key_needs_trust_like_anything_else(tmp_path: Path) -> None:
    from tests.evidence.sample import ROGUE

    new = reissued(signed(), ROGUE)

    assert reasons(verified(new, around())) == ["KEY_UNKNOWN"]
    assert verified(new, around(trust=trust(trusted(), trusted(ROGUE)))).proven


def test_what_cannot_be_read_cannot_be_redacted() -> None:
    with pytest.raises(UsageError):
        reissued(b"{}", LANE)


def test_every_reason_is_told_by_a_value_of_its_own() -> None:
    assert len({reason.value for reason in Reason}) == len(Reason)
    assert all(reason.name == reason.value for reason in Reason)
    assert replace(Extras(), attempt=1).attempt == 1


def test_a_refused_run_is_told_what_it_lacked_and_nothing_else(tmp_path: Path) -> None:
    gate = plan().gate.model_copy(update={"carries_claim": False})

    with pytest.raises(Refused) as without_claim:
        sealed(made(tmp_path / "no-claim", chosen=plan(gate=gate)))
    with pytest.raises(Refused) as rehearsed:
        sealed(made(tmp_path / "rehearsal", chosen=rehearsal()))

    assert "carries_claim" in (without_claim.value.hint or "")
    assert "rehearsal" not in (without_claim.value.hint or "")
    assert "clean" not in (without_claim.value.hint or "")
    assert "run it without --rehearsal" in (rehearsed.value.hint or "")
