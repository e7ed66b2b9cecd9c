"""Each rule has a case that fires and one that stays silent."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from jetproof.diagnosis.all_rules import RULES
from jetproof.diagnosis.engine import Verdict, diagnose
from jetproof.diagnosis.exit_code import exit_code
from jetproof.diagnosis.rule import LITERAL, Finding, Rule, Severity
from jetproof.errors import ExitCode
from jetproof.facts.fact import absent, known, unknown
from jetproof.facts.model import (
    Container,
    CudaStack,
    DeviceNode,
    Distribution,
    Facts,
    Memory,
    Origin,
    Outcome,
    Permissions,
    Platform,
    PlatformClass,
    TorchStack,
    Trial,
)
from jetproof.facts.report import facts as reported
from jetproof.tables import load
from jetproof.target.reading import Reason

TABLES = load()
GIB = 1 << 30
BY_ID = {rule.id: rule for rule in RULES}
OWN = json.loads((Path(__file__).parent.parent / "fixtures" / "cases" / "reports.json").read_text())["cases"]
VENDOR = "2.5.0a0+872d972e41.nv24.08"


def k(name: str, value: Any) -> Any:
    return known(name, value, "made for the test")


HEALTHY = Facts(
    origin=Origin.LIVE,
    platform=Platform(
        is_jetson=k("is_jetson", True),
        platform_class=k("platform_class", PlatformClass.JETSON),
        model=k("model", "NVIDIA Jetson AGX Orin Developer Kit"),
        soc=k("soc", "tegra234"),
        compute_capability=k("compute_capability", "8.7"),
        l4t=k("l4t", "36.4.3"),
        jetpack=k("jetpack", "6.2"),
        arch=k("arch", "aarch64"),
        in_container=k("in_container", False),
    ),
    cuda=CudaStack(
        driver=k("cuda.driver", "12.6"),
        toolkit=k("cuda.toolkit", "12.6"),
        cudnn=k("cuda.cudnn", "9.3.0"),
        tensorrt=k("cuda.tensorrt", "10.3.0"),
        power_mode=k("cuda.power_mode", "MAXN"),
        missing_parts=absent("cuda.missing_parts", "dpkg"),
        opencv_cuda=k("cuda.opencv_cuda", True),
        cusparselt=k("cuda.cusparselt", "/usr/lib/libcusparseLt.so.0"),
    ),
    torch=TorchStack(
        interpreter=k("python.executable", "/usr/bin/python3"),
        python=k("python", "3.10.12"),
        torch=k("torch.__version__", VENDOR),
        torch_cuda=k("torch.version.cuda", "12.6"),
        arch_list=k("torch.arch_list", ("sm_87",)),
        available=k("torch.cuda.is_available", True),
        device_capability=k("torch.cuda.get_device_capability", "8.7"),
        numpy=k("numpy", "1.26.4"),
        installs=(
            Distribution(
                name="torch", release=VENDOR, location="/usr/local/lib/python3.10/dist-packages", built_for_cuda="12.6"
            ),
        ),
        trials=(
            Trial(name="import torch", outcome=Outcome.OK),
            Trial(name="matmul", outcome=Outcome.OK),
            Trial(name="torchvision nms", outcome=Outcome.OK),
        ),
    ),
    permissions=Permissions(
        is_root=k("user.is_root", False),
        groups=k("user.groups", ("me", "video", "render")),
        groups_on_file=k("user.groups_on_file", ("me", "video", "render")),
        nodes=(DeviceNode(path="/dev/nvmap", owner="root", group="video", mode="crw-rw----", usable=True),),
    ),
    memory=Memory(
        total=k("memory.total", 60 * GIB),
        available=k("memory.available", 50 * GIB),
        swap_total=k("memory.swap_total", 30 * GIB),
        disk_free=k("memory.disk_free", 100 * GIB),
    ),
)


def but(**groups: dict[str, Any]) -> Facts:
    """Return the healthy board with some facts changed."""
    changed = {name: dataclasses.replace(getattr(HEALTHY, name), **fields) for name, fields in groups.items()}
    return dataclasses.replace(HEALTHY, **changed)


def copies(first: str, second: str) -> tuple[Distribution, ...]:
    return (
        Distribution(name="torch", release=first, location="~/.local/lib/python3.10/site-packages", built_for_cuda=""),
        Distribution(
            name="torch",
            release=second,
            location="/usr/local/lib/python3.10/dist-packages",
            active=False,
            built_for_cuda="12.6",
        ),
    )


BLIND = k("torch.cuda.is_available", False)
LIVE: dict[str, Facts] = {
    "JD001": but(
        platform={"is_jetson": k("is_jetson", False), "platform_class": k("platform_class", PlatformClass.X86)}
    ),
    "JD020": but(platform={"l4t": k("l4t", "36.4.7")}),
    "JD021": but(platform={"l4t": k("l4t", "36.4.99")}),
    "JD030": but(cuda={"missing_parts": k("cuda.missing_parts", ("libcudnn",))}, torch={"available": BLIND}),
    "JD031": but(cuda={"toolkit": k("cuda.toolkit", "12.8")}),
    "JD040": but(
        torch={"available": BLIND},
        permissions={
            "nodes": (DeviceNode(path="/dev/nvmap", owner="root", group="video", mode="crw-rw----", usable=False),)
        },
    ),
    "JD041": but(permissions={"groups": k("user.groups", ("me",))}),
    "JD050": dataclasses.replace(
        but(platform={"in_container": k("in_container", True)}, torch={"available": BLIND}),
        container=Container(gpu_nodes=k("container.gpu_nodes", False)),
    ),
    "JD051": dataclasses.replace(
        but(platform={"in_container": k("in_container", True)}),
        container=Container(image_l4t=k("container.image_l4t", "35.4.1")),
    ),
    "JD052": dataclasses.replace(
        HEALTHY,
        container=Container(engine=k("container.engine", "docker"), csv_lists=absent("container.csv_lists", "/etc")),
    ),
    "JD070": but(torch={"torch_cuda": absent("torch.version.cuda", "torch"), "available": BLIND}),
    "JD071": but(
        torch={
            "installs": copies("2.9.1", VENDOR),
            "available": BLIND,
            "torch_cuda": absent("torch.version.cuda", "torch"),
        }
    ),
    "JD072": but(
        torch={
            "torch": k("torch.__version__", "2.11.0+cu130"),
            "torch_cuda": k("torch.version.cuda", "13.0"),
            "available": BLIND,
        }
    ),
    "JD073": but(torch={"arch_list": k("torch.arch_list", ("sm_80", "sm_90"))}),
    "JD074": but(
        platform={"compute_capability": k("compute_capability", "11.0")},
        torch={"device_capability": k("torch.cuda.get_device_capability", "11.0")},
    ),
    "JD078": but(torch={"installs": copies("2.9.1", VENDOR)}),
    "JD062": but(torch={"python": unknown("python", Reason.TIMED_OUT, detail="no answer within 20 s")}),
    "JD063": reported("pip install torch -i https://pypi.jetson-ai-lab.dev/jp6/cu126\nNXDOMAIN", TABLES),
    "JD079": but(torch={"torch": absent("torch.__version__", "site paths"), "others": ("/usr/bin/python3: 2.5.0",)}),
    "JD080": but(cuda={"cusparselt": absent("cuda.cusparselt", "ldconfig")}, torch={"trials": ()}),
    "JD082": but(
        torch={"cudnn_built": k("torch.cudnn_compiled", "9.5.1"), "cudnn_found": k("torch.cudnn_found", "9.3.0")}
    ),
    "JD090": but(
        torch={"trials": (Trial(name="torchvision nms", outcome=Outcome.FAILED, message="no such operator"),)}
    ),
    "JD091": but(torch={"numpy": k("numpy", "2.1.0")}),
    "JD093": but(torch={"trials": (Trial(name="import numpy", outcome=Outcome.CRASHED, message="signal 4 SIGILL"),)}),
    "JD095": but(torch={"bitsandbytes": k("bitsandbytes", "0.42.0")}),
    "JD096": but(
        torch={
            "bitsandbytes": k("bitsandbytes", "0.48.2"),
            "trials": (Trial(name="bitsandbytes quantize", outcome=Outcome.FAILED, message="x"),),
        }
    ),
    "JD097": but(
        torch={"torch": k("torch.__version__", "2.1.0a0+41361538.nv23.06"), "transformers": k("transformers", "5.5.0")}
    ),
    "JD101": but(
        cuda={"opencv_cuda": k("cuda.opencv_cuda", False)},
        torch={"installs": (Distribution(name="opencv-python", release="4.10", location="/x"),)},
    ),
    "JD102": but(
        torch={
            "sees_system_packages": k("python.sees_system_packages", False),
            "trials": (Trial(name="import tensorrt", outcome=Outcome.FAILED, message="No module"),),
        }
    ),
    "JD111": but(memory={"available": k("memory.available", GIB // 2)}),
    "JD112": but(
        memory={
            "total": k("memory.total", 7 * GIB),
            "swap_total": k("memory.swap_total", 3 * GIB),
            "zram": k("memory.zram", 3 * GIB),
        }
    ),
    "JD125": but(cuda={"power_mode": k("cuda.power_mode", "15W")}),
    "JD126": but(memory={"disk_free": k("memory.disk_free", GIB)}),
}


def findings(rule: Rule, facts: Facts) -> list[Finding]:
    return list(rule.check(facts, TABLES))


@pytest.mark.parametrize("rule", sorted(LIVE))
def test_a_rule_fires_on_a_machine(rule: str) -> None:
    found = findings(BY_ID[rule], LIVE[rule])
    assert found
    assert all(finding.because for finding in found)


FROM_REPORTS = {
    rule.id: [case["id"] for case in OWN if findings(rule, reported(case.get("text") or case["reported"], TABLES))]
    for rule in RULES
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_fires_somewhere_and_is_silent_elsewhere(rule: Rule) -> None:
    assert rule.id in LIVE or FROM_REPORTS[rule.id]
    assert len(FROM_REPORTS[rule.id]) < len(OWN) / 2
    assert not findings(rule, HEALTHY)
    assert not findings(rule, Facts(origin=Origin.LIVE))


def test_every_finding_says_why_and_what_to_do() -> None:
    for case in OWN:
        facts = reported(case.get("text") or case["reported"], TABLES)
        for rule in RULES:
            for finding in rule.check(facts, TABLES):
                assert finding.because, (case["id"], finding.rule)
                assert finding.remedy, (case["id"], finding.rule)
                assert all(reason.read_from for reason in finding.because), (case["id"], finding)
                assert finding.root_cause in {row.id for row in TABLES.root_causes}
                assert finding.url.endswith(f"docs/rules/{rule.id}.md")


def test_a_driver_is_never_to_be_updated() -> None:
    for case in OWN:
        facts = reported(case.get("text") or case["reported"], TABLES)
        for rule in RULES:
            for finding in rule.check(facts, TABLES):
                for step in finding.remedy:
                    assert "nvidia-driver" not in (step.command or "")
                    assert "pdate the driver" not in step.text or step.text.startswith("Do not")


def test_groups_come_with_a_new_log_in() -> None:
    steps = [step.text for finding in findings(BY_ID["JD040"], LIVE["JD040"]) for step in finding.remedy]
    assert any("Log out and in" in text for text in steps)


@pytest.mark.parametrize(
    ("jetpack", "l4t", "expected"),
    [
        ("5.1.2", "35.4.1", "jp/v512"),
        ("6.0", "36.3.0", "jp/v60"),
        ("6.2", "36.4.3", "jp6/cu126"),
        ("4.6.1", "32.7.1", "nvidia.box.com"),
    ],
)
def test_the_torch_to_install_is_that_of_the_jetpack(jetpack: str, l4t: str, expected: str) -> None:
    facts = but(
        platform={"jetpack": k("jetpack", jetpack), "l4t": k("l4t", l4t)},
        torch={"torch_cuda": absent("torch.version.cuda", "torch"), "available": BLIND},
    )
    commands = " ".join(step.command or "" for finding in findings(BY_ID["JD070"], facts) for step in finding.remedy)
    assert expected in commands


def test_a_board_with_a_working_torch_is_not_told_to_mend_nodes_that_are_roots() -> None:
    closed = DeviceNode(path="/dev/nvhost-dbg-gpu", owner="root", group="root", mode="crw-------", usable=False)
    assert not findings(BY_ID["JD040"], but(torch={"available": BLIND}, permissions={"nodes": (closed,)}))


@pytest.mark.parametrize(
    ("typed", "made"),
    [
        ("pip3 install --user torch", False),
        ("systemd[1]: Started Session 3 of User ubuntu.", False),
        ("systemctl --user start trainer", False),
        ("docker run --runtime nvidia --user app image", True),
        ("docker run --runtime nvidia -u 1000:1000 image", True),
        ("USER app", True),
        ("User=trainer", True),
    ],
)
def test_an_account_is_made_for_the_program_and_not_by_the_word_user(typed: str, made: bool) -> None:
    blind = {"model": "Jetson Orin Nano", "jetpack": "6.2", "cuda_available": False, "install_commands": [typed]}
    assert bool(findings(BY_ID["JD040"], reported(blind, TABLES))) is made


def test_root_and_a_seat_together_tell_of_groups_also_where_no_gpu_is_named() -> None:
    told = {"model": "Jetson Orin Nano", "control": "works as root; works while somebody is logged in at the display"}
    assert findings(BY_ID["JD040"], reported(told, TABLES))
    assert not findings(BY_ID["JD040"], reported({**told, "control": "works as root"}, TABLES))


def test_a_missing_library_of_this_jetpack_is_a_missing_part_and_one_of_another_is_another_wheel() -> None:
    base = {"model": "Jetson Nano", "jetpack": "4.6", "cuda": "10.2", "in_container": False}
    own = reported({**base, "error_text": "libcudart.so.10.2: cannot open shared object file"}, TABLES)
    other = reported({**base, "error_text": "libcudart.so.10.0: cannot open shared object file"}, TABLES)
    assert findings(BY_ID["JD030"], own)
    assert not findings(BY_ID["JD075"], own)
    assert findings(BY_ID["JD075"], other)[0].specificity == LITERAL


def test_a_mere_warning_beside_a_fatal_error_does_not_block() -> None:
    text = "WARNING: Unsupported JetPack version detected\n\nImportError: libcusparseLt.so.0: cannot open shared object file"
    assert all(finding.severity is Severity.WARNING for finding in findings(BY_ID["JD121"], reported(text, TABLES)))


def test_a_cpu_torch_without_any_nvidia_gpu_is_a_note_and_with_one_it_blocks() -> None:
    bare = Facts(
        origin=Origin.LIVE,
        platform=Platform(
            is_jetson=k("is_jetson", False),
            platform_class=k("platform_class", PlatformClass.X86),
            arch=k("arch", "x86_64"),
        ),
        torch=TorchStack(
            torch=k("torch.__version__", "2.13.0+cpu"),
            torch_cuda=absent("torch.version.cuda", "trial: import torch"),
            available=k("torch.cuda.is_available", False),
        ),
    )
    diagnosis = diagnose(bare, TABLES)
    assert diagnosis.verdict is Verdict.NOT_A_JETSON
    assert {finding.severity for finding in diagnosis.findings} == {Severity.NOTE}
    node = DeviceNode(path="/dev/nvidia0", owner="root", group="root", mode="crw-rw-rw-", usable=True)
    for with_gpu in (
        dataclasses.replace(bare, cuda=CudaStack(kernel_driver=k("cuda.kernel_driver", "580.95.05"))),
        dataclasses.replace(bare, cuda=CudaStack(driver=k("cuda.driver", "13.0"))),
        dataclasses.replace(bare, permissions=Permissions(nodes=(node,))),
        dataclasses.replace(
            bare,
            platform=dataclasses.replace(bare.platform, platform_class=k("platform_class", PlatformClass.DGX_SPARK)),
        ),
    ):
        severities = {finding.name: finding.severity for finding in diagnose(with_gpu, TABLES).findings}
        assert severities["torch-cpu-build"] is Severity.BLOCKING


@pytest.mark.parametrize("is_jetson", [True, False])
def test_an_interpreter_that_does_not_answer_blocks_on_every_machine(is_jetson: bool) -> None:
    facts = Facts(
        origin=Origin.LIVE,
        platform=Platform(is_jetson=k("is_jetson", is_jetson), platform_class=k("platform_class", PlatformClass.X86)),
        torch=TorchStack(
            interpreter=k("python.executable", "/opt/bad python"),
            python=unknown("python", Reason.FAILED, detail="it died of signal 11"),
        ),
    )
    diagnosis = diagnose(facts, TABLES)
    first = diagnosis.findings[0]
    assert (first.name, diagnosis.verdict) == ("interpreter-does-not-answer", Verdict.BLOCKED)
    assert exit_code(diagnosis) is ExitCode.NO
    assert first.because[1].value == "it died of signal 11"
    assert first.remedy[0].command == "'/opt/bad python' -c 'import sys; print(sys.version)'"


def test_an_interpreter_that_was_not_asked_is_no_finding() -> None:
    facts = Facts(origin=Origin.LIVE, torch=TorchStack(interpreter=k("python.executable", "/usr/bin/python3")))
    assert not findings(BY_ID["JD062"], facts)


OLD_INDEX = "pip install torch --index-url https://pypi.jetson-ai-lab.dev/jp6/cu126\n"


@pytest.mark.parametrize(
    "failure",
    [
        "NameResolutionError: Failed to resolve 'pypi.jetson-ai-lab.dev' ([Errno -2] Name or service not known)",
        "ERROR: No matching distribution found for torch",
    ],
)
def test_the_moved_index_is_named_with_its_new_address(failure: str) -> None:
    first = diagnose(reported(OLD_INDEX + failure, TABLES), TABLES).findings[0]
    assert first.name == "index-moved"
    assert first.remedy[0].command is not None
    assert first.remedy[0].command.endswith(
        "'torch==2.8.0' 'torchvision==0.23.*' --index-url https://pypi.jetson-ai-lab.io/jp6/cu126"
    )


def test_the_new_address_or_no_failure_is_no_moved_index() -> None:
    failure = "ERROR: No matching distribution found for torch"
    assert not findings(BY_ID["JD063"], reported(OLD_INDEX.replace(".dev", ".io") + failure, TABLES))
    assert not findings(BY_ID["JD063"], reported(OLD_INDEX + "Successfully installed torch-2.8.0", TABLES))


def test_an_index_that_holds_cuda_does_not_make_a_torch_without_it() -> None:
    told = {"model": "Jetson AGX Thor", "torch_version": "2.9.1"}
    for index, cpu in (("cu129", False), ("cpu", True)):
        source = f"uv sync -> download.pytorch.org/whl/{index}"
        assert bool(findings(BY_ID["JD070"], reported({**told, "torch_source": source}, TABLES))) is cpu
