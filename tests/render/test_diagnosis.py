"""A diagnosis as a person reads it, held to golden files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jetproof.diagnosis.engine import Diagnosis, Verdict, diagnose
from jetproof.diagnosis.rule import Because, Confidence, Finding, Layer, Remedy, Severity
from jetproof.facts.fact import known
from jetproof.facts.from_snapshot import facts as facts_of
from jetproof.facts.model import Facts, Origin, Platform, PlatformClass, TorchStack
from jetproof.render import diagnosis as render
from jetproof.render.facts import told as facts_told
from jetproof.render.style import Style
from jetproof.tables import load
from jetproof.target.interface import CollectRequest
from jetproof.target.recorded import RecordedTarget

ROOT = Path(__file__).parent.parent.parent
GOLDEN = ROOT / "tests/golden/diagnosis"
BOARDS = {
    "agx-orin-pypi-torch": ROOT / "examples/boards/agx-orin-pypi-torch.json",
    "x86-h200": ROOT / "tests/fixtures/snapshots/x86-h200.json",
}


def facts_from(name: str) -> Facts:
    return facts_of(RecordedTarget(BOARDS[name]).collect(CollectRequest()), load())


def same_as_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("JETPROOF_WRITE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("name", BOARDS)
def test_text(name: str) -> None:
    facts = facts_from(name)
    same_as_golden(f"{name}.txt", render.told(diagnose(facts, load()), facts))


@pytest.mark.parametrize("name", BOARDS)
def test_markdown(name: str) -> None:
    facts = facts_from(name)
    same_as_golden(f"{name}.md", render.markdown(diagnose(facts, load()), facts))


@pytest.mark.parametrize("name", BOARDS)
def test_facts(name: str) -> None:
    same_as_golden(f"{name}.facts.txt", facts_told(facts_from(name), everything=True))


def finding(message: str, **more: object) -> Finding:
    members: dict[str, object] = {
        "rule": "JD999",
        "name": "a-fault",
        "root_cause": "torch-cpu-build",
        "layer": Layer.TORCH_BUILD,
        "severity": Severity.BLOCKING,
        "confidence": Confidence.LIKELY,
        "message": message,
        **more,
    }
    return Finding(**members)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdict", "starts"),
    [
        (Verdict.HEALTHY, "healthy: torch 2.5.0 runs on Jetson AGX Orin 64GB"),
        (Verdict.BLOCKED, "blocked: it broke"),
        (Verdict.DEGRADED, "degraded: it broke"),
        (Verdict.NOT_A_JETSON, "not a Jetson: it broke"),
        (Verdict.UNDECIDED, "undecided: it broke"),
    ],
)
def test_the_first_line_is_the_answer(verdict: Verdict, starts: str) -> None:
    facts = Facts(
        origin=Origin.LIVE,
        platform=Platform(module=known("module", "Jetson AGX Orin 64GB", "x")),
        torch=TorchStack(torch=known("torch", "2.5.0", "x"), interpreter=known("python", "/usr/bin/python3", "PATH")),
    )
    found = Diagnosis(verdict=verdict, findings=(finding("it broke\nand more"),))
    assert render.answer(found, facts) == f"{starts} [/usr/bin/python3]"


def test_foreign_text_is_shown_and_not_obeyed() -> None:
    evil = "\x1b]0;title\x07 <script> @everyone [x](http://evil.example) `code`"
    facts = Facts(origin=Origin.REPORTED, platform=Platform(model=known("model", evil, evil)))
    found = Diagnosis(
        verdict=Verdict.BLOCKED,
        findings=(
            finding(
                evil,
                because=(Because(fact="f", value=evil, read_from=evil),),
                remedy=(Remedy(text=evil, command="echo 1\necho 2"),),
                missing=("torch.version.cuda",),
            ),
        ),
    )
    text = render.told(found, facts)
    assert "\x1b" not in text
    assert "\x07" not in text
    markdown = render.markdown(found, facts)
    assert "\x1b" not in markdown
    assert "@everyone" not in "".join(line for line in markdown.splitlines() if "`" not in line)
    assert "[x](http" not in "".join(line for line in markdown.splitlines() if "because" not in line)


def test_long_values_are_cut() -> None:
    facts = Facts(origin=Origin.LIVE, platform=Platform(platform_class=known("c", PlatformClass.X86, "x")))
    found = Diagnosis(
        verdict=Verdict.BLOCKED,
        findings=(finding("m", because=(Because(fact="f", value="x" * 5000, read_from=""),)),),
    )
    assert max(map(len, render.told(found, facts).splitlines())) < 400


def test_colours_only_when_asked() -> None:
    facts = facts_from("agx-orin-pypi-torch")
    found = diagnose(facts, load())
    assert "\x1b[" in render.told(found, facts, Style(colour=True))
    assert "\x1b[" in facts_told(facts, Style(colour=True))
