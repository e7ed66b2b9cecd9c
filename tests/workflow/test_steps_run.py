"""The good workflow's scripts do here what they promise: nothing that failed or was skipped ends green."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.workflow.planted import GOOD, LANE
from tests.workflow.steps import python_shim, run

from jetproof.workflow.document import parse
from jetproof.workflow.model import Job, Step, Workflow

pytestmark = pytest.mark.process
SCRIPT = Path(__file__).parent.parent.parent / "scripts" / "run_conditional_gate.py"
FLOW = Workflow(LANE, parse((GOOD / LANE).read_bytes()))
VALUES = {
    "needs.challenge.outputs.nonce": "jpc1." + "0" * 32 + ".1780000000." + "0" * 32,
    "github.workspace": "WORKSPACE",
    "github.run_attempt": "1",
    "github.sha": "0" * 40,
    "secrets.HF_TOKEN": "",
}
NEEDS_THE_NETWORK = "needs an index of packages"
NEEDS_EVIDENCE = "needs the board's evidence as a download"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(GOOD, folder, dirs_exist_ok=True)
    (folder / "scripts").mkdir()
    shutil.copy(SCRIPT, folder / "scripts")
    (folder / ".gitignore").write_text(
        ".jetproof/\n.venv*/\nshims/\nconditional-evidence/\n*.json\n!ci/*.json\n.step.sh\n"
    )
    who = ["-c", "user.name=ada", "-c", "user.email=ada@mail.example"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "a lane"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)
    for name in ("shims/python3", ".jetproof/bin/python", ".venv/bin/python", ".venv-jetson/bin/python"):
        python_shim(folder / name, sys.executable)
    return folder


def job(name: str) -> Job:
    found = FLOW.job(name)
    assert found is not None
    return found


def step(name: str, words: str) -> tuple[Job, Step]:
    found = job(name)
    return found, next(one for one in found.steps if words in (one.table.text("run") or ""))


def ran(project: Path, name: str, words: str, **env: str) -> tuple[int | None, str]:
    found, one = step(name, words)
    shims = {"PATH": f"{project / 'shims'}:/usr/bin:/bin", "GITHUB_OUTPUT": str(project / "shims" / "output")}
    values = {**VALUES, "toJSON(needs.*.result)": env.pop("RESULTS", "[]")}
    done = run(FLOW, found, one, project, values, {**shims, **env})
    assert done.status == "exited", done.detail
    return done.code, (done.stdout + done.stderr).decode("utf-8", "replace")


def test_the_challenge_is_made_and_handed_on(project: Path) -> None:
    code, text = ran(project, "challenge", "jetproof challenge")
    assert code == 0, text
    made = json.loads((project / "challenge.json").read_text())
    assert (project / "shims/output").read_text() == f"nonce={made['challenge']}\n"
    assert made["gate"] == "jetson-cuda-runtime"


@pytest.mark.parametrize(
    ("results", "green"),
    [
        (["success", "success", "success", "success"], True),
        (["success", "skipped", "success", "success"], False),
        (["success", "failure", "skipped", "skipped"], False),
        (["cancelled"], False),
        ([], False),
    ],
)
def test_the_verdict_is_green_only_when_everything_ran_and_passed(
    results: list[str], green: bool, project: Path
) -> None:
    code, text = ran(project, "lane", "RESULTS", RESULTS=json.dumps(results))
    assert (code == 0) is green, text


@pytest.mark.parametrize("name", ["jetson-cuda-runtime", "model-download"])
def test_a_gate_that_cannot_pass_here_is_not_green(name: str, project: Path) -> None:
    code, text = ran(project, name, "run_conditional_gate.py")
    assert code not in (0, 2, 3), text
    assert "Traceback" not in text


def test_the_model_cache_is_cleared(project: Path) -> None:
    (project / ".hub-cache").mkdir()
    assert ran(project, "model-download", "rm -rf")[0] == 0
    assert not (project / ".hub-cache").exists()


def test_which_scripts_were_run_and_which_need_more_than_this_machine() -> None:
    left = {
        ("challenge", "pip install"): NEEDS_THE_NETWORK,
        ("linux-arm64-preflight", "pip install"): NEEDS_THE_NETWORK,
        ("linux-arm64-preflight", "run_conditional_gate.py"): "needs a torch for ARM64",
        ("jetson-cuda-runtime", "jetproof install"): NEEDS_THE_NETWORK,
        ("jetson-cuda-runtime", "evidence sign"): NEEDS_EVIDENCE,
        ("countersign", "pip install"): NEEDS_THE_NETWORK,
        ("countersign", "evidence countersign"): NEEDS_EVIDENCE,
        ("model-download", "jetproof install"): NEEDS_THE_NETWORK,
    }
    done = [
        ("challenge", "jetproof challenge"),
        ("jetson-cuda-runtime", "run_conditional_gate.py"),
        ("model-download", "run_conditional_gate.py"),
        ("model-download", "rm -rf"),
        ("lane", "RESULTS"),
    ]
    scripts = [(found.id, one.table.text("run") or "") for found in FLOW.jobs for one in found.steps]
    for name, text in scripts:
        known = [words for where, words in [*left, *done] if where == name and words in text]
        assert len(known) == bool(text), (name, text)
