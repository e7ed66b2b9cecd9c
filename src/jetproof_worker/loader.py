"""Ask the dynamic loader for CUDA's libraries and the driver for its number, in a child that may die. Python >= 3.6."""

import ctypes
import os
from typing import Any, Dict, List, Optional, Tuple

from jetproof_worker import frames, places, start, step_watch, steps

STEP_LIMIT = 10.0
RESTARTS = 3
"""How often a new child goes on after a library that killed the last one."""

_DRIVER = "cuDriverGetVersion"


def loads(names: List[str]) -> int:
    """Load each library by the name that torch would ask for, then ask the driver; the child's side."""
    recorder = steps.Recorder(frames.take_stdout())
    for name in names:
        if name == _DRIVER:
            recorder.step(name, STEP_LIMIT, driver_number)
        else:
            recorder.step(name, STEP_LIMIT, lambda name=name: _load(name))  # type: ignore[misc]
    return 0


def _load(name: str) -> Dict[str, Any]:
    ctypes.CDLL(name)
    return {"path": _mapped(name)}


def _mapped(name: str) -> Optional[str]:
    """Return the file behind a loaded library, from this process's own memory map."""
    stem = name.partition(".so")[0] + ".so"
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            path = line.rstrip("\n").partition("/")[2]
            if path and os.path.basename(path).startswith(stem):
                return "/" + path
    return None


def driver_number() -> Dict[str, Any]:
    """Return the CUDA number of the driver, like 12060, as `cuDriverGetVersion` gives it."""
    number = ctypes.c_int(0)
    code = ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(number))
    if code != 0:
        raise OSError("cuDriverGetVersion returned %d" % code)
    return {"cuda": number.value}


def read(cache: object) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Return the snapshot's `libraries` and `driver`, given the text of `ldconfig -p` (anything else: not known)."""
    known = {name: _candidates(name, cache) for name in places.LIBRARIES}
    # without the loader's cache nobody knows where it looks, so it is asked for each
    names = [name for name in places.LIBRARIES if known[name] or not isinstance(cache, str)]
    libraries: Dict[str, Any] = {name: None for name in places.LIBRARIES if name not in names}
    driver: Dict[str, Any] = {"cuda": None, "status": "failed", "detail": "libcuda.so.1 is not on the loader's path"}
    asked = [*names, _DRIVER] if "libcuda.so.1" in names else list(names)
    for _ in range(RESTARTS + 1):
        if not asked:
            break
        argv = [*start.own_command("load"), *asked]
        watched = step_watch.watch(argv, STEP_LIMIT * 3)
        for step in watched.steps:
            name = step["name"]
            if name == _DRIVER:
                driver = _driver(step)
            elif name in names:
                libraries[name] = _library(name, step, known[name])
        asked = asked[len(watched.steps) :]
        if watched.status == "ok" or not watched.steps:
            break
    for name in asked:
        if name != _DRIVER:
            libraries[name] = _library(name, {"outcome": "not-run", "message": "the child ended early"}, known[name])
    return {name: libraries[name] for name in places.LIBRARIES}, driver


def _driver(step: Dict[str, Any]) -> Dict[str, Any]:
    return {
        "cuda": step.get("data", {}).get("cuda"),
        "status": step["outcome"],
        "detail": step.get("message", ""),
    }


def _library(name: str, step: Dict[str, Any], candidates: List[str]) -> Optional[Dict[str, Any]]:
    loaded = step["outcome"] == "ok"
    error = "" if loaded else step.get("message", "")
    if (
        not candidates
        and not loaded
        and "cannot open shared object file" in error
        and error.startswith("OSError: " + name)
    ):
        return None
    path = step.get("data", {}).get("path") or (candidates[0] if candidates else None)
    try:
        size: Optional[int] = os.stat(path).st_size if path else None
    except OSError:
        size = None
    return {
        "path": path,
        "size": size,
        "loads": None if step["outcome"] == "not-run" else loaded,
        "error": error,
    }


def _candidates(name: str, cache: object) -> List[str]:
    """Where the loader would find a library: LD_LIBRARY_PATH, its cache, its default folders."""
    folders = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder]
    found = [os.path.join(folder, name) for folder in folders]
    if isinstance(cache, str):
        for line in cache.splitlines():
            if line.strip().startswith(name + " "):
                found.append(line.rpartition("=> ")[2].strip())
    found += [os.path.join(folder, name) for folder in ("/lib64", "/usr/lib64", "/lib", "/usr/lib")]
    return [path for path in found if os.path.exists(path)]
