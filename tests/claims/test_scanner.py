"""Free-text claims: counted on real sentences, and each kind of sentence that is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jetproof.claims.boards import Level
from jetproof.claims.scanner import Scanned, scan, scan_pyproject

FIXTURES = Path(__file__).parent / "fixtures"


def texts(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))["texts"]
    return found


def counted(name: str) -> tuple[int, int, int]:
    """Return how many claims were found, invented, overlooked."""
    found = invented = overlooked = 0
    for text in texts(name):
        said = bool(scan("README.md", text["text"].splitlines()).claims)
        found += said and text["claim"]
        invented += said and not text["claim"]
        overlooked += not said and text["claim"]
    return found, invented, overlooked


def test_real_readmes() -> None:
    sources = {text["source"] for text in texts("real-readmes")}
    assert len(sources) >= 20
    found, invented, overlooked = counted("real-readmes")
    precision, recall = found / (found + invented), found / (found + overlooked)
    assert precision == 1.0
    assert recall >= 18 / 19


def test_sentences_that_the_rules_were_not_made_from() -> None:
    found, invented, overlooked = counted("held-out")
    precision, recall = found / (found + invented), found / (found + overlooked)
    assert precision >= 14 / 16
    assert recall >= 14 / 15


def test_levels_of_real_sentences() -> None:
    for text in texts("real-readmes") + texts("held-out"):
        for claim in scan("README.md", text["text"].splitlines()).claims:
            if text["claim"]:
                assert claim.level.value == text["level"]


@pytest.mark.parametrize(
    ("text", "level", "families", "jetpacks"),
    [
        ("Supports Jetson.", Level.JETSON, (), ()),
        ("Tested on a Jetson AGX Orin with JetPack 6.2.", Level.JETSON, ("Jetson AGX Orin",), ("6.2",)),
        ("It works on Orin Nano and Xavier NX.", Level.JETSON, ("Jetson Orin Nano", "Jetson Xavier NX"), ()),
        ("Compatible with JetPack 5 and JP6.1.", Level.JETSON, (), ("5", "6.1")),
        ("Runs on AGX Thor.", Level.JETSON, ("Jetson Thor",), ()),
        ("Tier 1: linux-x86_64, Jetson Orin", Level.JETSON, (), ()),
        ("Wheels are tested on aarch64.", Level.ARM64, (), ()),
        ("Linux ARM64 is supported.", Level.ARM64, (), ()),
        ("Works on aarch64 and on Jetson.", Level.JETSON, (), ()),
        ("Not only tested on Jetson Nano.", Level.JETSON, ("Jetson Nano",), ()),
        ("We support NVIDIA Jetson", Level.JETSON, (), ()),
    ],
)
def test_claims(text: str, level: Level, families: tuple[str, ...], jetpacks: tuple[str, ...]) -> None:
    (claim,) = scan("README.md", [text]).claims
    assert (claim.level, claim.families, claim.jetpacks) == (level, families, jetpacks)


@pytest.mark.parametrize(
    "text",
    [
        "Jetson is not supported.",
        "Does it run on a Jetson?",
        "Support for Jetson Orin is planned.",
        "We hope to support Jetson soon.",
        "If it runs on a Jetson, please tell us.",
        "Install JetPack 6.2 first; then run it on the board.",
        "Never tested on Jetson.",
        "Works everywhere except Jetson.",
        "Jetson support is a TODO.",
        "Neither Orin nor Xavier is supported.",
        "`jetson-stats` works on this system.",
        "The Jetson is a small computer.",
        "Supported on Windows and macOS.",
        "Generic ARM64 proves nothing about CUDA on a Jetson.",
        "The author Orin supports this project.\n".replace("Orin", "Orrin"),
    ],
)
def test_no_claims(text: str) -> None:
    assert not scan("README.md", text.splitlines()).claims


def test_lines_are_those_of_the_file() -> None:
    text = (
        "# Title\n\nA paragraph\nof two lines. It is\ntested on Jetson Orin Nano. More.\n\n```\nworks on Jetson\n```\n"
    )
    (claim,) = scan("docs/x.md", text.splitlines()).claims
    assert claim.line == 4


def test_lists_and_tables_stand_under_their_words() -> None:
    text = """
## Supported platforms

- x86-64
- Jetson AGX Orin

## Not supported

- Jetson Nano

| board | works |
|---|---|
| Jetson Xavier NX | yes |
| Jetson TX2 | no |
| Jetson Orin NX | ❌ |

Planned:

* Jetson Thor

We tested:

1. Orin Nano on JetPack 6
"""
    assert [(claim.line, claim.families) for claim in scan("README.md", text.splitlines()).claims] == [
        (5, ("Jetson AGX Orin",)),
        (23, ("Jetson Orin Nano",)),
    ]
    works = text.replace("## Not supported", "## Boards")
    assert (13, ("Jetson Xavier NX",)) in [
        (claim.line, claim.families) for claim in scan("README.md", works.splitlines()).claims
    ]


def test_badges() -> None:
    text = "[![p](https://img.shields.io/badge/Jetson-Orin%20supported-green)](x) ![](https://img.shields.io/badge/Jetson-not%20tested-grey)"
    claims = scan("README.md", [text]).claims
    assert [claim.text for claim in claims] == ["Jetson Orin supported green"]
    endpoint = "![](https://img.shields.io/endpoint?url=https%3A%2F%2Fx.example%2Fjetson.json)"
    assert not scan("README.md", [endpoint]).claims


def test_a_marked_line_is_told_and_not_a_claim() -> None:
    lines = ["<!-- jetproof:not-a-claim: a quotation -->", "Works on Jetson.", "", "Works on Jetson Nano."]
    found = scan("README.md", lines)
    assert [one.line for one in found.excused] == [2]
    assert [claim.line for claim in found.claims] == [4]


def test_comments_and_link_targets_are_not_read() -> None:
    text = "<!-- works on Jetson -->\n<!--\nworks on Jetson\n-->\n[see](https://x.example/works-on-jetson) it works.\n"
    assert scan("README.md", text.splitlines()) == Scanned()


def test_pyproject() -> None:
    text = """
[project]
name = "x"
description = "A tool that runs on Jetson Orin Nano"
keywords = ["jetson"]
classifiers = [
    "Programming Language :: Python :: 3",
    "Operating System :: POSIX :: Linux :: aarch64",
]
"""
    found = scan_pyproject("pyproject.toml", text).claims
    assert [(claim.line, claim.level) for claim in found] == [(4, Level.JETSON), (8, Level.ARM64)]
    for broken in ("[", "project = 1", "[project]\nclassifiers = 1\ndescription = 2"):
        assert scan_pyproject("pyproject.toml", broken) == Scanned()


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(max_size=80), max_size=12))
def test_no_text_breaks_it(lines: list[str]) -> None:
    for claim in scan("README.md", lines).claims:
        assert 1 <= claim.line <= len(lines)


@pytest.mark.parametrize(
    "text", ["- " * 20000, "|" * 20000, "Jetson runs " * 5000, "<!--" * 9000, "[" * 20000, "*" * 9000]
)
def test_hostile_lines_are_read_in_time(text: str) -> None:
    scan("README.md", [text, text])
