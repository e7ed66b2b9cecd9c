"""Each rule finds its own planted fault and no other rule does; the good project is clean; rules have pages."""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
from pathlib import Path

import pytest
from tests.workflow.planted import CI, GOOD, LANE, PLANTED, POLICY, Planted, lane
from tests.workflow.projects import findings

from jetproof.diagnosis.page import SECTIONS, sections
from jetproof.diagnosis.rule import Severity
from jetproof.workflow.all_rules import RULES

OF_THEIR_OWN = {"JW706", "JW716"}
"""Rules whose fault needs two edits."""


def test_good_project_is_clean() -> None:
    assert findings(GOOD) == ()


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: f"{fault.rule}-{fault.what.replace(' ', '-')}")
def test_planted_fault_is_found_by_its_own_rule_alone(fault: Planted, tmp_path: Path) -> None:
    file = fault.into(tmp_path)
    found = findings(tmp_path)
    assert {one.rule for one in found} == {fault.rule}
    for one in found:
        told = tmp_path / one.place.path
        lines = told.read_text().splitlines()
        assert 1 <= one.place.line <= len(lines), "the place must be in the file"
        assert 1 <= one.place.column <= len(lines[one.place.line - 1]) + 1
        assert one.message.strip() == one.message != ""
        assert one.fix
        assert one.url.endswith(f"docs/ci/rules/{fault.rule}.md")
    if fault.new is not None and fault.path in (LANE, POLICY) and fault.rule not in {"JW310", "JW401", "JW704"}:
        assert {one.place.path for one in found} == {file.relative_to(tmp_path).as_posix()}


def test_every_rule_has_a_planted_fault() -> None:
    assert {rule.id for rule in RULES} == {fault.rule for fault in PLANTED} | OF_THEIR_OWN
    assert len(PLANTED) >= 30


def test_rules_are_in_order_and_unique() -> None:
    ids = [rule.id for rule in RULES]
    assert ids == sorted(set(ids))
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(re.fullmatch(r"JW\d{3}", rule) for rule in ids)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_docstring_is_a_page(rule: object) -> None:
    module = importlib.import_module(rule.check.__module__)  # type: ignore[attr-defined]
    text = inspect.cleandoc(module.__doc__ or "")
    assert sections(text) == SECTIONS
    assert text.splitlines()[0].endswith(".")


def test_every_rule_file_is_listed() -> None:
    folder = Path(importlib.import_module("jetproof.workflow.rules").__path__[0])
    files = {file.stem for file in folder.glob("*.py")} - {"__init__"}
    assert files == {rule.check.__module__.rpartition(".")[2] for rule in RULES}


def edited(project: Path, *edits: tuple[str, str, str]) -> Path:
    """Copy the good project and make several edits."""
    shutil.copytree(GOOD, project, dirs_exist_ok=True)
    for path, old, new in edits:
        text = (project / path).read_text()
        assert text.count(old) == 1, (path, old)
        (project / path).write_text(text.replace(old, new))
    return project


PIN = '.whl",\n        "digest": "sha256:9c56bd1d57a5a5b3a1bb2b2d6a4e6cbb5cd2c4e5d5a8b0d1f2e3a4b5c6d7e8f9"'


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("weightlab is supported on Jetson AGX Orin 64GB.", True),
        ("It works on Jetson AGX Orin 64 GB on JetPack 6.2.", True),
        ("Jetson AGX Orin 64GB is not supported yet.", False),
        ("Until then, do not call Jetson AGX Orin 64GB supported.", False),
        ("The Jetson AGX Orin 64GB has 2048 cores.", False),
    ],
)
def test_unpinned_tier_must_not_be_claimed(sentence: str, claims: bool, tmp_path: Path) -> None:
    project = edited(tmp_path, (POLICY, PIN, '.whl"'), ("README.md", "# weightlab", f"# weightlab\n\n{sentence}"))
    found = findings(project)
    assert {one.rule for one in found} == ({"JW705", "JW706"} if claims else {"JW705"})
    places = [(one.place.path, one.place.line) for one in found if one.rule == "JW706"]
    assert places == ([("README.md", 3)] if claims else [])


def test_model_download_must_not_carry_a_claim(tmp_path: Path) -> None:
    project = edited(
        tmp_path,
        (
            POLICY,
            '"platform": "any",\n      "carries_claim": false',
            '"platform": "jetson",\n      "carries_claim": true',
        ),
    )
    assert "JW716" in {one.rule for one in findings(project)}


def test_warnings_do_not_block(tmp_path: Path) -> None:
    soft = {rule.id for rule in RULES if rule.severity is not Severity.BLOCKING}
    assert soft == {"JW704", "JW705", "JW719"}


DEVICE = "    environment: jetson\n    timeout-minutes: 60\n"
FIRST = "    if: github.repository == 'example/weightlab' && github.ref_protected\n    runs-on: "
NONCE = "          CHALLENGE: ${{ needs.challenge.outputs.nonce }}\n        run: >-\n"
PRIVILEGED = "          docker run --privileged registry.example/a@sha256:" + "b" * 64 + " &&\n"
GATE = "        run: >-\n          .jetproof/bin/python scripts/run_conditional_gate.py jetson-cuda-runtime\n"
GATED = GATE + '          --python .venv-jetson/bin/python --challenge "$CHALLENGE"\n'
SIGN = """      - name: Sign what was run, green or not
        if: always()
        run: .jetproof/bin/jetproof evidence sign conditional-evidence/jetson-cuda-runtime --key /etc/jetproof/lane.key
"""
LAST = "    runs-on: ubuntu-24.04\n    timeout-minutes: 5"


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        ("JW301", '--challenge "$CHALLENGE"\n', '--challenge "$CHALLENGE" || :\n'),
        ("JW301", '--challenge "$CHALLENGE"\n', '--challenge "$CHALLENGE" || echo failed\n'),
        ("JW302", '            echo "$RESULTS"\n', ""),
        ("JW304", DEVICE, DEVICE + "    continue-on-error: ${{ true }}\n"),
        ("JW205", "[self-hosted, linux, ARM64, jetson, orin, jetpack-6]", "ubuntu-24.04-arm"),
        ("JW207", NONCE, NONCE + PRIVILEGED),
        ("JW210", DEVICE, DEVICE + "    container:\n      image: registry.example/l4t:latest\n"),
        ("JW407", FIRST + "ubuntu-24.04\n", FIRST + "[self-hosted, linux]\n"),
        ("JW303", "defaults:\n  run:\n    shell: bash\n", "defaults:\n  run:\n    shell: bash {0}\n"),
        ("JW303", GATE, "        shell: bash {0}\n" + GATE),
        ("JW210", GATED, GATED + "      - uses: docker://registry.example/lint:1\n"),
        ("JW210", GATE, "        run: docker run --rm registry.example/l4t/pytorch:r36 true\n      - " + GATE.lstrip()),
        ("JW603", "permissions: {}\n\nconcurrency", "permissions: write-all\n\nconcurrency"),
        ("JW306", GATED, GATED + "      - uses: someone/retry@" + "c" * 40 + "\n"),
        ("JW409", GATED, GATED + "      - uses: actions/attest@" + "c" * 40 + "\n"),
        ("JW212", GATE, "        run: echo LD_PRELOAD=/tmp/x.so >> $GITHUB_ENV\n      - " + GATE.lstrip()),
        ("JW411", SIGN, ""),
        ("JW505", "  cancel-in-progress: false\n", "  cancel-in-progress: ${{ github.event_name == 'release' }}\n"),
    ],
)
def test_other_forms_of_a_fault_are_found_too(rule: str, old: str, new: str, tmp_path: Path) -> None:
    if rule == "JW302":
        old = "          python3 -c 'import json, os"
        new = "          exit 0\n" + old
    project = edited(tmp_path, (LANE, old, new))
    assert rule in {one.rule for one in findings(project)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("github.ref_protected\n      && (github", "startsWith(github.ref, 'refs/tags/v')\n      && (github"),
        (
            "github.ref_protected\n      && (github",
            "(github.ref == 'refs/heads/main' || startsWith(github.ref, 'refs/tags/'))\n      && (github",
        ),
        (
            "    if: always()\n" + LAST,
            "    if: ${{ always() && github.repository == 'example/weightlab' }}\n" + LAST,
        ),
        ('"17 3 * * 1"', '"17 3 * * mon,thu"'),
        ("          ref: ${{ github.sha }}\n", ""),
        ("toJSON(needs.*.result)", "toJSON(needs)"),
        ("jetson-cuda-runtime\n          --python", "jetson-runtime\n          --python"),
    ],
)
def test_other_good_forms_are_clean(old: str, new: str, tmp_path: Path) -> None:
    assert findings(edited(tmp_path, (LANE, old, new))) == ()


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        (
            "JW110",
            "    timeout-minutes: 20\n",
            "    timeout-minutes: 20\n    container: nvcr.io/nvidia/x:1\n",
        ),
        ("JW110", "python3 -m pytest", "jetproof run jetson-cuda-runtime && python3 -m pytest"),
        ("JW111", "      - run: python3 -m pytest", "      - run: hf download gpt2\n      - run: python3 -m pytest"),
        ("JW111", '      HF_HUB_OFFLINE: "1"', "      HF_TOKEN: ${{ secrets.HF_TOKEN }}"),
        ("JW109", "python3 -m pytest -m", "python3 -m pytest ${{ github.head_ref }} -m"),
    ],
)
def test_other_forms_of_a_fault_of_the_pull_request_gate(rule: str, old: str, new: str, tmp_path: Path) -> None:
    assert {one.rule for one in findings(edited(tmp_path, (CI, old, new)))} == {rule}


@pytest.mark.parametrize("push", ["branches: [main]", "tags: ['v*']", "branches: [main]\n    tags: ['*']"])
def test_a_push_to_named_branches_or_tags_is_no_push_to_any(push: str, tmp_path: Path) -> None:
    lane("JW105", "a named one", "on:\n", f"on:\n  push:\n    {push}\n").into(tmp_path)
    assert "JW105" not in {one.rule for one in findings(tmp_path)}


def test_an_expression_that_nobody_outside_chooses_is_no_injection(tmp_path: Path) -> None:
    lane("JW109", "a commit", '--challenge "$CHALLENGE"', '--challenge "$CHALLENGE" ${{ github.sha }}').into(tmp_path)
    assert "JW109" not in {one.rule for one in findings(tmp_path)}
