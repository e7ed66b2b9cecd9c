"""Locks that are broken, huge, circular or malicious: a clear error or "not known", and nothing else."""

from __future__ import annotations

import contextlib
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jetproof.errors import UsageError
from jetproof.install import readers
from jetproof.install.audit import audit
from jetproof.install.case import held
from jetproof.install.finding import Verdict
from jetproof.install.locked import LockedPackage, Unknown, Where, normal
from jetproof.install.markers import Markers
from jetproof.install.readers import document, pixi_lock, requirement, requirements
from jetproof.install.readers.poetry_constraint import specifier
from jetproof.install.selection import selection
from jetproof.install.stack_environment import board
from jetproof.tables import load
from jetproof_worker.redact import without_secrets

LOCKS = Path(__file__).parent.parent / "fixtures" / "locks"
TABLES = load()
JP62 = board(TABLES.stack("jp6.2"))
VENDOR = (held("torch==2.8.0a0+5228986c39.nv25.6"),)
FILES = ["uv/uv.lock", "pylock/pylock.toml", "poetry/poetry.lock", "pdm/pdm.lock", "pipfile/Pipfile.lock"]


@pytest.mark.parametrize("name", FILES)
def test_a_truncated_lock_is_an_error_with_its_line(tmp_path: Path, name: str) -> None:
    data = (LOCKS / name).read_bytes()
    path = tmp_path / Path(name).name
    path.write_bytes(data[: len(data) // 2 + 3])
    with pytest.raises(UsageError) as caught:
        readers.read(path)
    assert str(path) in caught.value.message
    assert int(caught.value.exit_code) == 2


@pytest.mark.parametrize("name", [*FILES, "pixi/pixi.lock"])
def test_every_prefix_of_a_lock_is_read_or_refused(tmp_path: Path, name: str) -> None:
    data = (LOCKS / name).read_bytes()
    path = tmp_path / Path(name).name
    for end in range(0, len(data), 97):
        path.write_bytes(data[:end])
        try:
            audit(readers.read(path), JP62, TABLES, held=VENDOR)
        except UsageError:
            continue


@pytest.mark.parametrize("name", [*FILES, "pixi/pixi.lock", "requirements/requirements.txt"])
def test_what_is_not_utf8_is_an_error_with_its_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / Path(name).name
    path.write_bytes((LOCKS / name).read_bytes() + b"\n# \xff\xfe\n")
    with pytest.raises(UsageError, match=r":\d+: not UTF-8"):
        readers.read(path)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_shuffled_bytes_never_crash(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    name = data.draw(st.sampled_from(FILES))
    text = (LOCKS / name).read_text()
    at = data.draw(st.integers(0, len(text) - 1))
    junk = data.draw(st.text(max_size=12))
    path = tmp_path_factory.mktemp("hostile") / Path(name).name
    path.write_text(text[:at] + junk + text[at + data.draw(st.integers(0, 12)) :], encoding="utf-8", errors="replace")
    with contextlib.suppress(UsageError):
        audit(readers.read(path), JP62, TABLES, held=VENDOR)


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("uv.lock", "version = 9\n", "not known"),
        ("uv.lock", "version = 1\npackage = 3\n", "list of tables"),
        ("uv.lock", 'version = 1\n[[package]]\nname = "../../etc/passwd"\n', "not a package name"),
        ("uv.lock", 'version = 1\n[[package]]\nname = "a"\nsource = 4\nwheels = ["x"]\n', "list of tables"),
        ("uv.lock", "a = " + "[" * 5000, "not valid TOML"),
        ("pylock.toml", 'lock-version = "2.0"\npackages = []\n', "not known"),
        ("pylock.toml", 'lock-version = "1.0"\n', "no packages"),
        ("poetry.lock", '[[package]]\nname = "a"\n', "no metadata"),
        ("pdm.lock", '[[package]]\nname = "a"\n', "no metadata"),
        ("Pipfile.lock", "{}", "no _meta"),
        ("Pipfile.lock", "[" * 100_000, "not valid JSON"),
        ("Pipfile.lock", "[]", "object"),
        ("pixi.lock", "a: " + "[" * 5000, "too deeply"),
        ("pixi.lock", "- a\n", "mapping"),
        ("pixi.lock", "a: 'b\n", "not valid YAML"),
        ("setup.cfg", "[options\n", "not valid"),
        ("setup.py", "def (:\n", "not valid Python"),
        ("setup.py", "(" * 300, "not valid Python"),
        ("pyproject.toml", "[project]\ndependencies = 'torch'\n", "list of texts"),
    ],
)
def test_a_wrong_shape_is_named(tmp_path: Path, name: str, text: str, match: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=match):
        readers.read(tmp_path / name)


def test_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_BYTES", 100)
    (tmp_path / "uv.lock").write_text("# " + "x" * 200)
    with pytest.raises(UsageError, match="at most 100"):
        readers.read(tmp_path / "uv.lock")


def test_too_many_packages_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_PACKAGES", 3)
    (tmp_path / "uv.lock").write_text("version = 1\n" + '[[package]]\nname = "a"\n' * 4)
    with pytest.raises(UsageError, match="at most 3"):
        readers.read(tmp_path / "uv.lock")


def test_ten_thousand_packages_in_a_circle(tmp_path: Path) -> None:
    lines = ['version = 1\n[[package]]\nname = "rover"\nsource = { virtual = "." }\ndependencies = [{ name = "p0" }]\n']
    lines += [
        f'[[package]]\nname = "p{number}"\nversion = "1"\ndependencies = [{{ name = "p{(number + 1) % 10_000}" }}]\n'
        for number in range(10_000)
    ]
    (tmp_path / "uv.lock").write_text("".join(lines))
    project = readers.read(tmp_path)
    chosen = selection(project, JP62)
    assert len(chosen.selected) == 10_000
    assert len(chosen.named("p9999")[0].wanted_by) <= 51


def test_requirements_that_include_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("-r other.txt\nnumpy\n")
    (tmp_path / "other.txt").write_text("-r requirements.txt\n-r other.txt\npillow\n")
    assert [one.name for one in readers.read(tmp_path).packages] == ["pillow", "numpy"]


def test_a_long_chain_of_files_stops(tmp_path: Path) -> None:
    for number in range(requirements.MAX_NESTING + 5):
        (tmp_path / f"r{number}.txt").write_text(f"-r r{number + 1}.txt\n")
    (tmp_path / "requirements.txt").write_text("-r r0.txt\n")
    assert "deeper" in readers.read(tmp_path).unknowns[0].why


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("-r gone.txt", "missing"),
        ("-r ../outside.txt", "outside"),
        ("-r /etc/passwd", "outside"),
        ("-c https://u:secret@index.example/c.txt", "network"),
        ("torch @ https://index.example/${TOKEN}/torch.whl", "variable"),
        ("-e ../elsewhere", "outside"),
        ("./nothing", "nothing is there"),
        ("./computed", "setup.py"),
        ("not a requirement!!", "can be read"),
        ("torch ; os == 'linux'", "can be read"),
        ("--unheard-of yes", "not known"),
        ("https://index.example/archive.zip", "address alone"),
    ],
)
def test_what_a_requirements_file_leaves_open(tmp_path: Path, line: str, why: str) -> None:
    root = tmp_path / "project"
    (root / "computed").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "computed" / "setup.py").write_text("")
    (tmp_path / "outside.txt").write_text("torch==1.0\n")
    (root / "requirements.txt").write_text(f"numpy\n{line}\n")
    project = readers.read(root)
    assert [one.name for one in project.packages] == ["numpy"]
    assert why in project.unknowns[0].why
    assert project.unknowns[0].where.line == 2
    assert "secret" not in repr(project)
    assert audit(project, JP62, TABLES, held=VENDOR).verdict is Verdict.UNDETERMINED


def test_a_link_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("torch==1.0\n")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "requirements.txt").write_text("-r link.txt\n")
    project = readers.read(root)
    assert project.packages == ()
    assert "outside" in project.unknowns[0].why


def test_an_editable_folder_of_the_project_is_read(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "requirements.txt").write_text("-e .[vision]\n")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "rover"\ndependencies = ["numpy"]\noptional-dependencies.vision = ["torchvision"]\n'
    )
    project = readers.read(tmp_path / "requirements.txt")
    assert [one.name for one in project.packages] == ["numpy", "torchvision"]
    assert {one.package.name for one in selection(project, JP62).selected} == {"numpy", "torchvision"}


@pytest.mark.parametrize("name", ["a fifo", "a folder"])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    import os

    path = tmp_path / "uv.lock"
    if name == "a fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(UsageError):
        document.content(path)


def test_broken_wheels(tmp_path: Path) -> None:
    path = tmp_path / "rover-1.0-py3-none-any.whl"
    path.write_bytes(b"PK nonsense")
    with pytest.raises(UsageError, match="not a wheel"):
        readers.read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../METADATA", "Name: rover\n")
    with pytest.raises(UsageError, match="METADATA"):
        readers.read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("rover-1.0.dist-info/METADATA", "Name: ../../evil\n")
    with pytest.raises(UsageError, match="not a package name"):
        readers.read(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rover-1.0.dist-info/METADATA", "A" * (9 << 20))
    with pytest.raises(UsageError, match="bytes"):
        readers.read(path)


@given(st.text(max_size=200))
def test_any_text_is_a_requirement_or_not_known(text: str) -> None:
    assert isinstance(requirement.package(text, Where(file="r.txt")), LockedPackage | Unknown)


@given(st.text(max_size=120))
def test_any_marker_holds_or_not_or_cannot_be_read(text: str) -> None:
    assert Markers(JP62.markers).holds(text) in (True, False, None)


_NAMES = st.sampled_from(["sys_platform", "platform_machine", "platform_system", "os_name", "extra"])
_VALUES = st.sampled_from(["linux", "Linux", "aarch64", "posix", "vision", "x86_64"])
_CLAUSES = st.builds(
    lambda name, operator, value: f"{name} {operator} '{value}'", _NAMES, st.sampled_from(["==", "!="]), _VALUES
)


@given(st.lists(_CLAUSES, min_size=1, max_size=4), st.booleans())
def test_a_marker_and_its_opposite_never_agree(clauses: list[str], both: bool) -> None:
    joined = (" and " if both else " or ").join(clauses)
    flipped = [one.replace("==", "<>").replace("!=", "==").replace("<>", "!=") for one in clauses]
    opposite = (" or " if both else " and ").join(flipped)
    markers = Markers(JP62.markers)
    active = frozenset({"vision"})
    assert markers.holds(joined, active) is not markers.holds(opposite, active)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("^2.7.0", ">=2.7.0,<3.0.0"),
        ("^0.14.6", ">=0.14.6,<0.15.0"),
        ("^0.0.3", ">=0.0.3,<0.0.4"),
        ("^3", ">=3,<4"),
        ("~0.6.3", ">=0.6.3,<0.7.0"),
        ("~1", ">=1,<2"),
        ("*", ""),
        ("1.2.*", "==1.2.*"),
        ("1.0.3", "==1.0.3"),
        (">=3.9,!=3.9.7", ">=3.9,!=3.9.7"),
        (">=3.9 <3.13", ">=3.9,<3.13"),
        ("^2 || ^3", ">=2,<4"),
        ("nonsense", None),
    ],
)
def test_poetry_s_notation(text: str, expected: str | None) -> None:
    assert specifier(text) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://user:pw@index.example/simple", "https://index.example/simple"),
        ("git+https://token@git.example/a.git@main", "git+https://git.example/a.git@main"),
        ("https://index.example/a?token=abc&x=1", "https://index.example/a?token=<removed>&x=1"),
        ("https://index.example/a", "https://index.example/a"),
    ],
)
def test_redaction(url: str, expected: str) -> None:
    assert without_secrets(url) == expected


@given(st.text(alphabet="abcXYZ019-_.", min_size=1, max_size=20))
def test_names_are_normal_once(name: str) -> None:
    from packaging.utils import canonicalize_name

    assert normal(name) == canonicalize_name(name)


_PIECES = (
    *(
        "-r",
        "-c",
        "-e",
        "torch",
        "==2.1",
        ">=2",
        ";",
        "sys_platform",
        "==",
        "'linux'",
        "\\\n",
        "\n",
        " ",
        "#",
        "@",
        "[x]",
    ),
    *("git+https://u:p@git.example/a.git", "--hash=sha256:00", "--index-url", "../", "file:", "${X}", "\x00", "é"),
)
_WORDS = st.sampled_from(_PIECES)


@settings(max_examples=80, deadline=None)
@given(lines=st.lists(_WORDS, max_size=14).map("".join), more=st.text(max_size=20))
def test_any_requirements_file_is_read_or_refused(
    lines: str, more: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("r") / "requirements.txt"
    path.write_text(lines + more, encoding="utf-8", errors="replace")
    with contextlib.suppress(UsageError):
        project = readers.read(path)
        assert "u:p@" not in repr(project)
        audit(project, JP62, TABLES, held=VENDOR)


def test_a_requirements_file_in_a_circle_is_not_ok(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("-r a.txt\n")
    (tmp_path / "a.txt").write_text("numpy\n-r requirements.txt\n")
    [unknown] = readers.read(tmp_path / "requirements.txt").unknowns
    assert "it includes itself" in unknown.why
    assert str(unknown.where) == "a.txt:2"


def test_a_file_that_two_others_include_is_no_circle(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("-r a.txt\n-r b.txt\n")
    (tmp_path / "a.txt").write_text("-r c.txt\n")
    (tmp_path / "b.txt").write_text("-r c.txt\n")
    (tmp_path / "c.txt").write_text("numpy\n")
    project = readers.read(tmp_path / "requirements.txt")
    assert [one.name for one in project.packages] == ["numpy"]
    assert not project.unknowns


def test_a_lock_that_is_a_link_out_of_the_project_is_not_read(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text("")
    (tmp_path / "secret.txt").write_text("root:x:0:0\n")
    (project / "requirements.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(UsageError, match="leads out of the project") as caught:
        readers.read(project / "requirements.txt")
    assert str(tmp_path / "secret.txt") in (caught.value.hint or "")
    (project / "base.txt").write_text("numpy\n")
    (project / "inner.txt").symlink_to("base.txt")
    assert [one.name for one in readers.read(project / "inner.txt").packages] == ["numpy"]


UV_WITH_TWO = """version = 1
[[package]]
name = "a"
source = { editable = "." }
dependencies = [{ name = "torch", specifier = ">=NUMBER" }]
[[package]]
name = "torch"
version = "2.5"
[[package]]
name = "torch"
version = "2.6"
"""
NUMBER = "9" * 5_000
"""More digits than an int is made of."""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", f"torch=={NUMBER}\ntorch>={NUMBER[:3_900]}\n"),
        ("pyproject.toml", f'[project]\nname = "a"\nrequires-python = ">={NUMBER}"\n'),
        ("pyproject.toml", f'[tool.poetry]\nname = "a"\n[tool.poetry.dependencies]\npython = "^{NUMBER}"\n'),
        ("pyproject.toml", f'[tool.poetry]\nname = "a"\n[tool.poetry.dependencies]\ntorch = "~{NUMBER}"\n'),
        ("Pipfile.lock", f'{{"_meta": {{}}, "default": {{"torch": {{"version": "=={NUMBER}"}}}}}}'),
        ("pylock.toml", f'lock-version = "1.0"\n[[packages]]\nname = "torch"\nversion = "{NUMBER}"\n'),
        ("pdm.lock", f'[metadata]\nlock_version = "4.5"\n[[package]]\nname = "torch"\nversion = "{NUMBER}"\n'),
        (
            "uv.lock",
            UV_WITH_TWO.replace("NUMBER", NUMBER),
        ),
    ],
)
def test_endless_numbers_are_refused_or_not_known(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    verdict: Verdict | None = None
    with contextlib.suppress(UsageError):
        verdict = audit(readers.read(tmp_path / name), JP62, TABLES, held=VENDOR).verdict
    assert verdict in (None, Verdict.UNDETERMINED)


def test_an_endless_number_is_not_held() -> None:
    with pytest.raises(UsageError, match="is no number"):
        held(f"torch=={NUMBER}")


def test_a_bound_on_python_that_is_not_understood_is_told(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.poetry]\nname = "a"\n[tool.poetry.dependencies]\npython = "^x"\n')
    assert audit(readers.read(tmp_path / "pyproject.toml"), JP62, TABLES, held=VENDOR).verdict is Verdict.UNDETERMINED


def test_a_pixi_lock_that_would_take_minutes_is_not_parsed(tmp_path: Path) -> None:
    (tmp_path / "pixi.lock").write_text("version: 6\n" + "#" * pixi_lock.MAX_YAML)
    with pytest.raises(UsageError, match="characters; at most"):
        readers.read(tmp_path / "pixi.lock")
