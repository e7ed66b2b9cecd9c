"""A whole file or none, and never in the place of something that is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jetproof.errors import UsageError
from jetproof.target.write import put, put_new, write_atomically


def test_a_file_is_replaced_and_a_link_keeps_pointing(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)

    write_atomically(link, b"new")

    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link", "real"]


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_file_stays(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "thing"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()

    with pytest.raises(UsageError, match="no regular file"):
        write_atomically(path, b"data")

    assert not path.is_file()
    assert [one.name for one in tmp_path.iterdir()] == ["thing"]


def test_put_new_never_replaces_and_leaves_no_draft(tmp_path: Path) -> None:
    put_new(tmp_path / "file", b"first", mode=0o600)
    with pytest.raises(FileExistsError):
        put_new(tmp_path / "file", b"second")
    assert (tmp_path / "file").read_bytes() == b"first"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_put_replaces_a_link_itself_and_leaves_no_draft_when_it_fails(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"other")
    (tmp_path / "link").symlink_to("other")
    put(tmp_path / "link", b"new")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "other").read_bytes() == b"other"
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        put(tmp_path / "folder", b"new")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder", "link", "other"]
