"""How often the first finding names the right cause, and how often one of the first three does."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from jetproof.diagnosis.engine import diagnose
from jetproof.facts.report import facts
from jetproof.tables import load

OWN = Path(__file__).parent.parent / "fixtures" / "cases" / "reports.json"
TABLES = load()
SHARED = Path(__file__).parent.parent.parent.parent / "shared" / "cases"
THREADS = Path(__file__).parent.parent / "fixtures" / "cases" / "threads.json"
LEFT_ALONE = Path(__file__).parent.parent / "fixtures" / "cases" / "left_alone.json"
FIRST, THREE = 0.90, 0.97
THREADS_FIRST = 0.97
"""Share of public threads that are right at once, as an object and as pasted text."""
_BLOCKS = ("error_text", "related_error_text", "install_commands", "failing_command")


def own() -> list[dict[str, Any]]:
    return list(json.loads(OWN.read_text())["cases"])


def shared() -> list[dict[str, Any]]:
    """Other people's cases in the same form; what a report does not decide counts only for its acceptable ids."""
    found = []
    for path in sorted(SHARED.glob("*.json")):
        case = json.loads(path.read_text())
        truth = case["truth"]
        if truth.get("decidable") is False and "acceptable" not in truth:
            continue
        acceptable = truth.get("acceptable") or [truth["root_cause"]]
        found.append(
            {
                "id": case["id"],
                "root_cause": truth["root_cause"],
                "acceptable": acceptable,
                "reported": case["reported"],
            }
        )
    return found


def causes(case: dict[str, Any]) -> list[str]:
    diagnosis = diagnose(facts(case.get("text") or case["reported"], TABLES), TABLES)
    return list(dict.fromkeys(finding.root_cause for finding in diagnosis.findings))


def table(cases: Iterable[dict[str, Any]]) -> tuple[float, float, str]:
    """Return the shares of first and of first three, and a table a root cause."""
    rows: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    misses = []
    for case in cases:
        right = case.get("acceptable") or [case["root_cause"]]
        found = causes(case)
        first, three = found[:1] and found[0] in right, bool(set(found[:3]) & set(right))
        row = rows[case["root_cause"]]
        row[0] += 1
        row[1] += bool(first)
        row[2] += three
        if not first:
            misses.append(f"{case['id']}: {case['root_cause']}, found {', '.join(found[:3]) or 'nothing'}")
    total = [sum(row[index] for row in rows.values()) for index in range(3)]
    lines = [f"{name:42} {row[0]:3} {row[1]:3} {row[2]:3}" for name, row in sorted(rows.items())]
    lines += [f"{'all':42} {total[0]:3} {total[1]:3} {total[2]:3}", *misses]
    return total[1] / total[0], total[2] / total[0], "\n".join(lines)


def test_our_own_cases(capsys: pytest.CaptureFixture[str]) -> None:
    first, three, text = table(own())
    with capsys.disabled():
        print("\ncause, cases, right first, right among three\n" + text.splitlines()[-1])
    assert first >= FIRST, text
    assert three >= THREE, text


def test_our_own_cases_cover_every_root_cause() -> None:
    assert {case["root_cause"] for case in own()} >= {row.id for row in load().root_causes}


def threads() -> list[dict[str, Any]]:
    return list(json.loads(THREADS.read_text())["cases"])


def pasted(reported: dict[str, Any]) -> str:
    """The same report as a person pastes it: labelled lines, prose, fenced blocks."""
    lines, rest = ["### Environment", ""], [""]
    for name, value in reported.items():
        if name in _BLOCKS:
            rest += ["```", "\n".join(value) if isinstance(value, list) else str(value), "```", ""]
        elif name in ("symptom", "comparison", "control", "also_tried"):
            rest += [f"{value}.", ""]
        elif isinstance(value, dict):
            lines += [f"- {key}: {text}" for key, text in value.items()]
        elif isinstance(value, list):
            lines.append(f"- {name.replace('_', ' ')}: {', '.join(value)}")
        else:
            lines.append(f"- {name.replace('_', ' ')}: {value}")
    return "\n".join(lines + rest)


@pytest.mark.parametrize("form", ["object", "text"])
def test_public_threads(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    cases = threads()
    if form == "text":
        cases = [{**case, "text": pasted(case["reported"])} for case in cases]
    first, three, text = table(cases)
    with capsys.disabled():
        print(f"\npublic threads as {form}: right first {first:.1%}, among three {three:.1%}")
    assert first >= THREADS_FIRST, text
    assert three >= THREADS_FIRST, text


@pytest.mark.shared
def test_no_thread_is_one_of_the_other_peoples_cases() -> None:
    if not SHARED.is_dir():
        pytest.skip("needs ../shared/cases")
    theirs = {(json.loads(path.read_text())["source"] or {}).get("url") for path in SHARED.glob("*.json")}
    assert not {case["source"] for case in threads()} & theirs


@pytest.mark.shared
def test_other_peoples_cases(capsys: pytest.CaptureFixture[str]) -> None:
    if not SHARED.is_dir():
        pytest.skip("needs ../shared/cases")
    first, three, text = table(shared())
    with capsys.disabled():
        print("\ncause, cases, right first, right among three\n" + text)
    assert first >= FIRST, text
    assert three >= THREE, text


def left_alone() -> list[dict[str, Any]]:
    return list(json.loads(LEFT_ALONE.read_text())["cases"])


@pytest.mark.parametrize("case", left_alone(), ids=lambda case: str(case.get("text") or case["reported"])[:50])
def test_what_is_healthy_or_another_matter_is_left_alone(case: dict[str, Any]) -> None:
    assert causes(case)[:1] in [[cause] for cause in case["may_be"]] or not causes(case)
