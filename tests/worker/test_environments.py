"""Environments of several kinds, made with real interpreters: what each sees, and what hides what."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import python_of

from jetproof_worker import trying

pytestmark = pytest.mark.pythons
RELEASES = ["3.8", "3.10", "3.13"]


def metadata(site: Path, name: str, release: str) -> None:
    folder = site / f"{name}-{release}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {release}\n")


def ask(python: Path | str) -> dict[str, Any]:
    about, _ = trying.run(str(python), "--python", with_trials=False)
    assert about["status"] == "ok", about["detail"]
    interpreter: dict[str, Any] = about["interpreter"]
    return interpreter


def torches(interpreter: dict[str, Any]) -> list[tuple[str, bool]]:
    return [(one["release"], one["active"]) for one in interpreter["distributions"] if one["name"] == "torch"]


@pytest.mark.parametrize("release", RELEASES)
def test_a_plain_environment_sees_only_itself(tmp_path: Path, release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    user = tmp_path / "base" / "lib" / f"python{release}" / "site-packages"
    metadata(user, "torch", "1.0")
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "base"))
    env = tmp_path / "env"
    subprocess.run([python_of(release), "-m", "venv", "--without-pip", str(env)], check=True)
    metadata(env / "lib" / f"python{release}" / "site-packages", "torch", "2.0")
    said = ask(env / "bin" / "python")
    assert said["is_venv"] is True
    assert said["system_site_packages"] is False
    assert said["user_site_enabled"] is False
    assert said["executable"] == str(env / "bin" / "python")
    assert torches(said) == [("2.0", True)]


@pytest.mark.parametrize("release", RELEASES)
def test_an_environment_that_sees_the_systems_packages(
    tmp_path: Path, release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = tmp_path / "base" / "lib" / f"python{release}" / "site-packages"
    metadata(user, "torch", "1.0+user")
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "base"))
    env = tmp_path / "env"
    subprocess.run([python_of(release), "-m", "venv", "--without-pip", "--system-site-packages", str(env)], check=True)
    metadata(env / "lib" / f"python{release}" / "site-packages", "torch", "2.0+own")
    said = ask(env / "bin" / "python")
    assert said["system_site_packages"] is True
    assert said["user_site_enabled"] is True
    assert torches(said) == [("2.0+own", True), ("1.0+user", False)]


@pytest.mark.parametrize("release", RELEASES)
def test_the_users_own_site_and_path_files(tmp_path: Path, release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    user = tmp_path / "base" / "lib" / f"python{release}" / "site-packages"
    metadata(user, "torch", "1.0+user")
    metadata(tmp_path / "elsewhere", "torch", "0.9+pth")
    metadata(tmp_path / "first", "numpy", "9.9")
    (user / "more.pth").write_text(f"{tmp_path / 'elsewhere'}\n")
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "base"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "first"))
    said = ask(python_of(release))
    assert said["is_venv"] is False
    assert said["user_site"] == str(user)
    assert torches(said)[:2] == [("1.0+user", True), ("0.9+pth", False)]
    numpy = [one for one in said["distributions"] if one["name"] == "numpy"]
    assert (numpy[0]["release"], numpy[0]["active"]) == ("9.9", True)
    assert said["site_paths"][0] == str(tmp_path / "first")
    assert not [path for path in said["site_paths"] if path.endswith((".pyz", f"lib/python{release}"))]


def test_a_conda_environment_is_told_by_its_folder(tmp_path: Path) -> None:
    env = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(env)], check=True)
    (env / "conda-meta").mkdir()
    assert ask(env / "bin" / "python")["is_conda"] is True


def test_a_noisy_start_does_not_break_the_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nprint('JP1 5 hello')\nsys.stderr.write('x' * 100000)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert ask(sys.executable)["version"].startswith("3.")
