"""Order, verdict and exit code."""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.as_json import as_json
from jetproof.diagnosis.engine import Verdict, diagnose
from jetproof.diagnosis.exit_code import exit_code, explained
from jetproof.diagnosis.rule import About, Confidence, Finding, Layer, Rule, Severity
from jetproof.diagnosis.schema import schema
from jetproof.errors import ExitCode
from jetproof.facts.fact import known
from jetproof.facts.model import Facts, Origin, Outcome, Platform, TorchStack, Trial
from jetproof.tables import Tables, load

TABLES = load()


def a_rule(
    id: str, layer: Layer, *, severity: Severity = Severity.BLOCKING, specificity: int = 1, times: int = 1
) -> Rule:
    about = About(id=id, name=id.lower(), root_cause=f"cause-{id}", layer=layer)

    def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
        for turn in range(times):
            yield about.finding(
                f"{id} {turn}", severity=severity, specificity=specificity + turn, confidence=Confidence.LIKELY
            )

    return about.rule(check)


def order(*rules: Rule) -> list[str]:
    return [finding.rule for finding in diagnose(Facts(origin=Origin.LIVE), TABLES, rules).findings]


def test_another_machine_comes_first_whatever_else_is_wrong() -> None:
    assert order(a_rule("JD500", Layer.L4T, specificity=3), a_rule("JD501", Layer.MACHINE, severity=Severity.NOTE)) == [
        "JD501",
        "JD500",
    ]


def test_what_stops_the_program_comes_before_a_warning() -> None:
    assert order(
        a_rule("JD500", Layer.L4T, severity=Severity.WARNING, specificity=3), a_rule("JD501", Layer.PROGRAM)
    ) == ["JD501", "JD500"]


def test_a_literal_message_wins_over_a_symptom_below_it() -> None:
    assert order(a_rule("JD500", Layer.L4T, specificity=1), a_rule("JD501", Layer.PROGRAM, specificity=3)) == [
        "JD501",
        "JD500",
    ]


def test_of_equals_the_lowest_layer_is_mended_first() -> None:
    assert order(a_rule("JD500", Layer.NEIGHBOURS), a_rule("JD501", Layer.ACCESS)) == ["JD501", "JD500"]


def test_a_rule_is_told_once_with_its_best_evidence() -> None:
    found = diagnose(Facts(origin=Origin.LIVE), TABLES, [a_rule("JD500", Layer.L4T, times=3)]).findings
    assert [finding.specificity for finding in found] == [3]


def torch(available: bool, matmul: Outcome) -> Facts:
    return Facts(
        origin=Origin.LIVE,
        platform=Platform(is_jetson=known("is_jetson", True, "x")),
        torch=TorchStack(
            available=known("torch.cuda.is_available", available, "x"), trials=(Trial(name="matmul", outcome=matmul),)
        ),
    )


def test_the_verdict_follows_from_findings_and_from_what_was_seen_to_work() -> None:
    blocking, warning = a_rule("JD500", Layer.L4T), a_rule("JD500", Layer.L4T, severity=Severity.WARNING)
    works, fails = torch(True, Outcome.OK), torch(True, Outcome.FAILED)
    assert diagnose(works, TABLES, []).verdict is Verdict.HEALTHY
    assert diagnose(works, TABLES, [warning]).verdict is Verdict.DEGRADED
    assert diagnose(works, TABLES, [blocking]).verdict is Verdict.BLOCKED
    assert diagnose(fails, TABLES, []).verdict is Verdict.UNDECIDED
    assert diagnose(Facts(origin=Origin.LIVE), TABLES, [warning]).verdict is Verdict.UNDECIDED


def test_another_machine_with_a_working_torch_is_a_note_and_no_failure() -> None:
    facts = Facts(
        origin=Origin.LIVE,
        platform=Platform(is_jetson=known("is_jetson", False, "uname -m")),
        torch=TorchStack(available=known("torch.cuda.is_available", True, "x")),
    )
    diagnosis = diagnose(facts, TABLES)
    assert diagnosis.verdict is Verdict.NOT_A_JETSON
    assert [finding.severity for finding in diagnosis.findings] == [Severity.NOTE]
    assert exit_code(diagnosis) is ExitCode.OK


def test_exit_codes() -> None:
    blocked = diagnose(torch(True, Outcome.OK), TABLES, [a_rule("JD500", Layer.L4T)])
    nothing = diagnose(Facts(origin=Origin.REPORTED), TABLES, [])
    assert (exit_code(blocked), exit_code(nothing)) == (ExitCode.NO, ExitCode.UNDECIDED)
    assert (explained(blocked), explained(nothing)) == (ExitCode.OK, ExitCode.UNDECIDED)


def test_json_has_what_its_schema_requires() -> None:
    facts = torch(True, Outcome.OK)
    told = as_json(diagnose(facts, TABLES, [a_rule("JD500", Layer.L4T)]), facts)
    wanted = schema()
    assert set(wanted["required"]) == set(told)
    assert set(wanted["properties"]["findings"]["items"]["required"]) == set(told["findings"][0])
