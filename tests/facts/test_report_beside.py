"""A report that names a board and another machine is about the one that the fault is told of."""

from __future__ import annotations

import pytest

from jetproof.diagnosis.engine import Verdict, diagnose
from jetproof.facts.model import Message, MessageKind
from jetproof.facts.report import facts
from jetproof.facts.report.beside import board_is_meant
from jetproof.tables import load

TABLES = load()


@pytest.mark.parametrize(
    "text",
    [
        "We train in conda on an x86_64 tower and copy the weights to the Orin; there they load.",
        "On my laptop (x86_64) it runs. On the Jetson Orin Nano torch.cuda.is_available() returns False.",
        "It works on the amd64 desktop x86_64, but on the AGX Orin: no kernel image is available",
        "Unlike my x86_64 PC the Xavier NX prints Illegal instruction",
        "Orin Nano, JetPack 6.2. The same script works on x86_64.",
        "I flashed it from an x86_64 host. Since then the Orin NX has no CUDA.",
        "OS of the tower: Ubuntu 24.04 (x86_64), it works fine there. The Orin fails.",
        "Fine on a DGX Spark, but the Thor says no kernel image is available",
        "x86_64 workstation: works\nOrin: is_available False",
    ],
)
def test_a_machine_that_is_mentioned_beside_the_board_is_not_the_machine(text: str) -> None:
    found = facts(text, TABLES)
    assert found.platform.is_jetson.value is True
    assert found.platform.arch.value != "x86_64"
    assert all(finding.root_cause != "not-a-jetson" for finding in diagnose(found, TABLES).findings)


@pytest.mark.parametrize(
    "text",
    [
        "On the Orin it works. On my x86_64 workstation torch.cuda.is_available() returns False.",
        "My x86_64 PC says is_available() False. I plan to move to an Orin later.",
        "I run it on an x86_64 PC, not on a Jetson: torch.cuda.is_available() returns False",
        "My machine is x86_64, torch 2.4.0+cpu. I want to prepare code for a Jetson Orin.",
        "The Jetson container is emulated with qemu on my x86_64 laptop; it crashes",
        "My x86_64 PC cannot import torch",
        "Fine on the Thor, but the DGX Spark says no kernel image is available",
    ],
)
def test_the_other_machine_stays_the_machine_where_the_fault_is_its_own(text: str) -> None:
    found = facts(text, TABLES)
    assert found.platform.is_jetson.value is False
    assert diagnose(found, TABLES).verdict is Verdict.NOT_A_JETSON


@pytest.mark.parametrize("printed", ["OS: Ubuntu 22.04 (x86_64)", "Linux pc 6.8.0 x86_64 GNU/Linux"])
def test_what_a_program_printed_weighs_more_than_words(printed: str) -> None:
    text = f"I hope to use it on an Orin, where it works.\n```\n{printed}\n```\nRuntimeError: no GPU"
    assert facts(text, TABLES).platform.is_jetson.value is False


def test_the_architecture_of_the_board_is_read_behind_the_other_machines() -> None:
    found = facts("uname -m says x86_64 on the tower\nOn the Jetson: aarch64, torch 2.5.0", TABLES)
    assert found.platform.arch.value == "aarch64"


def test_what_was_tried_elsewhere_and_what_was_printed_is_no_prose() -> None:
    said = Message(text="x86_64 works. The Orin fails.", kind=MessageKind.PROSE, read_from="line 1")
    assert board_is_meant([said])
    for kind, member in ((MessageKind.OUTPUT, ""), (MessageKind.PROSE, "comparison")):
        assert not board_is_meant([Message(text=said.text, kind=kind, read_from="x", member=member)])
    assert not board_is_meant([])
