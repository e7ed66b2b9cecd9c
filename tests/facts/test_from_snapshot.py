"""Facts of the system, torch, container, permissions and memory, each in its three states."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from jetproof.facts.as_json import PLATFORM, as_json
from jetproof.facts.from_snapshot import facts
from jetproof.facts.model import Facts, Origin, Outcome, PlatformClass
from jetproof.facts.schema import json_schema
from jetproof.tables import load
from jetproof.target.reading import Reason
from jetproof.target.snapshot import parse

TABLES = load()

FULL: dict[str, Any] = {
    "schema": "jetproof/snapshot/1",
    "origin": "live",
    "files": {
        "/etc/nv_tegra_release": "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic, EABI: aarch64",
        "/proc/device-tree/model": "NVIDIA Jetson AGX Orin Developer Kit\0",
        "/sys/firmware/devicetree/base/compatible": ["nvidia,p3737-0000+p3701-0005", "nvidia,tegra234"],
        "/usr/local/cuda/version.json": json.dumps({"cuda": {"version": "12.6.68"}}),
        "/proc/meminfo": (
            "MemTotal: 64349696 kB\nMemFree: 100 kB\nMemAvailable: 2048 kB\nSwapTotal: 10 kB\nSwapFree: 5 kB\n"
        ),
        "/proc/swaps": "Filename Type Size Used Priority\n/dev/zram0 partition 1000 0 5\n/dev/zram1 partition 24 0 5\n",
        "/sys/kernel/debug/nvmap/iovmm/clients": "total 2048K",
        "/sys/fs/cgroup/memory.max": "max\n",
        "/.dockerenv": None,
        "/run/.containerenv": None,
        "/sys/module/nvidia/version": "540.4.0\n",
    },
    "commands": {
        "uname -r": "5.15.148-tegra",
        "uname -m": "aarch64",
        "nvpmodel -q": "NV Power Mode: MAXN\n0",
        "dpkg-query -W": "\n".join(
            [
                "nvidia-l4t-core\t36.4.3-20250107174145",
                "nvidia-jetpack\t6.2+b77",
                "nvidia-l4t-cuda\t36.4.3-20250107174145",
                "cuda-cudart-12-6\t12.6.68-1",
                "libcublas-12-6\t12.6.1.4-1",
                "libcudnn9-cuda-12\t9.3.0.75-1",
            ]
        ),
    },
    "listings": {
        "/etc/nvidia-container-runtime/host-files-for-container.d": ["devices.csv", "drivers.csv"],
        "/usr/local/cuda/bin": ["nvcc"],
        "/proc/device-tree/chosen/plugin-manager/ids": None,
    },
    "nodes": {
        "/dev/nvmap": {"type": "c", "mode": "crw-rw----", "owner": "root", "group": "video", "usable": False},
        "/dev/nvidia0": None,
    },
    "user": {"is_root": False, "groups": ["adm"], "groups_on_file": ["adm", "video"]},
    "programs": {"nvcc": None},
    "libraries": {
        "libcuda.so.1": {"path": "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1", "size": 0},
        "libcusparseLt.so.0": None,
    },
    "driver": {"cuda": 12060, "status": "ok"},
    "disk": {"/": {"total": 100, "free": 40}},
    "python": {
        "asked": "PATH",
        "status": "ok",
        "interpreter": {
            "executable": "/usr/bin/python3",
            "version": "3.10.12",
            "is_venv": False,
            "system_site_packages": True,
            "distributions": [
                {
                    "name": "Torch",
                    "release": "2.5.0a0+872d972e41.nv24.08",
                    "location": "/usr/local/lib/python3.10/dist-packages",
                    "origin": "https://index.example/torch.whl",
                    "active": True,
                    "built_for_cuda": "12.6",
                },
                {"name": "torch", "release": "2.8.0", "location": "/usr/lib/x", "active": False, "built_for_cuda": ""},
                {
                    "name": "numpy",
                    "release": "1.26.4",
                    "location": "/usr/lib/y",
                    "requires": [],
                    "tags": ["py3-none-any"],
                },
            ],
        },
        "others": [{"executable": "/opt/venv/bin/python", "version": "3.12.3", "torch": "2.10.0"}],
    },
    "trials": {
        "status": "ok",
        "stderr": "a warning",
        "steps": [
            {
                "name": "import torch",
                "outcome": "ok",
                "seconds": 1.5,
                "data": {
                    "torch": "2.5.0a0+872d972e41.nv24.08",
                    "cuda": "12.6",
                    "file": "/usr/local/lib/python3.10/dist-packages/torch/__init__.py",
                    "arch_list": ["sm_87"],
                    "cudnn_compiled": 8907,
                },
            },
            {"name": "cuda available", "outcome": "ok", "data": {"available": True, "warnings": ["told once"]}},
            {
                "name": "cuda device",
                "outcome": "ok",
                "data": {"name": "Orin", "capability": "8.7", "cudnn_found": 90300},
            },
            {"name": "matmul", "outcome": "crashed", "message": "signal 11"},
            {"name": "import cv2", "outcome": "ok", "data": {"cuda": False}},
            {"name": "import bitsandbytes", "outcome": "not-run", "message": "not installed"},
        ],
    },
}


def _facts(snapshot: dict[str, Any], origin: Any = "live") -> Facts:
    return facts(parse(snapshot, what="test", origin=origin), TABLES)


def test_a_full_snapshot() -> None:
    found = _facts(FULL)
    assert found.origin is Origin.LIVE
    assert found.platform.module.value == "Jetson AGX Orin 64GB"
    assert found.platform.jetpack.value == "6.2"
    assert found.platform.in_container.value is False
    cuda = found.cuda
    assert (cuda.driver.value, cuda.kernel_driver.value, cuda.toolkit.value) == ("12.6", "540.4.0", "12.6")
    assert (cuda.nvcc.value, cuda.cudnn.value, cuda.power_mode.value) == (
        "/usr/local/cuda/bin/nvcc",
        "9.3.0.75",
        "MAXN",
    )
    assert cuda.tensorrt.absent
    assert cuda.missing_parts.value == ("libnvinfer",)
    assert cuda.libcuda.detail == "the file has no bytes"
    assert cuda.cusparselt.absent
    assert cuda.opencv_cuda.value is False
    torch = found.torch
    assert (torch.interpreter.value, torch.python.value) == ("/usr/bin/python3", "3.10.12")
    assert (torch.in_venv.value, torch.sees_system_packages.value) == (False, True)
    assert (torch.torch_cuda.value, torch.arch_list.value) == ("12.6", ("sm_87",))
    assert (torch.cudnn_built.value, torch.cudnn_found.value) == ("8.9.7", "9.3.0")
    assert (torch.available.value, torch.device_name.value, torch.device_capability.value) == (True, "Orin", "8.7")
    assert torch.torch_source.value == "https://index.example/torch.whl"
    assert [one.active for one in torch.installs if one.name == "torch"] == [True, False]
    assert torch.numpy.value == "1.26.4"
    assert torch.torchvision.absent
    assert torch.others == ("/opt/venv/bin/python: 2.10.0",)
    matmul = torch.trial("matmul")
    assert matmul is not None
    assert matmul.outcome is Outcome.CRASHED
    assert found.permissions.groups.value == ("adm",)
    assert found.permissions.groups_on_file.value == ("adm", "video")
    assert [(node.path, node.usable) for node in found.permissions.nodes] == [("/dev/nvmap", False)]
    memory = found.memory
    assert memory.total.value == 64349696 * 1024
    assert (memory.available.value, memory.free.value) == (2048 * 1024, 100 * 1024)
    assert (memory.swap_total.value, memory.swap_free.value) == (10240, 5120)
    assert (memory.zram.value, memory.nvmap_used.value, memory.disk_free.value) == (1024 * 1024, 2048 * 1024, 40)
    assert memory.cgroup_limit.absent
    assert memory.cma_free.absent
    assert found.container.engine.absent
    assert found.container.csv_lists.value == ("devices.csv", "drivers.csv")
    assert [message.text for message in found.messages] == ["signal 11", "told once", "a warning"]


def test_an_empty_snapshot_knows_nothing_and_says_so() -> None:
    found = _facts({"files": {}, "commands": {}}, "recorded")
    told = as_json(found)
    assert found.origin is Origin.RECORDED
    assert told["platform"] == {**dict.fromkeys(PLATFORM), "platform_class": "unknown"}
    assert {one["state"] for one in told["details"].values()} == {"unknown"}
    assert all(one["reason"] for one in told["details"].values())


@pytest.mark.parametrize("snapshot", [FULL, {"files": {}, "commands": {}}])
def test_the_json_follows_its_schema(snapshot: dict[str, Any]) -> None:
    told = json.loads(json.dumps(as_json(_facts(snapshot))))
    jsonschema.Draft202012Validator.check_schema(json_schema())
    jsonschema.validate(told, json_schema())


def test_the_platform_answer_has_exactly_its_names() -> None:
    told = as_json(_facts(FULL))
    assert told["schema"] == "jetproof/facts/1"
    assert tuple(told["platform"]) == PLATFORM
    assert told["platform"]["is_jetson"] is True
    assert told["platform"]["platform_class"] == "jetson"
    assert told["details"]["torch.arch_list"]["value"] == ["sm_87"]


def test_inside_a_container() -> None:
    found = _facts(
        {
            "files": {"/.dockerenv": "", "/etc/nv_tegra_release": "# R36 (release), REVISION: 4.3, GCID: 1"},
            "commands": {"uname -m": "aarch64", "uname -r": "5.15.148-tegra"},
            "nodes": {"/dev/nvmap": None, "/dev/nvhost-ctrl-gpu": None},
        }
    )
    assert found.container.engine.value == "docker"
    assert found.container.gpu_nodes.value is False
    assert found.container.host_l4t.value == "36.4.3"
    assert found.container.image_arch.value == "aarch64"
    assert found.container.started.value is True
    assert found.container.runtime.unknown


def test_nvidias_runtime_shows_by_its_variable_and_its_nodes() -> None:
    found = _facts(
        {
            "files": {"/run/.containerenv": ""},
            "commands": {},
            "nodes": {"/dev/nvmap": {"mode": "crw-rw-rw-"}},
            "environment": {"NVIDIA_VISIBLE_DEVICES": "all"},
        }
    )
    assert (found.container.engine.value, found.container.runtime.value) == ("podman", "nvidia")


@pytest.mark.parametrize(
    ("files", "engine"),
    [
        ({"/run/systemd/container": "lxc\n"}, None),
        ({"/proc/1/cgroup": "0::/docker/abc"}, "docker"),
        ({"/.dockerenv": None, "/run/.containerenv": None, "/proc/1/cgroup": "0::/init.scope"}, None),
    ],
)
def test_engines(files: dict[str, str | None], engine: str | None) -> None:
    found = _facts({"files": files, "commands": {}})
    assert found.container.engine.value in (engine, "lxc")


def test_an_emulated_machine_is_never_live() -> None:
    emulated = {
        "files": {"/proc/cpuinfo": "vendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R)"},
        "commands": {"uname -m": "aarch64"},
    }
    found = _facts(emulated)
    assert found.origin is Origin.EMULATED
    assert found.platform.platform_class.value is PlatformClass.EMULATED
    told = _facts({"files": {}, "commands": {}, "emulation": {"emulated": True, "because": ["qemu"]}})
    assert told.origin is Origin.EMULATED
    assert told.platform.is_jetson.value is False


@pytest.mark.parametrize(
    ("driver", "reason"),
    [
        ({"status": "timed-out"}, Reason.TIMED_OUT),
        ({"status": "crashed", "detail": "signal 11"}, Reason.FAILED),
        ({"status": "failed"}, Reason.FAILED),
        (None, Reason.NOT_READ),
    ],
)
def test_a_driver_that_does_not_answer(driver: dict[str, str] | None, reason: Reason) -> None:
    found = _facts({"files": {}, "commands": {}, **({"driver": driver} if driver else {})})
    assert found.cuda.driver.reason is reason


@pytest.mark.parametrize(
    ("files", "commands", "toolkit"),
    [
        ({"/usr/local/cuda/version.txt": "CUDA Version 10.2.300"}, {}, "10.2"),
        ({}, {"nvcc --version": "Cuda compilation tools, release 13.2, V13.2.78"}, "13.2"),
        ({}, {"dpkg-query -W": "cuda-cudart-12-2\t12.2.140-1"}, "12.2"),
        ({"/usr/local/cuda/version.json": "{"}, {}, None),
        ({"/usr/local/cuda/version.json": '{"cuda": {"version": 12}}'}, {}, None),
        ({"/usr/local/cuda/version.json": "[" * 5000}, {}, None),
    ],
)
def test_the_toolkit_wherever_it_is_told(files: dict[str, str], commands: dict[str, str], toolkit: str | None) -> None:
    assert _facts({"files": files, "commands": commands}).cuda.toolkit.value == toolkit


def test_headers_where_there_is_no_dpkg() -> None:
    cudnn = "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 3\n#define CUDNN_PATCHLEVEL 0\n"
    trt = "#define NV_TENSORRT_MAJOR 10\n#define NV_TENSORRT_MINOR 3\n#define NV_TENSORRT_PATCH 0\n"
    found = _facts(
        {
            "files": {"/usr/include/cudnn_version.h": cudnn, "/usr/include/aarch64-linux-gnu/NvInferVersion.h": trt},
            "commands": {"dpkg-query -W": None, "nvpmodel -q": None},
        }
    )
    assert (found.cuda.cudnn.value, found.cuda.tensorrt.value) == ("9.3.0", "10.3.0")
    assert found.cuda.packages.absent
    assert found.cuda.power_mode.absent


def test_a_torch_built_without_cuda() -> None:
    python = {
        "status": "ok",
        "interpreter": {
            "executable": "/usr/bin/python3",
            "version": "3.12.3",
            "distributions": [{"name": "torch", "release": "2.9.0", "location": "/s", "built_for_cuda": ""}],
        },
    }
    by_files = _facts({"files": {}, "commands": {}, "python": python})
    assert by_files.torch.torch_cuda.absent
    assert by_files.torch.torch.value == "2.9.0"
    trials = {"steps": [{"name": "import torch", "outcome": "ok", "data": {"torch": "2.9.0+cpu", "cuda": None}}]}
    by_import = _facts({"files": {}, "commands": {}, "python": python, "trials": trials})
    assert by_import.torch.torch_cuda.absent
    assert by_import.torch.torch.value == "2.9.0+cpu"


@pytest.mark.parametrize(
    ("outcome", "reason"), [("timed-out", Reason.TIMED_OUT), ("crashed", Reason.FAILED), ("not-run", Reason.NOT_READ)]
)
def test_an_import_that_does_not_come_back(outcome: str, reason: Reason) -> None:
    trials = {"steps": [{"name": "import torch", "outcome": outcome, "message": "why\nmore"}]}
    found = _facts({"files": {}, "commands": {}, "trials": trials})
    assert found.torch.arch_list.reason is reason
    assert found.torch.arch_list.detail == "why"


def test_an_interpreter_that_is_missing() -> None:
    python = {"asked": "--python", "path": "/nowhere/python", "status": "missing", "detail": "no such file"}
    found = _facts({"files": {}, "commands": {}, "python": python})
    assert found.torch.interpreter.value == "/nowhere/python"
    assert found.torch.python.reason is Reason.FAILED
    assert found.torch.torch.unknown


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({"cgroup/memory.max": "1073741824", "/sys/fs/cgroup/memory.max": "max"}, 1 << 30),
        ({"cgroup/memory.max": "max"}, None),
        ({"/sys/fs/cgroup/memory.max": "1073741824"}, 1 << 30),
        ({"/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712"}, None),
        ({"/sys/fs/cgroup/memory.max": "nonsense"}, None),
    ],
)
def test_the_limit_of_a_container(files: dict[str, str], limit: int | None) -> None:
    assert _facts({"files": files, "commands": {}}).memory.cgroup_limit.value == limit


def test_a_file_that_may_not_be_read_says_why() -> None:
    files = {"/proc/meminfo": {"reason": "no-permission"}, "/proc/swaps": {"reason": "too-large"}}
    found = _facts({"files": files, "commands": {}})
    assert found.memory.total.reason is Reason.NO_PERMISSION
    assert found.memory.zram.reason is Reason.TOO_LARGE


def test_plugin_manager_ids_are_names_in_a_folder() -> None:
    listing = {"/proc/device-tree/chosen/plugin-manager/ids": ["3448-0002-400", "connection", "name"]}
    found = _facts({"files": {}, "commands": {}, "listings": listing})
    assert found.platform.module_part_number.value == "p3448-0002"
    devfreq = _facts({"files": {}, "commands": {}, "listings": {"/sys/class/devfreq": ["17000000.ga10b"]}})
    assert devfreq.platform.soc.value == "tegra234"
    assert devfreq.platform.is_jetson.unknown


def test_a_package_that_nobody_asked_for_is_not_absent() -> None:
    line = "dpkg-query -W nvidia-l4t-core nvidia-jetpack"
    found = _facts({"files": {}, "commands": {line: "nvidia-l4t-core 36.5.0-20260115194252"}})
    assert found.cuda.packages.value == (("nvidia-l4t-core", "36.5.0-20260115194252"),)
    assert found.cuda.cudnn.unknown
    assert found.cuda.missing_parts.unknown
    everything = _facts({"files": {}, "commands": {"dpkg-query -W": "nvidia-l4t-core\t36.5.0-20260115194252"}})
    assert everything.cuda.cudnn.absent
    assert len(everything.cuda.missing_parts.value or ()) == 5
