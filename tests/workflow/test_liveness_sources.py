"""The lane's life is read from a real checkout, its store and a saved list of runs."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.evidence.sample import LANE, ROGUE, P, at, changed, failing, put, signed
from tests.evidence.test_trust import toml
from tests.workflow.planted import GOOD, POLICY

from jetproof.cli.main import main
from jetproof.errors import PolicyInvalid
from jetproof.evidence.signer import FileSigner
from jetproof.evidence.store import STORE_PATH, FolderStore
from jetproof.evidence.trust import TRUST_PATH
from jetproof.workflow.liveness import Liveness, Sign
from jetproof.workflow.liveness_sources import liveness

pytestmark = pytest.mark.process
NOW = datetime(2026, 11, 30, 18, tzinfo=timezone.utc)
DAY = "2026-11-25T00:00:00Z"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copytree(GOOD, tmp_path, dirs_exist_ok=True)
    (tmp_path / TRUST_PATH).parent.mkdir(exist_ok=True)
    (tmp_path / TRUST_PATH).write_bytes(toml())
    who = ["-c", "user.name=ada", "-c", "user.email=ada@mail.example"]
    environment = {"GIT_COMMITTER_DATE": DAY, "GIT_AUTHOR_DATE": DAY, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "a lane"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, env=environment, capture_output=True)
    return tmp_path


def keep(
    project: Path, days: float, gate: str = "jetson-cuda-runtime", *, bad: bool = False, signer: FileSigner = LANE
) -> None:
    changes = [at(NOW - timedelta(days=days)), put(f"{P}.plan.gate", gate), *([failing] if bad else [])]
    FolderStore(project / STORE_PATH).add(signed(changed(*changes), signer))


def told(project: Path, runs: Path | None = None) -> Liveness:
    return liveness(project, policy=None, runs=runs, store=None, branch=None, now=NOW)


def signs(found: Liveness) -> set[tuple[str | None, Sign]]:
    return {(one.gate, one.sign) for one in found.told}


ARM = ("linux-arm64-preflight", Sign.NEVER_PROVEN)


def test_evidence_of_the_store_is_read(project: Path) -> None:
    keep(project, 2)
    assert signs(told(project)) == {ARM}
    keep(project, 1, bad=True)
    assert signs(told(project)) == {ARM, ("jetson-cuda-runtime", Sign.FAILING)}


def test_evidence_that_nobody_trusted_signed_keeps_nothing_alive(project: Path) -> None:
    keep(project, 1, signer=ROGUE)
    assert ("jetson-cuda-runtime", Sign.NEVER_PROVEN) in signs(told(project))


def test_saved_runs_are_read_for_the_lane_s_workflow(project: Path, tmp_path: Path) -> None:
    keep(project, 1)
    run = {"createdAt": "2026-11-29T03:17:00Z", "status": "completed", "conclusion": "success"}
    file = tmp_path / "runs.json"
    file.write_text(json.dumps([{**run, "workflowName": "conditional tests"}]))
    assert signs(told(project, file)) == {ARM}
    file.write_text(json.dumps([{**run, "workflowName": "ci"}]))
    assert signs(told(project, file)) == {ARM, (None, Sign.NEVER_RAN)}


def test_a_policy_that_does_not_stand(project: Path) -> None:
    (project / POLICY).write_text("{}")
    with pytest.raises(PolicyInvalid, match="does not stand"):
        told(project)


def test_on_the_command_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "liveness", "--project", str(project), "--json"]) == 4
    said = json.loads(capsys.readouterr().out)
    assert said["schema"] == "jetproof/liveness/1"
    assert said["alive"] is None
    assert said["never_ran"] is True
    assert {one["reason"] for one in said["signs"]} >= {"never-proven"}
