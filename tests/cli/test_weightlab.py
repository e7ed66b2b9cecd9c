"""The example host, run for real on the CPU: the whole way from policy to record, with torch."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from jetproof.cli.main import main
from jetproof.errors import ExitCode

WEIGHTLAB = Path(__file__).parent.parent.parent / "examples" / "weightlab"


@pytest.fixture
def weightlab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a committed copy of the example."""
    folder = tmp_path / "weightlab"
    shutil.copytree(WEIGHTLAB, folder, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    (folder / ".gitignore").write_text("__pycache__/\n")
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("JETPROOF_GPU_LOCK", str(tmp_path / "gpu.lock"))
    return folder


@pytest.mark.torch
def test_the_example_is_green_on_the_cpu_and_proves_nothing(
    weightlab: Path, torch_python: str, capsys: pytest.CaptureFixture[str]
) -> None:

    code = main(["run", "cpu-rehearsal", "--python", torch_python, "--json"])

    record = json.loads(capsys.readouterr().out)
    assert (code, record["green"], record["proves"]) == (ExitCode.OK, True, False)
    assert {item["id"]: item["outcome"] for item in record["items"]}["probe::numerics"] == "PASS"
    assert record["torch"]["data"]["torch"].startswith("2.")
    numerics = next(item for item in record["items"] if item["id"] == "probe::numerics")
    assert len(numerics["attempts"][0]["measurements"]) > 5
    tests = next(item for item in record["items"] if item["id"] == "pytest::cpu")["attempts"][0]["tests"]
    assert [test["outcome"] for test in tests] == ["PASS"] * 3
    assert main(["replay", "conditional-evidence/cpu-rehearsal", "--check"]) == ExitCode.OK


@pytest.mark.torch
def test_tests_that_need_a_gpu_are_never_green_without_one(
    weightlab: Path, torch_python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = json.loads((weightlab / "ci" / "conditional-test-policy.json").read_text())
    rehearsal = next(gate for gate in policy["gates"] if gate["id"] == "cpu-rehearsal")
    rehearsal["items"] = [{"pytest": "gpu"}, {"probe": "cuda-available"}]
    (weightlab / "ci" / "conditional-test-policy.json").write_text(json.dumps(policy))

    code = main(["run", "cpu-rehearsal", "--python", torch_python, "--json", "--rehearsal"])

    record = json.loads(capsys.readouterr().out)
    assert code == ExitCode.NO
    assert {item["id"]: item["outcome"] for item in record["items"]} == {
        "pytest::gpu": "FAIL",
        "probe::cuda-available": "FAIL",
    }
