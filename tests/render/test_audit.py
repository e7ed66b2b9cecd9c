"""An audit as a person, an issue and a machine read it."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from jetproof.install import readers
from jetproof.install.audit import Audit, audit
from jetproof.install.case import held
from jetproof.install.stack_environment import board
from jetproof.render import audit as render
from jetproof.render.style import Style
from jetproof.tables import load

TESTS = Path(__file__).parent.parent
GOLDEN = TESTS / "golden" / "audit"
TABLES = load()


def made(name: str, stack: str = "jp6.2") -> Audit:
    project = readers.read(TESTS / "fixtures" / "locks" / name)
    # how the test's folder is named on this machine does not belong into the text
    project = replace(project, path=f"{name}/{Path(project.path).name}")
    kept = [held("torch==2.8.0a0+5228986c39.nv25.6")]
    return audit(project, board(TABLES.stack(stack)), TABLES, held=kept)


def compare(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("JETPROOF_WRITE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["uv", "poetry", "requirements"])
def test_text(name: str) -> None:
    compare(f"{name}.txt", render.told(made(name)))


def test_markdown() -> None:
    compare("uv.md", render.markdown(made("uv")))


def test_json() -> None:
    compare("uv.json", json.dumps(render.json_object(made("uv")), indent=2, ensure_ascii=False) + "\n")


def test_colour_changes_nothing_but_colour() -> None:
    import re

    coloured = render.told(made("uv"), Style(colour=True))
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render.told(made("uv"))


def test_many_notes_of_one_rule_are_told_once(tmp_path: Path) -> None:
    packages = "".join(
        f'[[package]]\nname = "s{number}"\nversion = "1"\nsdist = {{ url = "https://files.index.example/s.tar.gz" }}\n'
        for number in range(6)
    )
    wanted = ", ".join(f'{{ name = "s{number}" }}' for number in range(6))
    (tmp_path / "uv.lock").write_text(
        f'version = 1\n[[package]]\nname = "rover"\nsource = {{ virtual = "." }}\ndependencies = [{wanted}]\n{packages}'
    )
    result = audit(readers.read(tmp_path), board(TABLES.stack("jp6.2")), TABLES)
    text = render.told(result)
    assert text.count("JA011 no-wheel") == 1
    assert "5 more: s1, s2, s3, s4, s5" in text
    assert len(render.json_object(result)["findings"]) == 6


def test_a_step_that_mends_several_findings_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["torch==2.1", "torchvision"]\n')
    result = audit(readers.read(tmp_path), board(TABLES.stack("jp6.2")), TABLES, asked=".")
    text = render.told(result)
    assert text.count("$ jetproof install .\n") == 1
    steps = (
        "\n\ninstead, for JA003 and JA004\n    install everything else and keep the vendor's torch\n"
        "    $ jetproof install .\n    or hold it for other tools\n"
        "    $ jetproof audit . --stack jp6.2 --emit override\n\n[✗] JA003"
    )
    # what mends stands on the first screen, before the findings
    assert steps in text
    assert f"read   {tmp_path}/pyproject.toml: 2 direct" in text
    marked = render.markdown(result)
    assert marked.count("`jetproof install .`") == 1
    assert "### Instead, for JA003 and JA004\n" in marked


def test_what_the_head_says_is_not_said_again_and_a_machine_gets_all() -> None:
    result = made("uv")
    text = render.told(result)
    assert "because  held" not in text
    assert text.count("docs/audit/") == 1
    told = [reason["fact"] for finding in render.json_object(result)["findings"] for reason in finding["because"]]
    assert "held" in told


def test_no_command_that_cannot_work_is_told_where_the_python_does_not_fit(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\nrequires-python = ">=3.12"\ndependencies = ["torch==2.1", "torchvision"]\n'
    )
    text = render.told(audit(readers.read(tmp_path), board(TABLES.stack("jp6.2")), TABLES, asked="."))
    assert text.startswith("FAILS_PYTHON")
    assert "jetproof install ." not in text


def test_the_first_line_says_where_nothing_is_replaced_since_no_file_fits(tmp_path: Path) -> None:
    (tmp_path / "pylock.toml").write_text(
        'lock-version = "1.0"\n[[packages]]\nname = "torch"\nversion = "2.13.0"\n'
        '[[packages.wheels]]\nname = "torch-2.13.0-cp310-cp310-win_amd64.whl"\n'
    )
    result = audit(readers.read(tmp_path), board(TABLES.stack("jp6.2")), TABLES)
    assert render.answer(result).endswith(", of which no file fits jp6.2")


def test_the_first_line_says_where_only_a_group_replaces_torch(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text(
        'version = 1\n[[package]]\nname = "rover"\nsource = { virtual = "." }\ndependencies = []\n'
        '[package.dev-dependencies]\ndev = [{ name = "torch" }]\n'
        '[[package]]\nname = "torch"\nversion = "2.5.1"\nsource = { registry = "https://index.example/simple" }\n'
    )
    result = audit(readers.read(tmp_path), board(TABLES.stack("jp6.2")), TABLES)
    assert render.answer(result).startswith("REPLACES_TORCH: an install with its groups on jp6.2 replaces")


def test_notices_are_placed_as_the_repository_sees_them() -> None:
    places = {notice.path for notice in render.notices(made("uv"), "sub/project")}
    assert places == {"sub/project/uv.lock"}
    assert {notice.path for notice in render.notices(made("uv"))} == {"uv.lock"}
