from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetproof_worker.redact import Redactor

OURS = Redactor("/home/nvidia", "nvidia")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/nvidia/.local/lib/python3.10", "~/.local/lib/python3.10"),
        ("in /home/nvidia: x", "in ~: x"),
        ("/home/nvidia2/x", "/home/<user>/x"),
        ("/home/bob/x and /Users/carol/y", "/home/<user>/x and /Users/<user>/y"),
        ('File "/home/bob/a.py", line 1', 'File "/home/<user>/a.py", line 1'),
        ("/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1", "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1"),
        ("nvidia-l4t-core", "nvidia-l4t-core"),
        ("/media/nvidia/disk", "/media/<user>/disk"),
        ("https://bob:pass@index.example/simple", "https://index.example/simple"),
        ("https://bob:p@ss@index.example/simple", "https://index.example/simple"),
        ("https://index.example/a?to=b@c.example", "https://index.example/a?to=b@c.example"),
        (
            "https://index.example/x.whl?X-Amz-Signature=abc&a=1",
            "https://index.example/x.whl?X-Amz-Signature=<removed>&a=1",
        ),
        ("https://a.example/x?X-Amz-Security-Token=abc", "https://a.example/x?X-Amz-Security-Token=<removed>"),
        ("git+ssh://git@host.example/a.git@main", "git+ssh://host.example/a.git@main"),
        ("Linux version 5.15 (alice@laptop) (gcc 11)", "Linux version 5.15 (<user>@<host>) (gcc 11)"),
        ("torch @ file:///home/bob/w.whl", "torch @ file:///home/<user>/w.whl"),
    ],
)
def test_what_names_people_goes_and_what_names_the_machine_stays(text: str, shown: str) -> None:
    assert OURS.text(text) == shown


def test_root_is_a_home_but_no_person() -> None:
    redactor = Redactor("/root", "root")
    assert redactor.text("/root/.local /rootfs /tmp/root/x") == "~/.local /rootfs /tmp/root/x"


def test_a_home_that_is_the_root_folder_is_left_alone() -> None:
    assert Redactor("/", "x").text("/usr/lib") == "/usr/lib"


def test_names_and_nested_values_too() -> None:
    assert OURS.value({"/home/nvidia/a": [1, None, {"x": "/home/nvidia/b"}]}) == {"~/a": [1, None, {"x": "~/b"}]}


@given(st.text())
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = OURS.text(text)
    assert OURS.text(once) == once
