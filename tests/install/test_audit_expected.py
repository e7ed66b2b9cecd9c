"""Other people's projects, judged by hand beforehand: every verdict, its reasons and its counts have to be met."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jetproof.install import readers
from jetproof.install.audit import Audit, audit
from jetproof.install.case import held
from jetproof.install.stack_environment import board
from jetproof.tables import load

pytestmark = pytest.mark.shared
TABLES = load()
VENDOR = "torch==2.8.0a0+5228986c39.nv25.6"


def judged(path: Path, stack: str) -> Audit:
    return audit(readers.read(path), board(TABLES.stack(stack)), TABLES, held=[held(VENDOR)])


def words(result: Audit) -> str:
    return "\n".join(finding.message for finding in result.findings)


def without_wheel(result: Audit) -> set[str]:
    """What is built from an archive; repositories are not counted among them."""
    return {
        f"{finding.package}=={finding.release}"
        for finding in result.findings
        if finding.rule == "JA011" and "repository" not in finding.message
    }


def test_every_verdict_is_met(shared: Path) -> None:
    expected = json.loads((shared / "locks" / "expected.json").read_text())
    wrong = []
    for case in expected["cases"]:
        path = shared / "locks" / case["id"]
        told = [("jp6.2", case)]
        if "if_cp312_glibc239" in case:
            told.append(("jp7.2-orin", case["if_cp312_glibc239"]))
        for stack, details in told:
            result = judged(path, stack)
            if result.verdict.value != details["verdict"]:
                wrong.append((case["id"], stack, result.verdict.value, details["verdict"]))
            if "conditional" in details and result.conditional is not details["conditional"]:
                wrong.append((case["id"], stack, "conditional"))
            if "selected_packages" in details and len(result.selection.selected) != details["selected_packages"]:
                wrong.append((case["id"], stack, f"{len(result.selection.selected)} packages"))
            if "sdist_only" in details and without_wheel(result) != set(details["sdist_only"]):
                wrong.append((case["id"], stack, str(without_wheel(result))))
            nvidia = [one for one in result.selection.selected if one.package.name.startswith("nvidia-")]
            count = details.get(
                "nvidia_cu12_packages", details.get("nvidia") if isinstance(details.get("nvidia"), int) else None
            )
            if count is not None and len(nvidia) != count:
                wrong.append((case["id"], stack, f"{len(nvidia)} of NVIDIA"))
    assert wrong == []


def test_the_reasons_are_told(shared: Path) -> None:
    locks = shared / "locks"
    assert "wants Python >=3.12" in words(judged(locks / "lerobot/uv.lock", "jp6.2"))
    newer = words(judged(locks / "lerobot/uv.lock", "jp7.2-orin"))
    for part in (
        "2.11.0+cu128",
        "(SBSA) with CUDA 12.8",
        "torchvision 0.26.0+cu128",
        "triton 3.6.0",
        "cuda-toolkit 12.8.1",
    ):
        assert part in newer
    openpi = words(judged(locks / "openpi/uv.lock", "jp7.2-orin"))
    assert "asked for by jax-cuda12-plugin" in openpi
    assert "CPU build" in openpi
    whisperx = words(judged(locks / "whisperx/uv.lock", "jp6.2"))
    assert "2.8.0+cpu" in whisperx
    assert "a CPU build" in whisperx
    assert "under the vendor's number" in whisperx
    assert "torchaudio 2.8.0" in whisperx
    assert "torchvision 0.23.0" in whisperx
    comfyui = words(judged(locks / "comfyui/requirements.txt", "jp6.2"))
    assert "torch is satisfied by the vendor's" in comfyui
    assert "0.29.2, asks for torch 2.14.1" in comfyui
    assert "torchaudio is not in the vendor's set" in comfyui
    fork = words(judged(locks / "obliteratus-fork/pyproject.toml", "jp6.2"))
    assert "torch>=2.0 is satisfied" in fork
    assert "would add torch 2.14.1 (the newest for Python 3.10)" in fork
    assert "sm_87 has to be proved on the board" in fork
    assert "torch 2.7.0" in words(judged(locks / "marker/poetry.lock", "jp6.2"))
    assert judged(locks / "oyez-sa-asr/pylock.toml", "jp6.2").findings == ()
    assert "nothing of the project is run" in words(judged(locks / "accelerate/setup.py", "jp6.2"))


def test_every_file_is_judged_on_every_stack(shared: Path) -> None:
    boards = [board(TABLES.stack(name)) for name in ("jp4.6", "jp5.1", "jp6.2", "jp7.2-orin", "jp7-thor")]
    for path in sorted((shared / "locks").glob("*/*")):
        project = readers.read(path)
        verdicts = {audit(project, one, TABLES).verdict.value for one in boards}
        assert path.name != "setup.py" or verdicts == {"UNDETERMINED"}
