from __future__ import annotations

import os
from pathlib import Path

import pytest

from jetproof_worker import commands, places


def program(folder: Path, name: str, script: str) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return str(path)


def test_programs_are_found_on_path_and_in_their_known_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nvcc = program(tmp_path / "cuda", "nvcc", "")
    monkeypatch.setenv("PATH", "relative:" + str(tmp_path / "empty"))
    monkeypatch.setitem(places.PROGRAMS, "nvcc", (str(tmp_path / "cuda"),))
    assert commands.find("nvcc") == nvcc
    assert commands.find("tegrastats-of-another-kind") is None
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "uv").write_text("not executable")
    assert commands.find("uv") is None


@pytest.mark.process
def test_answers_and_troubles(tmp_path: Path) -> None:
    assert commands.ask([program(tmp_path, "good", "echo $LC_ALL")], 5) == "C\n"
    assert commands.ask(["/nowhere/x"], 5) is None
    failed = commands.ask([program(tmp_path, "bad", "echo out; echo err >&2; exit 9")], 5)
    assert (failed["status"], failed["code"], failed["stdout"], failed["stderr"]) == ("exited", 9, "out\n", "err\n")
    assert commands.ask([str(tmp_path / "bad")], 5, ok=(9,)) == "out\n"
    hung = commands.ask([program(tmp_path, "hang", "echo begun; exec sleep 600")], 0.3)
    assert (hung["status"], hung["stdout"]) == ("timed-out", "begun\n")
    loud = commands.ask([program(tmp_path, "loud", "head -c 10000000 /dev/zero >&2; exit 1")], 20)
    assert len(loud["stderr"]) <= 4096
    plain = tmp_path / "plain"
    plain.write_text("x")
    assert commands.ask([str(plain)], 5)["status"] == "denied"


@pytest.mark.process
def test_the_first_line_of_an_endless_program(tmp_path: Path) -> None:
    endless = program(tmp_path, "tegrastats", "while :; do echo RAM 1/2MB; sleep 0.05; done")
    assert commands.first_line([endless], 10) == "RAM 1/2MB\n"
    silent = program(tmp_path, "silent", "exec sleep 600")
    assert commands.first_line([silent], 0.2)["status"] == "timed-out"
    assert commands.first_line(["/nowhere/x"], 1) is None


@pytest.mark.process
def test_only_installed_packages_are_told(tmp_path: Path) -> None:
    path = program(
        tmp_path,
        "dpkg-query",
        r"printf 'nvidia-l4t-core\t36.4.3-20250107174145\tii \nnvidia-jetpack\t6.2\trc \nbroken\n'; exit 1",
    )
    (answer,) = [work(path) for name, work in commands.questions(False) if name == "dpkg-query -W"]
    assert answer == "nvidia-l4t-core\t36.4.3-20250107174145\n"


def test_a_machine_without_tegra_is_asked_less() -> None:
    names = [name for name, _ in commands.questions(False)]
    more = [name for name, _ in commands.questions(True)]
    assert set(names) < set(more)
    assert "nvpmodel -q" in more
    assert "tegrastats" in more
    assert {name.split()[0] for name in more} <= set(places.PROGRAMS)


def test_the_kernel_is_asked_without_the_hosts_name() -> None:
    said = commands.kernel()
    assert said["uname -r"] == os.uname().release
    assert set(said) == {"uname -r", "uname -m", "uname -s", "uname -v"}


def test_the_loaders_cache_is_cut_to_what_matters() -> None:
    keep = commands.matching(commands.CUDA_LIBRARY.pattern)
    cache = (
        "3 libs found\n\tlibcuda.so.1 (libc6,AArch64) => /usr/lib/x/libcuda.so.1\n"
        "\tlibX11.so.6 (libc6) => /a\n\tlibnvinfer_plugin.so.10 (libc6) => /b\n"
    )
    assert [line.split()[0] for line in keep(cache).splitlines()] == ["libcuda.so.1", "libnvinfer_plugin.so.10"]
