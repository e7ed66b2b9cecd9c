"""Whether the project is installed whole, from this checkout: metadata, hashes, files, requirements."""

from __future__ import annotations

import base64
import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest

from jetproof_worker.probe import Broken, Context, Failed
from jetproof_worker.probes import project_installed

SOURCE = b"answer = 42\n"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder on the search path that holds an installed project, with its checkout beside it."""
    folder = tmp_path / "site"
    (folder / "lab").mkdir(parents=True)
    (folder / "lab-1.2.dist-info").mkdir()
    (tmp_path / "checkout" / "src" / "lab").mkdir(parents=True)
    (tmp_path / "checkout" / "src" / "lab" / "__init__.py").write_bytes(SOURCE)
    (folder / "lab" / "__init__.py").write_bytes(SOURCE)
    describe(folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    return folder


def describe(folder: Path, requires: str = "", data: bytes = SOURCE) -> None:
    info = folder / "lab-1.2.dist-info"
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: lab\nVersion: 1.2\n{requires}\n")
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    (info / "RECORD").write_text(f"lab/__init__.py,sha256={digest},{len(data)}\nlab-1.2.dist-info/METADATA,,\n")


def asked(site: Path, **params: Any) -> Context:
    members: dict[str, Any] = {"distribution": "lab", **params}
    return Context(params=members, seed=1, project_root=str(site.parent / "checkout"), resolver=None)


def test_an_installed_project_is_told_with_what_was_compared(site: Path) -> None:
    describe(site, "Requires-Dist: pytest>=1\nRequires-Dist: nowhere; python_version < '3'")
    context = asked(site)

    project_installed.run(context)

    assert context.detail == {
        "release": "1.2",
        "editable": False,
        "files_hashed": 1,
        "files_compared": 1,
        "not_judged": ["nowhere; python_version < '3'"],
        "left_out": [],
    }


def test_what_is_not_there_or_not_named(site: Path) -> None:
    with pytest.raises(Failed) as error:
        project_installed.run(asked(site, distribution="nobody-has-this"))
    assert error.value.reason == "not-installed"
    with pytest.raises(Broken):
        project_installed.run(asked(site, distribution=None))


def test_files_changed_after_the_installation(site: Path) -> None:
    (site / "lab" / "__init__.py").write_bytes(b"answer = 43\n")

    with pytest.raises(Failed) as error:
        project_installed.run(asked(site))

    assert error.value.reason == "files-changed"


def test_an_installation_of_another_state_of_the_project(site: Path) -> None:
    (site.parent / "checkout" / "src" / "lab" / "__init__.py").write_bytes(b"answer = 44\n")

    with pytest.raises(Failed) as error:
        project_installed.run(asked(site))

    assert error.value.reason == "not-this-checkout"


def test_a_requirement_that_is_not_installed(site: Path) -> None:
    describe(site, "Requires-Dist: nobody-has-this>=2")

    with pytest.raises(Failed) as error:
        project_installed.run(asked(site))

    assert error.value.reason == "requirement-missing"
    assert "nobody-has-this" in str(error.value)


def test_what_the_tier_declares_unsupported_may_be_absent_and_is_told(site: Path) -> None:
    describe(site, "Requires-Dist: Nobody_has-this>=2")
    context = asked(site, unsupported=["nobody-has.this"])

    project_installed.run(context)

    assert context.detail["left_out"] == ["Nobody_has-this"]


@pytest.mark.parametrize(
    ("text", "editable"),
    [('{"dir_info": {"editable": true}}', True), ('{"dir_info": {}}', False), ("{", False), ("[]", False)],
)
def test_an_editable_installation_is_told(site: Path, text: str, editable: bool) -> None:
    (site / "lab-1.2.dist-info" / "direct_url.json").write_text(text)
    context = asked(site)

    project_installed.run(context)

    assert context.detail["editable"] is editable
