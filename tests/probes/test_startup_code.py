"""What an interpreter runs before anything else is told with every run."""

from __future__ import annotations

import hashlib
import os
import venv
from pathlib import Path

import pytest

from jetproof_worker import startup_code

from .conftest import Serve


@pytest.mark.process
def test_a_path_file_with_code_is_told(serve: Serve, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", symlinks=True)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (site / "quiet.pth").write_text("import sys; sys.quiet = True\n")
    (site / "plain.pth").write_text("/nowhere\n")
    item = {"id": "plain", "probe": "architecture", "params": {"machine": [os.uname().machine]}}

    served = serve({"items": [item]}, python=str(tmp_path / "env" / "bin" / "python"))

    told = {Path(one["file"]).name: one["sha256"] for one in served.one("hello")["startup"]}
    assert told["quiet.pth"] == hashlib.sha256((site / "quiet.pth").read_bytes()).hexdigest()
    assert "plain.pth" not in told


def test_what_cannot_be_read_or_is_too_long_counts(tmp_path: Path) -> None:
    (tmp_path / "long.pth").write_bytes(b"#\n" * (1 << 16))
    (tmp_path / "gone.pth").symlink_to(tmp_path / "nowhere")
    (tmp_path / "tab.pth").write_text("# first\nimport\tos\n")
    (tmp_path / "other.txt").write_text("import os\n")

    found = [Path(path).name for path in startup_code._path_files(str(tmp_path))]

    assert found == ["gone.pth", "long.pth", "tab.pth"]
    assert startup_code._path_files(str(tmp_path / "nowhere")) == []
