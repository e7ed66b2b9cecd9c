"""What an installer would fetch instead of the vendor's torch depends on the board's Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from jetproof.install import readers
from jetproof.install.audit import Audit, audit
from jetproof.install.case import held
from jetproof.install.finding import Verdict
from jetproof.install.stack_environment import board
from jetproof.tables import load

TABLES = load()


def judged(folder: Path, text: str, stack: str, *kept: str, python: str | None = None) -> Audit:
    (folder / "requirements.txt").write_text(text)
    made = board(TABLES.stack(stack), python)
    return audit(readers.read(folder / "requirements.txt"), made, TABLES, held=[held(one) for one in kept])


def message(result: Audit, rule: str) -> str:
    return next(one.message for one in result.findings if one.rule == rule)


@pytest.mark.parametrize(
    ("stack", "python", "line", "told"),
    [
        ("jp5.1", None, "torch>=2.2", "fetches torch 2.4.1 (the newest for Python 3.8): a CPU build"),
        ("jp5.1", "3.9", "torch>=2.2", "fetches torch 2.8.0 (the newest for Python 3.9): a CPU build"),
        ("jp5.1", None, "torch>=2.5", "fetches none: the newest on the index for Python 3.8 is torch 2.4.1"),
        ("jp5.1", None, "torch==2.8.0", "fetches none: the newest on the index for Python 3.8 is torch 2.4.1"),
        ("jp5.1", None, "torch==2.3.1", "fetches torch 2.3.1: the index's build for aarch64, which is a CPU build"),
        ("jp5.1", None, "torch>=2.2,<2.4", "fetches the newest that fits from the index"),
        ("jp4.6", None, "torch>=2.2", "fetches none: the newest on the index for Python 3.6 is torch 1.10.2"),
        ("jp6.2", None, "torch>=2.6", "fetches torch 2.14.1 (the newest for Python 3.10): the index's build for ARM"),
        ("jp6.2", "3.12", "torch>=2.6", "torch 2.15.0 (the newest for Python 3.12): the index's build for ARM servers"),
    ],
)
def test_a_python_gets_what_there_is_for_it(
    tmp_path: Path, stack: str, python: str | None, line: str, told: str
) -> None:
    result = judged(tmp_path, line + "\n", stack, python=python)
    nothing_fits = told.startswith("fetches none")
    assert result.verdict is (Verdict.FAILS_PYTHON if nothing_fits else Verdict.REPLACES_TORCH)
    assert told in message(result, "JA003")


def test_what_was_not_opened_is_said_so(tmp_path: Path) -> None:
    told = message(judged(tmp_path, "torch>=2.6\n", "jp6.2", python="3.12"), "JA003")
    assert "with CUDA 13.2 (the board has CUDA 12.6)" in told
    assert told.endswith("its GPU code is not known")


def test_a_number_with_a_local_part_is_not_looked_for_on_the_public_index(tmp_path: Path) -> None:
    told = message(judged(tmp_path, "torch==2.5.1+cpu\n", "jp5.1"), "JA003")
    assert "fetches torch 2.5.1+cpu: a CPU build" in told


def test_a_pin_that_the_vendor_s_satisfies_brings_its_own_release(tmp_path: Path) -> None:
    told = message(judged(tmp_path, "torch==2.8.0\n", "jp6.2", "torch==2.8.0"), "JA014")
    assert "would add torch 2.8.0: the index's build for aarch64, which is a CPU build" in told
    assert "2.14.1" not in told


def test_a_pinned_sibling_is_spoken_of_itself(tmp_path: Path) -> None:
    pinned = judged(tmp_path, "torchvision==0.23.0\n", "jp6.2", "torch==2.8.0")
    assert "the index's 0.23.0 is compiled against" in message(pinned, "JA004")
    assert "0.29.2" not in message(pinned, "JA004")
    assert "0.29.2, asks for torch 2.14.1" in message(judged(tmp_path, "torchvision>=0.20\n", "jp6.2"), "JA004")
    assert judged(tmp_path, "torchvision<0\n", "jp6.2").verdict is Verdict.OK
    for line, stack in (("torchvision<0.24", "jp6.2"), ("torchvision", "jp5.1")):
        assert message(judged(tmp_path, line + "\n", stack), "JA004").endswith("pins one torch exactly")


def test_what_was_seen_with_another_python_says_with_which(tmp_path: Path) -> None:
    other, own = (message(judged(tmp_path, "timm\n", stack), "JA006") for stack in ("jp5.1", "jp6.2"))
    assert "seen of 1.0.31 with Python 3.10 was torchvision 0.29.2" in other
    assert "seen of 1.0.31 was torchvision 0.29.2" in own


def test_where_the_held_torch_is_known_from(tmp_path: Path) -> None:
    def read_from(result: Audit) -> set[str]:
        return {one.read_from for finding in result.findings for one in finding.because if one.fact == "held"}

    assert read_from(judged(tmp_path, "torchvision\ntimm\n", "jp6.2")) == {
        "tables: the newest vendor build for this stack"
    }
    assert read_from(judged(tmp_path, "torchvision\ntimm\n", "jp6.2", "torch==2.8.0")) == {"--held"}


CONDA = "name: rover\ndependencies:\n  - python=3.10\n  - pip:\n    - torch==2.8.0\n"


@pytest.mark.parametrize("name", ["environment.yml", "gpu.yaml"])
def test_a_conda_environment_file_is_not_sent_to_uv(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(CONDA)
    result = audit(readers.read(tmp_path / name), board(TABLES.stack("jp6.2")), TABLES)
    assert result.verdict is Verdict.UNDETERMINED
    (finding,) = result.findings
    assert "conda environment files are not read" in finding.message
    assert [step.command for step in finding.remedy] == [None]
    assert "requirements.txt" in finding.remedy[0].text


def test_commands_repeat_the_path_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==2.1\ngit+https://git.example/tool.git\n")
    result = audit(readers.read(tmp_path), board(TABLES.stack("jp6.2")), TABLES, asked=".")
    commands = [step.command for finding in result.findings for step in finding.remedy if step.command]
    assert "jetproof install ." in commands
    compiled = next(one for one in commands if one.startswith("uv pip compile"))
    assert f"{tmp_path}/requirements.txt" in compiled
