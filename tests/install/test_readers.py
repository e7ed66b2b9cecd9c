"""Each lock format, read from a small lock of our own: what a board gets of it, and where it stands."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from jetproof.errors import UsageError
from jetproof.install import readers
from jetproof.install.audit import audit
from jetproof.install.case import held
from jetproof.install.finding import Verdict
from jetproof.install.locked import Kind, SourceKind
from jetproof.install.selection import selection
from jetproof.install.stack_environment import board
from jetproof.tables import load

LOCKS = Path(__file__).parent.parent / "fixtures" / "locks"
TABLES = load()
JP62 = board(TABLES.stack("jp6.2"))
VENDOR = (held("torch==2.8.0a0+5228986c39.nv25.6"),)


def got(name: str, extras: tuple[str, ...] = (), groups: tuple[str, ...] = ()) -> dict[str, str | None]:
    project = readers.read(LOCKS / name)
    assert project.unknowns == ()
    chosen = selection(project, JP62, extras=extras, groups=groups)
    assert chosen.unknowns == ()
    return {one.package.name: one.package.release for one in chosen.selected}


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("uv", Kind.UV_LOCK, {"legacy-tool": "0.9", "numpy": "2.1.0", "torch": "2.8.0+cpu"}),
        ("pylock", Kind.PYLOCK, {"numpy": "1.26.4", "torch": "2.14.1"}),
        ("poetry", Kind.POETRY_LOCK, {"numpy": "1.26.4", "torch": "2.7.0"}),
        ("pdm", Kind.PDM_LOCK, {"torch": "2.5.1", "web": "2.0", "speedup": "1.0"}),
        ("pipfile", Kind.PIPFILE_LOCK, {"numpy": "1.26.4", "torch": "2.4.1"}),
        ("pixi", Kind.PIXI_LOCK, {"numpy": "1.26.4", "torch": "2.9.1"}),
    ],
)
def test_a_plain_install_gets_what_its_markers_say(name: str, kind: Kind, expected: dict[str, str]) -> None:
    assert got(name) == expected
    project = readers.read(LOCKS / name)
    assert project.kind is kind
    assert project.locked
    assert audit(project, JP62, TABLES, held=VENDOR).verdict is Verdict.REPLACES_TORCH


@pytest.mark.parametrize("name", ["uv", "pylock", "poetry"])
def test_an_extra_adds_its_packages(name: str) -> None:
    assert "torchvision" in got(name, extras=("Vision",))


@pytest.mark.parametrize("name", ["uv", "pylock", "poetry", "pdm", "pipfile"])
def test_a_group_adds_its_packages(name: str) -> None:
    assert got(name, groups=("dev",))["linter"] == "3.1"


@pytest.mark.parametrize("name", ["uv", "pylock", "poetry", "pdm", "pipfile", "pixi"])
def test_every_line_number_leads_to_the_package(name: str) -> None:
    project = readers.read(LOCKS / name)
    lines = Path(project.path).read_text(encoding="utf-8").split("\n")
    for package in project.packages:
        assert package.where.line is not None
        near = "\n".join(lines[package.where.line - 1 : package.where.line + 2])
        assert package.name in near.replace("_", "-")


def test_who_asks_is_told_from_the_project_down() -> None:
    chosen = selection(readers.read(LOCKS / "pdm"), JP62)
    assert chosen.named("speedup")[0].wanted_by == ("rover", "web[fast]")
    assert chosen.named("torch")[0].specifier == ">=2.0"


def test_requirements_are_followed_into_their_files() -> None:
    project = readers.read(LOCKS / "requirements")
    assert not project.locked
    chosen = selection(project, JP62)
    asked = {one.package.name: one.specifier for one in chosen.selected}
    assert asked == {"pillow": None, "torch": ">=2.0", "numpy": ">=1.20,<2", "web": "==2.0", "tool": None}
    assert chosen.named("web")[0].package.hashes == ("sha256:00", "sha256:01")
    assert chosen.named("tool")[0].package.source.kind is SourceKind.VCS
    assert chosen.named("numpy")[0].package.where.line == 6
    assert project.indexes[0].url == "https://download.pytorch.org/whl/cu121"


@pytest.mark.parametrize("name", ["uv", "pipfile", "requirements"])
def test_credentials_in_addresses_are_never_kept(name: str) -> None:
    project = readers.read(LOCKS / name)
    told = repr(project) + "".join(repr(list(package.files)) for package in project.packages)
    assert "secret" not in told


def test_a_folder_gives_its_best_file_and_says_so() -> None:
    project = readers.read(LOCKS / "uv")
    assert project.path.endswith("uv.lock")
    assert project.notes[0] == "uv.lock was read; also there: pyproject.toml"


def test_a_pyproject_for_tools_gives_way_to_requirements(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 100\n")
    (tmp_path / "requirements.txt").write_text("numpy\n")
    assert readers.read(tmp_path).kind is Kind.REQUIREMENTS


def test_poetry_without_its_pyproject_takes_what_nobody_asks_for(tmp_path: Path) -> None:
    text = (LOCKS / "poetry" / "poetry.lock").read_text()
    (tmp_path / "poetry.lock").write_text(text)
    project = readers.read(tmp_path / "poetry.lock")
    assert {one.package.name for one in selection(project, JP62).selected} == {"torch", "numpy"}
    assert "no pyproject.toml" in project.notes[0]


def test_an_old_poetry_lock_keeps_its_files_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "poetry.lock").write_text(
        '[[package]]\nname = "old"\nversion = "1.0"\ncategory = "main"\noptional = false\npython-versions = "*"\n'
        '[metadata]\nlock-version = "1.1"\npython-versions = "*"\n'
        '[metadata.files]\nold = [{ file = "old-1.0-py3-none-any.whl", hash = "sha256:00" }]\n'
    )
    project = readers.read(tmp_path)
    assert project.packages[0].files[0].filename == "old-1.0-py3-none-any.whl"
    assert project.requires_python is None


def test_pdm_without_its_pyproject_uses_the_groups(tmp_path: Path) -> None:
    (tmp_path / "pdm.lock").write_text((LOCKS / "pdm" / "pdm.lock").read_text())
    project = readers.read(tmp_path)
    assert {one.package.name for one in selection(project, JP62).selected} == {"torch", "web", "speedup"}


def test_a_pixi_lock_for_other_machines_is_not_decided(tmp_path: Path) -> None:
    text = (LOCKS / "pixi" / "pixi.lock").read_text().replace("linux-aarch64:", "osx-arm64:")
    (tmp_path / "pixi.lock").write_text(text)
    result = audit(readers.read(tmp_path), JP62, TABLES, held=VENDOR)
    assert result.verdict is Verdict.UNDETERMINED


def test_conda_s_pytorch_is_another_torch(tmp_path: Path) -> None:
    url = "https://channel.example/conda-forge/linux-aarch64/pytorch-2.5.1-cpu_generic_py310_0.conda"
    (tmp_path / "pixi.lock").write_text(
        f"version: 6\nenvironments:\n  default:\n    packages:\n      linux-aarch64:\n      - conda: {url}\n"
        f"packages:\n- conda: {url}\n  sha256: '0'\n"
    )
    result = audit(readers.read(tmp_path), JP62, TABLES, held=VENDOR)
    assert result.verdict is Verdict.REPLACES_TORCH
    assert "conda" in result.findings[0].message


def test_an_older_pixi_lock_names_kinds(tmp_path: Path) -> None:
    url = "https://files.index.example/torch-2.9.1-cp310-cp310-manylinux_2_28_aarch64.whl"
    (tmp_path / "pixi.lock").write_text(
        f"version: 4\nenvironments:\n  default:\n    packages:\n      linux-aarch64:\n      - pypi: {url}\n"
        f"packages:\n- kind: pypi\n  name: torch\n  version: 2.9.1\n  url: {url}\n"
    )
    assert readers.read(tmp_path).packages[0].release == "2.9.1"


def test_pyproject_with_groups_extras_and_uv_tables(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        """
[project]
name = "rover"
requires-python = ">=3.10"
dependencies = ["torch>=2", "numpy; python_version < '3'"]
optional-dependencies.all = ["rover[vision]", "pillow"]
optional-dependencies.vision = ["torchvision"]

[dependency-groups]
lint = ["linter"]
dev = [{ include-group = "lint" }, "tester"]
loop = [{ include-group = "loop" }]

[tool.uv]
override-dependencies = ["triton; sys_platform == 'never'"]
constraint-dependencies = ["numpy<2"]
exclude-dependencies = ["nvidia-nccl-cu12"]
conflicts = [[{ extra = "vision" }, { group = "dev" }]]

[tool.uv.sources]
torch = [{ index = "cpu", marker = "platform_machine != 'x86_64'" }, { index = "cpu", extra = "vision" }]

[[tool.uv.index]]
name = "cpu"
url = "https://user:secret@download.pytorch.org/whl/cpu"
explicit = true
"""
    )
    project = readers.read(tmp_path)
    assert project.extras == ("all", "vision")
    assert project.groups == ("lint", "dev", "loop")
    assert {package.name: package.only_in for package in project.packages} == {
        "torch": (),
        "numpy": (),
        "torchvision": ("extra:all", "extra:vision"),
        "pillow": ("extra:all",),
        "linter": ("group:dev",),
        "tester": ("group:dev",),
    }
    assert [one.name for one in project.overrides] == ["triton", "nvidia-nccl-cu12"]
    assert project.constraints[0].specifier == "<2"
    assert project.conflicts == (("extra:vision", "group:dev"),)
    assert [unknown.what for unknown in project.unknowns] == ["dependency group loop"]
    assert [index.packages for index in project.indexes] == [(), ("torch",), ("torch",)]
    assert project.packages[0].where.line == 5


def test_requirements_that_setuptools_reads_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "rover"\ndynamic = ["dependencies"]\n'
        '[tool.setuptools.dynamic]\ndependencies = { file = ["needs.txt", "gone.txt"] }\n'
    )
    (tmp_path / "needs.txt").write_text("torch>=2\n")
    project = readers.read(tmp_path)
    assert [package.name for package in project.packages] == ["torch"]
    assert [unknown.what for unknown in project.unknowns] == ["gone.txt"]


def test_computed_requirements_are_not_known(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "rover"\ndynamic = ["dependencies"]\n')
    assert len(readers.read(tmp_path).unknowns) == 1


def test_setup_cfg_is_read_and_a_bare_setup_py_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text(
        "[metadata]\nname = rover\n[options]\npython_requires = >=3.8\ninstall_requires =\n    torch>=2.0\n    numpy\n"
        "[options.extras_require]\nvision =\n    torchvision\n"
    )
    (tmp_path / "setup.py").write_text('"""Bare."""\nfrom setuptools import setup\n\nsetup()\n')
    project = readers.read(tmp_path)
    assert project.kind is Kind.SETUP_CFG
    assert project.unknowns == ()
    assert [(one.name, one.only_in) for one in project.packages] == [
        ("torch", ()),
        ("numpy", ()),
        ("torchvision", ("extra:vision",)),
    ]
    assert project.packages[0].where.line == 6


def test_setup_cfg_beside_a_setup_py_that_computes_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("[options]\ninstall_requires = file: needs.txt\n")
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(install_requires=compute())\n")
    whats = [unknown.what for unknown in readers.read(tmp_path).unknowns]
    assert whats == ["file: needs.txt", "the project's dependencies"]


def test_setup_py_is_told_and_never_run(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text(
        "from setuptools import setup\nopen('/tmp/ran', 'w')\nsetup(name='rover', python_requires='>=3.8',\n"
        "      install_requires=['torch==2.1', 'numpy'])\n"
    )
    project = readers.read(tmp_path)
    assert project.computed
    assert [one.wanted for one in project.packages] == ["torch 2.1", "numpy"]
    result = audit(project, JP62, TABLES, held=VENDOR)
    assert result.verdict is Verdict.UNDETERMINED
    assert any("torch==2.1" in finding.message for finding in result.findings)


def test_a_wheel_tells_its_requirements(tmp_path: Path) -> None:
    path = tmp_path / "rover-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "rover-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: rover\nVersion: 1.0\nRequires-Python: >=3.12\nProvides-Extra: vision\n"
            'Requires-Dist: torch>=2\nRequires-Dist: torchvision; extra == "vision"\n',
        )
    project = readers.read(path)
    assert project.kind is Kind.WHEEL
    assert [one.name for one in project.packages] == ["rover", "torch", "torchvision"]
    assert project.packages[2].only_in == ("extra:vision",)
    assert audit(project, JP62, TABLES, held=VENDOR).verdict is Verdict.FAILS_PYTHON
    assert audit(project, board(TABLES.stack("jp7.2-orin")), TABLES, held=VENDOR).verdict is Verdict.OK


def test_an_environment_tells_what_is_installed(tmp_path: Path) -> None:
    site = tmp_path / "venv" / "lib" / "python3.10" / "site-packages"
    for name, release, more in (
        ("torch", "2.8.0a0+5228986c39.nv25.06", ""),
        ("app", "1.0", "Requires-Dist: torch>=2.0\nRequires-Dist: inherited\n"),
    ):
        info = site / f"{name}-{release}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {release}\n{more}")
    (tmp_path / "venv" / "pyvenv.cfg").write_text("")
    (site / "app-1.0.dist-info" / "direct_url.json").write_text(
        '{"url": "https://u:secret@x.example/a.git", "vcs_info": {}}'
    )
    project = readers.read(tmp_path / "venv")
    assert project.kind is Kind.ENVIRONMENT
    assert audit(project, JP62, TABLES, held=VENDOR).verdict is Verdict.OK
    assert project.packages[0].source.location == "https://x.example/a.git"
    (site / "torch-2.8.0a0+5228986c39.nv25.06.dist-info" / "METADATA").write_text("Name: torch\nVersion: 2.8.0+cpu\n")
    assert audit(readers.read(site), JP62, TABLES, held=VENDOR).verdict is Verdict.REPLACES_TORCH


@pytest.mark.parametrize("name", ["environment.yml", "Pipfile", "notes.md"])
def test_a_format_that_is_not_read_is_not_known(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("name: x\n")
    result = audit(readers.read(tmp_path / name), JP62, TABLES, held=VENDOR)
    assert result.verdict is Verdict.UNDETERMINED
    assert "uv.lock, pylock.toml" in result.findings[0].message


def test_a_folder_with_nothing_to_read_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no lock"):
        readers.read(tmp_path)
    with pytest.raises(UsageError, match="does not exist"):
        readers.read(tmp_path / "gone.lock")
    (tmp_path / "environment.yml").write_text("name: x\n")
    assert readers.read(tmp_path).kind is Kind.UNREAD


def test_a_pixi_lock_with_another_python(tmp_path: Path) -> None:
    text = (LOCKS / "pixi" / "pixi.lock").read_text().replace("python-3.10.14", "python-3.12.4")
    (tmp_path / "pixi.lock").write_text(text)
    result = audit(readers.read(tmp_path), JP62, TABLES, held=VENDOR)
    assert result.verdict is Verdict.FAILS_PYTHON
    assert result.findings[0].where.line == 18


def test_poetry_sends_torch_to_an_index(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "rover"\ndynamic = ["dependencies"]\n'
        '[tool.poetry.dependencies]\npython = "^3.10"\ntorch = { version = "*", source = "cpu" }\n'
        '[[tool.poetry.source]]\nname = "cpu"\nurl = "https://download.pytorch.org/whl/cpu"\npriority = "explicit"\n'
    )
    project = readers.read(tmp_path)
    assert project.unknowns == ()
    result = audit(project, JP62, TABLES, held=VENDOR)
    assert (result.verdict, result.findings[0].rule) == (Verdict.REPLACES_TORCH, "JA005")


def test_an_older_pdm_lock_keeps_its_files_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "pdm.lock").write_text(
        '[[package]]\nname = "old"\nversion = "1.0"\n[metadata]\nlock_version = "4.1"\n'
        '[metadata.files]\n"old 1.0" = [{ url = "https://files.index.example/old-1.0-py3-none-any.whl", hash = "x" }]\n'
    )
    assert readers.read(tmp_path).packages[0].files[0].filename == "old-1.0-py3-none-any.whl"


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("torch-1.10.0-cp36-cp36m-linux_aarch64.whl", Verdict.FAILS_PYTHON),
        ("/opt/wheels/torch-2.3.0-cp310-cp310-linux_aarch64.whl", Verdict.REPLACES_TORCH),
        ("./torch-2.3.0-cp310-cp310-linux_aarch64.whl ; platform_machine == 'aarch64'", Verdict.REPLACES_TORCH),
        ("./torch-2.3.0-cp310-cp310-linux_x86_64.whl; platform_machine == 'x86_64'", Verdict.OK),
        ("./torch-2.3.0-cp310-cp310-linux_x86_64.whl; platform_machine is arm", Verdict.UNDETERMINED),
        ("./torch-2.8.0a0+5228986c39.nv25.06-cp310-cp310-linux_aarch64.whl", Verdict.OK),
        ("https://files.index.example/torch-2.8.0a0%2B5228986c39.nv25.06-cp310-cp310-linux_aarch64.whl", Verdict.OK),
        ("rover-1.0.tar.gz", Verdict.UNDETERMINED),
        ("rover-1.0-py3-none-any.whl", Verdict.UNDETERMINED),
        ("rover-1.0-cp38-cp38-linux_aarch64.whl", Verdict.FAILS_PYTHON),
        # pip passes over what follows the requirement: what is asked for is read all the same
        ("torch==2.1.2 --index-url https://index.example/whl/cu118", Verdict.REPLACES_TORCH),
        ("torch>=2.0 --config-settings a=b", Verdict.OK),
    ],
)
def test_a_line_that_names_a_file_or_has_options(tmp_path: Path, line: str, verdict: Verdict) -> None:
    (tmp_path / "requirements.txt").write_text(line + "\n")
    project = readers.read(tmp_path / "requirements.txt")
    assert audit(project, JP62, TABLES, held=VENDOR).verdict is verdict


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_a_requirements_file_as_powershell_writes_it(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    (tmp_path / "requirements.txt").write_bytes(f"{mark}torch==2.1.0\r\nnumpy\r\n".encode(encoding))
    project = readers.read(tmp_path / "requirements.txt")
    assert [one.written for one in project.packages] == ["torch==2.1.0", "numpy"]


def test_utf_16_that_is_cut_off_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_bytes("torch".encode("utf-16")[:-1])
    with pytest.raises(UsageError, match="not UTF-8"):
        readers.read(tmp_path / "requirements.txt")


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ('{ git = "https://git.index.example/rover.git" }', Verdict.UNDETERMINED),
        ('{ path = "../rover", editable = true }', Verdict.UNDETERMINED),
        ("{ workspace = true }", Verdict.UNDETERMINED),
        ('{ index = "own" }', Verdict.OK),
        ("""{ path = "../rover", marker = "sys_platform == 'win32'" }""", Verdict.OK),
        ('[{ git = "https://git.index.example/rover.git", extra = "dev" }]', Verdict.OK),
    ],
)
def test_what_a_package_from_elsewhere_needs_is_not_known(tmp_path: Path, source: str, verdict: Verdict) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "bridge"\ndependencies = ["torch>=2.0", "rover"]\n'
        '[[tool.uv.index]]\nname = "own"\nurl = "https://own.index.example/simple"\n'
        f"[tool.uv.sources]\nrover = {source}\n"
    )
    assert audit(readers.read(tmp_path), JP62, TABLES, held=VENDOR).verdict is verdict


@pytest.mark.parametrize("source", ['{ path = "wheels/torch.whl" }', '{ git = "https://git.index.example/torch.git" }'])
def test_a_torch_from_elsewhere_takes_the_place_of_the_vendor_s(tmp_path: Path, source: str) -> None:
    (tmp_path / "pyproject.toml").write_text(
        f'[project]\nname = "bridge"\ndependencies = ["torch>=2.0"]\n[tool.uv.sources]\ntorch = {source}\n'
    )
    assert audit(readers.read(tmp_path), JP62, TABLES, held=VENDOR).verdict is Verdict.REPLACES_TORCH
