"""SARIF and annotations for whatever command has remarks."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from jetproof.render.annotations import as_annotations
from jetproof.render.markup import code, escaped
from jetproof.render.notice import Level, Notice
from jetproof.render.sarif import as_sarif

HERE = Notice(
    rule="JA002",
    name="torch-locked-elsewhere",
    level=Level.ERROR,
    message="torch 2.8.0+cpu: 100 %, \x1b[31mred\n::error::forged",
    path="sub folder/uv.lock",
    line=7,
    column=3,
    url="https://docs.example/JA002",
)
PLAIN = Notice(rule="JA013", name="input-not-known", level=Level.NOTE, message="not known", path="a,b:c.txt")


def test_a_sarif_log_names_rules_and_places() -> None:
    log = json.loads(as_sarif([HERE, PLAIN, HERE], release="1.0", command="audit"))
    run = log["runs"][0]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["JA002", "JA013"]
    assert run["tool"]["driver"]["rules"][0]["name"] == "TorchLockedElsewhere"
    assert [result["ruleIndex"] for result in run["results"]] == [0, 1, 0]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "sub%20folder/uv.lock"
    assert place["region"] == {"startLine": 7, "startColumn": 3}
    assert run["results"][1]["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}
    assert run["results"][1]["level"] == "note"
    assert "\x1b" not in run["results"][0]["message"]["text"]
    assert run["results"][0]["partialFingerprints"] == run["results"][2]["partialFingerprints"]
    assert run["results"][0]["partialFingerprints"] != run["results"][1]["partialFingerprints"]


def test_an_empty_log_is_a_log() -> None:
    assert json.loads(as_sarif([], release="1.0", command="audit"))["runs"][0]["results"] == []


def test_annotations_cannot_be_forged() -> None:
    text = as_annotations([HERE, PLAIN])
    lines = text.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("::error file=sub folder/uv.lock,line=7,col=3,title=JA002 torch-locked-elsewhere::")
    assert "100 %25, " in lines[0]
    assert "%0A::error::forged" in lines[0]
    assert lines[1] == "::notice file=a%2Cb%3Ac.txt,title=JA013 input-not-known::not known"


@given(st.text(max_size=80), st.text(max_size=40))
def test_any_text_stays_one_annotation(message: str, path: str) -> None:
    text = as_annotations([Notice(rule="R", name="n", level=Level.WARNING, message=message, path=path)])
    assert text.count("\n") == 1
    assert len(text.splitlines()) == 1
    assert text.startswith("::warning file=")


@given(st.text(max_size=60))
def test_any_text_stays_inside_its_span(text: str) -> None:
    assert "\n" not in escaped(text) + code(text)
    assert "@" not in escaped(text).replace("@\u200b", "")
