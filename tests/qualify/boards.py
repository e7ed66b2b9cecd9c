"""A made read-out of a board, and targets that have one machine and another worker."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.qualify.streams import Record, Scripted, end

from jetproof.target.interface import CollectRequest
from jetproof.target.recorded import RecordedTarget
from jetproof.target.snapshot import Snapshot, parse
from jetproof_worker.process import Completed

ORIN: dict[str, Any] = {
    "schema": "jetproof/snapshot/1",
    "files": {
        "/etc/nv_tegra_release": (
            "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic, EABI: aarch64, "
            "DATE: Wed Jan  8 01:49:37 UTC 2025\n"
        ),
        "/proc/device-tree/model": "NVIDIA Jetson AGX Orin Developer Kit",
        "/proc/device-tree/compatible": ["nvidia,p3737-0000+p3701-0005", "nvidia,tegra234"],
        "/etc/os-release": 'NAME="Ubuntu"\nID=ubuntu\nVERSION_ID="22.04"\n',
        "/proc/meminfo": "MemTotal: 64349092 kB\nMemFree: 50000000 kB\nMemAvailable: 60000000 kB\n",
        "/sys/class/thermal/thermal_zone0/type": "cpu-thermal\n",
        "/sys/class/thermal/thermal_zone0/temp": "48500\n",
        "/sys/class/thermal/thermal_zone1/type": "off-thermal\n",
        "/sys/class/thermal/thermal_zone1/temp": "-256000\n",
        "/sys/class/devfreq/17000000.gpu/cur_freq": "1300500000\n",
        "/sys/class/devfreq/17000000.gpu/governor": "nvhost_podgov\n",
        "/sys/class/hwmon/hwmon3/oc1_event_cnt": "2\n",
    },
    "commands": {
        "uname -m": "aarch64\n",
        "uname -r": "5.15.148-tegra\n",
        "nvpmodel -q": "NV Power Mode: MAXN\n0\n",
    },
    "clock": {"synchronized": True, "read_from": "adjtimex"},
}


def snapshot(value: Mapping[str, Any] | None = None, origin: Any = "live", **changes: Any) -> Snapshot:
    """Return the board's snapshot with some members changed."""
    return parse({**(ORIN if value is None else value), **changes}, what="a board", origin=origin)


class RecordedBoard:
    """A recorded machine with a scripted worker in the place of torch."""

    def __init__(self, file: Path, value: Mapping[str, Any] = ORIN) -> None:
        file.write_text(json.dumps(value))
        self._recorded = RecordedTarget(file)
        self.requests: list[Mapping[str, object]] = []

    def collect(self, request: CollectRequest) -> Snapshot:
        return self._recorded.collect(request)

    def serve(
        self, request: Mapping[str, object], on_record: Callable[[dict[str, object]], None], timeout: float
    ) -> Completed:
        self.requests.append(request)
        return Scripted(passing(request["items"])).serve(request, on_record, timeout)  # type: ignore[arg-type]


def passing(items: Sequence[Mapping[str, Any]]) -> list[Record]:
    """Return what a worker sends in which every item of the request passes."""
    stream: list[Record] = [
        {"record": "hello", "worker": "0.1.0", "python": "3.10.12", "pid": 1},
        {"record": "torch", "outcome": "PASS", "reason": "ok", "data": {"torch": "2.5.0a0+stand.in", "cuda": "12.6"}},
    ]
    for item in items:
        name = item["id"]
        stream.append({"record": "start", "item": name})
        if "pytest" in item:
            expected = item["pytest"]["expected"]
            stream.append({"record": "collected", "item": name, "ids": expected})
            stream += [
                {"record": "test", "item": name, "id": test, "phase": phase, "outcome": "PASS", "reason": "ok"}
                for test in expected
                for phase in ("setup", "call", "teardown")
            ]
            stream.append({"record": "pytest-finish", "item": name, "status": 0})
        stream.append(end(name, seed=item["seed"]))
    stream.append({"record": "finish", "items": len(items), "seconds": 1.0})
    return stream
