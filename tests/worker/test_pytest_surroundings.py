"""What a session had around it that the commit does not hold: told for what it is, and nothing else told."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from jetproof_worker.pytest_surroundings import OURS, code_from_elsewhere, unclean, within


def module(name: str, file: Path | None) -> ModuleType:
    made = ModuleType(name)
    made.__file__ = None if file is None else str(file)
    return made


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a project with a package below src and a module at its top."""
    root = tmp_path / "project"
    package = root / "src" / "host"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "edit.py").write_text("EDIT = 1\n")
    (root / "tool.py").write_text("TOOL = 1\n")
    return root


def told(root: Path, **modules: Path | None) -> list[str]:
    named = {name.replace("__", "."): module(name, file) for name, file in modules.items()}
    return [one["module"] for one in code_from_elsewhere(str(root), named)]


def installed(root: Path, name: str, content: str) -> Path:
    file = root / ".venv" / "lib" / "site-packages" / "host" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    return file


def test_the_trees_own_files_are_none(tree: Path) -> None:
    assert (
        told(tree, host=tree / "src/host/__init__.py", host__edit=tree / "src/host/edit.py", tool=tree / "tool.py")
        == []
    )


def test_a_project_below_a_folder_of_packages_owns_its_files_but_not_those_of_its_environment() -> None:
    root = "/opt/site-packages/lab"

    assert within(f"{root}/tests/test_edit.py", root)
    assert not within(f"{root}/.venv/lib/site-packages/host/edit.py", root)
    assert not within("/opt/site-packages/laboratory/edit.py", root)


def test_an_installed_copy_with_the_same_content_is_none(tree: Path) -> None:
    assert told(tree, host__edit=installed(tree, "edit.py", "EDIT = 1\n")) == []


def test_an_installed_copy_that_differs_is_told(tree: Path) -> None:
    assert told(tree, host__edit=installed(tree, "edit.py", "EDIT = 2\n")) == ["host.edit"]


def test_a_module_that_the_tree_no_longer_has_is_told(tree: Path) -> None:
    assert told(tree, host__gone=installed(tree, "gone.py", "")) == ["host.gone"]


def test_another_checkout_and_a_link_to_it_are_told(tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "tool.py"
    other.parent.mkdir()
    other.write_text("TOOL = 2\n")
    (tree / "linked.py").symlink_to(other)
    assert told(tree, tool=other, linked=tree / "linked.py") == ["linked", "tool"]


def test_a_file_too_large_to_read_or_gone_is_told(tree: Path, tmp_path: Path) -> None:
    large = tmp_path / "tool.py"
    large.write_bytes(b"#" * (9 << 20))
    assert told(tree, tool=large, host__edit=tmp_path / "gone" / "edit.py") == ["host.edit", "tool"]


def test_what_is_not_the_projects_is_not_told(tree: Path, tmp_path: Path) -> None:
    (tree / "json.py").write_text("")  # a name that the standard library has, too
    dependency = tmp_path / "dependency.py"
    dependency.write_text("")
    extension = tmp_path / "tool.so"
    extension.write_text("")
    main = tmp_path / "__main__.py"
    main.write_text("")
    modules = {
        "json": json,
        "dependency": module("dependency", dependency),
        "tool": module("tool", extension),
        "host": module("host", None),
        "__main__": module("__main__", main),
        "odd": None,
    }
    assert code_from_elsewhere(str(tree), modules) == []


def hook(name: str, file: Path | None, *hooks: str) -> dict[str, object]:
    return {"plugin": name, "module": name, "file": None if file is None else str(file), "hooks": list(hooks)}


def test_only_plugins_with_hooks_from_outside_the_tree_and_the_list_are_told(tree: Path) -> None:
    site = tree / ".venv" / "lib" / "site-packages"
    hooks = [
        hook("conftest", tree / "conftest.py", "pytest_runtest_setup"),
        hook("pytest_asyncio.plugin", site / "pytest_asyncio" / "plugin.py", "pytest_pyfunc_call"),
        hook("pytest_rerunfailures", site / "pytest_rerunfailures.py", "pytest_runtest_protocol"),
        hook("made_up", None, "pytest_runtest_call"),
        hook("marks", site / "marks.py"),
    ]
    found = unclean(hooks, str(tree), ["pytest_asyncio"], {})
    assert found == ["the plugin pytest_rerunfailures", "the plugin made_up"]


def test_variables_that_are_left_are_told_and_ours_are_not(tree: Path) -> None:
    environ = {**dict.fromkeys(OURS, "1"), "PATH": "/bin", "PYTEST_ADDOPTS": "-k x", "LD_PRELOAD": "a.so"}
    assert unclean([], str(tree), [], environ) == ["LD_PRELOAD", "PYTEST_ADDOPTS"]


def test_code_at_every_start_and_optimisation_are_told(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sitecustomize", module("sitecustomize", Path(json.__file__)))
    monkeypatch.setitem(sys.modules, "usercustomize", module("usercustomize", tmp_path / "usercustomize.py"))
    monkeypatch.setattr(sys, "flags", SimpleNamespace(optimize=1))
    assert unclean([], str(tree), [], {}) == ["python -O, which leaves assertions out", "the module usercustomize"]
