"""How the board is run at one moment: power mode, clocks, temperatures, what was throttled. Pure."""

from __future__ import annotations

import re
from typing import Any

from jetproof.target.snapshot import Snapshot

_ZONE = re.compile(r"/sys/class/thermal/thermal_zone(\d+)/type")
_DEVICE = re.compile(r"/sys/class/devfreq/([^/]+)/(governor|cur_freq|min_freq|max_freq)")
_EVENTS = re.compile(r"/sys/class/hwmon/(hwmon\d+)/(oc\d+)_event_cnt")
_CPU = "/sys/devices/system/cpu/cpu0/cpufreq/"


def state(snapshot: Snapshot) -> dict[str, Any]:
    """Return what is known of the board's state; what a machine does not tell is left out.

    Temperatures in degrees Celsius, frequencies in Hz as the kernel gives them, over-current events as counts.
    """
    members: dict[str, Any] = {
        "power_mode": _power_mode(snapshot),
        "devices": _devices(snapshot),
        "temperatures": _temperatures(snapshot),
        "throttle_events": _events(snapshot),
        "cpu_governor": _text(snapshot, _CPU + "scaling_governor"),
        "cpu_max_khz": _number(_text(snapshot, _CPU + "scaling_max_freq")),
        "clock_synchronised": _synchronised(snapshot),
    }
    return {name: value for name, value in members.items() if value not in (None, {})}


def _text(snapshot: Snapshot, path: str) -> str | None:
    text = snapshot.file(path).text
    return text.strip() if text is not None else None


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch(r"-?\d{1,18}", text) else None


def _power_mode(snapshot: Snapshot) -> str | None:
    said = snapshot.command("nvpmodel -q").text
    if said is None:
        return None
    match = re.search(r"NV Power Mode\s*:\s*(\S+)", said)
    return match[1] if match else None


def _devices(snapshot: Snapshot) -> dict[str, dict[str, str | int]]:
    found: dict[str, dict[str, str | int]] = {}
    for path in sorted(snapshot.files):
        match = _DEVICE.fullmatch(path)
        text = _text(snapshot, path) if match else None
        if match and text is not None:
            value: str | int | None = text if match[2] == "governor" else _number(text)
            if value is not None:
                found.setdefault(match[1], {})[match[2]] = value
    return found


def _temperatures(snapshot: Snapshot) -> dict[str, float]:
    found: dict[str, float] = {}
    for path in sorted(snapshot.files):
        match = _ZONE.fullmatch(path)
        if match is None:
            continue
        name, milli = _text(snapshot, path), _number(_text(snapshot, path[: -len("type")] + "temp"))
        if name and milli is not None and milli > -200_000:  # a zone that is switched off reads about -256 degrees
            found[name] = milli / 1000
    return found


def _events(snapshot: Snapshot) -> dict[str, int]:
    found: dict[str, int] = {}
    for path in sorted(snapshot.files):
        match = _EVENTS.fullmatch(path)
        count = _number(_text(snapshot, path)) if match else None
        if match and count is not None:
            found[f"{match[1]}/{match[2]}"] = count
    return found


def _synchronised(snapshot: Snapshot) -> bool | None:
    return snapshot.clock.synchronized if snapshot.clock is not None else None
