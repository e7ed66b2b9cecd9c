"""Evidence as text: the answer first, each reason with its message and what to do, nothing of a stranger's repeated."""

from __future__ import annotations

from tests.evidence.sample import COMMIT, LANE, NOW, ROGUE, P, changed, checked, failing, put

from jetproof.evidence.sequence import Sequences
from jetproof.evidence.signer import keyid
from jetproof.render.evidence import listing, verification, verification_json
from jetproof.render.style import PLAIN


def test_a_proven_run() -> None:
    machine = "Jetson AGX Orin 64GB, L4T 36.4.3"
    assert verification([checked()], PLAIN, "a test") == (
        "proven: the evidence\n"
        f"  jetson-cuda-runtime at {COMMIT[:12]} on {machine}, 2026-11-30 12:00Z: 4 of 4 passed\n"
        f"  signed by lane ({keyid(LANE.public)[:8]}); trust from a test\n"
        "  not checked: the record was not replayed: the side files are not at hand\n"
        "  not checked: the challenge was not compared with an issued one\n"
    )


def test_the_headline_tells_refused_stale_and_failed_apart() -> None:
    from datetime import timedelta

    texts = [
        verification([one], PLAIN, "x").splitlines()[0]
        for one in (checked(signer=ROGUE), checked(now=NOW + timedelta(days=40)), checked(changed(failing)))
    ]

    assert [text.partition(":")[0] for text in texts] == ["refused", "not fresh", "not proven"]


def test_a_reason_has_its_message_and_its_mending() -> None:
    text = verification([checked(changed(put(f"{P}.source.dirty", True)))], PLAIN, "x")

    assert "  DIRTY_TREE: the tree held changes or files that the commit does not have\n" in text
    assert "    fix: git stash --include-untracked, then run the gate again\n" in text


def test_foreign_text_cannot_drive_the_terminal() -> None:
    text = verification([checked(changed(put(f"{P}.origin", "\x1b[2Jlive")))], PLAIN, "x")

    assert "\x1b" not in text
    assert "\\x1b[2Jlive" in text


def test_nothing_of_a_strangers_statement_is_repeated() -> None:
    body = verification_json([checked(signer=ROGUE)], "x")

    assert body["proven"] is False
    assert set(body["evidence"][0]) == {"name", "proven", "valid", "timely", "exit_code", "refusals", "unchecked"}
    assert verification_json([], "x")["proven"] is False


def test_an_empty_store() -> None:
    assert listing([], Sequences(), [("x\n", "odd")], PLAIN) == "0 pieces of evidence\nodd: x\\x0a: odd\n"
