from __future__ import annotations

from pathlib import Path

import pytest

from jetproof.errors import UsageError
from jetproof.target.choice import choose


def interpreter(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_rules_in_their_order(tmp_path: Path) -> None:
    on_path = interpreter(tmp_path / "bin" / "python3")
    environment = {"PATH": str(tmp_path / "bin")}
    assert choose(None, environment=environment, folder=tmp_path).asked == "PATH"
    assert choose(None, environment=environment, folder=tmp_path).path == on_path
    own = interpreter(tmp_path / ".venv" / "bin" / "python")
    assert choose(None, environment=environment, folder=tmp_path).path == own
    assert choose(None, environment=environment, folder=tmp_path).asked == ".venv"
    conda = interpreter(tmp_path / "conda" / "bin" / "python3")
    environment["CONDA_PREFIX"] = str(tmp_path / "conda")
    assert choose(None, environment=environment, folder=tmp_path).path == conda
    active = interpreter(tmp_path / "active" / "bin" / "python")
    environment["VIRTUAL_ENV"] = str(tmp_path / "active")
    chosen = choose(None, environment=environment, folder=tmp_path)
    assert (chosen.path, chosen.asked) == (active, "VIRTUAL_ENV")
    named = choose(on_path, environment=environment, folder=tmp_path)
    assert (named.path, named.asked) == (on_path, "--python")


def test_names_folders_and_links(tmp_path: Path) -> None:
    real = interpreter(tmp_path / "bin" / "python3.10")
    environment = {"PATH": str(tmp_path / "bin")}
    link = tmp_path / "env" / "bin" / "python"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    for asked, path in (
        ("python3.10", real),
        ("env", str(link)),
        ("env/bin/python", str(link)),
        (str(link), str(link)),
    ):
        assert choose(asked, environment=environment, folder=tmp_path).path == path


def test_nothing_on_path_is_no_error_yet(tmp_path: Path) -> None:
    assert choose(None, environment={"PATH": str(tmp_path)}, folder=tmp_path).path is None


@pytest.mark.parametrize("asked", ["nowhere", "./nowhere/python", "plain.txt", "./plain.txt", "./empty"])
def test_what_cannot_be_run_is_told(tmp_path: Path, asked: str) -> None:
    (tmp_path / "plain.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError) as raised:
        choose(asked, environment={"PATH": ""}, folder=tmp_path)
    assert raised.value.hint
    assert raised.value.reason == "no-python"


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_a_dead_environment_is_told_not_passed_over(tmp_path: Path, variable: str) -> None:
    with pytest.raises(UsageError, match=variable):
        choose(None, environment={variable: str(tmp_path / "gone"), "PATH": ""}, folder=tmp_path)
