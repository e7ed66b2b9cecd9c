"""The scaffold: clean under the lint, the same twice, kind to what a person changed, deaf to hostile projects."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import date, datetime, timezone
from pathlib import Path

import pytest

from jetproof.claims.blocks import block_text, blocks, replaced
from jetproof.claims.said import Said
from jetproof.cli.first_lane import lane
from jetproof.cli.main import main
from jetproof.diagnosis.rule import Severity
from jetproof.errors import InternalError, UsageError
from jetproof.policy.load import parse
from jetproof.workflow.document import parse as yaml
from jetproof.workflow.lint import lint
from jetproof.workflow.model import Workflow
from jetproof.workflow.scaffold import plan as planning
from jetproof.workflow.scaffold.host import Asked, Host, Runtime, host
from jetproof.workflow.scaffold.plan import Kind, State, Wanted, apply, plan, stamped, untouched
from jetproof.workflow.scaffold.template import actions, filled, template
from jetproof.workflow.scaffold.workflows import conditional_tests

DAY = date(2026, 11, 30)
NOW = datetime(2026, 11, 30, tzinfo=timezone.utc)
GOLDEN = Path(__file__).parent.parent / "golden" / "scaffold"
LANE = ".github/workflows/conditional-tests.yml"
ASKED = Asked(
    repository="example/weightlab",
    resolver="weightlab.device:get_device",
    gpu_tests=("tests/test_gpu.py::test_edit", "tests/test_gpu.py::test_forward[nf4]"),
    cpu_tests=("tests/test_edit.py::test_edit",),
    issue="https://github.com/example/weightlab/issues/31",
    hub=True,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "weightlab"
    root.mkdir()
    (root / "README.md").write_bytes(b"# weightlab\r\n\r\ncaf\xe9")
    (root / "pyproject.toml").write_text(
        '[project]\nname = "weightlab"\ndependencies = ["torch"]\n[project.scripts]\nweightlab = "weightlab:main"\n'
    )
    return root


def written(project: Path, asked: Asked = ASKED, *, force: bool = False, today: date = DAY) -> dict[str, State]:
    found = lane(project, asked, policy=None, today=today, force=force)
    apply(project, found.steps)
    return {step.path: step.state for step in found.steps}


pytestmark = pytest.mark.process  # the remote is asked of git


def test_golden(project: Path) -> None:
    written(project)
    for name in (
        LANE,
        ".github/workflows/support-claims.yml",
        "ci/conditional-test-policy.json",
        "docs/conditional-testing.md",
        "docs/jetson-support.md",
        ".github/ISSUE_TEMPLATE/jetson-runtime-report.yml",
    ):
        assert (project / name).read_text() == (GOLDEN / Path(name).name).read_text(), name


@pytest.mark.parametrize("hub", [True, False])
@pytest.mark.parametrize(
    "runtime",
    [None, Runtime(kind="image", source="nvcr.io/nvidia/pytorch:25.06-py3-igpu", digest=f"sha256:{'ab' * 32}")],
)
@pytest.mark.parametrize("own", [True, False])
def test_the_lint_finds_nothing_that_blocks(project: Path, hub: bool, runtime: Runtime | None, own: bool) -> None:
    written(project, replace(ASKED, hub=hub, runtime=runtime, own_checkout=own))
    found = lint(project, policy=None, now=NOW, zizmor=False)
    names = {finding.rule for finding in found.findings}
    assert names == (set() if runtime else {"JW705"}), [finding.message for finding in found.findings]
    assert not [finding for finding in found.findings if finding.severity is Severity.BLOCKING]
    assert ("container:" in (project / LANE).read_text()) is (runtime is not None)


def test_what_the_plan_asks_of_the_job(project: Path) -> None:
    written(project)
    workflow = Workflow(LANE, yaml((project / LANE).read_bytes()))
    assert {trigger.name for trigger in workflow.triggers} == {"workflow_dispatch", "release", "schedule"}
    job = workflow.job("jetson-cuda-runtime")
    assert job is not None
    assert job.labels == ("self-hosted", "linux", "ARM64", "jetson", "orin", "jetpack-6")
    assert job.table.text("environment") == "jetson"
    assert "github.ref_protected" in job.condition
    (upload,) = job.uploads()
    assert upload.condition == "always()"
    assert upload.inputs.text("name") == "conditional-jetson-${{ github.run_attempt }}"
    assert upload.inputs.text("retention-days") == "31"
    arm = workflow.job("linux-arm64-preflight")
    assert arm is not None
    assert arm.labels == ("ubuntu-24.04-arm",)
    signer = workflow.job("countersign")
    assert signer is not None
    assert signer.hosted
    assert [job.id for job in workflow.jobs if "id-token" in str(job.table.members.get("permissions"))] == [
        "countersign"
    ]
    for one in workflow.jobs:
        assert one.table.text("timeout-minutes")
        for step in one.steps:
            assert not step.uses or len(step.uses.split("@")[1]) == 40


def test_twice_is_the_same(project: Path) -> None:
    first = written(project)
    assert set(first.values()) <= {State.NEW, State.UPDATED}
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    again = written(project, today=date(2026, 12, 24))
    assert set(again.values()) == {State.SAME}
    # what the policy says need not be said again
    assert set(written(project, Asked(repository="example/weightlab")).values()) == {State.SAME}
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
    assert (project / "README.md").read_bytes().startswith(b"# weightlab\r\n\r\ncaf\xe9")
    assert os.access(project / "scripts" / "run_conditional_gate.py", os.X_OK)


def test_what_a_person_changed_is_kept(project: Path) -> None:
    written(project)
    page, workflow = project / "docs" / "jetson-support.md", project / LANE
    page.write_text(page.read_text() + "\nOurs.\n")
    workflow.write_text(workflow.read_text().replace("timeout-minutes: 50", "timeout-minutes: 90"))
    states = written(project)
    assert states["docs/jetson-support.md"] is State.KEPT
    assert states[LANE] is State.KEPT
    assert page.read_text().endswith("Ours.\n")
    states = written(project, force=True)
    assert states[LANE] is State.UPDATED
    assert "timeout-minutes: 90" not in workflow.read_text()


def test_a_file_that_was_there_before_is_kept(project: Path) -> None:
    (project / "docs").mkdir()
    (project / "docs" / "jetson-support.md").write_text("# Ours\n")
    (project / ".gitignore").write_bytes(b"build\r\n/.lane/\r\nlast")
    states = written(project)
    assert states["docs/jetson-support.md"] is State.KEPT
    assert (project / "docs" / "jetson-support.md").read_text() == "# Ours\n"
    ignored = (project / ".gitignore").read_bytes()
    assert ignored.startswith(b"build\r\n/.lane/\r\nlast\r\n")
    assert ignored.count(b"/.lane/") == 1
    assert ignored.count(b"\n") == ignored.count(b"\r\n")


def test_files_follow_the_policy(project: Path) -> None:
    written(project)
    path = project / "ci" / "conditional-test-policy.json"
    value = json.loads(path.read_text())
    value["maximum_evidence_age_days"] = 45
    value["evidence_retention_days"] = 60
    value["gates"] = [gate for gate in value["gates"] if gate["id"] != "model-download"]
    value["gates"][0]["runner"]["labels"].append("agx-lab")
    path.write_text(json.dumps(value))
    states = written(project)
    assert states[LANE] is State.UPDATED
    text = (project / LANE).read_text()
    assert "retention-days: 60" in text
    assert "agx-lab" in text
    assert "model-download" not in text
    assert "45 days" in (project / "docs" / "conditional-testing.md").read_text()
    assert not [
        finding for finding in lint(project, policy=None, now=NOW, zizmor=False).findings if finding.rule != "JW705"
    ]


def test_a_block_that_claims_wrote_stays_and_is_no_edit(project: Path) -> None:
    written(project)
    page = project / "docs" / "jetson-support.md"
    page.write_bytes(replaced(page.read_bytes(), "matrix", Said(as_of=date(2026, 12, 1)), "| other |\n"))
    assert untouched(page.read_bytes())
    assert written(project)["docs/jetson-support.md"] is State.SAME
    assert b"| other |" in page.read_bytes()
    value = json.loads((project / "ci" / "conditional-test-policy.json").read_text())
    value["tiers"][0]["memory"] = "another sentence about unified memory"
    (project / "ci" / "conditional-test-policy.json").write_text(json.dumps(value))
    assert written(project)["docs/jetson-support.md"] is State.UPDATED
    assert b"| other |" in page.read_bytes()
    assert b"another sentence" in page.read_bytes()
    assert not blocks(page.read_bytes()).faults


def test_dry_run_and_diff_write_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(path.name for path in project.rglob("*"))
    words = ["init", "--project", str(project), "--repository", "example/weightlab"]
    assert main([*words, "--dry-run"]) == 0
    assert "would be written" in capsys.readouterr().out
    assert main([*words, "--diff"]) == 0
    told = capsys.readouterr().out
    assert "+++ b/.github/workflows/conditional-tests.yml" in told
    assert "caf" in told
    assert sorted(path.name for path in project.rglob("*")) == before
    assert main([*words, "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["schema"] == "jetproof/init/1"
    assert {one["state"] for one in body["files"]} == {"new", "updated"}
    assert main([*words, "--diff"]) == 0
    assert capsys.readouterr().out == ""


def test_a_project_without_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--project", str(tmp_path)]) == 2
    assert "hint: jetproof init --repository owner/name" in capsys.readouterr().err
    assert main(["init", "--project", str(tmp_path), "--repository", "example/x"]) == 0
    assert (tmp_path / "README.md").read_text().startswith(f"# {tmp_path.name}\n")
    assert main(["init", "--project", str(tmp_path / "none"), "--repository", "example/x"]) == 2
    assert main(["init", "--project", str(tmp_path), "--image", "x/y:latest"]) == 2


def test_links_are_not_followed(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "docs").symlink_to(outside)
    with pytest.raises(UsageError, match="outside the project"):
        written(project)
    assert not list(outside.iterdir())
    (project / "docs").unlink()
    (outside / "README.md").write_text("# theirs\n")
    (project / "README.md").unlink()
    (project / "README.md").symlink_to(outside / "README.md")
    with pytest.raises(UsageError, match="is a link"):
        written(project)
    assert (outside / "README.md").read_text() == "# theirs\n"


def test_a_broken_policy_or_readme_stops_it(project: Path) -> None:
    (project / "README.md").write_bytes(block_text("support", Said(as_of=DAY), "x\n").encode().split(b"x\n")[0])
    with pytest.raises(UsageError, match="does not end"):
        written(project)
    (project / "README.md").write_text("# x\n")
    (project / "ci").mkdir()
    (project / "ci" / "conditional-test-policy.json").write_text("{")
    with pytest.raises(Exception, match="conditional-test-policy"):
        written(project)
    (project / "ci" / "conditional-test-policy.json").unlink()
    (project / "pyproject.toml").write_text("[")
    with pytest.raises(UsageError, match="TOML"):
        written(project)


@pytest.mark.parametrize(
    "changes",
    [
        {"repository": "x"},
        {"repository": "x/y'; rm -rf /"},
        {"repository": "x/${{ secrets.X }}"},
        {"repository": "x/y\n"},
        {"branch": "main]\n  evil: ["},
        {"resolver": "a.b:c; import os"},
        {"issue": "https://x.example/1> [x](javascript:1)"},
        {"issue": "javascript:alert(1)"},
        {"command": "x; y"},
        {"module": "os; evil"},
        {"gpu_tests": ("tests/../../x.py::y",)},
        {"gpu_tests": ("-p evil",)},
        {"skips": ("docs $(x)",)},
        {"runtime": Runtime(kind="wheel", source="https://x.example/`x`.whl")},
        {"runtime": Runtime(kind="image", source="x", digest="sha256:12")},
    ],
)
def test_foreign_values_must_have_their_form(changes: dict[str, object]) -> None:
    good: dict[str, object] = {
        "repository": "example/x", "name": "x", "module": "x", "issue": "https://github.com/example/x/issues/1",
    }  # fmt: skip
    Host(**good)  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        Host(**{**good, **changes})  # type: ignore[arg-type]


def test_a_policy_cannot_write_into_the_workflow(project: Path) -> None:
    written(project)
    path = project / "ci" / "conditional-test-policy.json"
    value = json.loads(path.read_text())
    value["gates"][0]["runner"]["labels"] = ["self-hosted", "jetson]\n    continue-on-error: true"]
    with pytest.raises(Exception, match=r"labels|form"):
        parse(json.dumps(value).encode(), what="policy")
    value["gates"][0]["runner"]["labels"] = ["self-hosted", "jetson], evil: [x"]
    policy = parse(json.dumps(value).encode(), what="policy")[0]
    told = host(project, ASKED, None)
    with pytest.raises(UsageError, match="cannot stand in a workflow"):
        conditional_tests(told, policy, "ci/conditional-test-policy.json")


def test_templates_are_strict() -> None:
    assert filled("a @@x@@ b", {"x": "@@y@@"}) == "a @@y@@ b"
    assert filled("a\n@@x@@\nb\n", {"x": ""}) == "a\nb\n"
    with pytest.raises(InternalError, match="nothing fills"):
        filled("@@z@@", {})
    with pytest.raises(InternalError, match="not pinned"):
        filled("@@use:other/action@@", {})
    for commit, release in actions().values():
        assert len(commit) == 40
        assert int(commit, 16)
        assert release.startswith("v")


def test_a_kill_leaves_whole_files_and_the_next_call_finishes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = lane(project, ASKED, policy=None, today=DAY, force=False)
    count = 0
    real = planning.write_atomically

    def dying(path: Path, data: bytes, **options: object) -> None:
        nonlocal count
        count += 1
        if count == 4:
            raise KeyboardInterrupt
        real(path, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(planning, "write_atomically", dying)
    with pytest.raises(KeyboardInterrupt):
        apply(project, found.steps)
    monkeypatch.setattr(planning, "write_atomically", real)
    states = written(project)
    assert list(states.values()).count(State.SAME) == 3
    assert not list(project.rglob(".*.????????????"))
    assert set(written(project).values()) == {State.SAME}


def test_stamps_bear_turned_line_ends_and_show_edits() -> None:
    data = stamped(b"#!/usr/bin/env python3\nx = 1\n", "a.py")
    assert data.startswith(b"#!/usr/bin/env python3\n# written by jetproof init")
    assert untouched(data)
    assert untouched(data.replace(b"\n", b"\r\n"))
    assert not untouched(data.replace(b"1", b"2"))
    assert not untouched(b"x = 1\n")
    assert stamped(b"# x\n", "a.md").startswith(b"<!-- written by jetproof init")


def test_a_huge_or_odd_file_is_told(project: Path) -> None:
    (project / LANE).parent.mkdir(parents=True)
    (project / LANE).write_bytes(b"\xff" * 100)
    assert written(project)[LANE] is State.KEPT
    with (project / "README.md").open("wb") as file:
        file.truncate((4 << 20) + 1)
    with pytest.raises(UsageError, match="too large"):
        written(project)


def test_the_script_is_the_one_that_this_project_uses() -> None:
    own = (Path(__file__).parent.parent.parent / "scripts" / "run_conditional_gate.py").read_text()
    lines = [line for line in own.splitlines() if not line.startswith("# written by jetproof init")]
    assert "\n".join(lines) + "\n" == template("run_conditional_gate.txt")


def test_lines_are_added_once(tmp_path: Path) -> None:
    wanted = Wanted(path="x", data=b"a\nb", kind=Kind.LINES)
    apply(tmp_path, plan(tmp_path, [wanted], force=False))
    assert (tmp_path / "x").read_bytes() == b"a\nb\n"
    assert plan(tmp_path, [wanted], force=False)[0].state is State.SAME


@pytest.mark.parametrize(
    ("remote", "repository"),
    [
        ("https://github.com/example/weightlab.git", "example/weightlab"),
        ("https://user:secret@github.com/example/weightlab", "example/weightlab"),
        ("git@github.com:example/weightlab.git", "example/weightlab"),
        ("ssh://git@github.com/example/weightlab", "example/weightlab"),
        ("https://git.example/example/weightlab", None),
        (None, None),
    ],
)
def test_the_remote_names_the_repository(project: Path, remote: str | None, repository: str | None) -> None:
    if repository is None:
        with pytest.raises(UsageError, match="which repository"):
            host(project, Asked(), remote)
    else:
        assert host(project, Asked(), remote).repository == repository


def test_what_is_imported_is_found_or_said(project: Path) -> None:
    (project / "pyproject.toml").write_text('[project]\nname = "My-Lab"\n')
    assert host(project, ASKED, None).module == "my_lab"
    (project / "src" / "My_Lab").mkdir(parents=True)
    assert host(project, ASKED, None).module == "My_Lab"
    (project / "pyproject.toml").write_text("project = 1\n")
    assert host(project, ASKED, None).name == "weightlab"


def test_a_policy_without_a_jetson_gate_gets_no_lane(project: Path) -> None:
    written(project)
    path = project / "ci" / "conditional-test-policy.json"
    value = json.loads(path.read_text())
    value["gates"] = [gate for gate in value["gates"] if gate["platform"] == "linux-arm64"]
    value["tiers"] = []
    path.write_text(json.dumps(value))
    with pytest.raises(UsageError, match="no gate for a Jetson"):
        written(project)


def test_words_for_people(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digest = "ab" * 32
    words = ["init", "--project", str(project), "--repository", "example/weightlab"]
    words_once = ["--torch-wheel", "https://vendor.example/torch.whl", "--torch-sha256", digest, "--resolver", "a.b:c"]
    assert main([*words, *words_once]) == 0
    told = capsys.readouterr().out
    assert told.startswith("12 files written for example/weightlab\n")
    assert "1. fill ci/jetproof-requirements.txt" in told
    assert "device resolver" not in told
    assert "commit what was written" in told
    assert "--protected-branch NAME, if" in told
    assert f"sha256:{digest}" in (project / "docs" / "jetson-support.md").read_text()
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("Everything is as jetproof init writes it")
    (project / LANE).write_text("jobs: {}\n")
    assert main(words) == 0
    told = capsys.readouterr().out
    assert told.startswith("Nothing to write for")
    assert f"kept     {LANE}  (changed by hand or not jetproof's; --diff shows how it differs" in told


def test_an_unclaimed_jetson_gate_and_an_image_with_an_odd_name(project: Path) -> None:
    written(project)
    path = project / "ci" / "conditional-test-policy.json"
    value = json.loads(path.read_text())
    value["gates"].append({**value["gates"][0], "id": "smoke", "aliases": [], "job": "smoke", "carries_claim": False})
    path.write_text(json.dumps(value))
    written(project)
    job = Workflow(LANE, yaml((project / LANE).read_bytes())).job("smoke")
    assert job is not None
    assert "inputs.gate == 'smoke'" in job.condition
    value["tiers"][0]["runtime"] = {"kind": "image", "source": "x y", "digest": f"sha256:{'ab' * 32}"}
    path.write_text(json.dumps(value))
    with pytest.raises(UsageError, match="no name that a workflow can hold"):
        written(project)
