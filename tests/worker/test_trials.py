"""The steps themselves, on stand-ins for torch and its neighbours: a device that answers, one that computes wrongly."""

from __future__ import annotations

import importlib.machinery
import sys
import types
import warnings
from typing import Any

import pytest

from jetproof_worker import steps, trials


class Tensor:
    """Just enough of a tensor: a number, a device, and arithmetic that a faulty device gets wrong."""

    def __init__(self, value: float, device: str = "cpu") -> None:
        self.value = value
        self.device = device

    def reshape(self, *_: int) -> Tensor:
        return self

    def __mod__(self, _: int) -> Tensor:
        return self

    def __sub__(self, other: Any) -> Tensor:
        return Tensor(self.value - (other.value if isinstance(other, Tensor) else other), self.device)

    def __matmul__(self, other: Tensor) -> Tensor:
        return Tensor(self.value * other.value + (Faults.matmul if self.device == "cuda" else 0), self.device)

    def to(self, device: str) -> Tensor:
        return Tensor(self.value, device)

    def cpu(self) -> Tensor:
        return Tensor(self.value)

    def abs(self) -> Tensor:
        return Tensor(abs(self.value), self.device)

    def max(self) -> Tensor:
        return self

    def numpy(self) -> Tensor:
        return self

    def sum(self) -> float:
        return self.value

    def __float__(self) -> float:
        return float(self.value)


class Faults:
    matmul = 0.0
    kept: tuple[int, ...] = (0, 2)
    quantized = 0.0


def install(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    module.__file__ = f"/site/{name}/__init__.py"
    module.__dict__.update(members)
    monkeypatch.setitem(sys.modules, name, module)
    return module


def torch(monkeypatch: pytest.MonkeyPatch, *, available: bool, cuda: str | None = "12.6") -> types.ModuleType:
    monkeypatch.setattr(Faults, "matmul", 0.0)
    monkeypatch.setattr(Faults, "kept", (0, 2))
    monkeypatch.setattr(Faults, "quantized", 0.0)

    def is_available() -> bool:
        if not available:
            warnings.warn("driver too old", stacklevel=1)
        return available

    def init() -> None:
        raise RuntimeError("Found no NVIDIA driver")

    properties = types.SimpleNamespace(name="Orin", total_memory=64 << 30, multi_processor_count=16)
    return install(
        monkeypatch,
        "torch",
        __version__="2.5.0a0",
        version=types.SimpleNamespace(cuda=cuda),
        float32="float32",
        arange=lambda *_, **__: Tensor(2.0),
        linspace=lambda *_, **__: Tensor(0.5, "cuda"),
        tensor=lambda *_, **__: Tensor(1.0),
        from_numpy=Tensor,
        cuda=types.SimpleNamespace(
            is_available=is_available,
            device_count=lambda: int(available),
            init=init,
            get_device_properties=lambda _: properties,
            get_device_capability=lambda _: (8, 7),
        ),
        backends=types.SimpleNamespace(cudnn=types.SimpleNamespace(version=lambda: 90300)),
        _C=types.SimpleNamespace(
            _cuda_getArchFlags=lambda: "sm_87 compute_87",
            _cuda_getCompiledVersion=lambda: 12060,
            _cudnn=types.SimpleNamespace(getCompileVersion=lambda: (9, 3, 0)),
            _GLIBCXX_USE_CXX11_ABI=True,
        ),
    )


def step(name: str) -> Any:
    return next(one for one in trials.STEPS if one.name == name).work()


def test_a_device_that_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    torch(monkeypatch, available=True)
    said = step("import torch")
    assert said["arch_list"] == ["sm_87", "compute_87"]
    assert (said["cudnn_compiled"], said["cxx11_abi"], said["hip"]) == (90300, True, None)
    assert step("cuda available") == {"available": True, "devices": 1, "warnings": []}
    assert step("cuda device") == {
        "name": "Orin",
        "capability": "8.7",
        "memory": 64 << 30,
        "processors": 16,
        "cudnn_found": 90300,
        "runtime": 12060,
    }
    assert step("matmul") == {"device": "cuda", "difference": 0.0}


def test_a_device_that_computes_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    torch(monkeypatch, available=True)
    for fault in (0.5, float("nan")):
        monkeypatch.setattr(Faults, "matmul", fault)
        with pytest.raises(AssertionError, match="differs from the CPU"):
            step("matmul")


def test_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    torch(monkeypatch, available=False)
    assert step("cuda available") == {
        "available": False,
        "devices": 0,
        "warnings": ["driver too old"],
        "error": "RuntimeError: Found no NVIDIA driver",
    }
    with pytest.raises(steps.NotRun, match="no CUDA device"):
        step("cuda device")
    assert step("matmul")["device"] == "cpu"


def test_a_build_without_cuda_is_not_asked_to_start_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = torch(monkeypatch, available=False, cuda=None)
    fake.__dict__["_C"] = types.SimpleNamespace()  # a build that lacks the details
    assert "error" not in step("cuda available")
    said = step("import torch")
    assert (said["arch_list"], said["cudnn_compiled"], said["cxx11_abi"]) == (None, None, None)


@pytest.mark.parametrize(("compiled", "number"), [((8, 9, 2), 8902), ((9, 19, 0), 91900), ((9, 3), None), (None, None)])
def test_cudnns_own_counting(monkeypatch: pytest.MonkeyPatch, compiled: object, number: int | None) -> None:
    fake = torch(monkeypatch, available=True)
    fake.__dict__["_C"]._cudnn = types.SimpleNamespace(getCompileVersion=lambda: compiled)
    assert step("import torch")["cudnn_compiled"] == number


def test_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    torch(monkeypatch, available=True)
    install(monkeypatch, "numpy", __version__="1.26.4", arange=lambda *_, **__: 6.0, float32="float32")
    assert step("import numpy")["numpy"] == "1.26.4"
    assert step("torch to numpy") == {"sum": 6.0}

    def nms(*_: object) -> object:
        return types.SimpleNamespace(cpu=lambda: types.SimpleNamespace(tolist=lambda: list(Faults.kept)))

    install(monkeypatch, "torchvision", __version__="0.20.0", version=types.SimpleNamespace(cuda=12060))
    install(monkeypatch, "torchvision.ops", nms=nms)
    assert step("import torchvision") == {
        "torchvision": "0.20.0",
        "file": "/site/torchvision/__init__.py",
        "cuda": "12.6",
    }
    assert step("torchvision nms") == {"device": "cuda"}
    monkeypatch.setattr(Faults, "kept", (0, 1, 2))
    with pytest.raises(AssertionError, match="kept boxes"):
        step("torchvision nms")
    install(monkeypatch, "torchaudio", __version__="2.5.0")
    assert step("import torchaudio")["torchaudio"] == "2.5.0"
    install(monkeypatch, "tensorrt", __version__="10.3.0")
    assert step("import tensorrt")["tensorrt"] == "10.3.0"


@pytest.mark.parametrize(
    ("line", "cuda"), [("  NVIDIA CUDA:  YES (ver 12.6)", True), ("", False), ("  NVIDIA CUDA: NO", False)]
)
def test_opencv(monkeypatch: pytest.MonkeyPatch, line: str, cuda: bool) -> None:
    install(monkeypatch, "cv2", __version__="4.8.0", getBuildInformation=lambda: "General\n" + line + "\n")
    assert step("import cv2") == {"cv2": "4.8.0", "file": "/site/cv2/__init__.py", "cuda": cuda}


def test_quantizing(monkeypatch: pytest.MonkeyPatch) -> None:
    torch(monkeypatch, available=True)
    functional = types.SimpleNamespace(
        quantize_4bit=lambda weights, quant_type: (weights, None),
        dequantize_4bit=lambda quantized, _: Tensor(quantized.value + Faults.quantized, "cuda"),
    )
    install(monkeypatch, "bitsandbytes", __version__="0.48.0", functional=functional)
    assert step("import bitsandbytes")["bitsandbytes"] == "0.48.0"
    assert step("bitsandbytes quantize") == {"device": "cuda", "difference": 0.0}
    monkeypatch.setattr(Faults, "quantized", 1.0)
    with pytest.raises(AssertionError, match="4-bit round trip"):
        step("bitsandbytes quantize")
    torch(monkeypatch, available=False)
    with pytest.raises(steps.NotRun):
        step("bitsandbytes quantize")


def test_what_is_not_installed_is_not_run() -> None:
    for name in ("torchaudio", "tensorrt", "bitsandbytes"):
        with pytest.raises(steps.NotRun, match=f"{name} is not installed"):
            step(f"import {name}")


def test_steps_build_on_earlier_ones() -> None:
    names = [one.name for one in trials.STEPS]
    assert len(names) == len(set(names))
    for position, one in enumerate(trials.STEPS):
        assert set(one.needs) <= set(names[:position])
