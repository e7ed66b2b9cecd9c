"""A run's files have fixed places, are whole or absent, and nothing earlier is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from jetproof.errors import Undecided, UsageError
from jetproof.qualify.folder import Folder, is_ours, run_folder, write
from jetproof.qualify.journal import JournalUnwritable
from jetproof.qualify.locks import held


def test_a_run_is_found_by_its_folder_its_journal_or_its_record(tmp_path: Path) -> None:
    folder = Folder(out=tmp_path, gate="a-gate")
    folder.open()
    folder.journal.write_text("")
    folder.record.write_text("")

    assert run_folder(tmp_path / "a-gate") == folder
    assert run_folder(tmp_path / "a-gate" / "journal.jsonl") == folder
    assert run_folder(tmp_path / "a-gate.json") == folder
    with pytest.raises(UsageError) as caught:
        run_folder(tmp_path)
    assert "a-gate" in (caught.value.hint or "")
    with pytest.raises(UsageError):
        run_folder(tmp_path / "nowhere")


@pytest.mark.parametrize("named", [".", "../a-gate", "journal.jsonl", "./", ".."])
def test_a_run_is_found_from_inside_its_folder(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(out=tmp_path.resolve(), gate="a-gate")
    folder.open()
    folder.journal.write_text("")
    (folder.side / "deeper").mkdir()
    monkeypatch.chdir(folder.side / "deeper" if named == ".." else folder.side)

    found = run_folder(Path(named))

    assert found.gate == "a-gate"
    assert found.journal.resolve() == folder.journal
    assert found.record.resolve() == folder.record


def test_whatever_lies_there_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / "a-gate").mkdir()
    (tmp_path / "a-gate" / "journal.jsonl").write_bytes(b"\xff not a journal")
    (tmp_path / "a-gate.json").write_text("its record")

    Folder(out=tmp_path, gate="a-gate").open()

    aside = next(path for path in tmp_path.iterdir() if path.name.startswith("a-gate."))
    assert (aside / "journal.jsonl").read_bytes() == b"\xff not a journal"
    assert (aside / "record.json").read_text() == "its record"
    assert Folder(out=tmp_path, gate=aside.name).record == aside / "record.json"


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    write(tmp_path / "x", b"1")
    write(tmp_path / "x", b"2")

    assert (tmp_path / "x").read_bytes() == b"2"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    with pytest.raises(JournalUnwritable):
        write(tmp_path / "nowhere" / "x", b"1")


@pytest.mark.parametrize(
    ("path", "ours"),
    [
        ("out/.lock", True),
        ("out/a-gate.json", True),
        ("out/a-gate/journal.jsonl", True),
        ("out/a-gate.0123456789ab/record.json", True),
        ("out/a-gate/conftest.py", False),
        ("out/deeper/a-gate/journal.jsonl", False),
        ("elsewhere/a-gate.json", False),
    ],
)
def test_only_exact_names_are_ours(path: str, ours: bool, tmp_path: Path) -> None:
    assert is_ours(tmp_path / "out", tmp_path / path) is ours


def test_a_lock_is_held_once_and_given_back(tmp_path: Path) -> None:
    with (
        held(tmp_path / "l", "it"),
        pytest.raises(Undecided, match="another jetproof run has it"),
        held(tmp_path / "l", "it"),
    ):
        pass
    with held(tmp_path / "l", "it"):
        pass


def test_a_lock_is_no_link(tmp_path: Path) -> None:
    (tmp_path / "l").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(Exception, match="cannot open the lock"), held(tmp_path / "l", "it"):
        pass
