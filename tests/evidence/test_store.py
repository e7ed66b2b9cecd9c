"""A store only grows, its index follows from the files, and what is odd in it is told."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.sample import FINISHED, LANE, MODULE, NOW, ROGUE, P, changed, failing, put, signed, trust

from jetproof.errors import JetproofError, UsageError
from jetproof.evidence.prune import Kept, pruning
from jetproof.evidence.statement import Artifact
from jetproof.evidence.store import MAX_ENVELOPE, FolderStore, digest_of, floors_from, read_bounded
from jetproof.evidence.store_work import contents


def numbered(seq: int, *changes: Any) -> bytes:
    return signed(changed(put(f"{P}.run.seq", seq), *changes))


def test_an_envelope_is_kept_under_its_digest(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    added = store.add(signed())

    assert added.new
    assert added.sha256 == digest_of(signed())
    assert list(store.envelopes()) == [(f"{added.sha256}.json", signed())]
    assert not store.add(signed()).new
    assert store.find(added.sha256[:8]).read_bytes() == signed()
    assert [path.name for path in tmp_path.rglob("*") if path.name.startswith(".")] == []


def test_what_is_there_is_never_replaced(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    path = store.root / store.add(signed()).sha256[:2] / f"{digest_of(signed())}.json"
    path.write_bytes(b"changed")

    with pytest.raises(JetproofError, match="with other bytes"):
        store.add(signed())
    assert path.read_bytes() == b"changed"
    assert [item.message for item in store.odd()] == ["its bytes are not those that its name says: it was changed"]


def test_links_and_foreign_files_are_told_and_not_read(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    sha256 = store.add(signed()).sha256
    (tmp_path / "note.txt").write_text("hello")
    outside = tmp_path / "elsewhere"
    (tmp_path / sha256[:2] / f"{'0' * 64}.json").symlink_to(outside)
    (tmp_path / "zz").symlink_to(tmp_path / sha256[:2])

    assert len(list(store.envelopes())) == 1
    assert {item.name for item in store.odd()} == {"note.txt", f"{sha256[:2]}/{'0' * 64}.json", "zz"}


def test_an_index_from_the_files(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    for data in (numbered(1), numbered(3, failing), signed(signer=ROGUE), b"{}"):
        store.add(data)
    found = contents(store, trust())

    assert [(row["seq"], row["outcome"], row["signer"], row["module"]) for row in found.rows] in (
        [(1, "PASS", "lane", MODULE), (3, "FAIL", "lane", MODULE)],
        [(3, "FAIL", "lane", MODULE), (1, "PASS", "lane", MODULE)],
    )
    assert [(gap.first, gap.last) for gap in found.sequences.gaps] == [(2, 2)]
    assert sorted(message.partition(":")[0] for _, message in found.odd) == ["ENVELOPE_MALFORMED", "KEY_UNKNOWN"]
    assert found.as_json()["schema"] == "jetproof/evidence-list/1"


def test_an_empty_store_is_no_error(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "nowhere")

    assert contents(store, trust()).rows == ()
    assert store.floors() == {}
    with pytest.raises(UsageError):
        store.find("abcd")
    with pytest.raises(UsageError):
        store.find("../x")


def test_what_is_pruned_on_purpose_is_no_gap(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    first, second = store.add(numbered(1)).sha256, store.add(numbered(2)).sha256
    store.add_file(first, _artifact("logs/a.txt"), b"x")
    (tmp_path / first[:2] / f"{first}.sigstore.json").write_bytes(b"{}")
    assert store.side_files(first) is not None
    assert store.countersignature(first) == b"{}"

    assert store.remove([first], {LANE.public.hex(): 1, _id(): 1}) == 1
    found = contents(store, trust())

    assert [row["sha256"] for row in found.rows] == [second]
    assert found.sequences.gaps == ()
    assert store.side_files(first) is None
    assert store.countersignature(first) is None


def _id() -> str:
    from jetproof.evidence.signer import keyid

    return keyid(LANE.public)


def _artifact(name: str) -> Any:
    from jetproof.evidence.statement import Artifact

    return Artifact(name=name, sha256="", size=1, media_type="text/plain")


@pytest.mark.parametrize("data", [b"", b"[]", b'{"schema":"x"}', b'{"schema":"jetproof/pruned/1","floors":{"a":"b"}}'])
def test_a_note_of_what_was_pruned_must_be_one(data: bytes) -> None:
    with pytest.raises(UsageError):
        floors_from(data)


def kept(seq: int, days: int, *, passed: bool = True, gate: str = "g") -> Kept:
    return Kept(
        sha256=f"sha{seq}",
        signer="lane",
        seq=seq,
        gate=gate,
        commit="c",
        passed=passed,
        finished=FINISHED - timedelta(days=days),
    )


def test_retention_counts_days() -> None:
    assert pruning([kept(1, 60)], NOW, 60).sha256s == ()
    assert pruning([kept(1, 61)], NOW, 60).sha256s == ("sha1",)
    assert pruning([kept(1, 61)], NOW, 60).floors == {"lane": 1}


def test_a_failure_stays_until_something_clears_it() -> None:
    alone = pruning([kept(1, 90, passed=False), kept(2, 89, gate="other")], NOW, 60)
    cleared = pruning([kept(1, 90, passed=False), kept(2, 5)], NOW, 60)
    later = pruning([kept(1, 91), kept(2, 90, passed=False)], NOW, 60)

    assert (alone.sha256s, alone.held_back) == (("sha2",), ("sha1",))
    assert (cleared.sha256s, cleared.held_back) == (("sha1",), ())
    assert (later.sha256s, later.held_back) == (("sha1",), ("sha2",))


def test_reading_is_bounded_and_follows_nothing(tmp_path: Path) -> None:
    large, link, folder = tmp_path / "large", tmp_path / "link", tmp_path / "folder"
    with large.open("wb") as file:
        file.truncate(MAX_ENVELOPE + 5)
    link.symlink_to(large)
    folder.mkdir()
    assert len(read_bounded(large)) == MAX_ENVELOPE + 1
    for path in (link, folder, tmp_path / "absent"):
        with pytest.raises(UsageError, match="cannot read"):
            read_bounded(path)


DATA = b'{"a": 1}'
SHA256 = digest_of(DATA)
SIDE = Artifact(name="sub/authorized_keys", sha256="0" * 64, size=3, media_type="text/plain")


@pytest.mark.parametrize(
    "linked",
    [SHA256[:2], f"{SHA256[:2]}/{SHA256}.files", f"{SHA256[:2]}/{SHA256}.files/sub"],
    ids=["folder", "files", "sub"],
)
def test_nothing_is_written_or_removed_through_a_link(tmp_path: Path, linked: str) -> None:
    """A proposal may put links into the store that it brings along."""
    store, outside = FolderStore(tmp_path / "store"), tmp_path / "outside"
    (store.root / linked).parent.mkdir(parents=True)
    outside.mkdir()
    (outside / f"{SHA256}.json").write_bytes(DATA)
    (store.root / linked).symlink_to(outside)
    with pytest.raises(JetproofError, match="is no folder"):
        store.add_file(SHA256, SIDE, b"key")
    if linked == SHA256[:2]:
        for act in (lambda: store.add(DATA), lambda: store.remove([SHA256], {})):
            with pytest.raises(JetproofError, match="is no folder"):
                act()
    assert [path.name for path in outside.rglob("*")] == [f"{SHA256}.json"]


@pytest.mark.parametrize(
    ("name", "act"),
    [
        (SHA256[:2], lambda store: store.add(DATA)),
        (f"{SHA256[:2]}/{SHA256}.json/x", lambda store: store.add(DATA)),
        ("pruned.json/x", lambda store: store.remove([SHA256], {})),
    ],
    ids=["a file as folder", "a folder as envelope", "a folder as note"],
)
def test_what_lies_in_the_way_is_told(tmp_path: Path, name: str, act: Callable[[FolderStore], object]) -> None:
    store = FolderStore(tmp_path)
    (store.root / name).parent.mkdir(parents=True, exist_ok=True)
    (store.root / name).write_text("x")
    with pytest.raises(JetproofError):
        act(store)


def test_a_pipe_in_the_way_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / SHA256[:2]).mkdir()
    os.mkfifo(tmp_path / SHA256[:2] / f"{SHA256}.json")
    with pytest.raises(JetproofError, match="other bytes"):
        FolderStore(tmp_path).add(DATA)
