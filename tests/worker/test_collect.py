from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import python_of

from jetproof.target import pack
from jetproof.target.snapshot import parse
from jetproof_worker import collect, files, frames


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dist") / "jetproof-collect.pyz"
    path.write_bytes(pack.collector().content)
    return path


def test_cpuinfo_is_cut_to_one_processor_without_serial() -> None:
    content = (
        "processor\t: 0\nBogoMIPS\t: 62.50\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd42\n\n"
        "processor\t: 1\nCPU part\t: 0xd42\n\n"
        "Hardware\t: BCM2835\nSerial\t\t: 10000000abcdef\nModel\t\t: Raspberry Pi 3\n"
    )
    cut = collect._first_processor(content)
    assert cut == (
        "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd42\nHardware\t: BCM2835\nModel\t\t: Raspberry Pi 3\n"
    )
    assert collect._first_processor(None) is None


def test_of_dockers_settings_only_the_runtimes_are_taken() -> None:
    content = json.dumps(
        {
            "default-runtime": "nvidia",
            "runtimes": {"nvidia": {"path": "nvidia-container-runtime", "runtimeArgs": ["--secret"]}},
            "registry-mirrors": ["https://private.example"],
            "features": {"cdi": True, "other": 1},
        }
    )
    kept = collect._docker_runtimes(content)
    assert json.loads(kept) == {
        "default-runtime": "nvidia",
        "runtimes": {"nvidia": {"path": "nvidia-container-runtime"}},
        "features": {"cdi": True},
    }
    for broken in ("[]", "{", '{"runtimes": []}', '{"runtimes": {"a": 1}}', "[" * 100_000):
        assert collect._docker_runtimes(broken) in (
            files.unknown("not-understood", "not a JSON object as the Docker daemon reads it"),
            json.dumps({"runtimes": {}}),
        )
    assert collect._docker_runtimes(None) is None


@pytest.mark.parametrize(
    ("own", "limits", "lowest"),
    [
        ("0::/a/b\n", {"/sys/fs/cgroup/a/memory.max": "1000\n", "/sys/fs/cgroup/a/b/memory.max": "max\n"}, "1000"),
        ("0::/\n", {"/sys/fs/cgroup/memory.max": "max\n"}, "max"),
        ("5:memory:/x\n", {"/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "9223372036854771712\n"}, "max"),
        ("5:memory:/x\n", {"/sys/fs/cgroup/memory/memory.limit_in_bytes": "500\n"}, "500"),
        ("0::/../../etc\n", {}, None),
        ("garbage", {}, None),
    ],
)
def test_the_lowest_memory_limit_counts(
    monkeypatch: pytest.MonkeyPatch, own: str, limits: dict[str, str], lowest: str | None
) -> None:
    monkeypatch.setattr(files, "text", lambda path, limit=0: own if path == "/proc/self/cgroup" else limits.get(path))
    assert collect._cgroup_limit() == lowest


@pytest.mark.process
def test_a_part_that_breaks_takes_no_other_part_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise OSError("out of everything")

    monkeypatch.setattr(collect.trying, "run", broken)
    monkeypatch.setattr(collect.loader, "read", broken)
    lines: list[str] = []
    snapshot = collect.collect(sys.executable, "PATH", progress=lines.append)
    assert snapshot["python"]["status"] == "failed"
    assert "out of everything" in snapshot["python"]["detail"]
    assert "out of everything" in snapshot["driver"]["detail"]
    assert snapshot["commands"]["uname -r"] == os.uname().release
    assert any(line.startswith("interpreter: ") for line in lines)
    parse(snapshot, what="it", origin="live")


@pytest.mark.process
def test_without_any_python(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = collect.collect(None, "PATH")
    assert snapshot["python"]["status"] == "missing"
    assert snapshot["trials"]["status"] == "not-run"
    assert parse(snapshot, what="it", origin="live").python is not None


@pytest.mark.process
def test_a_simulated_machine_is_emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JETPROOF_SIMULATED", "1")
    snapshot = collect.collect(None, "PATH")
    assert snapshot["origin"] == "emulated"
    assert parse(snapshot, what="it", origin="live").origin == "emulated"


@pytest.mark.process
def test_a_snapshot_names_nobody(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(own_home / "lib"))
    text = json.dumps(collect.collect(sys.executable, "PATH", with_trials=False))
    assert str(own_home) not in text
    assert '"~/lib"' in text
    host = os.uname().nodename
    assert host == "localhost" or len(host) < 4 or host not in text


@pytest.mark.pythons
@pytest.mark.parametrize("release", ["3.6", "3.8", "3.10", "3.12", "3.13"])
def test_the_packed_collector_on_real_pythons(packed: Path, release: str, tmp_path: Path) -> None:
    ran = subprocess.run([python_of(release), str(packed)], cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    assert b"jetproof doctor --from" in ran.stderr
    assert b"Traceback" not in ran.stderr
    snapshot = parse(json.loads(ran.stdout), what="it", origin="live")
    assert snapshot.python is not None
    assert snapshot.python.interpreter is not None, snapshot.python.detail
    assert snapshot.python.asked == "running"
    assert snapshot.python.interpreter.version.startswith(release + ".")
    assert snapshot.python.interpreter.abi is not None
    assert snapshot.python.interpreter.abi.startswith("cp" + release.replace(".", ""))
    assert snapshot.worker is not None
    assert snapshot.worker.sha256 == pack.collector().sha256
    assert snapshot.trials is not None
    assert snapshot.trials.status == "ok"
    assert not list(tmp_path.iterdir())  # nothing is left behind, no __pycache__ either


@pytest.mark.process
def test_the_collector_as_a_program(packed: Path, tmp_path: Path) -> None:
    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(packed), *words], capture_output=True, text=True, timeout=60, check=False
        )

    told = call("--help")
    assert told.returncode == 0
    assert "python3 jetproof-collect.pyz > snapshot.json" in told.stdout
    assert call("--patience", "0").returncode == 2
    target = tmp_path / "s.json"
    assert call("--no-trials", "--python", "/nowhere/python", "--output", str(target)).returncode == 0
    assert json.loads(target.read_text())["python"]["status"] == "missing"
    refused = call("--no-trials", "--output", str(tmp_path / "no" / "where"))
    assert refused.returncode == 2
    assert "could not write the snapshot" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.process
@pytest.mark.parametrize("request_bytes", [b"", b"[]", b"{}", b"\xff", b'{"nonce": 5}'])
def test_a_bad_request_gives_no_record(packed: Path, request_bytes: bytes) -> None:
    ran = subprocess.run(
        [sys.executable, str(packed), "collect"], input=request_bytes, capture_output=True, check=False
    )
    assert ran.returncode != 0
    assert frames.Reader().feed(ran.stdout) == []


@pytest.mark.torch
def test_the_real_torch(packed: Path, torch_python: str, tmp_path: Path) -> None:
    snapshot = parse(collect.collect(torch_python, "--python"), what="it", origin="live")
    assert snapshot.trials is not None
    assert snapshot.trials.status == "ok", snapshot.trials.stderr
    outcomes = {step.name: step.outcome for step in snapshot.trials.steps}
    assert outcomes["import torch"] == "ok"
    assert outcomes["cuda available"] == "ok"
    assert outcomes["matmul"] == "ok"
    imported = snapshot.trials.step("import torch")
    assert imported is not None
    assert snapshot.python is not None
    assert snapshot.python.interpreter is not None
    (torch,) = [one for one in snapshot.python.interpreter.distributions if one.name == "torch"]
    # what was read without importing is what the import says
    assert imported.data["torch"] in (torch.release, f"{torch.release}+cpu")
    assert (imported.data["cuda"] or "") == torch.built_for_cuda
    assert imported.data["file"] == torch.file
    assert torch.has_cuda_library is (imported.data["cuda"] is not None)
