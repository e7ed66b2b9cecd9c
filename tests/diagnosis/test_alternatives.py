"""What else a report can be, and what is usual where no rule found anything."""

from __future__ import annotations

from jetproof.diagnosis.all_rules import RULES
from jetproof.diagnosis.engine import Verdict, diagnose
from jetproof.diagnosis.rule import Confidence, Severity
from jetproof.facts.report import facts
from jetproof.tables import load

TABLES = load()
NAMES = {rule.name for rule in RULES}


def test_every_neighbour_is_a_rule_and_a_root_cause() -> None:
    causes = {row.id for row in TABLES.root_causes}
    for row in TABLES.neighbours:
        assert {row.cause, row.neighbour} <= causes & NAMES, row.id
        assert row.cause != row.neighbour


def test_a_likely_cause_comes_with_its_neighbours_as_notes() -> None:
    found = diagnose(
        facts({"model": "Jetson Orin Nano", "torch_version": "2.5.1", "symptom": "runs on the CPU"}, TABLES), TABLES
    )
    first, *others = found.findings
    assert first.root_cause == "torch-cpu-build"
    assert first.confidence is not Confidence.CERTAIN
    assert [finding.severity for finding in others] == [Severity.NOTE] * 2
    assert all(finding.remedy and finding.remedy[0].command for finding in others)


def test_a_certain_cause_stands_alone() -> None:
    found = diagnose(facts({"model": "Jetson Orin Nano", "torch_version": "2.5.1+cpu"}, TABLES), TABLES)
    assert [finding.root_cause for finding in found.findings] == ["torch-cpu-build"]


def test_what_usually_ails_a_package() -> None:
    for package, cause in (
        ("onnxruntime-gpu", "sibling-wheel-no-cuda"),
        ("nvitop 1.5", "nvml-missing"),
        ("some-library", "torch-ok-problem-elsewhere"),
    ):
        found = diagnose(facts({"model": "Jetson Orin NX", "package": package, "symptom": "hm"}, TABLES), TABLES)
        assert found.findings[0].root_cause == cause
        assert found.findings[0].confidence is Confidence.POSSIBLE


def test_nothing_is_usual_without_a_package() -> None:
    found = diagnose(facts("My Jetson Orin is blue.", TABLES), TABLES)
    assert (found.verdict, found.findings) == (Verdict.UNDECIDED, ())


def test_what_is_usual_without_a_package() -> None:
    for report, cause in (
        ({"model": "AGX Xavier", "python": "3.7", "symptom": "no torch to be found"}, "wrong-python-tag"),
        (
            {"model": "AGX Xavier", "python": "3.8", "error_text": "Segmentation gone wrong"},
            "torch-ok-problem-elsewhere",
        ),
        ({"model": "AGX Xavier", "python": "3.7", "symptom": "it is slow"}, None),
        ({"error_text": "Segmentation gone wrong"}, None),
    ):
        found = diagnose(facts(report, TABLES), TABLES)
        assert next((finding.root_cause for finding in found.findings), None) == cause
        assert all(finding.confidence is Confidence.POSSIBLE for finding in found.findings)


def test_what_only_another_gpu_can_have_is_no_alternative() -> None:
    for model, right, other in (
        ("Jetson AGX Thor", "torch-wheel-no-sm110", "torch-sbsa-wheel-no-sm87"),
        ("Jetson AGX Orin", "torch-sbsa-wheel-no-sm87", "torch-wheel-no-sm110"),
    ):
        report = {"model": model, "package": "gsplat", "error_text": "no kernel image is available for execution"}
        causes = [finding.root_cause for finding in diagnose(facts(report, TABLES), TABLES).findings]
        assert "extension-no-gpu-arch" in causes
        assert right in causes
        assert other not in causes
