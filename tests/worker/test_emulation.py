from __future__ import annotations

import pytest

from jetproof_worker import emulation

ORIN = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd42\n"
INTEL = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R)\n"
BINFMT = "enabled\ninterpreter /usr/bin/qemu-aarch64-static\nflags: OCF\n"


def signs(machine: str = "aarch64", arch: object = None, cpuinfo: object = ORIN, **more: object) -> list[str]:
    return emulation.signs(
        machine, arch, cpuinfo, more.get("command"), more.get("binfmt"), bool(more.get("simulated", False))
    )


@pytest.mark.parametrize("machine", ["aarch64", "x86_64"])
def test_a_real_machine_shows_no_sign(machine: str) -> None:
    cpuinfo = ORIN if machine == "aarch64" else INTEL
    assert signs(machine, machine + "\n", cpuinfo, command="python3\0x.py\0", binfmt=None) == []


def test_arm_beside_its_own_32_bit_programs_is_real() -> None:
    assert signs("armv8l", "aarch64\n") == []


def test_an_x86_host_that_can_run_arm_is_real_itself() -> None:
    assert signs("x86_64", "x86_64\n", INTEL, binfmt=BINFMT) == []


@pytest.mark.parametrize(
    ("machine", "members", "told"),
    [
        ("aarch64", {"arch": "x86_64\n"}, "/proc/sys/kernel/arch says x86_64, uname says aarch64"),
        ("x86_64", {"arch": "aarch64\n", "cpuinfo": INTEL}, "/proc/sys/kernel/arch says aarch64"),
        ("aarch64", {"cpuinfo": INTEL}, "/proc/cpuinfo describes an x86 processor"),
        ("x86_64", {"cpuinfo": ORIN}, "/proc/cpuinfo describes an ARM processor"),
        ("x86_64", {"cpuinfo": "vendor_id : VirtualApple\n"}, "/proc/cpuinfo describes an ARM processor"),
        ("aarch64", {"command": "/usr/bin/qemu-aarch64-static\0/usr/bin/python3\0"}, "run by qemu-aarch64-static"),
        ("aarch64", {"binfmt": BINFMT}, "hands programs for aarch64 to qemu-aarch64-static"),
        ("aarch64", {"simulated": True}, "JETPROOF_SIMULATED is set"),
    ],
)
def test_each_sign_is_named(machine: str, members: dict[str, object], told: str) -> None:
    found = signs(machine, **members)  # type: ignore[arg-type]
    assert len(found) == 1
    assert told in found[0]


def test_a_disabled_handler_is_no_sign() -> None:
    assert signs(binfmt=BINFMT.replace("enabled", "disabled")) == []


def test_unreadable_files_are_no_sign() -> None:
    assert signs(arch={"reason": "no-permission"}, cpuinfo={"reason": "failed"}, binfmt={"reason": "x"}) == []


def test_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JETPROOF_SIMULATED", "1")
    assert "JETPROOF_SIMULATED is set" in emulation.here(None)["because"]
    assert emulation.family("mips") is None
