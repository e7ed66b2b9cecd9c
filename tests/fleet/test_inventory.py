"""Inventories: what is read, what is refused, and Ansible's own listing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetproof.errors import UsageError
from jetproof.fleet.inventory import Board, from_ansible, from_toml, inventory

HEAD = 'schema = "jetproof/fleet-inventory/1"\n'
TOML = (
    HEAD
    + """
[limits]
parallel = 3
board_seconds = 60
[defaults]
python = "/usr/bin/python3"
[[board]]
name = "orin-01"
target = "ssh://lab@orin-01.example:2222"
tier = "agx-orin-64gb-jp62"
labels = ["linux", "jetson"]
[[board]]
name = "sim"
target = "simulated:boards/sim.json"
python = "/opt/python"
seconds = 5
"""
)


def test_defaults_hold_where_a_board_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "boards.toml").write_text(TOML)

    found = inventory(tmp_path / "boards.toml")

    assert (found.limits.parallel, found.limits.board_seconds) == (3, 60.0)
    assert found.boards == (
        Board(
            name="orin-01",
            target="ssh://lab@orin-01.example:2222",
            python="/usr/bin/python3",
            tier="agx-orin-64gb-jp62",
            labels=("linux", "jetson"),
        ),
        Board(name="sim", target=f"simulated:{tmp_path}/boards/sim.json", python="/opt/python", seconds=5.0),
    )


def test_boards_are_chosen_by_name_and_by_all_labels(tmp_path: Path) -> None:
    (tmp_path / "boards.toml").write_text(TOML)
    found = inventory(tmp_path / "boards.toml")

    assert [board.name for board in found.only(labels=("jetson", "linux")).boards] == ["orin-01"]
    assert [board.name for board in found.only(names=("sim",)).boards] == ["sim"]
    with pytest.raises(UsageError, match="has no board nobody"):
        found.only(names=("nobody",))
    with pytest.raises(UsageError, match="bears thor"):
        found.only(labels=("thor",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "schema ="),
        (HEAD, "names no board"),
        (HEAD + "board = 3", r"\[\[board\]\]"),
        (HEAD + "bord = []", "'bord' is not known"),
        (HEAD + '[[board]]\nname = "a"\ntaregt = "local"', "'taregt' is not known"),
        (HEAD + '[[board]]\nname = "../a"', "letters, digits"),
        (HEAD + '[[board]]\nname = "a-"', "letters, digits"),
        (HEAD + "[[board]]\nname = 3", "letters, digits"),
        (HEAD + '[[board]]\nname = "a"\n[[board]]\nname = "A"', "named twice"),
        (HEAD + '[[board]]\nname = "a"\ntarget = "telnet://a"', "a target is expected"),
        (HEAD + '[[board]]\nname = "a"\ntarget = "ssh:a b"', "a target is expected"),
        (HEAD + '[[board]]\nname = "a"\npython = "-c"', "begins with no hyphen"),
        (HEAD + '[[board]]\nname = "a"\nlabels = "x"', "list of words"),
        (HEAD + '[[board]]\nname = "a"\nseconds = -1', "seconds up to"),
        (HEAD + '[[board]]\nname = "a"\nseconds = true', "seconds up to"),
        (HEAD + '[limits]\nparallel = 0\n[[board]]\nname = "a"', "from 1 to 512"),
        (HEAD + 'limits = 1\n[[board]]\nname = "a"', "limits is a table"),
        ("[", "is no TOML"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "boards.toml").write_text(text)

    with pytest.raises(UsageError, match=said):
        inventory(tmp_path / "boards.toml")


def listing(**hosts: dict[str, Any]) -> dict[str, Any]:
    return {
        "_meta": {"hostvars": hosts},
        "all": {"children": ["ungrouped", "jetsons"]},
        "jetsons": {"children": ["orins", "jetsons"]},
        "orins": {"hosts": list(hosts)},
    }


def test_hosts_of_ansible_are_reached_as_ansible_would(tmp_path: Path) -> None:
    told = listing(
        **{
            "orin-01": {
                "ansible_host": "10.0.0.5",
                "ansible_user": "lab",
                "ansible_port": 2222,
                "ansible_python_interpreter": "/usr/bin/python3.8",
                "jetproof_python": "/opt/torch/bin/python",
                "jetproof_tier": "t",
            },
            "here": {"ansible_connection": "local"},
        }
    )
    (tmp_path / "boards.json").write_text(json.dumps(told))

    found = inventory(tmp_path / "boards.json")

    assert found.boards == (
        Board(name="here", target="local", labels=("jetsons", "orins")),
        Board(
            name="orin-01",
            target="ssh://lab@10.0.0.5:2222",
            python="/opt/torch/bin/python",
            tier="t",
            labels=("jetsons", "orins"),
        ),
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "no listing of Ansible's"),
        ({"all": {}}, "no listing of Ansible's"),
        ({"_meta": {"hostvars": []}}, "hostvars is no object"),
        ({"_meta": {"hostvars": {"a": 1}}}, "no object"),
        (listing(a={"ansible_connection": "winrm"}), "only ssh and local"),
        (listing(a={"ansible_host": "a b"}), "a target is expected"),
        (listing(a={"jetproof_seconds": "soon"}), "seconds up to"),
        ({"_meta": {"hostvars": {}}}, "names no board"),
    ],
)
def test_what_ansible_says_is_held_to_the_same_rules(value: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        from_ansible(value, "x")


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_words = st.sampled_from(["schema", "limits", "defaults", "board", "_meta", "hostvars", "all", "hosts", "children"])


@given(st.dictionaries(_words, _json, max_size=5))
def test_whatever_is_read_ends_in_boards_or_in_words(value: dict[str, Any]) -> None:
    for reader in (from_toml, from_ansible):
        with pytest.raises(UsageError):
            reader(value, "x")


def test_an_arbitrary_group_graph_ends() -> None:
    names = [f"g{number}" for number in range(40)]
    value = {name: {"children": names} for name in names}
    value["g0"] = {"children": names, "hosts": ["a"]}

    with pytest.raises(UsageError):  # a hundred thousand ways through it must not be walked
        from_ansible({"_meta": {"hostvars": {}}, **{name: {"children": names} for name in names}}, "x")
    assert from_ansible({"_meta": {"hostvars": {"a": {}}}, **value}, "x").boards[0].name == "a"


def test_ten_thousand_boards_are_read_and_one_more_is_refused(tmp_path: Path) -> None:
    rows = "".join(f'[[board]]\nname = "b{number}"\n' for number in range(10_000))
    (tmp_path / "boards.toml").write_text(HEAD + rows)
    assert len(inventory(tmp_path / "boards.toml").boards) == 10_000
    hosts = {f"b{number}": {} for number in range(10_000)}
    told = {"_meta": {"hostvars": hosts}, "all": {"children": ["g"]}, "g": {"hosts": list(hosts)}}
    assert len(from_ansible(told, "x").boards) == 10_000
    (tmp_path / "boards.toml").write_text(HEAD + rows + '[[board]]\nname = "one-more"\n')
    with pytest.raises(UsageError, match="10000"):
        inventory(tmp_path / "boards.toml")


def test_groups_that_hold_one_another_in_all_ways_are_given_up() -> None:
    names = [f"g{number}" for number in range(400)]
    value: dict[str, Any] = {name: {"children": names, "hosts": ["a"]} for name in names}
    with pytest.raises(UsageError, match="too many ways"):
        from_ansible({**value, "_meta": {"hostvars": {}}}, "x")


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 100_000,
        '{"_meta":{"hostvars":{"a":{},"a":{}}}}',
        "{" + " " * (9 << 20) + "}",
        '{"_meta":{"hostvars":{"a":{"ansible_port":1e999}}}}',
        '{"_meta":{"hostvars":{"a":{"ansible_port":' + "9" * 100_000 + "}}}}",
        "a = " + "[" * 100_000,
        'a = "' + "x" * (9 << 20) + '"',
    ],
    ids=["deep", "twice", "large", "infinite", "digits", "deep-toml", "large-toml"],
)
def test_bombs_end_in_words(tmp_path: Path, text: str) -> None:
    (tmp_path / "boards").write_text(text)
    with pytest.raises(UsageError):
        inventory(tmp_path / "boards")
