"""The vendor's files: what counts as changed, and what does not."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path

import pytest

from jetproof.install.interpreter import Installed
from jetproof.install.protected import differences, files, marks


def _torch(site: Path, *, record: bool = True) -> Installed:
    (site / "torch" / "__pycache__").mkdir(parents=True)
    info = site / "torch-2.8.0.dist-info"
    info.mkdir()
    rows = []
    for name, text in (("torch/__init__.py", "one\n"), ("torch/lib.so", "two\n"), ("torch/__pycache__/x.pyc", "three")):
        (site / name).write_text(text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(text)}")
    (info / "METADATA").write_text("Name: torch\nVersion: 2.8.0\n")
    rows += ["torch-2.8.0.dist-info/METADATA,,", "torch/gone.py,,"]
    if record:
        (info / "RECORD").write_text("\n".join(rows) + "\n")
    return Installed(name="torch", release="2.8.0", location=site, active=True)


@pytest.fixture
def dist(tmp_path: Path) -> Installed:
    return _torch(tmp_path)


def test_every_file_but_bytecode(dist: Installed) -> None:
    names = {path.name for path, _ in files(dist)}
    assert names == {"__init__.py", "lib.so", "METADATA", "gone.py"}
    assert {Path(path).name for path in marks([dist])} == {"__init__.py", "lib.so", "METADATA"}


def test_untouched_is_no_difference(dist: Installed) -> None:
    for deep in (False, True):
        assert differences(marks([dist], deep=deep), deep=deep) == ()


def test_touched_with_the_same_content_is_none_either(dist: Installed) -> None:
    before = marks([dist])
    os.utime(dist.location / "torch" / "lib.so", (1, 1))
    assert differences(before) == ()


@pytest.mark.parametrize("deep", [False, True])
def test_changed_content_of_the_same_size(dist: Installed, deep: bool) -> None:
    before = marks([dist], deep=deep)
    (dist.location / "torch" / "lib.so").write_text("TWO\n")
    assert [(Path(one.path).name, one.what) for one in differences(before, deep=deep)] == [
        ("lib.so", "content changed")
    ]


def test_a_change_that_keeps_size_and_times_is_found_by_content_only(
    dist: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = dist.location / "torch" / "lib.so"
    real, frozen = os.lstat, os.lstat(path)
    before, deep = marks([dist]), marks([dist], deep=True)
    path.write_text("TWO\n")

    def stopped(asked: str | Path) -> os.stat_result:
        return frozen if str(asked) == str(path) else real(asked)

    # a file system without ctime, as it were
    monkeypatch.setattr("jetproof_worker.vendor_files.os.lstat", stopped)
    assert differences(before) == ()
    assert len(differences(deep, deep=True)) == 1


def test_replaced_grown_and_gone(dist: Installed) -> None:
    before = marks([dist])
    (dist.location / "torch" / "__init__.py").unlink()
    (dist.location / "torch" / "lib.so").write_text("longer than before\n")
    assert {one.what for one in differences(before)} == {"gone", "size was 4, is 19"}


def test_touched_without_a_digest_cannot_be_called_the_same(dist: Installed) -> None:
    before = marks([dist])
    os.utime(dist.location / "torch-2.8.0.dist-info" / "METADATA", (1, 1))
    assert [one.what for one in differences(before)] == ["touched, and no digest of before is known"]


def test_without_a_record_the_packages_folder_counts(tmp_path: Path) -> None:
    dist = _torch(tmp_path, record=False)
    assert {Path(path).name for path in marks([dist])} == {"__init__.py", "lib.so", "METADATA"}


def test_condas_own_list_counts(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "python3.10" / "site-packages"
    dist = _torch(site, record=False)
    (tmp_path / "conda-meta").mkdir()
    listed = ["lib/libtorch.so", "lib/python3.10/site-packages/torch/lib.so"]
    (tmp_path / "lib" / "libtorch.so").write_text("x")
    (tmp_path / "conda-meta" / "pytorch-2.8.0-py310_0.json").write_text(json.dumps({"files": listed}))
    (tmp_path / "conda-meta" / "other-1-0.json").write_text("broken")
    assert {Path(path).name for path in marks([dist])} == {"libtorch.so", "lib.so", "METADATA"}


def test_a_folder_that_is_gone_has_no_files(tmp_path: Path) -> None:
    assert marks([Installed(name="torch", release="1", location=tmp_path / "gone", active=True)]) == {}
