"""Only a plain file is read, only as far as allowed, and nothing is waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jetproof.target.read import plain_bytes


def test_a_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(200_000))
    assert len(plain_bytes(file, 150_000)) == 150_000
    assert len(plain_bytes(file, 300_000)) == 200_000


def test_links_folders_pipes_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "link", tmp_path, tmp_path / "pipe", Path("/dev/zero"), tmp_path / "absent"):
        with pytest.raises(OSError):
            plain_bytes(path, 10)
