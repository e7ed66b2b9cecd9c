"""Documents, held against the proof: each way of saying more is found, and what is written says no more."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from tests.claims.test_calculus import MODULE, TODAY, policy, proof, with_tier
from tests.evidence.sample import COMMIT, OTHER_COMMIT

from jetproof.claims import documents
from jetproof.claims.blocks import appended, block_text, blocks
from jetproof.claims.calculus import Claims, Record, claims
from jetproof.claims.check import Checked, Proof, Weight, check
from jetproof.claims.documents import WRITERS, badge, badges_without_claim
from jetproof.claims.proof import Proof as Evidence
from jetproof.claims.proof import Told
from jetproof.claims.said import Said, Saying, said
from jetproof.claims.texts import Document, Documents
from jetproof.claims.write import badge_bytes, changes, patch
from jetproof.errors import UsageError

GOLDEN = Path(__file__).parent.parent / "golden" / "claims"
JETSON = proof()
X86 = proof(
    sha256="01", gate="cuda-runtime", platform_class="x86", arch="x86_64", module=None, l4t=None, jetpack=None,
    runtime=None, seq=2,
)  # fmt: skip
ARM64 = proof(
    sha256="02", gate="linux-arm64-preflight", platform_class="arm64-server", module=None, l4t=None, jetpack=None,
    cuda=None, runtime=None, seq=3,
)  # fmt: skip


def computed(*found: Evidence, today: date = TODAY, commit: str = COMMIT) -> Claims:
    return claims(policy(), Record(proofs=found, families={MODULE: "Jetson AGX Orin"}), commit, today)


def readme(text: str = "", *, known: Claims | None = None, name: str = "support") -> Document:
    may = known or computed()
    scopes = [claim.scope for claim in may.claims]
    data = appended(text.encode(), name, said(may), WRITERS[name](scopes, said(may)))
    return Document(path="README.md", data=data)


def checked(
    *found: Document,
    known: Claims,
    then: Claims | None = None,
    block_day: bool = False,
    badge_data: bytes | None = None,
) -> Checked:
    against = Proof(
        claims=known, at=lambda _commit, _day: then, block_day=block_day, families={MODULE: "Jetson AGX Orin"}
    )
    return check(Documents(documents=found), against, badge_data)


def reasons(found: Checked) -> list[str]:
    return [remark.reason for remark in found.exceeds]


@pytest.mark.parametrize("name", [*WRITERS, "badge"])
@pytest.mark.parametrize("proven", ["nothing", "all"])
def test_golden(name: str, proven: str) -> None:
    may = computed(JETSON, X86, ARM64) if proven == "all" else computed()
    scopes = [claim.scope for claim in may.claims]
    text = badge_bytes(badge(scopes, said(may))).decode() if name == "badge" else WRITERS[name](scopes, said(may))
    golden = GOLDEN / f"{name}-{proven}.{'json' if name == 'badge' else 'md'}"
    assert text == golden.read_text(encoding="utf-8")


def test_the_notes_keep_importing_on_arm64_apart_from_jetson_cuda() -> None:
    may = computed(ARM64)
    text = documents.release_notes([claim.scope for claim in may.claims], said(may))
    jetson, _, arm = text.partition("### ARM64 importability")
    assert "No Jetson module is supported" in jetson
    assert "imports on ARM64" in arm
    assert "Jetson" in arm.split("### CUDA on x86")[0]
    assert COMMIT[:12] not in jetson


def test_what_was_written_stands() -> None:
    known = computed(JETSON, X86, ARM64)
    found = checked(
        replace(readme("# x\n", known=known)), known=known, badge_data=badge_bytes(badge(scopes(known), said(known)))
    )
    assert found.remarks == ()
    assert (found.looked_at, found.blocks) == (1, 1)


def scopes(known: Claims) -> Sequence[documents.Scope]:
    return [claim.scope for claim in known.claims]


def test_a_lapse_is_told_on_the_day_and_not_to_bystanders() -> None:
    before = computed(JETSON)
    later = computed(JETSON, today=date(2026, 12, 31))
    document = readme(known=before)
    assert reasons(checked(document, known=later)) == ["block-exceeds"]
    assert reasons(checked(document, known=later, then=before, block_day=True)) == []
    last_day = computed(JETSON, today=date(2026, 12, 30))
    assert reasons(checked(document, known=last_day)) == []


@pytest.mark.parametrize(
    "then",
    [None, computed(), computed(proof(days=5)), computed(proof(told=Told.FAIL))],
    ids=["commit gone", "never proven", "proven until an earlier day", "failed"],
)
def test_a_block_of_its_day_must_have_been_proven_on_it(then: Claims | None) -> None:
    document = readme(known=computed(JETSON))
    later = computed(JETSON, today=date(2026, 12, 31))
    assert reasons(checked(document, known=later, then=then, block_day=True)) == ["block-exceeds"]


def test_a_failure_is_no_lapse() -> None:
    before = computed(JETSON)
    failed = computed(JETSON, proof(told=Told.FAIL, seq=2))
    assert reasons(checked(readme(known=before), known=failed, then=before, block_day=True)) == ["block-exceeds"]


def test_a_day_that_has_not_come_is_refused() -> None:
    before = computed(JETSON, today=date(2026, 12, 25))
    found = checked(readme(known=before), known=computed(today=TODAY), then=before, block_day=True)
    assert reasons(found) == ["block-exceeds"]
    assert "has not come" in found.exceeds[0].message


def forged(facts: Said, text: str) -> Document:
    return Document(path="README.md", data=block_text("support", facts, text).encode())


def test_forged_blocks_are_found_though_their_digest_fits() -> None:
    known = computed()
    honest = WRITERS["support"](scopes(known), said(known))
    for document, reason in (
        (forged(said(known), "Jetson AGX Orin is supported.\n"), "block-other-words"),
        (forged(said(known), honest + "And all other boards.\n"), "block-other-words"),
        (
            forged(
                Said(as_of=TODAY, sayings=(Saying(scope="agx-orin-jp62", commit=COMMIT, until=date(2026, 12, 30)),)),
                "x\n",
            ),
            "block-exceeds",
        ),
        (
            forged(Said(as_of=TODAY, sayings=(Saying(scope="all", commit=COMMIT, until=date(2026, 12, 30)),)), "x\n"),
            "block-exceeds",
        ),
    ):
        assert reasons(checked(document, known=known)) == [reason]


@pytest.mark.parametrize(("commit", "until"), [(OTHER_COMMIT, date(2026, 12, 30)), (COMMIT, date(2027, 1, 30))])
def test_another_commit_or_a_later_day_exceeds(commit: str, until: date) -> None:
    known = computed(JETSON)
    facts = Said(as_of=TODAY, sayings=(Saying(scope="agx-orin-jp62", commit=commit, until=until),))
    document = forged(facts, WRITERS["support"](scopes(known), facts))
    assert reasons(checked(document, known=known)) == ["block-exceeds"]


def test_hand_made_changes_and_missing_markers() -> None:
    known = computed()
    good = readme("# x\n", known=known)
    edited = replace(good, data=good.data.replace(b"no module", b"every module"))
    assert reasons(checked(edited, known=known)) == ["block-edited"]
    cut = replace(good, data=good.data.partition(b"<!-- jetproof:end")[0])
    assert "end-missing" in reasons(checked(cut, known=known))
    none = Document(path="README.md", data=b"# x\n")
    assert reasons(checked(none, known=known)) == ["block-missing"]
    renamed = replace(good, data=good.data.replace(b"begin support", b"begin all").replace(b"end support", b"end all"))
    assert reasons(checked(renamed, known=known)) == ["block-missing", "block-unknown"]


def test_less_than_is_proven_is_a_note() -> None:
    found = checked(readme(known=computed()), known=computed(JETSON))
    assert [(remark.reason, remark.weight) for remark in found.remarks] == [("block-behind", Weight.NOTE)]
    assert not found.exceeds


def test_notes_of_a_release_that_is_out_are_history() -> None:
    old = computed(JETSON)
    facts, text = said(old), WRITERS["release-notes"](scopes(old), said(old))
    data = block_text("release-notes-1.0", facts, text).encode()
    notes = Document(path="CHANGELOG.md", data=data)
    later = computed(today=date(2027, 6, 1))
    assert reasons(checked(readme(known=later), notes, known=later)) == []
    edited = replace(notes, data=data.replace(b"proven at", b"PROVEN at"))
    assert reasons(checked(readme(known=later), edited, known=later)) == ["block-edited"]


def test_badges() -> None:
    known, proven = computed(), computed(JETSON)
    for quiet in badges_without_claim():
        assert reasons(checked(readme(), known=known, badge_data=badge_bytes(quiet))) == []
    loud = badge_bytes(badge(scopes(proven), said(proven)))
    assert reasons(checked(readme(), known=known, badge_data=loud)) == ["badge-exceeds"]
    assert reasons(checked(readme(), known=known, badge_data=b'{"message": "x", "message": "y"}')) == [
        "badge-unreadable"
    ]
    stale = computed(JETSON, today=date(2027, 1, 10))
    assert reasons(checked(readme(known=proven), known=stale, then=proven, block_day=True, badge_data=loud)) == []
    assert "until 2026-12-30" in loud.decode()


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("Tested on Jetson AGX Orin with JetPack 6.2.", True),
        ("Tested on Jetson AGX Orin with JetPack 6.2 and JetPack 5.1.", False),
        ("Tested on Jetson AGX Orin and Orin Nano with JetPack 6.2.", False),
        ("Tested on Jetson AGX Orin.", False),
        ("Supports Jetson.", False),
        ("Works on aarch64.", True),
        ("CUDA works on aarch64.", False),
    ],
)
def test_free_text(text: str, holds: bool) -> None:
    known = computed(JETSON, ARM64)
    found = checked(readme(f"# x\n\n{text}\n", known=known), known=known)
    assert (reasons(found) == []) is holds
    assert bool(found.texts) is holds
    if not holds:
        assert (found.exceeds[0].path, found.exceeds[0].line) == ("README.md", 3)
    nothing = checked(readme(f"# x\n\n{text}\n"), known=computed())
    assert reasons(nothing) == ["text-exceeds"]


def test_a_classifier_is_a_claim() -> None:
    pyproject = Document(path="pyproject.toml", data=b'[project]\nclassifiers = ["Environment :: GPU :: Jetson"]\n')
    assert reasons(checked(readme(), pyproject, known=computed())) == ["text-exceeds"]


def test_writing_and_writing_again() -> None:
    known = computed(JETSON)
    texts = Documents(documents=(readme("# x\r\ny", known=computed()), Document(path="docs/a.md", data=b"a\n")))
    first = changes(texts, known, None)
    assert [change.path for change in first] == ["README.md", ".jetproof/badge.json"]
    assert first[0].new.startswith(b"# x\r\ny")
    again = Documents(documents=(Document(path="README.md", data=first[0].new),))
    assert changes(again, known, first[1].new) == ()
    assert reasons(checked(*again.documents, known=known, badge_data=first[1].new)) == []
    # a day later nothing is written either, since the facts are the same
    assert changes(again, computed(JETSON, today=date(2026, 12, 1)), first[1].new) == ()


def test_a_lapse_is_written_as_one() -> None:
    proven = computed(JETSON)
    stale = computed(JETSON, today=date(2027, 1, 1))
    texts = Documents(documents=(readme(known=proven),))
    found = changes(texts, stale, badge_bytes(badge(scopes(proven), said(proven))))
    assert b"no module and no JetPack release is supported" in found[0].new
    assert json.loads(found[1].new) == badges_without_claim()[0]
    assert json.loads(found[1].new)["isError"] is True


def test_a_hand_made_change_is_replaced_and_told() -> None:
    good = readme("# x\n")
    edited = replace(good, data=good.data.replace(b"no module", b"every module"))
    (change, _) = changes(Documents(documents=(edited,)), computed(), None)
    assert change.new == good.data
    assert change.hand_made == (3,)


def test_what_cannot_be_written_is_refused_whole() -> None:
    with pytest.raises(UsageError) as error:
        changes(Documents(documents=(Document(path="README.md", data=b"x\n"),)), computed(), None)
    assert error.value.reason == "block-missing"
    broken = readme("# x\n")
    cut = replace(broken, data=broken.data.partition(b"<!-- jetproof:end")[0])
    with pytest.raises(UsageError, match=r"README\.md:3"):
        changes(Documents(documents=(cut,)), computed(), None)


@pytest.mark.process
def test_the_patch_applies(tmp_path: Path) -> None:
    old = readme("# x\r\ncaf\xe9\n", known=computed())
    old = replace(old, data=old.data.replace("é".encode(), b"\xe9").removesuffix(b"\n"))
    (tmp_path / "README.md").write_bytes(old.data)
    found = changes(Documents(documents=(old,)), computed(JETSON), None)
    (tmp_path / "p.patch").write_bytes(patch(found).encode("utf-8", "surrogateescape"))
    subprocess.run(["git", "apply", "p.patch"], cwd=tmp_path, check=True, timeout=60)
    for change in found:
        assert (tmp_path / change.path).read_bytes() == change.new


def test_words_of_the_policy_cannot_leave_the_block() -> None:
    odd = with_tier(module="Jetson --> <b>[x](y)|`z`")
    known = claims(odd, Record(proofs=()), COMMIT, TODAY)
    text = documents.matrix([claim.scope for claim in known.claims], said(known))
    data = block_text("matrix", said(known), text).encode()
    assert "<b>" not in text
    assert not blocks(data).faults
    assert blocks(data).blocks[0].text == text
