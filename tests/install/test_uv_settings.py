"""What of a person's settings for uv and pip reaches uv: where packages come from; never what or where to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import tomli

from jetproof.errors import UsageError
from jetproof.install.uv_settings import settings, variables


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project's folder, below a home."""
    project = tmp_path / "home" / "project"
    project.mkdir(parents=True)
    return project


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _settings(place: Path, with_pip: bool = True, **surroundings: str) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    found = settings(place, {"HOME": str(place.parent), **surroundings}, with_pip=with_pip)
    # the machine that tests run on has settings of its own for pip
    return tomli.loads(found.text), tuple(one for one in found.ignored if "/etc/" not in one)


def test_a_persons_indexes_stay_and_a_place_to_install_to_does_not(place: Path) -> None:
    user = place.parent / ".config" / "uv" / "uv.toml"
    _write(
        user,
        'index-url = "https://index.example/simple"\nno-deps = true\nlink-mode = "copy"\n'
        '[pip]\ntarget = "/elsewhere"\nprefix = "/there"\nno-deps = true\nextra-index-url = ["https://two.example"]\n',
    )
    told, ignored = _settings(place)
    assert told == {
        "index-url": "https://index.example/simple",
        "link-mode": "copy",
        "extra-index-url": ["https://two.example"],
    }
    assert ignored == (
        f"no-deps ({user})",
        f"pip.target ({user})",
        f"pip.prefix ({user})",
        f"pip.no-deps ({user})",
    )


def test_the_project_goes_before_the_person_and_lists_grow(place: Path) -> None:
    _write(place.parent / ".config/uv/uv.toml", 'index-url = "https://b.example"\nfind-links = ["/wheels"]\n')
    _write(
        place / "pyproject.toml",
        '[tool.uv]\nindex-url = "https://a.example"\nfind-links = ["wheels", "https://c.example/files"]\n'
        "reinstall = true\n"
        'override-dependencies = ["idna<4"]\ndev-dependencies = ["pytest"]\npackage = false\n'
        '[[tool.uv.index]]\nname = "own"\nurl = "packages"\nexplicit = true\n'
        '[tool.uv.sources]\nx = { path = "x" }\n',
    )
    told, ignored = _settings(place)
    assert told == {
        "index-url": "https://a.example",
        "find-links": [str(place / "wheels"), "https://c.example/files", "/wheels"],
        "override-dependencies": ["idna<4"],
        "index": [{"name": "own", "url": str(place / "packages"), "explicit": True}],
    }
    assert ignored == (f"tool.uv.reinstall ({place / 'pyproject.toml'})",)


def test_a_uv_toml_hides_the_pyproject_beside_it_as_for_uv_itself(place: Path) -> None:
    _write(place / "uv.toml", 'cache-dir = "c"\n')
    _write(place / "pyproject.toml", "[tool.uv]\noffline = true\n")
    assert _settings(place)[0] == {"cache-dir": "c"}


def test_files_that_variables_name_or_forbid(place: Path, tmp_path: Path) -> None:
    _write(place / "uv.toml", "offline = true\n")
    _write(tmp_path / "other.toml", "no-cache = true\n")
    assert _settings(place, UV_CONFIG_FILE=str(tmp_path / "other.toml"))[0] == {"no-cache": True}
    assert _settings(place, UV_NO_CONFIG="1")[0] == {}
    with pytest.raises(UsageError):
        _settings(place, UV_CONFIG_FILE=str(tmp_path / "gone.toml"))


def test_values_of_every_kind_are_written_as_they_were(place: Path) -> None:
    text = (
        'exclude-newer = 2026-01-02T03:04:05Z\nconcurrent-downloads = 3\nfind-links = ["/a \\"b\\" \\\\ \\u007f"]\n'
        "constraint-dependencies = [\"a<1 ; python_version < '3.9'\"]\n"
        '[[index]]\nurl = "https://a.example"\ncache-control = { api = "max-age=600" }\n'
    )
    _write(place / "uv.toml", text)
    assert _settings(place)[0] == tomli.loads(text)


def test_pips_indexes_count_where_uv_names_none(place: Path) -> None:
    conf = place.parent / ".config" / "pip" / "pip.conf"
    _write(
        conf,
        "[global]\nindex-url = https://a.example\nextra-index-url =\n  https://b.example\n  https://c.example\n"
        "trusted-host = a.example\ntimeout = 60\n[install]\ntarget = /elsewhere\nuser = true\n"
        "prefix = \nno-deps = false\n"
        "require_virtualenv = true\n[list]\nformat = columns\n",
    )
    told, ignored = _settings(place, PIP_FIND_LINKS="/wheels", PIP_NO_DEPS="1", PIP_TARGET="")
    assert told == {
        "index-url": "https://a.example",
        "extra-index-url": ["https://b.example", "https://c.example"],
        "find-links": ["/wheels"],
        "allow-insecure-host": ["a.example"],
        "index-strategy": "unsafe-best-match",
    }
    assert ignored == (
        f"install.target ({conf})",
        f"install.user ({conf})",
        f"install.require_virtualenv ({conf})",
        "PIP_NO_DEPS",
    )
    assert _settings(place, UV_INDEX_URL="https://d.example")[0] == {}
    assert _settings(place, with_pip=False)[0] == {}
    assert _settings(place, PIP_NO_INDEX="true")[0]["no-index"] is True
    _write(place / "uv.toml", 'index-url = "https://e.example"\n')
    assert _settings(place)[0] == {"index-url": "https://e.example"}


def test_pips_own_file_may_be_named_or_turned_off(place: Path, tmp_path: Path) -> None:
    _write(place.parent / ".pip" / "pip.conf", "[global]\nindex-url = https://a.example\n")
    _write(tmp_path / "named.conf", "[global]\nindex-url = https://b.example\n")
    assert _settings(place, PIP_CONFIG_FILE=str(tmp_path / "named.conf"))[0]["index-url"] == "https://b.example"
    assert _settings(place, PIP_CONFIG_FILE="/dev/null")[0] == {}
    _write(tmp_path / "named.conf", "no section\n")
    with pytest.raises(UsageError, match="no configuration of pip"):
        _settings(place, PIP_CONFIG_FILE=str(tmp_path / "named.conf"))


def test_variables_for_uv() -> None:
    kept = variables(
        {
            "HOME": "/home/u",
            "HTTPS_PROXY": "http://proxy.example",
            "UV_INDEX_URL": "https://a.example",
            "UV_INDEX_OWN_PASSWORD": "secret",
            "UV_NO_DEPS": "1",
            "UV_TARGET": "/x",
            "PIP_TARGET": "/x",
            "PIP_CERT": "/etc/own.pem",
            "PIP_PROXY": "http://other.example",
            "PYTHONPATH": "/x",
            "VIRTUAL_ENV": "/x",
        }
    )
    assert kept == {
        "HOME": "/home/u",
        "HTTPS_PROXY": "http://proxy.example",
        "UV_INDEX_URL": "https://a.example",
        "UV_INDEX_OWN_PASSWORD": "secret",
        "SSL_CERT_FILE": "/etc/own.pem",
        "ALL_PROXY": "http://other.example",
    }


def test_variables_that_are_not_honoured_are_named(place: Path) -> None:
    assert _settings(place, UV_TARGET="/x", UV_CONSTRAINT="/c", UV_INDEX="/i", UV_NO_DEPS="1")[1] == (
        "UV_NO_DEPS",
        "UV_TARGET",
    )


_USER = ".config/uv/uv.toml"


@pytest.mark.process
def test_no_file_of_the_persons_redirects_or_defeats_an_installation(machine: Any, tmp_path: Path) -> None:
    home, elsewhere = Path(machine.variables["HOME"]), tmp_path / "elsewhere"
    redirect = f'target = "{elsewhere}"\nprefix = "{elsewhere}"\nno-deps = true\nno-binary = [":all:"]\n'
    _write(home / _USER, f"no-binary = true\n[pip]\n{redirect}")
    _write(home / ".config/pip/pip.conf", f"[install]\ntarget = {elsewhere}\nuser = true\nrequire-virtualenv = true\n")
    machine.wants("small-lib")
    result = machine.result()
    assert not elsewhere.exists()
    assert machine.says("import helper, small_lib; print(helper.__version__)") == "2.0"
    left_out = [note for note in result["plan"]["notes"] if note.startswith("not honoured")]
    assert len(left_out) == 8
    for at in (_USER, ".config/pip/pip.conf"):
        assert any(at in note for note in left_out)


@pytest.mark.process
def test_no_variable_redirects_or_defeats_an_installation(machine: Any, tmp_path: Path) -> None:
    elsewhere, file = tmp_path / "elsewhere", tmp_path / "settings.toml"
    file.write_text(f'[pip]\ntarget = "{elsewhere}"\nno-deps = true\n')
    machine.variables |= {"UV_CONFIG_FILE": str(file)}
    for name in ("UV_TARGET", "UV_PREFIX", "UV_PROJECT_ENVIRONMENT", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"):
        machine.variables[name] = str(elsewhere)
    for name in ("NO_DEPS", "NO_BINARY", "SYSTEM_PYTHON", "DRY_RUN", "USER", "REQUIRE_VIRTUALENV", "UPGRADE"):
        machine.variables |= {f"UV_{name}": "1", f"PIP_{name}": "1"}
    machine.wants("small-lib")
    machine.result()
    assert not elsewhere.exists()
    assert machine.says("import helper, small_lib; print(helper.__version__)") == "2.0"


@pytest.mark.process
@pytest.mark.parametrize("name", ["uv.toml", "pyproject.toml"])
def test_no_project_names_another_place_to_write_to(machine: Any, tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    machine.wants("helper")
    project = '[project]\nname = "p"\nversion = "1"\ndependencies = ["helper"]\n[tool.uv.pip]\n'
    top = project if name == "pyproject.toml" else "[pip]\n"
    (machine.project / name).write_text(f'{top}target = "{elsewhere}"\noutput-file = "{elsewhere}"\n')
    machine.result("--no-project")
    assert not elsewhere.exists()
    assert machine.says("import helper; print(helper.__version__)") == "2.0"


@pytest.mark.process
@pytest.mark.parametrize("by", ["uv.toml", "PIP_INDEX_URL"])
def test_a_persons_own_index_is_used(machine: Any, by: str) -> None:
    url = machine.index.url
    machine.wants("helper")
    if by == "uv.toml":
        _write(Path(machine.variables["HOME"]) / _USER, f'[[index]]\nurl = "{url}"\ndefault = true\n')
    else:
        machine.variables[by] = url
    machine.index_option = ()
    assert machine.result("--dry-run")["status"] == "planned"


@pytest.mark.process
def test_a_projects_sources_and_overrides_stay_in_force(machine: Any) -> None:
    (machine.project / "pyproject.toml").write_text(
        '[project]\nname = "p"\nversion = "1"\ndependencies = ["small-lib", "torch"]\n'
        '[tool.uv]\noverride-dependencies = ["helper==1.0"]\n[tool.uv.sources]\nsmall-lib = { index = "own" }\n'
        f'[[tool.uv.index]]\nname = "own"\nurl = "{machine.index.url}"\nexplicit = true\n'
    )
    machine.result("--no-project")
    assert machine.says("import small_lib, helper; print(helper.__version__)") == "1.0"


@pytest.mark.parametrize("key", ["find-links", "extra-index-url"])
def test_the_home_of_nobody_is_a_name_like_any_other(place: Path, key: str) -> None:
    _write(place / "uv.toml", f'{key} = ["~nobody-of-that-name/x", "~/y"]\n')
    told, _ = _settings(place)
    assert told[key][0] == f"{place}/~nobody-of-that-name/x"


def test_every_character_comes_through(place: Path) -> None:
    text = '\U0001f600\\u007f\\u0085\\n]=\\"'
    _write(
        place / "uv.toml", f'[[index]]\nurl = "https://index.example/{text}"\n"{text}" = {{"{text}" = ["{text}"]}}\n'
    )
    want = tomli.loads((place / "uv.toml").read_text())
    told, _ = _settings(place)
    assert told["index"] == want["index"]
