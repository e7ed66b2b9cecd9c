"""JetPack's parts of the system: driver, toolkit, cuDNN, TensorRT, the libraries that torch asks the loader for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from jetproof.facts.fact import Fact, absent, known, unknown
from jetproof.facts.model import CudaStack
from jetproof.facts.platform.read_release import installed
from jetproof.facts.readout import ReadOut, Text
from jetproof.target.reading import Reason
from jetproof.target.snapshot import Snapshot

_STATUS = {"timed-out": Reason.TIMED_OUT, "failed": Reason.FAILED, "crashed": Reason.FAILED}
_LISTS_PACKAGES = re.compile(r"\bdpkg|\bapt\s+list\b")
_LISTS_ALL = re.compile(r"\s*(?:sudo\s+)?(?:dpkg-query -W|dpkg -l|dpkg --list|apt list --installed)\s*")
"""Listings in which a package that is not named is not installed; `dpkg-query -W` is the worker's."""
_SOME_PACKAGES = "only some packages were asked for"
_PARTS: Mapping[str, str] = {
    "nvidia-l4t-cuda": r"nvidia-l4t-cuda$",
    "cuda-cudart": r"cuda-cudart-\d",
    "libcublas": r"libcublas-\d|libcublas\d",
    "libcudnn": r"libcudnn\d",
    "libnvinfer": r"libnvinfer\d",
}
"""What JetPack installs beside L4T so that torch and TensorRT run, by package name."""


def two_numbers(release: str) -> str | None:
    """Return "12.6" of "12.6.68"; None where the text is no release."""
    found = re.match(r"\D{0,3}(\d{1,2}\.\d{1,2})", release)
    return found[1] if found else None


def of_number(number: int) -> str:
    """Return the CUDA release of a number like 12060."""
    return f"{number // 1000}.{number % 1000 // 10}"


def _texts(readout: ReadOut, kind: str, name: str) -> list[Text]:
    return [text for of, text in readout.texts() if of == kind and re.search(name, text.read_from)]


def _first(texts: list[Text], pattern: str) -> tuple[str, str] | None:
    for text in texts:
        found = re.search(pattern, text.text, re.MULTILINE)
        if found:
            return found[1], text.read_from
    return None


def packages(readout: ReadOut) -> Fact[tuple[tuple[str, str], ...]]:
    """Return the installed packages that dpkg or apt list, by name."""
    texts = _texts(readout, "command", _LISTS_PACKAGES.pattern)
    rows: dict[str, str] = {}
    for text in texts:
        rows.update(installed(text))
    if rows:
        whole = any(_LISTS_ALL.fullmatch(text.read_from) for text in texts)
        return known("cuda.packages", tuple(sorted(rows.items())), texts[0].read_from, "" if whole else _SOME_PACKAGES)
    reading = readout.command("dpkg-query -W")
    if reading.absent:
        return absent("cuda.packages", "dpkg-query -W", "there is no dpkg")
    return unknown("cuda.packages", reading.reason or Reason.NOT_READ, "dpkg-query -W", reading.detail)


def _driver(snapshot: Snapshot, readout: ReadOut) -> Fact[str]:
    name, place = "cuda.driver", "cuDriverGetVersion"
    driver = snapshot.driver
    if driver is not None and driver.cuda:
        return known(name, of_number(driver.cuda), place)
    printed = _first(_texts(readout, "command", "nvidia-smi"), r"CUDA Version:\s*(\d+\.\d+)")
    if printed:
        return known(name, *printed)
    if driver is None:
        return unknown(name)
    return unknown(name, _STATUS.get(driver.status or "", Reason.NOT_READ), place, driver.detail)


def _kernel_driver(readout: ReadOut) -> Fact[str]:
    tried = (
        ("file", r"^/sys/module/nvidia/version$", r"^(\d+\.\d+(?:\.\d+)?)$"),
        ("file", r"^/proc/driver/nvidia/version$", r"Kernel Module(?: for \w+)?\s+(\d+\.\d+(?:\.\d+)?)"),
        ("command", "nvidia-smi", r"Driver Version:\s*(\d+\.\d+(?:\.\d+)?)"),
        ("command", r"query-gpu=[\w,]*driver_version", r",\s*(\d{3}\.\d+(?:\.\d+)?)\b"),
    )
    for kind, name, pattern in tried:
        found = _first(_texts(readout, kind, name), pattern)
        if found:
            return known("cuda.kernel_driver", *found)
    return unknown("cuda.kernel_driver")


def _version_json(readout: ReadOut) -> tuple[str, str] | None:
    for text in _texts(readout, "file", r"^/usr/local/cuda[^/]*/version\.json$"):
        try:
            value = json.loads(text.text)["cuda"]["version"]
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
        if isinstance(value, str):
            return value, text.read_from
    return None


def _toolkit(readout: ReadOut, rows: Mapping[str, str]) -> Fact[str]:
    name = "cuda.toolkit"
    tried: tuple[tuple[str, str, str], ...] = (
        ("file", r"^/usr/local/cuda[^/]*/version\.txt$", r"CUDA Version (\d+\.\d+)"),
        ("command", r"\bnvcc\b", r"\brelease (\d+\.\d+)"),
        ("command", r"collect_env: CUDA runtime", r"^(\d+\.\d+)"),
        ("command", r"collect_env", r"CUDA runtime version:\s*(\d+\.\d+)"),
        ("command", r"\bjtop\b.*librar|jetsonInfo", r"CUDA:? (\d+\.\d+)"),
    )
    found = _version_json(readout)
    for kind, where, pattern in tried:
        found = found or _first(_texts(readout, kind, where), pattern)
    release = two_numbers(found[0]) if found else None
    if found and release:
        return known(name, release, found[1])
    numbered = sorted(
        package[1] for row in rows if (package := re.fullmatch(r"cuda-(?:toolkit|cudart|runtime)-(\d+-\d+)", row))
    )
    if numbered:
        return known(name, numbered[-1].replace("-", "."), "dpkg")
    if readout.file("/usr/local/cuda/version.json").absent and rows:
        return absent(name, "/usr/local/cuda/version.json and dpkg")
    return unknown(name)


def _package(name: str, pattern: str, rows: Fact[tuple[tuple[str, str], ...]]) -> Fact[str]:
    """The number of the first installed package of that name."""
    if rows.value is None:
        return unknown(name, rows.reason or Reason.NOT_READ, rows.read_from)
    for package, release in rows.value:
        if re.match(pattern, package):
            number = re.match(r"(?:\d+:)?(\d+(?:\.\d+)*)", release)
            return known(name, number[1] if number else release, f"dpkg: {package}")
    if rows.detail == _SOME_PACKAGES:
        return unknown(name, Reason.NOT_READ, rows.read_from, rows.detail)
    return absent(name, rows.read_from)


def _library(name: str, soname: str, snapshot: Snapshot) -> Fact[str]:
    if soname not in snapshot.libraries:
        return unknown(name)
    found = snapshot.libraries[soname]
    if found is None or not found.path:
        return absent(name, "the loader's cache and paths", f"{soname} is not found")
    detail = "the file has no bytes" if found.size == 0 else found.error if found.loads is False else ""
    return known(name, found.path, f"loader: {soname}", detail)


def _missing(rows: Fact[tuple[tuple[str, str], ...]]) -> Fact[tuple[str, ...]]:
    name = "cuda.missing_parts"
    if rows.value is None:
        return unknown(name, rows.reason or Reason.NOT_READ, rows.read_from)
    names = [package for package, _ in rows.value]
    if "nvidia-l4t-core" not in names:
        return unknown(name, Reason.NOT_DERIVABLE, rows.read_from, "nvidia-l4t-core is not among the packages")
    if rows.detail == _SOME_PACKAGES:
        return unknown(name, Reason.NOT_READ, rows.read_from, rows.detail)
    missing = tuple(part for part, pattern in _PARTS.items() if not any(re.match(pattern, one) for one in names))
    return known(name, missing, rows.read_from) if missing else absent(name, rows.read_from, "all parts are installed")


def _nvcc(snapshot: Snapshot) -> Fact[str]:
    path = snapshot.programs.get("nvcc")
    if path:
        return known("cuda.nvcc", path, "PATH and /usr/local/cuda/bin")
    listing = snapshot.listing("/usr/local/cuda/bin")
    if isinstance(listing, tuple) and "nvcc" in listing:
        return known("cuda.nvcc", "/usr/local/cuda/bin/nvcc", "/usr/local/cuda/bin")
    if "nvcc" in snapshot.programs:
        return absent("cuda.nvcc", "PATH and /usr/local/cuda/bin")
    return unknown("cuda.nvcc")


def _power_mode(readout: ReadOut) -> Fact[str]:
    found = _first(_texts(readout, "command", "nvpmodel|jetson_clocks"), r"NV Power Mode:\s*(\S+)")
    if found:
        return known("cuda.power_mode", *found)
    reading = readout.command("nvpmodel -q")
    if reading.absent:
        return absent("cuda.power_mode", reading.read_from, "there is no nvpmodel")
    return unknown("cuda.power_mode", reading.reason or Reason.NOT_UNDERSTOOD, reading.read_from, reading.detail)


def _header(readout: ReadOut, where: str, names: tuple[str, ...]) -> tuple[str, str] | None:
    """A release from the #define lines of a header."""
    for text in _texts(readout, "file", where):
        found = [re.search(rf"#define \w*{name}\s+(\d+)", text.text) for name in names]
        if all(found):
            return ".".join(one[1] for one in found if one), text.read_from
    return None


def _or_header(fact: Fact[str], header: Callable[[], tuple[str, str] | None]) -> Fact[str]:
    if fact.known:
        return fact
    found = header()
    return known(fact.name, *found) if found else fact


def _opencv(snapshot: Snapshot) -> Fact[bool]:
    step = snapshot.trials.step("import cv2") if snapshot.trials else None
    cuda = step.data.get("cuda") if step else None
    if isinstance(cuda, bool):
        return known("cuda.opencv_cuda", cuda, "trial: import cv2")
    return unknown("cuda.opencv_cuda", detail=step.message if step else "")


def cuda(snapshot: Snapshot, readout: ReadOut) -> CudaStack:
    """Return what is known of CUDA and its neighbours in the system."""
    rows = packages(readout)
    names = ("MAJOR", "MINOR", "PATCH")
    return CudaStack(
        driver=_driver(snapshot, readout),
        kernel_driver=_kernel_driver(readout),
        toolkit=_toolkit(readout, dict(rows.value or ())),
        nvcc=_nvcc(snapshot),
        cudnn=_or_header(
            _package("cuda.cudnn", r"libcudnn\d+(?:-cuda-\d+)?$", rows),
            lambda: _header(readout, r"cudnn_version", ("MAJOR", "MINOR", "PATCHLEVEL")),
        ),
        tensorrt=_or_header(
            _package("cuda.tensorrt", r"libnvinfer\d+$|tensorrt$", rows),
            lambda: _header(readout, r"NvInferVersion", names),
        ),
        libcuda=_library("cuda.libcuda", "libcuda.so.1", snapshot),
        cusparselt=_library("cuda.cusparselt", "libcusparseLt.so.0", snapshot),
        missing_parts=_missing(rows),
        packages=rows,
        power_mode=_power_mode(readout),
        opencv_cuda=_opencv(snapshot),
    )
