"""What belongs to the interpreter itself does not make a session unclean."""

from __future__ import annotations

import sys
import sysconfig
import types
from pathlib import Path

import pytest

from jetproof_worker.pytest_surroundings import unclean


@pytest.mark.parametrize("name", ["sitecustomize", "usercustomize"])
@pytest.mark.parametrize(("inside", "told"), [(True, False), (False, True)])
def test_customisation(name: str, inside: bool, told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Debian links the standard library's sitecustomize to /etc: known by where it is imported from."""
    module = types.ModuleType(name)
    target = tmp_path / f"{name}.py"
    target.write_text("")
    if inside:
        library = tmp_path / "library"
        library.mkdir()
        (library / f"{name}.py").symlink_to(target)
        monkeypatch.setattr(sysconfig, "get_path", lambda _: str(library))
        module.__file__ = str(library / f"{name}.py")
    else:
        module.__file__ = str(target)
    monkeypatch.setitem(sys.modules, name, module)
    found = unclean([], "/project", [], {})
    assert (f"the module {name}" in found) is told
