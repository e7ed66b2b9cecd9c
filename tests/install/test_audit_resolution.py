"""What has no lock, resolved by the real uv from an index on the loopback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jetproof.errors import JetproofError, UsageError
from jetproof.install import readers
from jetproof.install.audit import audit
from jetproof.install.audit_resolution import command, resolved
from jetproof.install.case import held
from jetproof.install.finding import Verdict
from jetproof.install.stack_environment import board
from jetproof.tables import load

TABLES = load()
JP62 = board(TABLES.stack("jp6.2"))
VENDOR = (held("torch==2.8.0a0+5228986c39.nv25.6"),)


@pytest.mark.process
def test_what_only_the_resolver_sees(tmp_path: Path, index: Any) -> None:
    (tmp_path / "requirements.txt").write_text("vision-app\n")
    project = readers.read(tmp_path)
    assert audit(project, JP62, TABLES, held=VENDOR).verdict is Verdict.OK
    found = resolved(project, JP62, VENDOR, index_url=index.url, timeout=60)
    assert {one.name for one in found.packages} == {"vision-app", "helper", "torchvision"}
    result = audit(found, JP62, TABLES, held=VENDOR)
    assert result.verdict is Verdict.REPLACES_TORCH
    assert result.conditional
    assert result.findings[0].package == "torchvision"


@pytest.mark.process
def test_an_index_that_is_broken_is_an_error(tmp_path: Path, index: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")  # the error is the same after three waits
    index.trouble = "500"
    (tmp_path / "requirements.txt").write_text("vision-app\n")
    with pytest.raises(JetproofError):
        resolved(readers.read(tmp_path), JP62, VENDOR, index_url=index.url, timeout=60)


@pytest.mark.process
def test_offline_without_a_cache_is_an_error(tmp_path: Path, index: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")  # the error is the same after three waits
    (tmp_path / "requirements.txt").write_text("vision-app\n")
    with pytest.raises(JetproofError):
        resolved(readers.read(tmp_path), JP62, VENDOR, offline=True, index_url=index.url, timeout=60)


def test_a_program_is_never_resolved(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(install_requires=['torch'])\n")
    with pytest.raises(UsageError, match="without running it"):
        resolved(readers.read(tmp_path), JP62, VENDOR)


def test_the_resolver_is_asked_for_the_board(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("numpy\n")
    words = command(
        readers.read(tmp_path), JP62, tmp_path / "e", tmp_path / "o", offline=True, index_url="https://index.example"
    )
    assert words[words.index("--python-platform") + 1] == "aarch64-manylinux_2_35"
    assert words[words.index("--python-version") + 1] == "3.10.12"
    assert "--offline" in words
    old = command(
        readers.read(tmp_path),
        board(TABLES.stack("jp4.6")),
        tmp_path / "e",
        tmp_path / "o",
        offline=False,
        index_url=None,
    )
    assert old[old.index("--python-platform") + 1] == "aarch64-manylinux_2_17"
