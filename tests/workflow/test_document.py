"""Workflows are read with their places; what is hostile or ambiguous is refused; nothing crashes."""

from __future__ import annotations

import contextlib

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.workflow.planted import GOOD, LANE, POLICY
from tests.workflow.projects import NOW

from jetproof.workflow.all_rules import RULES
from jetproof.workflow.check import check
from jetproof.workflow.document import (
    DEEPEST,
    LARGEST,
    LONGEST_TEXT,
    MOST_VALUES,
    Rows,
    Table,
    Text,
    Unreadable,
    parse,
    walk,
)
from jetproof.workflow.lane import Broken, Lane, Place
from jetproof.workflow.model import Workflow


def test_names_and_values_have_places() -> None:
    tree = parse(b"on:\n  push:\n    branches: [main, 'v*']\njobs: {a: {runs-on: x}}\n")
    push = tree.table("on")
    assert push is not None
    assert (push.at("push").line, push.at("push").column) == (2, 3)
    assert push.table("push").texts("branches") == ("main", "v*")  # type: ignore[union-attr]
    jobs = tree.table("jobs")
    assert jobs is not None
    assert jobs.table("a").text("runs-on") == "x"  # type: ignore[union-attr]


@pytest.mark.parametrize("written", ["on", "'on'", '"on"'])
def test_on_is_a_name_and_no_truth(written: str) -> None:
    assert Workflow("w", parse(f"{written}: push\n".encode())).trigger("push") is not None


def test_values_stay_as_they_were_written() -> None:
    tree = parse(b"a: yes\nb: 1e3\nc: null\nd: 0o17\ne: ''\n")
    assert [tree.text(name) for name in "abcde"] == ["yes", "1e3", "null", "0o17", ""]


def test_aliases_are_followed() -> None:
    tree = parse(b"a: &x {k: v}\nb: *x\n")
    assert tree.table("b").text("k") == "v"  # type: ignore[union-attr]


BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n".encode() for n in range(8)
)


@pytest.mark.parametrize(
    ("data", "told", "line"),
    [
        (b"a: 1\nb: 2\na: 3\n", "stands twice", 3),
        (b"jobs:\n  x: {k: 1, k: 2}\n", "stands twice", 2),
        (b"a: \xff\n", "not UTF-8", 1),
        (b"a: 1\nb: \xff\n", "not UTF-8", 2),
        (b"- a\n", "a mapping at the top", 1),
        (b"", "a mapping at the top", 1),
        (b"a\n", "a mapping at the top", 1),
        (b"a: [1\n", "not YAML", 2),
        (b"a: 1\n\tb: 2\n", "not YAML", 2),
        (b"a: *nobody\n", "not YAML", 1),
        (b"a: 1\n---\nb: 2\n", "more than one document", 2),
        (b"? [a]\n: 1\n", "a name must be a text", 1),
        (b"a: &a [*a]\n", "back into itself", 1),
        (b"a: \x00\n", "not YAML", 1),
        (BOMB, "multiply", None),
        (b"a: " + b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), "deeper", 1),
        (b"[" * 100_000, "deeper|nesting", 1),
        (b"a: [" + b"1," * MOST_VALUES + b"]", "more than", 1),
        (b"#" * (LARGEST + 1), "larger than", 1),
        (b"a: " + b"x" * (LONGEST_TEXT + 1), "longer than", 1),
    ],
)
def test_what_is_hostile_or_ambiguous_is_refused(data: bytes, told: str, line: int | None) -> None:
    with pytest.raises(Unreadable, match=told) as caught:
        parse(data)
    assert line is None or caught.value.line == line
    assert caught.value.column >= 1


@given(st.binary(max_size=300))
def test_random_bytes_never_crash_the_reader(data: bytes) -> None:
    try:
        tree = parse(data)
    except Unreadable:
        return
    assert all(text.line >= 1 and text.column >= 1 for text in walk(tree))


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@,?\n \t", max_size=120))
def test_random_yaml_signs_never_crash_the_reader(text: str) -> None:
    with contextlib.suppress(Unreadable):
        parse(text.encode())


_WORDS = st.sampled_from(
    """on|jobs|push|pull_request|schedule|cron|runs-on|self-hosted|
steps|run|uses|with|env|if|needs|permissions|
concurrency|cancel-in-progress|timeout-minutes|container|image|labels|group|ref|
name|retention-days|jetson-cuda-runtime|model-download|always()|true|
jetproof run jetson-cuda-runtime|${{ inputs.gate }}|
x; true|actions/checkout@v4|* * * * *|write-all|actions/upload-artifact|secrets.X||0""".replace("\n", "").split("|")
)
_TREES = st.recursive(
    _WORDS | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WORDS, inner, max_size=5),
    max_leaves=40,
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(_WORDS, _TREES, max_size=6), st.dictionaries(st.sampled_from(["jetson-cuda-runtime", "x"]), _TREES)
)
def test_random_workflows_never_crash_a_rule(top: dict[str, object], jobs: dict[str, object]) -> None:
    data = yaml.safe_dump({**top, "jobs": jobs}, allow_unicode=True).encode()
    tree = parse(data)
    lane = Lane(
        workflows=(Workflow(LANE, tree),),
        policy=_policy(),
        policy_path=POLICY,
        policy_places={},
        pages={},
        broken_workflows=(Broken(place=Place(path="x"), member=(), message="broken"),),
        now=NOW,
    )
    for one in check(lane, RULES):
        assert one.place.line >= 1
        assert one.message


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_mangled_good_workflow_never_crashes_a_rule(data: st.DataObject) -> None:
    lines = (GOOD / LANE).read_text().splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.sampled_from(["drop", "double", "cut", "move"])):
            case "drop":
                del lines[place]
            case "double":
                lines.insert(place, lines[place])
            case "cut":
                lines[place] = lines[place][: data.draw(st.integers(0, len(lines[place])))]
            case _:
                lines[place] = "  " + lines[place]
    try:
        tree = parse("".join(lines).encode())
    except Unreadable:
        return
    lane = Lane(
        workflows=(Workflow(LANE, tree),), policy=_policy(), policy_path=POLICY, policy_places={}, pages={}, now=NOW
    )
    check(lane, RULES)


def _policy() -> object:
    from jetproof.policy.load import parse as parse_policy

    global _KEPT  # noqa: PLW0603 - read once for hundreds of examples
    if _KEPT is None:
        _KEPT = parse_policy((GOOD / POLICY).read_bytes(), what=POLICY)[0]
    return _KEPT


_KEPT: object = None


def test_lists_and_scalars_stand_for_one_another() -> None:
    tree = parse(b"a: one\nb: [one, two]\nc: {k: v}\nd:\n")
    assert tree.texts("a") == ("one",)
    assert tree.texts("b") == ("one", "two")
    assert tree.texts("c") == tree.texts("d") == tree.texts("absent") == ()
    assert tree.text("b") is None
    assert isinstance(tree.members["b"], Rows)
    assert isinstance(tree.members["a"], Text)
    assert isinstance(tree, Table)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("on: !!python/object/apply:os.system [id]\n", 1),
        ("a: 1\non:\n  push: !!python/name:os.system\n", 3),
        ("a:\n  - !own x\n", 2),
        ("? !!binary aGk=\n: 1\n", 1),
        ("a: !!set {b, c}\n", 1),
        ("a: !!seq x\n", 1),
    ],
)
def test_a_tag_that_makes_a_value_another_thing_is_refused_where_it_stands(text: str, line: int) -> None:
    with pytest.raises(Unreadable, match="a workflow knows no tag") as refused:
        parse(text.encode())
    assert refused.value.line == line


def test_a_tag_that_says_what_a_value_is_anyway_is_let_through() -> None:
    tree = parse(b"a: !!str on\nb: !!map {c: ! x}\nd: !!seq [1]\n")
    assert tree.text("a") == "on"
    assert tree.texts("d") == ("1",)
