"""The same word means the same to every command, each help says so alike, and each example is a call that parses."""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from jetproof.cli.commands import COMMANDS, GROUPS
from jetproof.cli.examples import EXAMPLES
from jetproof.cli.main import parser
from jetproof.cli.usage import Misused

NO_RESULT = {
    "jetproof completion": "a shell's script",
    "jetproof evidence countersign": "a predicate, which is JSON by itself",
    "jetproof fleet emit kubernetes": "a manifest",
    "jetproof fleet emit github": "a workflow",
}
"""Commands that print a file for another program, so that there is no result to tell as JSON."""

RETIRED = ("--repo", "--at", "--out", "--plan", "--side", "--state", "--wheel", "--index", "--public", "--sha256")


def walked(top: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield top
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from walked(below)


ALL = {one.prog: one for one in walked(parser())}
LEAVES = {name: one for name, one in ALL.items() if not any(other.startswith(f"{name} ") for other in ALL)}


def taken(one: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in one._actions:
        if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction | argparse._VersionAction):
            yield action


def meaning(action: argparse.Action) -> str:
    """The help without what depends on the command: after `;` its use, in brackets default and schema."""
    return re.sub(r" \((default|schema)[ :].*\)$", "", action.help or "").partition(";")[0]


def test_one_word_one_meaning() -> None:
    helps: dict[str, set[str]] = defaultdict(set)
    flags: dict[str, set[str]] = defaultdict(set)
    for one in ALL.values():
        for action in taken(one):
            if action.option_strings:
                helps[action.option_strings[0]].add(meaning(action))
                flags[action.dest].add(action.option_strings[0])
    assert {flag: said for flag, said in helps.items() if len(said) > 1} == {}
    assert {dest: names for dest, names in flags.items() if len(names) > 1} == {}


def test_no_option_has_a_second_name() -> None:
    names = [action.option_strings for one in ALL.values() for action in taken(one)]
    assert [one for one in names if len(one) > 1] == []
    assert not {name for one in names for name in one} & set(RETIRED)


def test_everything_that_can_be_given_is_explained() -> None:
    silent = [(name, action.dest) for name, one in ALL.items() for action in taken(one) if not action.help]
    assert silent == []
    unnamed = [
        (name, action.dest)
        for name, one in ALL.items()
        for action in taken(one)
        if action.nargs != 0 and not action.metavar and not action.choices
    ]
    assert unnamed == []


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_each_result_can_be_had_as_json(name: str) -> None:
    told = any(action.option_strings == ["--json"] for action in taken(LEAVES[name]))
    assert told is (name not in NO_RESULT)


def test_each_command_is_listed_once_on_the_front_page() -> None:
    listed = [name for _, names in GROUPS for name in names]
    assert sorted(listed) == sorted(name for name, _, _ in COMMANDS)


@pytest.mark.parametrize("name", sorted(set(ALL) - {"jetproof"}))
def test_help_answers_first_and_ends_with_an_example(name: str) -> None:
    lines = ALL[name].format_help().splitlines()
    assert lines[0].endswith(".")
    assert lines[2].startswith(f"usage: {name} ")
    assert "examples:" in lines
    assert max(len(line) for line in lines) <= 130


@pytest.mark.parametrize(("name", "line"), [(name, line) for name, lines in EXAMPLES.items() for line in lines])
def test_each_example_is_a_call_of_its_command(name: str, line: str) -> None:
    assert line.startswith(f"{name} ") or line == name
    words = shlex.split(line)
    for mark in ("<", ">"):
        words = words[: words.index(mark)] if mark in words else words
    parser().parse_args(words[1:])


def test_an_option_is_not_to_be_shortened() -> None:
    with pytest.raises(Misused, match="unrecognized arguments: --js"):
        parser().parse_args(["doctor", "--js"])


@pytest.mark.parametrize(("name", "module"), [(name, module) for name, module, _ in COMMANDS])
def test_a_command_reads_no_argument_that_its_parser_does_not_give(name: str, module: str) -> None:
    """A renamed option whose old name is still read would be an internal error, in that one branch only."""
    text = Path(importlib.import_module(module).__file__ or "").read_text(encoding="utf-8")
    given = {
        action.dest for prog, one in ALL.items() if prog.split()[:2] == ["jetproof", name] for action in one._actions
    }
    given |= set(re.findall(r"arguments\.(\w+)(?:, arguments\.\w+)* = ", text))
    given |= set(re.findall(r"arguments\.\w+, arguments\.(\w+) = ", text))
    assert set(re.findall(r"\barguments\.(\w+)", text)) - given == set()
