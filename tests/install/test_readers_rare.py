"""Rarer shapes of each format, which real projects have too."""

from __future__ import annotations

from pathlib import Path

import pytest

from jetproof.errors import UsageError
from jetproof.install import readers
from jetproof.install.audit import Audit, audit
from jetproof.install.case import held
from jetproof.install.finding import Verdict
from jetproof.install.locked import Project, SourceKind
from jetproof.install.selection import selection
from jetproof.install.stack_environment import board
from jetproof.tables import load

TABLES = load()
JP62 = board(TABLES.stack("jp6.2"))
VENDOR = (held("torch==2.8.0a0+5228986c39.nv25.6"),)


def read(folder: Path, name: str, text: str) -> Project:
    (folder / name).write_text(text)
    return readers.read(folder / name)


def judged(folder: Path, name: str, text: str) -> Audit:
    return audit(read(folder, name, text), JP62, TABLES, held=VENDOR)


def test_a_uv_workspace_without_a_project_at_its_top(tmp_path: Path) -> None:
    project = read(
        tmp_path,
        "uv.lock",
        'version = 1\n[manifest]\nmembers = ["a", "b"]\nrequirements = [{ name = "c" }]\n'
        '[manifest.dependency-groups]\ndev = [{ name = "d" }]\n'
        '[[package]]\nname = "a"\nversion = "1"\nsource = { editable = "p/a" }\n'
        'dependencies = [{ name = "c", extra = ["x"] }]\n'
        '[[package]]\nname = "b"\nversion = "1"\nsource = { editable = "p/b" }\ndependencies = [{ name = "a" }]\n'
        '[[package]]\nname = "c"\nversion = "1"\nsource = { git = "https://t:secret@git.example/c" }\n'
        '[package.optional-dependencies]\nx = [{ name = "d" }]\n'
        '[[package]]\nname = "d"\nversion = "1"\nsource = { url = "https://files.index.example/d.whl" }\n'
        'wheels = [{ url = "https://files.index.example/d-1-py3-none-any.whl#sha256=0" }]\n',
    )
    chosen = selection(project, JP62)
    assert [one.package.name for one in chosen.selected] == ["c", "d"]
    assert project.groups == ("dev",)
    assert project.packages[2].source.location == "https://git.example/c"
    assert chosen.named("d")[0].package.files[0].filename == "d-1-py3-none-any.whl"
    assert list(project.packages[3].files[:1]) == [project.packages[3].files[0]]
    assert len(project.packages[3].files) == 1


def test_a_uv_lock_of_nobody(tmp_path: Path) -> None:
    text = 'version = 1\n[[package]]\nname = "a"\nversion = "1"\nsource = { registry = "https://index.example" }\n'
    assert judged(tmp_path, "uv.lock", text).verdict is Verdict.UNDETERMINED


def test_a_header_inside_a_text_costs_the_line_and_nothing_else(tmp_path: Path) -> None:
    text = "version = 1\nnote = '''\n[[package]]\n'''\n[[package]]\nname = \"a\"\nsource = { virtual = \".\" }\n"
    assert read(tmp_path, "uv.lock", text).packages[0].where.line is None


def test_two_copies_in_a_poetry_lock_are_told_apart_by_bound_and_marker(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.poetry]\nname = "rover"\n[tool.poetry.dependencies]\npython = ">=3.8"\n'
        'lib = [{ version = "^1.0", python = "<3.9" }, { version = "^2.0", python = ">=3.9" }]\n'
        'mac = { version = "*", platform = "darwin" }\nleft = { version = "*", optional = true }\n'
        'own = { git = "https://git.example/own" }\nodd = "!!"\n'
        '[tool.poetry.dev-dependencies]\nlinter = "1.0"\n'
    )
    lock = "".join(
        f'[[package]]\nname = "{name}"\nversion = "{release}"\noptional = false\npython-versions = "*"\n{more}'
        for name, release, more in (
            ("lib", "1.5", 'markers = "python_version < \\"3.9\\""\n'),
            ("lib", "2.5", 'markers = { main = "python_version >= \\"3.9\\"" }\n'),
            ("mac", "1", ""),
            ("left", "1", ""),
            ("own", "1", '[package.source]\ntype = "git"\nurl = "https://git.example/own"\n'),
            ("linter", "1.0", '[package.dependencies]\nleft = { version = "*", optional = true }\n'),
        )
    )
    project = read(tmp_path, "poetry.lock", lock + '[metadata]\nlock-version = "2.1"\npython-versions = ">=3.8"\n')
    chosen = selection(project, JP62)
    assert {(one.package.name, one.package.release) for one in chosen.selected} == {("lib", "2.5"), ("own", "1")}
    assert chosen.named("own")[0].package.source.kind is SourceKind.VCS
    assert [unknown.what for unknown in project.unknowns] == ["odd = '!!'"]
    assert {one.package.name for one in selection(project, JP62, groups=["dev"]).selected} == {"lib", "own", "linter"}


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("pylock.toml", 'archive = { url = "https://x.example/a.zip" }', SourceKind.URL),
        ("pylock.toml", 'vcs = { type = "git", url = "https://x.example/a" }', SourceKind.VCS),
        ("pylock.toml", 'directory = { path = "a", editable = true }', SourceKind.EDITABLE),
        ("pylock.toml", 'directory = { path = "a" }\ndependencies = [{ name = "b" }]', SourceKind.PATH),
        ("pdm.lock", 'git = "https://x.example/a"', SourceKind.VCS),
        ("pdm.lock", 'path = "./a"\neditable = true', SourceKind.EDITABLE),
    ],
)
def test_sources(tmp_path: Path, name: str, text: str, kind: SourceKind) -> None:
    header = '[[packages]]\nname = "a"\n' if name == "pylock.toml" else '[[package]]\nname = "a"\nversion = "1"\n'
    first = 'lock-version = "1.0"\n' if name == "pylock.toml" else '[metadata]\nlock_version = "4.5"\n'
    project = read(tmp_path, name, first + header + text + "\n")
    assert project.packages[0].source.kind is kind
    assert [edge.name for edge in project.packages[0].requires] == (["b"] if "dependencies" in text else [])


def test_a_pylock_package_from_nowhere_is_not_known(tmp_path: Path) -> None:
    text = 'lock-version = "1.0"\n[[packages]]\nname = "a"\nversion = "1"\n'
    assert judged(tmp_path, "pylock.toml", text).verdict is Verdict.UNDETERMINED


def test_a_pipfile_lock_with_sources_of_its_own(tmp_path: Path) -> None:
    project = read(
        tmp_path,
        "Pipfile.lock",
        '{"_meta": {"requires": {"python_full_version": "3.8.10"}}, "default": {'
        '"a": {"git": "https://git.example/a", "ref": "1"}, '
        '"b": {"path": ".", "editable": true}, "c": {"version": "*"}}}',
    )
    kinds = [package.source.kind for package in project.packages]
    assert kinds == [SourceKind.VCS, SourceKind.EDITABLE, SourceKind.UNKNOWN]
    assert project.requires_python == "==3.8.10"
    assert audit(project, JP62, TABLES, held=VENDOR).verdict is Verdict.FAILS_PYTHON


def test_pdm_lists_what_cannot_be_read(tmp_path: Path) -> None:
    text = '[metadata]\nlock_version = "4.5"\n[[package]]\nname = "a"\nversion = "1"\ndependencies = ["!!"]\n'
    assert judged(tmp_path, "pdm.lock", text).verdict is Verdict.UNDETERMINED


@pytest.mark.parametrize(
    "more",
    [
        'markers = "hardware == 1"',
        'markers = "python_version ~~ 3"',
        'dependencies = { b = { version = "*", markers = "!" } }',
    ],
)
def test_markers_that_cannot_be_read_in_a_lock(tmp_path: Path, more: str) -> None:
    text = f'[[package]]\nname = "a"\nversion = "1"\n{more}\n[[package]]\nname = "b"\nversion = "1"\n'
    text += '[metadata]\nlock-version = "2.1"\n'
    assert judged(tmp_path, "poetry.lock", text).verdict is Verdict.UNDETERMINED


def test_a_flat_lock_with_a_marker_that_cannot_be_read(tmp_path: Path) -> None:
    text = 'lock-version = "1.0"\n[[packages]]\nname = "torch"\nmarker = "???"\narchive.url = "https://x.example/a"\n'
    assert judged(tmp_path, "pylock.toml", text).verdict is Verdict.UNDETERMINED


def test_a_very_long_marker_is_not_evaluated(tmp_path: Path) -> None:
    marker = " or ".join(["os_name == 'x'"] * 2000)
    assert judged(tmp_path, "requirements.txt", f"torch==1.0; {marker}\n").verdict is Verdict.UNDETERMINED


def test_setup_cfg_reads_a_file_of_requirements(tmp_path: Path) -> None:
    (tmp_path / "needs.txt").write_text("torch==2.1\n")
    text = "[options]\ninstall_requires = file: needs.txt\n[options.extras_require]\nx = !!\n"
    project = read(tmp_path, "setup.cfg", text)
    assert [one.name for one in project.packages] == ["torch"]
    assert [unknown.what for unknown in project.unknowns] == ["!!"]


def test_a_setup_cfg_for_tools_is_not_known(tmp_path: Path) -> None:
    assert judged(tmp_path, "setup.cfg", "[flake8]\nmax-line-length = 100\n").verdict is Verdict.UNDETERMINED


def test_setup_py_without_plain_texts(tmp_path: Path) -> None:
    project = read(tmp_path, "setup.py", "import setuptools\nsetuptools.setup(name=NAME, install_requires=needs())\n")
    assert project.packages == ()
    assert project.name is None
    assert read(tmp_path, "setup.py", "print(1)\n").unknowns[0].where.line == 1


def test_pyproject_tables_of_older_tools(tmp_path: Path) -> None:
    project = read(
        tmp_path,
        "pyproject.toml",
        '[project]\nname = "rover"\ndynamic = ["dependencies"]\ndependencies = []\n'
        '[tool.hatch.metadata.hooks.requirements_txt]\nfiles = ["needs.txt"]\n'
        '[tool.pdm.dev-dependencies]\nlint = ["linter", "-e file:///x"]\n'
        '[tool.uv]\ndev-dependencies = ["tester", "!!"]\nindex-url = "https://index.example"\n'
        '[tool.uv.sources]\ntool = { git = "https://git.example/tool" }\nhere = { path = "." }\n'
        '[dependency-groups]\nodd = [1, { include-group = "gone" }]\n',
    )
    assert [unknown.what for unknown in project.unknowns] == ["needs.txt", "dependency group gone", "!!"]
    assert project.groups == ("odd", "lint", "dev")
    assert [index.url for index in project.indexes] == ["https://index.example", "https://git.example/tool", "."]


def test_an_environment_with_what_cannot_be_read(tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    for name in ("empty-1.dist-info", "odd-1.dist-info", "fine-1.dist-info", "local-1.dist-info"):
        (site / name).mkdir(parents=True)
    (site / "odd-1.dist-info" / "METADATA").write_text("Name: ../x\n")
    for name in ("fine", "local"):
        (site / f"{name}-1.dist-info" / "METADATA").write_text(f"Name: {name}\nVersion: 1\nRequires-Dist: !!\n")
    (site / "fine-1.dist-info" / "direct_url.json").write_text("[")
    (site / "local-1.dist-info" / "direct_url.json").write_text(
        '{"url": "file:///home/x", "dir_info": {"editable": true}}'
    )
    project = readers.read(site)
    assert [package.name for package in project.packages] == ["fine", "local"]
    assert project.packages[1].source.kind is SourceKind.EDITABLE
    assert "home" not in repr(project.packages)
    assert len(project.unknowns) == 2
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "pyvenv.cfg").write_text("")
    with pytest.raises(UsageError, match="no site-packages"):
        readers.read(tmp_path / "bare")


@pytest.mark.parametrize(
    ("name", "release"),
    [("bitsandbytes", "about one"), ("numpy", "about one"), ("torch", "about one")],
)
def test_numbers_that_are_none_in_a_lock(tmp_path: Path, name: str, release: str) -> None:
    text = f'[[package]]\nname = "{name}"\nversion = "{release}"\n[metadata]\nlock-version = "2.1"\n'
    project = read(tmp_path, "poetry.lock", text)
    result = audit(project, JP62, TABLES)
    assert result.verdict is (Verdict.REPLACES_TORCH if name == "torch" else Verdict.OK)


@pytest.mark.parametrize("name", ["x" * 5000, "a\x00b"])
def test_names_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    text = f"-r {name}\n-e ./{name}\n{name}\n"
    assert judged(tmp_path, "requirements.txt", text).verdict is Verdict.UNDETERMINED
    assert (
        judged(tmp_path, "setup.cfg", f"[options]\ninstall_requires = file: {name}\n").verdict is Verdict.UNDETERMINED
    )


@pytest.mark.parametrize(
    ("targets", "verdict"),
    [
        ([("==3.12.*", "windows_amd64"), ("==3.10.*", "manylinux_2_34_aarch64")], Verdict.OK),
        ([("==3.12.*", "windows_amd64"), ("==3.10.*", "linux")], Verdict.OK),
        ([(">=3.9", None)], Verdict.OK),
        ([(">=3.9,<3.13", "windows_amd64")], Verdict.UNDETERMINED),
        ([(">=3.9", "manylinux_2_17_x86_64"), (">=3.9", "macos_arm64")], Verdict.UNDETERMINED),
        ([("==3.12.*", "linux"), ("==3.11.*", "linux")], Verdict.UNDETERMINED),
        ([(">=3.12", "linux")], Verdict.FAILS_PYTHON),
    ],
)
def test_a_pdm_lock_is_for_its_targets(tmp_path: Path, targets: list[tuple[str, str | None]], verdict: Verdict) -> None:
    listed = "".join(
        f'[[metadata.targets]]\nrequires_python = "{python}"\n' + (f'platform = "{platform}"\n' if platform else "")
        for python, platform in targets
    )
    (tmp_path / "pdm.lock").write_text(
        f'[metadata]\nlock_version = "4.5.0"\n{listed}[[package]]\nname = "tqdm"\nversion = "4.0"\nfiles = []\n'
    )
    assert audit(readers.read(tmp_path / "pdm.lock"), JP62, TABLES, held=VENDOR).verdict is verdict


def test_flits_own_table_is_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.flit.metadata]\nmodule = "rover"\nrequires-python = ">=3.7"\nrequires = ["torch", "torchvision"]\n'
        '[tool.flit.metadata.requires-extra]\ntest = ["pytest"]\n'
    )
    project = readers.read(tmp_path / "pyproject.toml")
    assert [(one.name, one.only_in, one.where.line) for one in project.packages] == [
        ("torch", (), 4),
        ("torchvision", (), 4),
        ("pytest", ("extra:test",), 6),
    ]
    assert project.requires_python == ">=3.7"
    assert audit(project, JP62, TABLES, held=VENDOR).verdict is Verdict.REPLACES_TORCH
