"""Holding the vendor's torch in a project: what is written, twice the same, and nothing else changed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from jetproof.errors import JetproofError, Refused, UsageError
from jetproof.install import readers
from jetproof.install.audit import audit
from jetproof.install.case import held
from jetproof.install.finding import Verdict
from jetproof.install.fix import OVERRIDES_FILE, edited, fix, table
from jetproof.install.holding import emitted
from jetproof.install.stack_environment import board
from jetproof.tables import load

TABLES = load()
JP62 = board(TABLES.stack("jp6.2"))
VENDOR = (held("torch==2.8.0a0+5228986c39.nv25.6"),)
PROJECT = """\
# kept
[project]   # and this
name = "rover"
requires-python = ">=3.10"
dependencies = [
    "torch>=2.9",  # with its comment
    'torchvision',
    "triton>=3; sys_platform == 'linux'",
]

[tool.other]
x = {a=1,   b = 2}
"""


def made(folder: Path, text: str = PROJECT) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(text)
    return path


def test_the_board_loses_torch_and_other_machines_keep_it(tmp_path: Path) -> None:
    path = made(tmp_path)
    assert audit(readers.read(path), JP62, TABLES, held=VENDOR).verdict is Verdict.REPLACES_TORCH
    change = fix(path, VENDOR, JP62, TABLES, write=True)
    assert change.written
    overrides = tomli.loads(path.read_text())["tool"]["uv"]["override-dependencies"]
    assert overrides == [
        "torch>=2.9 ; 'tegra' not in platform_release",
        "torchvision ; 'tegra' not in platform_release",
        "torchaudio ; 'tegra' not in platform_release",
        "triton>=3 ; (sys_platform == \"linux\") and 'tegra' not in platform_release",
    ]
    assert path.read_text().startswith(PROJECT.rstrip("\n"))
    result = audit(readers.read(path), JP62, TABLES, held=VENDOR)
    assert result.verdict is Verdict.OK
    assert result.selection.selected == ()


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    path = made(tmp_path)
    fix(path, VENDOR, JP62, TABLES, write=True)
    before = path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino
    change = fix(tmp_path, VENDOR, JP62, TABLES, write=True)
    assert not change.changes
    assert not change.written
    assert (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) == before


def test_diff_writes_nothing(tmp_path: Path) -> None:
    path = made(tmp_path)
    change = fix(path, VENDOR, JP62, TABLES, write=False)
    assert path.read_text() == PROJECT
    assert not change.written
    assert change.diff.startswith("--- a/pyproject.toml\n+++ b/pyproject.toml\n")
    assert all(line[0] in "+-@ " for line in change.diff.splitlines())


def test_overrides_that_are_there_stay(tmp_path: Path) -> None:
    text = PROJECT + (
        "\n[tool.uv]\n# mine\noverride-dependencies = ['numpy<2', 'torch==2.9; sys_platform == \"linux\"', "
        '\'torchcodec; sys_platform == "never"\']\nlink-mode = "copy"\n'
    )
    path = made(tmp_path, text)
    fix(path, VENDOR, JP62, TABLES, write=True)
    uv = tomli.loads(path.read_text())["tool"]["uv"]
    assert uv["override-dependencies"][:3] == [
        "numpy<2",
        "torch==2.9 ; (sys_platform == \"linux\") and 'tegra' not in platform_release",
        'torchcodec; sys_platform == "never"',
    ]
    assert uv["link-mode"] == "copy"
    assert "# mine" in path.read_text()
    assert not fix(path, VENDOR, JP62, TABLES, write=True).changes


@pytest.mark.parametrize(
    "more",
    [
        "[tool.uv.sources]\nx = { path = 'x' }\n\n[[tool.uv.index]]\nname = 'a'\nurl = 'https://index.example'\n",
        "[[tool.uv.index]]\nurl = 'https://index.example'\n\n[tool.uv]\na = 1\n\n[tool.uv.sources]\nx.y = 1\n",
        "[tool.uv]\noverride-dependencies = []\n",
        "[tool]\nuv = { link-mode = 'copy' }\n",
        "[tool.uv.pip]\nextra = ['a']\n\n[tool.z]\ny = 1\n\n[tool.uv.workspace]\nmembers = ['p/*']\n",
    ],
)
def test_tables_in_any_order(tmp_path: Path, more: str) -> None:
    text = PROJECT.partition("[tool.other]")[0] + more
    path = made(tmp_path, text)
    before = tomli.loads(text)
    fix(path, VENDOR, JP62, TABLES, write=True)
    after = tomli.loads(path.read_text())
    after["tool"]["uv"].pop("override-dependencies")
    before["tool"]["uv"].pop("override-dependencies", None)
    assert after == before
    assert not fix(path, VENDOR, JP62, TABLES, write=True).changes


_NAMES = st.sampled_from(["torch", "torchvision", "numpy", "triton", "flash-attn"])
_BOUNDS = st.sampled_from(["", ">=2", "==2.1", "<3,>=1"])
_MARKERS = st.sampled_from(["", "; sys_platform == 'linux'", "; python_version >= '3.11'"])
_REQUIREMENTS = st.lists(st.tuples(_NAMES, _BOUNDS, _MARKERS).map("".join), max_size=5, unique=True)


@settings(max_examples=30, deadline=None)
@given(_REQUIREMENTS, _REQUIREMENTS, st.booleans())
def test_any_project_is_held_and_stays_so(
    tmp_path_factory: pytest.TempPathFactory, dependencies: list[str], overrides: list[str], several: bool
) -> None:
    folder = tmp_path_factory.mktemp("p")
    path = folder / "pyproject.toml"
    between = ",\n    " if several else ", "
    text = f'[project]\nname = "rover"\ndependencies = {dependencies!r}\n\n[tool.uv]\n'
    listed = between.join(f'"{one}"' for one in overrides)
    text += f"override-dependencies = [{listed}]  # kept\n"
    path.write_text(text)
    once = edited(text, path, VENDOR)
    assert "# kept" in once
    path.write_text(once)
    assert edited(once, path, VENDOR) == once
    result = audit(readers.read(path), JP62, TABLES, held=VENDOR)
    assert "torch" not in {one.package.name for one in result.selection.selected}


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    real = made(tmp_path / "real" if (tmp_path / "real").mkdir() is None else tmp_path)
    (tmp_path / "pyproject.toml").symlink_to(real)
    with pytest.raises(UsageError, match="link"):
        fix(tmp_path / "pyproject.toml", VENDOR, JP62, TABLES, write=True)
    assert real.read_text() == PROJECT


def test_poetry_is_told_that_uv_does_not_read_it(tmp_path: Path) -> None:
    path = made(tmp_path, '[tool.poetry]\nname = "rover"\n')
    with pytest.raises(UsageError, match="uv does not read it"):
        fix(path, VENDOR, JP62, TABLES, write=True)


def test_an_override_that_is_no_list_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path, '[project]\nname = "rover"\n[tool.uv]\noverride-dependencies = "torch"\n')
    with pytest.raises(JetproofError):
        fix(path, VENDOR, JP62, TABLES, write=True)
    assert 'override-dependencies = "torch"' in path.read_text()


def test_an_edit_that_would_change_more_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tomlkit

    path = made(tmp_path)
    monkeypatch.setattr(tomlkit, "dumps", lambda document: "[project]\nname = 'other'\n")
    with pytest.raises(Refused, match="more than the overrides"):
        fix(path, VENDOR, JP62, TABLES, write=True)
    assert path.read_text() == PROJECT


def test_requirements_get_a_file_beside_them(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text("torch\n")
    change = fix(path, VENDOR, JP62, TABLES, write=True)
    assert change.path.name == OVERRIDES_FILE
    assert path.read_text() == "torch\n"
    assert "torch ; sys_platform == 'never'" in change.path.read_text()
    assert not fix(path, VENDOR, JP62, TABLES, write=True).changes
    with pytest.raises(UsageError, match="no pyproject"):
        fix(tmp_path, VENDOR, JP62, TABLES, write=True)


def test_the_file_s_mode_is_kept(tmp_path: Path) -> None:
    path = made(tmp_path)
    path.chmod(0o600)
    fix(path, VENDOR, JP62, TABLES, write=True)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left"):
        fix(path, VENDOR, JP62, TABLES, write=True)
    assert path.read_text() == PROJECT
    assert [one.name for one in tmp_path.iterdir()] == ["pyproject.toml"]


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("constraints", "torch==2.8.0a0+5228986c39.nv25.6"),
        ("override", "torchvision ; sys_platform == 'never'"),
        ("excludes", "torchaudio"),
        ("pyproject", "    \"torch ; 'tegra' not in platform_release\","),
    ],
)
def test_each_form_that_can_be_emitted(form: str, line: str) -> None:
    assert line in emitted(form, VENDOR, JP62, TABLES).splitlines()


@pytest.mark.parametrize("more", ["", '\n[tool.uv]\noverride-dependencies = ["numpy<2", "torch>=2.1"]\n'])
def test_the_printed_table_is_what_fix_writes(tmp_path: Path, more: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text('[project]\nname = "x"\ndependencies = ["torch>=2.4", "torchvision==0.23.0"]\n' + more)
    printed = table(tmp_path, VENDOR, JP62, TABLES)
    assert printed == table(path, VENDOR, JP62, TABLES)
    written = fix(path, VENDOR, JP62, TABLES, write=False).after
    assert tomli.loads(printed)["tool"]["uv"] == tomli.loads(written)["tool"]["uv"]
    if not more:
        assert written.endswith(printed)
        assert "torch>=2.4 ; 'tegra' not in platform_release" in printed


def test_without_a_project_table_the_printed_one_knows_no_bounds(tmp_path: Path) -> None:
    general = emitted("pyproject", VENDOR, JP62, TABLES)
    assert table(tmp_path, VENDOR, JP62, TABLES) == general
    (tmp_path / "pyproject.toml").write_text("[tool.black]\n")
    assert table(tmp_path, VENDOR, JP62, TABLES) == general


def test_without_a_named_torch_the_stack_s_newest_is_held() -> None:
    assert "torch==2.5.0a0+872d972e41.nv24.08" in emitted("constraints", (), JP62, TABLES)
    unknown = emitted("constraints", (), board(TABLES.stack("jp7.2-orin")), TABLES)
    assert "# torch: its number is not known" in unknown
    tomli.loads(emitted("pyproject", VENDOR, JP62, TABLES))


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_line_ends_and_byte_order_mark_stay(tmp_path: Path, mark: bytes, end: bytes) -> None:
    path = tmp_path / "pyproject.toml"
    before = mark + PROJECT.encode().replace(b"\n", end)
    path.write_bytes(before)

    assert fix(path, VENDOR, JP62, TABLES, write=True).written

    after = path.read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == after.count(end)
    assert not fix(path, VENDOR, JP62, TABLES, write=True).written


def test_mixed_line_ends_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    before = PROJECT.encode().replace(b"\n", b"\r\n", 3)
    path.write_bytes(before)

    with pytest.raises(Refused, match="mixes"):
        fix(path, VENDOR, JP62, TABLES, write=True)

    assert path.read_bytes() == before


def test_the_diff_shows_no_credentials(tmp_path: Path) -> None:
    index = '[[tool.uv.index]]\nname = "a"\nurl = "https://user:hidden-word@index.example/simple"\n'
    path = made(tmp_path, f'[project]\nname = "rover"\nversion = "1"\ndependencies = ["torch"]\n{index}')

    change = fix(path, VENDOR, JP62, TABLES, write=False)

    assert "index.example" in change.diff
    assert "hidden-word" not in change.diff
