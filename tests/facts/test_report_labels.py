"""Labelled lines of a pasted text are read as the members of a report object are."""

from __future__ import annotations

import pytest

from jetproof.facts.report import facts
from jetproof.tables import load

TABLES = load()


@pytest.mark.parametrize(
    "line",
    ["JetPack: 6.2", "- **JetPack**: 6.2", "* JetPack version = 6.2", "| JetPack | 6.2 |", "> - `JetPack`: 6.2"],
)
def test_a_label_in_any_dress(line: str) -> None:
    found = facts(f"My board.\n\n{line}\n", TABLES)
    assert found.platform.jetpack.value == "6.2"
    assert found.platform.jetpack.read_from == "line 3"


def test_answers_become_the_same_facts_as_members() -> None:
    members = {
        "model": "Jetson Orin NX",
        "l4t": "36.4.3",
        "python": "3.10.12",
        "torch_version": "2.5.1",
        "torch_arch_list": ["sm_80", "sm_90"],
        "cuda_available": False,
        "container_image": "dustynv/l4t-pytorch:r36.4.0",
        "docker_runtime": "nvidia",
        "tensorrt": "10.3.0",
    }
    text = "\n".join(
        f"- {name.replace('_', ' ')}: {', '.join(value) if isinstance(value, list) else value}"
        for name, value in members.items()
    )
    ours, theirs = facts(text, TABLES), facts(members, TABLES)
    for group in ("platform", "torch", "cuda", "container"):
        for name, fact in vars(getattr(theirs, group)).items():
            if hasattr(fact, "value"):
                assert getattr(getattr(ours, group), name).value == fact.value, f"{group}.{name}"


def test_the_package_that_fails() -> None:
    named = [message.text for message in facts("Package: flash-attn 2.8", TABLES).messages if message.member]
    assert named == ["flash-attn 2.8"]


@pytest.mark.parametrize("line", ["Package: nvidia-jetpack", "Package: libcudnn8", "Package: n/a", "CUDA: unknown"])
def test_what_is_no_answer(line: str) -> None:
    found = facts(line, TABLES)
    assert not any(message.member for message in found.messages)
    assert not found.cuda.toolkit.known


def test_a_model_file_is_no_board() -> None:
    assert not facts("Model: /models/llama-7b.gguf", TABLES).platform.model.known


def test_the_first_answer_counts() -> None:
    assert facts("JetPack: 6.2\nJetPack: 5.1\n", TABLES).platform.jetpack.value == "6.2"
