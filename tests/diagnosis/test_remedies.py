"""The torch that a remedy names: the same, in the same order, as `install --torch` names, with proven numbers."""

from __future__ import annotations

from typing import Any

import pytest

from jetproof.diagnosis.engine import diagnose
from jetproof.diagnosis.remedies import image_for_host, torch_sources, vendor_torch
from jetproof.facts.fact import known
from jetproof.facts.model import Facts, Origin, Platform
from jetproof.facts.report import facts as facts_of
from jetproof.install.torch_source import board, choices
from jetproof.tables import load

TABLES = load()


def facts(**members: Any) -> Facts:
    told = {name: known(name, value, "test") for name, value in members.items()}
    return Facts(origin=Origin.LIVE, platform=Platform(is_jetson=known("is_jetson", True, "test"), **told))


@pytest.mark.parametrize(
    ("jetpack", "soc"),
    [
        ("4.6", "tegra210"),
        ("5.1.2", "tegra194"),
        ("5.1.5", "tegra234"),
        ("6.0", "tegra234"),
        ("6.2", "tegra234"),
        ("7.0", "tegra264"),
        ("7.2", "tegra234"),
        ("7.2", "tegra264"),
    ],
)
def test_doctor_and_install_name_the_same_source(jetpack: str, soc: str) -> None:
    told = facts(jetpack=jetpack, soc=soc)
    ranked, stack = torch_sources(told, TABLES)
    assert stack == board(told, TABLES)
    assert [one.build.id for one in ranked] == [one.on_stack.build.id for one in choices(board(told, TABLES), TABLES)]
    assert ranked[0].verdict.verdict == "yes"
    words = " ".join(f"{step.text} {step.command}" for step in vendor_torch(told, TABLES))
    assert ranked[0].build.where.split(" ")[0] in words or ranked[0].build.what in words
    assert "2026-11-30" in words


def test_an_index_is_asked_for_the_numbers_that_work_alone() -> None:
    commands = [step.command or "" for step in vendor_torch(facts(jetpack="6.2", soc="tegra234"), TABLES)]
    index = next(command for command in commands if "--index-url" in command)
    assert "'torch==2.8.0' 'torchvision==0.23.*' --index-url https://pypi.jetson-ai-lab.io/jp6/cu126" in index
    assert any("torch-2.5.0a0+872d972e41.nv24.08" in command for command in commands)
    assert any("libcusparselt0" in command for command in commands)
    assert any("'numpy<2'" in command for command in commands)


def test_a_release_alone_is_enough_and_nothing_at_all_is_asked_for() -> None:
    ranked, stack = torch_sources(facts(l4t="36.4.3"), TABLES)
    assert stack is not None
    assert ranked[0].build.id == "nv-jp61-2.5.0a0"
    assert vendor_torch(facts(), TABLES)[0].command == "cat /etc/nv_tegra_release"


def test_no_board_is_guessed() -> None:
    text = "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
    told = facts_of(text, TABLES)
    (first, *_) = diagnose(told, TABLES).findings
    words = " ".join(f"{step.text} {step.command}" for step in first.remedy)
    assert "8.7." not in first.message
    assert "TORCH_CUDA_ARCH_LIST=X.Y " in words
    assert "compute_capability" in first.missing
    orin = diagnose(facts_of("Jetson AGX Orin\n" + text, TABLES), TABLES).findings
    assert any("TORCH_CUDA_ARCH_LIST=8.7 " in str(step.command) for one in orin for step in one.remedy)


def test_no_torch_of_a_newer_cuda_than_the_drivers_is_offered_in_its_place() -> None:
    for model, jetpack in (("Jetson AGX Orin", "5.1.4"), ("Jetson Nano", "4.6")):
        told = facts_of({"model": model, "jetpack": jetpack, "torch_cuda": "12.2"}, TABLES)
        words = " ".join(f"{step.text} {step.command}" for step in vendor_torch(told, TABLES))
        assert "cu12" not in words
        assert "developer.download.nvidia.com" in words or "nvidia.box.com" in words


@pytest.mark.parametrize(
    ("model", "python", "wanted"),
    [
        ("Jetson TX2", "3.6.9", "'numpy==1.19.4'"),
        ("Jetson TX2", None, "'numpy==1.19.4'"),
        ("Jetson Nano", "3.8", "'numpy<2'"),
        ("Jetson AGX Orin", "3.8", "'numpy<2'"),
    ],
)
def test_a_newer_numpy_is_one_that_runs_on_the_board(model: str, python: str | None, wanted: str) -> None:
    error = "RuntimeError: module compiled against API version 0xd but this version of numpy is 0xb"
    told = facts_of({"model": model, "error_text": error} | ({"python": python} if python else {}), TABLES)
    first = diagnose(told, TABLES).findings[0]
    assert first.root_cause == "numpy-too-old-abi"
    assert wanted in (first.remedy[0].command or "")


def test_a_cuda_that_follows_is_not_told_as_the_value_of_another_fact() -> None:
    told = facts_of({"model": "Jetson Orin", "jetpack": "5", "torch_version": "2.4.0+cu124"}, TABLES)
    reasons = [reason for finding in diagnose(told, TABLES).findings for reason in finding.because]
    assert {"CUDA of jetpack", "CUDA of torch.__version__"} <= {reason.fact for reason in reasons}
    assert not any(reason.fact == "jetpack" and reason.value == "11.4" for reason in reasons)


@pytest.mark.parametrize(
    ("l4t", "image"),
    [
        ("32.2.0", None),
        ("32.6.1", "r32.6.1"),
        ("32.7.4", "r32.7.1"),
        ("35.5.0", "r35.4.1"),
        ("36.3.0", None),
        ("36.4.3", "r36.4.0"),
    ],
)
def test_the_image_that_is_named_is_of_the_hosts_group_or_none_is(l4t: str, image: str | None) -> None:
    (step,) = image_for_host(facts(l4t=l4t), TABLES)
    if image is None:
        assert step.command == "cat /etc/nv_tegra_release"
    else:
        assert image in (step.command or "")
