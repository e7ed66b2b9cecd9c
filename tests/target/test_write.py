"""A whole file or none, and never in the place of something that is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jetproof.errors import UsageError
from jetproof.target.write import write_atomically


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
