"""The text of the Dockerfile, and what it does not let through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetproof.errors import UsageError
from jetproof.image.build import new_context, write_context
from jetproof.image.dockerfile import Recipe, dockerfile
from jetproof.image.reference import Reference

BASE = Reference(name="nvcr.io/nvidia/l4t-pytorch", digest="sha256:" + "b" * 64)
GOLDEN = Path(__file__).parent.parent / "golden" / "image" / "Dockerfile"


def test_the_text_is_as_it_was_looked_at() -> None:
    recipe = Recipe(base=BASE, extras=("cli", "gpu"), wheels=True, reason="pinned by the policy for the tier orin")
    assert dockerfile(recipe) == GOLDEN.read_text("utf-8")


@given(st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_no_word_can_become_another_instruction(python: str, reason: str, extras: list[str]) -> None:
    text = dockerfile(Recipe(base=BASE, python=python, reason=reason, extras=tuple(extras)))
    for line in text.split("\n"):
        if line.startswith("RUN "):
            words = json.loads(line[4:])
            assert words[0] == python
            assert "\r" not in line
        else:
            assert line == "" or line.startswith(("#", "FROM ", "COPY [", "LABEL "))
    assert text.count("\nFROM ") == 1
    assert f"FROM {BASE}\n" in text


def test_a_context_holds_the_project_and_the_worker_and_no_link_that_leads_out(tmp_path: Path) -> None:
    project = tmp_path / "p"
    (project / "src").mkdir(parents=True)
    (project / "src/a.py").write_text("")
    (project / "b").symlink_to("src/a.py")
    folder = tmp_path / "context"
    new_context(folder, Recipe(base=BASE), project, None)
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    assert names == {"Dockerfile", "jetproof-worker.pyz", "project/src/a.py", "project/b"}
    with pytest.raises(UsageError, match="already"):
        new_context(folder, Recipe(base=BASE), project, None)
    (project / "out").symlink_to("/etc/passwd")
    (tmp_path / "other").mkdir()
    with pytest.raises(UsageError, match="leads out"):
        write_context(tmp_path / "other", Recipe(base=BASE), project, None)


pytestmark = pytest.mark.process  # git is asked for the project's files
