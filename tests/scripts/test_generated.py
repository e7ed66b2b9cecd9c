"""The generated pages and schemas are current, and one that is not is told, written or removed."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

import generated

SCRIPTS = Path(generated.__file__).parent
MAKERS = {path for pattern in ("*-pages", "*-table", "schemas") for path in SCRIPTS.glob(pattern)}
SHARED = SCRIPTS / "lock-table"  # tests/install/test_audit_pages.py


@pytest.mark.parametrize("script", [*sorted(MAKERS - {SHARED}), SCRIPTS / "check-tables"], ids=lambda path: path.name)
def test_a_script_finds_nothing_to_do(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(script), "--check"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(script), run_name="__main__")
    assert ended.value.code == 0, "".join(capsys.readouterr())


def test_what_is_missing_stale_or_left_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    wanted = {tmp_path / "new" / "a.md": "a", tmp_path / "b.md": "b", tmp_path / "c.md": "c"}
    (tmp_path / "b.md").write_text("old")
    (tmp_path / "c.md").write_text("c")
    (tmp_path / "gone.md").write_text("")
    (tmp_path / "other.txt").write_text("")
    monkeypatch.setattr(sys, "argv", ["some-pages", "--check"])
    assert generated.write_or_check(wanted, tmp_path) == 1
    told = [line.split()[0] for line in capsys.readouterr().err.splitlines()]
    assert told == ["new/a.md", "b.md", "gone.md"]
    assert (tmp_path / "b.md").read_text() == "old"
    monkeypatch.setattr(sys, "argv", ["some-pages"])
    assert generated.write_or_check(wanted, tmp_path) == 0
    assert capsys.readouterr().out == "some-pages: 3 files, 2 written, 1 removed\n"
    assert {path.name for path in tmp_path.iterdir()} == {"new", "b.md", "c.md", "other.txt"}
    monkeypatch.setattr(sys, "argv", ["some-pages", "--check"])
    assert generated.write_or_check(wanted, tmp_path) == 0
