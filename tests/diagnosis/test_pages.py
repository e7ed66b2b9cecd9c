"""Every rule documents itself, and the generated files are current."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path

import pytest

from jetproof.diagnosis.all_rules import RULES
from jetproof.diagnosis.page import SECTIONS, page, sections
from jetproof.diagnosis.rule import Rule

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "src" / "jetproof" / "diagnosis" / "rules"


def docstring(rule: Rule) -> str:
    return inspect.cleandoc(import_module(rule.check.__module__).__doc__ or "")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_docstring_is_a_page(rule: Rule) -> None:
    assert sections(docstring(rule)) == SECTIONS
    text = page(rule, docstring(rule))
    assert text.startswith(f"# {rule.id} {rule.name}\n")
    assert all(f"\n## {section}\n" in text for section in SECTIONS)


def test_every_file_is_listed_once_and_in_order() -> None:
    ids = [rule.id for rule in RULES]
    assert ids == sorted(set(ids))
    assert {rule.check.__module__.rpartition(".")[2] for rule in RULES} == {
        path.stem for path in FOLDER.glob("*.py")
    } - {"__init__"}
