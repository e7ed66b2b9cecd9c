"""The gate that ships, whole, on a recorded board: the real worker, and a stand-in for torch that computes in Python.

What it runs is real; what it runs on is not, so the origin is `recorded` and the run can prove nothing, however green.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.qualify.boards import ORIN

from jetproof.cli.main import main
from jetproof.errors import ExitCode

pytestmark = [pytest.mark.process, pytest.mark.xdist_group("recorded-board")]  # the long runs are shared

ROOT = Path(__file__).parent.parent
STAND_IN = ROOT / "probes" / "board_torch"
WEIGHTLAB = ROOT.parent / "examples" / "weightlab"
BOARDS = ROOT / "fixtures" / "boards"
GATE = "jetson-cuda-runtime"
OWN_TESTS = ("test_resolver_chooses_cuda", "test_edit_on_gpu_equals_reference", "test_edited_model_runs_forward")
ITEMS = {
    *(f"probe::{name}" for name in ("architecture", "jetson-identity", "torch-import", "cuda-available", "arch-list")),
    *(f"probe::{name}" for name in ("device-resolver", "numerics", "transfers", "streams-events", "torchvision-nms")),
    *(f"probe::{name}" for name in ("offloaded-edit", "bitsandbytes-nf4", "bitsandbytes-int8", "memory")),
    "probe::tiny-transformer",
    "pytest::gpu",
}
"""All of the gate but torch.compile, which no tier of the example promises."""


@dataclass(frozen=True)
class Bench:
    """What every run needs: a host project, an interpreter with the stand-in, a recording, and a board's files."""

    project: Path
    python: Path
    recording: Path
    files: Path


@dataclass(frozen=True)
class Ran:
    """One finished run."""

    code: int
    record: dict[str, Any]
    folder: Path

    @property
    def outcomes(self) -> dict[str, tuple[str, str]]:
        return {item["id"]: (item["outcome"], item["reason"]) for item in self.record["items"]}

    @property
    def red(self) -> dict[str, tuple[str, str]]:
        return {name: found for name, found in self.outcomes.items() if found != ("PASS", "ok")}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Return what is shared by the runs of this file."""
    folder = tmp_path_factory.mktemp("bench")
    project = folder / "weightlab"
    shutil.copytree(WEIGHTLAB, project, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    (project / ".gitignore").write_text("__pycache__/\nconditional-evidence/\n")
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(project), *identity, *words], check=True, capture_output=True)
    recording = folder / "orin.json"
    recording.write_text(json.dumps(ORIN))
    return Bench(project, _interpreter(folder / "env"), recording, _board_files(folder / "board"))


def _interpreter(folder: Path) -> Path:
    """Return a Python of its own that has the stand-ins, and pytest."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "stand_in.pth").write_text(f"{STAND_IN}\n{Path(pytest.__file__).parent.parent}\nimport board\n")
    return folder / "bin" / "python"


def _board_files(folder: Path) -> Path:
    """Write what the probes read on a board; `python` is the head of a program for its architecture."""
    texts = {
        "etc/nv_tegra_release": ORIN["files"]["/etc/nv_tegra_release"],
        "proc/device-tree/model": ORIN["files"]["/proc/device-tree/model"] + "\0",
        "proc/device-tree/compatible": "\0".join(ORIN["files"]["/proc/device-tree/compatible"]) + "\0",
        "proc/sys/kernel/arch": "aarch64\n",
        "proc/sys/fs/binfmt_misc/qemu-aarch64": "disabled\n",
        "proc/cpuinfo": "processor\t: 0\nCPU implementer\t: 0x41\n",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "python").write_bytes(b"\x7fELF\x02\x01\x01" + b"\0" * 11 + (183).to_bytes(2, "little") + b"\0" * 44)
    return folder


def _run(bench: Bench, out: Path, recording: Path, *, board: bool = True, wrong: str = "") -> Ran:
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(bench.project)
        patched.setenv("JETPROOF_GPU_LOCK", str(out.parent / "gpu.lock"))
        patched.setenv("HOME", str(out.parent))
        patched.setenv("JETPROOF_STAND_IN", wrong)
        if board:
            patched.setenv("JETPROOF_STAND_IN_BOARD", str(bench.files))
        where = ["--target", f"simulated:{recording}", "--python", str(bench.python)]
        code = main(["run", "jetson-runtime", *where, "--output", str(out)])  # the alias, as the second plan calls it
    record = json.loads((out / f"{GATE}.json").read_text())
    return Ran(code, record, out / GATE)


@pytest.fixture(scope="module")
def green(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """Return the run in which everything is as on the tier's board."""
    return _run(bench, tmp_path_factory.mktemp("green") / "out", bench.recording)


def test_every_item_of_the_gate_that_ships_runs_and_passes(green: Ran) -> None:
    assert green.red == {}
    assert set(green.outcomes) == ITEMS
    assert (green.code, green.record["green"]) == (ExitCode.OK, True)
    assert [one["id"] for one in green.record["excluded"]] == ["probe::torch-compile"]
    items = {item["id"]: item["attempts"][0] for item in green.record["items"]}
    assert [test["id"].partition("::")[2] for test in items["pytest::gpu"]["tests"]] == list(OWN_TESTS)
    measured = {one["name"]: one for one in items["probe::numerics"]["measurements"]}
    assert 0 < measured["matmul/bfloat16"]["value"] <= measured["matmul/bfloat16"]["bound"]
    assert 0 < measured["matmul/float32"]["value"] < measured["matmul/tf32"]["value"]


def test_it_says_that_it_was_recorded_and_proves_nothing(green: Ran) -> None:
    assert green.record["origin"] == "recorded"
    assert green.record["proves"] is False
    assert [why["reason"] for why in green.record["not_proven_because"]] == ["origin-recorded"]


@pytest.mark.parametrize("name", ["summary.md", "junit.xml", "report.tap", "report.sarif", "annotations.txt"])
def test_every_rendering_says_so(name: str, green: Ran) -> None:
    assert "recorded" in (green.folder / name).read_text()


def test_a_replay_gives_the_same_bytes(green: Ran) -> None:
    assert main(["replay", str(green.folder), "--check"]) == ExitCode.OK


def test_it_is_not_signed(green: Ran, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = tmp_path / "key"
    assert main(["keys", "new", str(key)]) == ExitCode.OK

    code = main(["evidence", "sign", str(green.folder), "--key", str(key)])

    assert code == ExitCode.NO
    assert "the machine is recorded, not a live one" in capsys.readouterr().err
    assert not list(green.folder.parent.glob("*.intoto.json"))


WRONG = {
    "no-sm87": ("probe::arch-list", "FAIL", "not-covered"),
    "bfloat16-sums": ("probe::numerics", "FAIL", "bound-exceeded"),
    "pinned-loses-a-byte": ("probe::transfers", "FAIL", "bound-exceeded"),
    "events-without-time": ("probe::streams-events", "FAIL", "bound-exceeded"),
    "no-nms": ("probe::torchvision-nms", "FAIL", "no-operator"),
    "not-written-back": ("probe::offloaded-edit", "FAIL", "bound-exceeded"),
    "even-levels": ("probe::bitsandbytes-nf4", "FAIL", "bound-exceeded"),
    "int8-stays-float": ("probe::bitsandbytes-int8", "FAIL", "not-quantized"),
    "nvml-assert": ("probe::memory", "FAIL", "nvml-assert-is-oom"),
    "no-turning": ("probe::tiny-transformer", "FAIL", "bound-exceeded"),
}
"""Ways in which the stand-in is wrong, each with the one item that must find it."""


@pytest.fixture(scope="module")
def broken(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """Return a run in which the stand-in is wrong in all of these ways at once."""
    return _run(bench, tmp_path_factory.mktemp("broken") / "out", bench.recording, wrong=" ".join(WRONG))


def test_what_is_not_broken_stays_green(broken: Ran) -> None:
    assert set(broken.red) == {item for item, _, _ in WRONG.values()}
    assert (broken.code, broken.record["green"]) == (ExitCode.NO, False)


@pytest.mark.parametrize("wrong", WRONG)
def test_each_fault_turns_its_own_item_red(wrong: str, broken: Ran) -> None:
    item, outcome, reason = WRONG[wrong]
    assert broken.outcomes[item] == (outcome, reason)


def test_a_build_without_cuda_on_a_machine_that_is_no_board(bench: Bench, tmp_path: Path) -> None:
    """The recording is that of a real board without its tier, and what runs is this machine: both are told."""
    recording = BOARDS / "028-orin-nx-16gb-super-r36.4.3.json"

    ran = _run(bench, tmp_path / "out", recording, board=False, wrong="cpu-build")

    missing = ("MISS", "device-missing")
    assert ran.code == ExitCode.NO
    assert set(ran.outcomes) == ITEMS, "every item has an outcome"
    assert ran.outcomes["probe::jetson-identity"] == ("FAIL", "identity-not-read")
    assert ran.outcomes["probe::torch-import"] == ("FAIL", "built-without-cuda")
    assert ran.outcomes["probe::cuda-available"] == ("FAIL", "built-without-cuda")
    assert ran.outcomes["probe::device-resolver"] == ("FAIL", "wrong-device")
    assert ran.outcomes["pytest::gpu"][0] == "FAIL"
    assert {name for name, found in ran.outcomes.items() if found == missing} == ITEMS - {
        *(f"probe::{name}" for name in ("architecture", "jetson-identity", "torch-import", "cuda-available")),
        "probe::device-resolver",
        "pytest::gpu",
    }
    assert {why["reason"] for why in ran.record["not_proven_because"]} == {"origin-recorded", "no-tier"}
