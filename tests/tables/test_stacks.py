"""Stacks: what each name means, and what is said where a name means nothing."""

from __future__ import annotations

import pytest

from jetproof.errors import UsageError
from jetproof.tables import load
from jetproof.tables.builds import builds, newest_vendor_wheel

TABLES = load()


@pytest.mark.parametrize(
    ("name", "l4t", "socs", "python", "glibc", "cuda", "driver", "flags"),
    [
        (
            "jp4.6",
            "32.6.1",
            ("tegra210", "tegra186", "tegra194"),
            "3.6",
            "2.27",
            "10.2",
            10020,
            ("sm_53", "sm_62", "sm_72"),
        ),
        ("jp4.6-nano", "32.6.1", ("tegra210",), "3.6", "2.27", "10.2", 10020, ("sm_53",)),
        ("jp5.1", "35.2.1", ("tegra194", "tegra234"), "3.8", "2.31", "11.4", 11040, ("sm_72", "sm_87")),
        ("jp5.1-orin", "35.2.1", ("tegra234",), "3.8", "2.31", "11.4", 11040, ("sm_87",)),
        ("jp6.0", "36.3.0", ("tegra234",), "3.10", "2.35", "12.2", 12020, ("sm_87",)),
        ("jp6.1", "36.4.0", ("tegra234",), "3.10", "2.35", "12.6", 12060, ("sm_87",)),
        ("jp6.2", "36.4.3", ("tegra234",), "3.10", "2.35", "12.6", 12060, ("sm_87",)),
        ("jp7.0", "38.2.0", ("tegra264",), "3.12", "2.39", "13.0", 13000, ("sm_110",)),
        ("jp7.1", "38.4.0", ("tegra264",), "3.12", "2.39", "13.0", 13000, ("sm_110",)),
        ("jp7.2-orin", "39.2.0", ("tegra234",), "3.12", "2.39", "13.2", 13020, ("sm_87",)),
        ("jp7.2-thor", "39.2.0", ("tegra264",), "3.12", "2.39", "13.2", 13020, ("sm_110",)),
        ("jp7-thor", "39.2.2", ("tegra264",), "3.12", "2.39", "13.2", 13020, ("sm_110",)),
        ("jp6.2.1", "36.4.4", ("tegra234",), "3.10", "2.35", "12.6", 12060, ("sm_87",)),
    ],
)
def test_a_name_means_a_jetpack_and_what_follows(
    name: str, l4t: str, socs: tuple[str, ...], python: str, glibc: str, cuda: str, driver: int, flags: tuple[str, ...]
) -> None:
    one = TABLES.stack(name)
    assert (one.name, one.l4t, one.socs) == (name, l4t, socs)
    assert (one.python, one.glibc, one.cuda, one.driver, one.sm_flags) == (python, glibc, cuda, driver, flags)
    assert one.python_tag == "cp" + python.replace(".", "")
    assert one.kernel.endswith("-tegra")
    assert one.machine == "aarch64"
    assert (one.soc is None) == (len(socs) > 1) == (one.compute_capability is None)


def test_a_module_narrows_the_stack() -> None:
    one = TABLES.stack("jp7.2/agx-orin-64gb")
    assert one.soc == "tegra234"
    assert one.compute_capability == "8.7"
    assert one.module is not None
    assert one.module.name == "Jetson AGX Orin 64GB"


@pytest.mark.parametrize(
    ("name", "reason", "hint"),
    [
        ("jp6.9", "unknown-stack", "jp6.2"),
        ("jp5.1-oirn", "unknown-stack", "jp5.1-orin"),
        ("", "unknown-stack", "jp"),
        ("jp6.2/agx-orin-65gb", "unknown-module", "agx-orin-64gb"),
        ("jp6.2/", "", ""),
        ("jp6.2/zzz", "unknown-module", "near ones"),
        ("jp7.0/agx-orin-64gb", "module-not-on-stack", "jp6.2"),
        ("jp6.2/igx-orin", "unknown-module", "orin"),
    ],
)
def test_a_name_that_means_nothing_lists_near_ones(name: str, reason: str, hint: str) -> None:
    if not reason:
        assert TABLES.stack(name).module is None
        return
    with pytest.raises(UsageError) as caught:
        TABLES.stack(name)
    assert caught.value.reason == reason
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("name", "torch"),
    [
        ("jp4.6", "1.10.0"),
        ("jp5.0.2", "1.13.0a0+d0d6b1f2.nv22.10"),
        ("jp5.1-orin", "2.1.0a0+41361538.nv23.06"),
        ("jp5.1-xavier", "2.1.0a0+41361538.nv23.06"),
        ("jp6.0", "2.4.0a0+3bcc3cddb5.nv24.07"),
        ("jp6.1", "2.5.0a0+872d972e41.nv24.08"),
        ("jp6.2", "2.5.0a0+872d972e41.nv24.08"),
        ("jp7.2-orin", None),
    ],
)
def test_the_newest_wheel_of_the_vendor(name: str, torch: str | None) -> None:
    wheel = newest_vendor_wheel(TABLES.stack(name), TABLES.torch_builds)
    assert (wheel.torch_version if wheel else None) == torch


def test_builds_are_judged_with_a_reason() -> None:
    for name in ("jp4.6-nano", "jp5.1-orin", "jp6.0", "jp6.2", "jp7.2-thor"):
        judged = builds(TABLES.stack(name), TABLES.torch_builds)
        assert len(judged) == len(TABLES.torch_builds)
        assert all(one.verdict.why for one in judged)
    by_id = {one.build.id: one.verdict for one in builds(TABLES.stack("jp6.0"), TABLES.torch_builds)}
    assert by_id["pypi-torch-2.8.0"].why == "built without CUDA"
    assert by_id["nv-jp512-2.1.0a0-2306"].verdict == "no"
    assert by_id["pypi-torch-2.14.1"].verdict == "no"
    assert "CUDA 13" in by_id["pypi-torch-2.14.1"].why
    assert by_id["pt-index-cu126"].verdict == "unproven"  # a minor release above the driver's may run
    nano = {one.build.id: one.verdict for one in builds(TABLES.stack("jp4.6"), TABLES.torch_builds)}
    assert "no code for compute capability" in nano["comm-qengineering-nano"].why
