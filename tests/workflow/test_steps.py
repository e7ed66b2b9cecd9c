"""The workflow's own shell steps, taken out of the file and run here, up to what needs GitHub.

What stands in: the installation of jetproof (no index here), the board's run (scripted through the real runner), `gh`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.test_evidence_commands import Project, git

from jetproof.cli.main import main
from jetproof.workflow.document import Table, parse
from jetproof.workflow.model import Job, Step, Workflow

pytestmark = pytest.mark.process

LANE = ".github/workflows/conditional-tests.yml"
CLAIMS = ".github/workflows/support-claims.yml"
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


class Runner:
    """Runs steps as GitHub's runner does: bash with errexit and pipefail, env from the file, outputs by a file."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.root = project.root
        self.outputs = self.root.parent / "outputs"
        self.known = {
            "github.run_attempt": "1",
            "github.sha": git(self.root, "rev-parse", "HEAD"),
            "github.token": "no-token",
            "github.workspace": str(self.root),
        }
        self.folder = self.root.parent / "bin"
        self.folder.mkdir(exist_ok=True)
        tools = self.root / ".lane" / "jetproof" / "bin"
        tools.mkdir(parents=True, exist_ok=True)
        for name, words in {"python": sys.executable, "jetproof": f"{sys.executable} -m jetproof"}.items():
            (tools / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
            (tools / name).chmod(0o755)

    def job(self, path: str, name: str) -> Job:
        job = Workflow(path, parse((self.root / path).read_bytes())).job(name)
        assert job is not None
        return job

    def step(self, path: str, job: str, name: str) -> Step:
        found = [step for step in self.job(path, job).steps if step.table.text("name") == name]
        assert len(found) == 1, f"one step {name!r} in {job}"
        return found[0]

    def env(self, job: Job, step: Step) -> dict[str, str]:
        values: dict[str, str] = {}
        for table in (job.env, step.env):
            values.update({name: self.value(table.text(name) or "") for name in table.members})
        return values

    def value(self, text: str) -> str:
        return _EXPRESSION.sub(lambda match: self.known[match[1]], text)

    def run(self, path: str, job: str, name: str, **replace: str) -> subprocess.CompletedProcess[str]:
        step = self.step(path, job, name)
        script = step.table.text("run")
        assert script is not None
        assert "${{" not in script, "no expression stands in a script"
        for old, new in replace.items():
            assert old in script
            script = script.replace(old, new)
        file = self.root.parent / "step.sh"
        file.write_text(script)
        keep = {name: os.environ[name] for name in ("HOME",) if name in os.environ}
        environment = {
            **keep,
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "GITHUB_OUTPUT": str(self.outputs),
            "PYTHONPATH": str(Path(__file__).parent.parent.parent / "src"),
            **self.env(self.job(path, job), step),
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(file)],
            cwd=self.root, env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.delenv("GITHUB_EVENT_NAME", raising=False)
    project = Project(tmp_path)
    assert main(["init", "--project", str(project.root), "--repository", "owner/project"]) == 0
    project.commit("lane")
    return Runner(project)


def test_challenge_board_signature_countersignature(runner: Runner) -> None:
    project = runner.project
    done = runner.run(LANE, "challenge", "Make the nonce that each run must answer")
    assert done.returncode == 0, done.stderr
    outputs = dict(line.split("=", 1) for line in runner.outputs.read_text().splitlines())
    assert sorted(outputs) == ["nonce-cuda-runtime", "nonce-jetson-cuda-runtime"]
    nonce = outputs["nonce-jetson-cuda-runtime"]
    challenge = json.loads((runner.root / "challenge-jetson-cuda-runtime.json").read_text())
    assert challenge["challenge"] == nonce
    assert len(nonce) > 20

    # the board's own run is scripted; signing and countersigning are the workflow's steps
    envelope = project.ran(plan={"challenge": nonce})
    envelope.unlink()
    sign = {"/var/lib/jetproof/lane.key": str(project.key)}
    done = runner.run(LANE, "jetson", "Sign what was run, green or not", **sign)
    assert done.returncode == 0, done.stderr
    assert envelope.exists()

    downloads = runner.root / "downloads"
    (downloads / "challenge-1").mkdir(parents=True)
    for file in runner.root.glob("challenge-*.json"):
        file.rename(downloads / "challenge-1" / file.name)
    (runner.root / "conditional-evidence").rename(downloads / "conditional-jetson-1")
    done = runner.run(LANE, "countersign", "Verify the evidence and write the predicate")
    assert done.returncode == 0, done.stderr
    predicate = json.loads((runner.root / "predicate.json").read_text())
    assert "JETPROOF_LANE_PASSED" in json.dumps(predicate)
    (runner.root / "predicate.json").unlink()

    # evidence for another run does not answer this challenge
    challenge["challenge"] = "0" * len(nonce)
    (downloads / "challenge-1" / "challenge-jetson-cuda-runtime.json").write_text(json.dumps(challenge))
    done = runner.run(LANE, "countersign", "Verify the evidence and write the predicate")
    assert done.returncode != 0
    assert not (runner.root / "predicate.json").exists()


def test_a_gate_on_the_wrong_machine_is_not_green(runner: Runner) -> None:
    runner.known["needs.challenge.outputs.nonce-jetson-cuda-runtime"] = "n" * 40
    done = runner.run(LANE, "jetson", "Run the gate", **{".lane/jetson/bin/python": sys.executable})
    assert done.returncode == 4, done.stderr
    done = runner.run(LANE, "jetson", "Sign what was run, green or not")
    assert done.returncode != 0
    done = runner.run(LANE, "arm64", "Level 1, the gate", **{".lane/cpu/bin/python": sys.executable})
    assert done.returncode == (0 if os.uname().machine == "aarch64" else 4), done.stderr


@pytest.mark.parametrize(
    ("results", "code"),
    [
        (["success", "success"], 0),
        (["success", "skipped"], 1),
        (["failure", "success"], 1),
        (["cancelled"], 1),
        ([], 1),
    ],
)
def test_the_lane_is_green_only_when_all_ran(runner: Runner, results: list[str], code: int) -> None:
    runner.known["toJSON(needs.*.result)"] = json.dumps(results)
    assert runner.run(LANE, "lane", "Green only when everything ran and passed").returncode == code


def test_claims_and_lint(runner: Runner) -> None:
    done = runner.run(CLAIMS, "claims", "Lint policy, workflows and pages")
    assert done.returncode == 0, done.stdout + done.stderr
    done = runner.run(CLAIMS, "claims", "Hold what is said to what is proven")
    assert done.returncode == 0, done.stdout + done.stderr
    (runner.root / "README.md").write_text((runner.root / "README.md").read_text() + "\nSupports every Jetson.\n")
    done = runner.run(CLAIMS, "claims", "Hold what is said to what is proven")
    assert done.returncode == 8
    assert "README.md" in done.stdout
    assert (runner.root / "claims.patch").exists()


def test_liveness_reads_what_gh_lists(runner: Runner) -> None:
    fake = runner.folder / "gh"
    fake.write_text('#!/bin/sh\necho "$@" > "$0.words"\necho "[]"\n')
    fake.chmod(0o755)
    done = runner.run(CLAIMS, "liveness", "Say whether the lane has silently died")
    assert (runner.folder / "gh.words").read_text().startswith("run list --workflow conditional-tests.yml")
    assert json.loads((runner.root / "runs.json").read_text()) == []
    assert "internal error" not in done.stderr
    assert done.returncode == 4, done.stderr  # its trust and policy stand, and nothing ran yet


def test_installing_names_hashes_and_nothing_else(runner: Runner) -> None:
    """The step that needs an index is only looked at: hashes are required, and no dependency is resolved."""
    for path in (LANE, CLAIMS):
        for job in Workflow(path, parse((runner.root / path).read_bytes())).jobs:
            for step in job.steps:
                assert isinstance(step.table, Table)
                script = step.table.text("run") or ""
                for line in script.splitlines():
                    if "pip install" in line and "/jetproof/bin/" in line:
                        assert "--require-hashes --no-deps" in line
