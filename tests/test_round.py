"""The whole way, as a maintainer goes it: run, sign, keep, verify, claim; then what must be refused, and how.

The board is scripted behind the Target protocol and says that it is live, which no command line can make it say.
"""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.qualify.boards import ORIN, passing, snapshot
from tests.qualify.streams import Record, Scripted

from jetproof import tables
from jetproof.cli.main import main
from jetproof.errors import UsageError
from jetproof.evidence.challenge import challenge_from
from jetproof.policy.load import load
from jetproof.qualify.folder import Folder
from jetproof.qualify.gate import Request, prepare, qualify
from jetproof.qualify.judge import verdict
from jetproof.render.reports import reports, write
from jetproof.target.interface import CollectRequest
from jetproof.target.snapshot import Snapshot
from jetproof_worker.catalogue import PROBES
from jetproof_worker.process import Completed

pytestmark = pytest.mark.process

WEIGHTLAB = Path(__file__).parent.parent / "examples" / "weightlab"
BLOCK = f"""# weightlab

<!-- jetproof:begin support as-of=2026-11-01 says=nothing sha256={"0" * 64} -->
<!-- jetproof:end support -->
"""
"""Where a maintainer wants the claims to stand."""
WHEEL = "a7" * 32
IMAGE = "b8" * 32
GATE = "jetson-cuda-runtime"
TIER = "agx-orin-64gb-jp62"
SITE = "/usr/local/lib/python3.10/dist-packages"
HAS = ("torch", "torchvision", "accelerate", "transformers", "bitsandbytes", "triton", "pytest")
TOLD: Mapping[str, Mapping[str, Any]] = {
    "probe::torch-import": {"torch": "2.5.0a0+stand.in", "cuda": "12.6", "cudnn": 90400},
    "probe::cuda-available": {"device_name": "Orin", "capability": "8.7"},
}


def python(wheel: str | None = WHEEL) -> dict[str, Any]:
    """Return an interpreter that has what the gates need."""
    copies = [{"name": name, "release": "1.0", "location": SITE, "metadata": f"{name}-1.0.dist-info"} for name in HAS]
    copies[0] |= {"release": "2.5.0a0+stand.in", "archive_sha256": wheel}
    interpreter = {"executable": "/usr/bin/python3", "version": "3.10.12", "distributions": copies}
    return {"path": "/usr/bin/python3", "status": "ok", "interpreter": interpreter}


def board(wheel: str | None = WHEEL) -> Snapshot:
    """Return the read-out of a live board whose installer noted where torch came from."""
    system = "/etc/os-release"
    files = {**ORIN["files"], system: ORIN["files"][system] + 'PRETTY_NAME="Ubuntu 22.04.5 LTS"\n'}
    commands = {**ORIN["commands"], "nvcc --version": "Cuda compilation tools, release 12.6, V12.6.68\n"}
    return snapshot(files=files, commands=commands, python=python(wheel))


class Board:
    """A live board with a scripted worker; `spoil` changes what the worker tells."""

    def __init__(self, spoil: Callable[[list[Record]], None], read: Snapshot) -> None:
        self._spoil = spoil
        self._read = read

    def collect(self, request: CollectRequest) -> Snapshot:
        return self._read

    def serve(
        self, request: Mapping[str, object], on_record: Callable[[dict[str, object]], None], timeout: float
    ) -> Completed:
        told = passing(request["items"])  # type: ignore[arg-type]
        for record in told:
            if record["record"] == "end":
                record["detail"] = {**record.get("detail", {}), **TOLD.get(record["item"], {})}
        self._spoil(told)
        return Scripted(told).serve(request, on_record, timeout)


def git(folder: Path, *words: str) -> str:
    settings = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *settings, *words], cwd=folder, capture_output=True, check=True, timeout=60)
    return done.stdout.decode().strip()


class Host:
    """The example project in a repository of its own, with a trusted key beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root / "weightlab"
        self.key = root / "lane"
        shutil.copytree(WEIGHTLAB, self.root, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
        (self.root / ".gitignore").write_text("conditional-evidence/\n__pycache__/\n")
        (self.root / "README.md").write_text(BLOCK)
        self.pin("wheel", WHEEL)
        git(self.root, "init", "-q", "-b", "main")
        assert main(["keys", "new", str(self.key)]) == 0
        words = ["--name", "lane", "--module", "Jetson AGX Orin 64GB", "--project", str(self.root)]
        assert main(["keys", "trust", f"{self.key}.pub", *words]) == 0
        self.commit("first")

    def pin(self, kind: str, digest: str) -> None:
        """Pin the tier's runtime."""
        file = self.root / "ci" / "conditional-test-policy.json"
        policy = json.loads(file.read_text())
        policy["tiers"][0]["runtime"] |= {"kind": kind, "digest": f"sha256:{digest}"}
        file.write_text(json.dumps(policy, indent=2))

    def commit(self, message: str) -> str:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "-m", message)
        return git(self.root, "rev-parse", "HEAD")

    def run(
        self, spoil: Callable[[list[Record]], None] = lambda told: None, *, wheel: str | None = WHEEL, **asked: Any
    ) -> dict[str, Any]:
        """Qualify the board and return the record; files lie as the command leaves them."""
        request = Request(
            loaded=load(self.root),
            gate=GATE,
            project=self.root,
            output=self.root / "conditional-evidence",
            **asked,
        )
        target = Board(spoil, board(wheel))
        prepared = prepare(request, target.collect(CollectRequest()), tables.load(), {one.id: one for one in PROBES})
        journal = qualify(request, prepared, target)
        folder = Folder(out=request.output, gate=GATE)
        write(reports(journal), folder)
        assert verdict(journal).green
        told: dict[str, Any] = json.loads(folder.record.read_bytes())
        return told

    def sign(self) -> Path:
        """Sign the run and keep it."""
        folder = self.root / "conditional-evidence" / GATE
        assert main(["evidence", "sign", str(folder), "--key", str(self.key)]) == 0
        envelope = folder.with_name(f"{GATE}.intoto.json")
        assert self.call("evidence", "add", str(envelope)) == 0
        return envelope

    def call(self, *words: str) -> int:
        return main([*words, "--project", str(self.root)])


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    monkeypatch.setenv("JETPROOF_GPU_LOCK", str(tmp_path / "gpu.lock"))
    return Host(tmp_path)


def claim(host: Host, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert host.call("claims", "--json") == 0
    found: dict[str, Any] = next(one for one in json.loads(capsys.readouterr().out)["claims"] if one["id"] == TIER)
    return found


def refusals(host: Host, capsys: pytest.CaptureFixture[str], code: int, *words: str) -> list[str]:
    capsys.readouterr()
    assert host.call("verify", "--json", *words) == code
    return [one["reason"] for one in json.loads(capsys.readouterr().out)["evidence"][0]["refusals"]]


def later(monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    """Set the clock of the commands ahead."""
    for command in ("verify", "claims"):
        monkeypatch.setattr(f"jetproof.cli.{command}.now", lambda: datetime.now(timezone.utc) + timedelta(days=days))


def test_from_the_board_to_the_claim_and_its_four_refusals(
    host: Host, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert claim(host, capsys)["state"] == "unproven"
    record = host.run()
    envelope = host.sign()

    assert record["proves"] is True
    assert record["not_proven_because"] == []
    assert host.call("verify", str(envelope)) == 0
    found = claim(host, capsys)
    assert (found["state"], found["missing"]) == ("supported", [])
    assert host.call("claims", "--write") == 0
    assert "JetPack 6.2" in (host.root / "README.md").read_text()
    host.commit("say so")
    assert host.call("claims", "--check") == 0

    # one edit
    forged = envelope.with_name("forged.intoto.json")
    body = json.loads(envelope.read_text())
    body["payload"] = body["payload"][:40] + ("A" if body["payload"][40] != "A" else "B") + body["payload"][41:]
    forged.write_text(json.dumps(body))
    side = str(envelope.with_name(GATE))
    assert refusals(host, capsys, 6, str(forged)) == ["SIGNATURE_INVALID"]
    # another commit, that changes code
    (host.root / "src" / "weightlab" / "shelf.py").write_text("SHELF = None\n")
    host.commit("code")
    assert refusals(host, capsys, 6, str(envelope), "--side-files", side, "--commit", "HEAD") == ["COMMIT_DIFFERENT"]
    assert claim(host, capsys)["state"] == "unproven"
    assert host.call("claims", "--check", "--today") == 8
    # one day too late
    later(monkeypatch, 30)
    assert refusals(host, capsys, 0, str(envelope)) == []
    later(monkeypatch, 31)
    assert refusals(host, capsys, 7, str(envelope)) == ["STALE"]


def test_the_record_holds_the_whole_stack(host: Host) -> None:
    record = host.run()

    assert record["stack"] == {
        "arch": "aarch64",
        "l4t_line": ORIN["files"]["/etc/nv_tegra_release"].strip(),
        "l4t": "36.4.3",
        "jetpack": "6.2",
        "os": "Ubuntu 22.04.5 LTS",
        "kernel": "5.15.148-tegra",
        "driver": None,
        "cuda": "12.6",
        "cudnn": None,
        "tensorrt": None,
        "memory_bytes": 64349092 * 1024,
        "power_mode": "MAXN",
        "python": "3.10.12",
        "nvcc": "12.6.68",
        "torch": "2.5.0a0+stand.in",
        "torch_cuda": "12.6",
        "torch_cudnn": 90400,
        "device_name": "Orin",
        "capability": "8.7",
        "device_memory_bytes": None,
        "bitsandbytes": "1.0",
    }
    assert record["torch_wheel_sha256"] == WHEEL
    assert record["machine"]["compatible"]["value"] == ["nvidia,p3737-0000+p3701-0005", "nvidia,tegra234"]
    assert record["bitsandbytes"]["status"] == "passed"
    assert record["state"]["before"]["temperatures"] == {"cpu-thermal": 48.5}
    assert len(record["device_id"]) == 32


@pytest.mark.parametrize(("wheel", "missing"), [("c9" * 32, "pinned runtime"), (None, "pinned runtime")])
def test_another_wheel_or_an_unknown_one_does_not_support(
    host: Host, capsys: pytest.CaptureFixture[str], wheel: str | None, missing: str
) -> None:
    host.run(wheel=wheel)
    host.sign()

    found = claim(host, capsys)
    assert found["state"] == "unproven"
    assert any(missing in text for text in found["missing"])


def test_a_pinned_image_is_told_by_whoever_started_it(
    host: Host, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    host.pin("image", IMAGE)
    host.commit("an image")
    monkeypatch.setenv("JETPROOF_IMAGE_DIGEST", "runtime:latest")
    with pytest.raises(UsageError, match="JETPROOF_IMAGE_DIGEST"):
        host.run()
    monkeypatch.setenv("JETPROOF_IMAGE_DIGEST", f"registry.example/runtime@sha256:{IMAGE}")
    record = host.run()
    host.sign()

    assert record["image"] == {"digest": f"sha256:{IMAGE}", "told_by": "JETPROOF_IMAGE_DIGEST"}
    assert claim(host, capsys)["state"] == "supported"


def finish(told: list[Record]) -> Record:
    return next(record for record in told if record["record"] == "pytest-finish")


@pytest.mark.parametrize(
    ("around", "reason"),
    [
        ({"outside": [{"module": "weightlab.edit", "file": "/opt/other/weightlab/edit.py"}]}, "code-outside-tree"),
        ({"environment": {"scrubbed": [], "unclean": ["the plugin pytest_rerunfailures"]}}, "environment-unclean"),
        ({"outside": "?", "environment": ["?"]}, None),
    ],
)
def test_code_and_plugins_from_elsewhere_prove_nothing(
    host: Host, capsys: pytest.CaptureFixture[str], around: Record, reason: str | None
) -> None:
    record = host.run(lambda told: finish(told).update(around))
    folder = host.root / "conditional-evidence" / GATE

    assert [one["reason"] for one in record["not_proven_because"]] == ([reason] if reason else [])
    assert main(["evidence", "sign", str(folder), "--key", str(host.key)]) == (1 if reason else 0)


X86: dict[str, Any] = {
    "schema": "jetproof/snapshot/1",
    "files": {
        "/etc/os-release": 'NAME="Ubuntu"\nPRETTY_NAME="Ubuntu 24.04.1 LTS"\nID=ubuntu\nVERSION_ID="24.04"\n',
        "/proc/meminfo": "MemTotal: 131072000 kB\nMemFree: 120000000 kB\nMemAvailable: 125000000 kB\n",
        "/proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel Xeon\n",
    },
    "commands": {"uname -m": "x86_64\n", "uname -r": "6.8.0-45-generic\n"},
    "nodes": {"/dev/nvidia0": {"type": "char", "mode": "0666", "usable": True}},
    "clock": {"synchronized": False, "read_from": "adjtimex"},
}


def test_the_round_over_two_machines_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JETPROOF_GPU_LOCK", str(tmp_path / "gpu.lock"))
    script = Path(__file__).parent.parent / "benchmarks" / "gate" / "round.py"
    monkeypatch.setattr("sys.path", [*sys.path])
    loaded = runpy.run_path(str(script))
    assert loaded["make"](tmp_path, "cuda-runtime") == 0
    there = tmp_path / "there"
    git(tmp_path, "clone", "-q", str(tmp_path / "project.bundle"), str(there))
    asked = challenge_from(next((there / ".jetproof" / "challenges").iterdir()))
    git(there, "checkout", "-q", asked.commit)
    results = tmp_path / "results"
    read = snapshot(X86, python=python())
    target = Board(lambda told: None, read)
    request = Request(loaded=load(there), gate="cuda-runtime", project=there, output=results, challenge=asked.text)
    prepared = prepare(request, read, tables.load(), {one.id: one for one in PROBES})
    journal = qualify(request, prepared, target)
    write(reports(journal), Folder(out=results, gate="cuda-runtime"))
    assert main(["evidence", "sign", str(results / "cuda-runtime"), "--key", str(tmp_path / "lane")]) == 0
    capsys.readouterr()

    code = loaded["check"](tmp_path, results, "cuda-runtime")

    told = capsys.readouterr().out
    assert code == 0, told
    assert "WRONG" not in told
    assert "no Jetson, no ARM64: agx-orin-64gb-jp62 unproven" in told


def test_a_challenge_for_another_commit_is_told_before_anything_runs(
    host: Host, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert host.call("challenge", "cpu-rehearsal", "--keep") == 0
    file = next((host.root / ".jetproof" / "challenges").iterdir())
    words = ["run", "cpu-rehearsal", "--dry-run", "--challenge", str(file), "--python", sys.executable, "--json"]
    host.commit("ask")  # the challenge is for the commit before
    capsys.readouterr()

    assert host.call(*words) == 2
    assert json.loads(capsys.readouterr().err)["hint"] == f"git checkout {challenge_from(file).commit}"
    git(host.root, "checkout", "-q", "HEAD~1")
    kept = tmp_path / "challenge.json"
    kept.write_text(git(host.root, "show", f"main:.jetproof/challenges/{file.name}"))
    words[words.index(str(file))] = str(kept)
    assert host.call(*words) in (0, 4)  # 4: this interpreter has no torch
