"""Try what a user will try, inside the interpreter that is meant: the import, the device, one matmul. Python >= 3.6.

Before that the interpreter says what it is. `trying` starts this and reads the answers.
"""

import importlib.util
import json
import os
import sys
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple

from jetproof_worker import ask, frames, start, steps

Data = Dict[str, Any]

INTERPRETER = "interpreter"
IMPORT_TORCH = "import torch"


def _import_torch() -> Data:
    _need("torch")
    import torch

    return {
        "torch": str(torch.__version__),
        "cuda": torch.version.cuda,
        "hip": getattr(torch.version, "hip", None),
        "file": torch.__file__,
        "arch_list": _arch_list(torch),
        "cudnn_compiled": _cudnn_compiled(torch),
        "cxx11_abi": _quiet(lambda: bool(torch._C._GLIBCXX_USE_CXX11_ABI)),
    }


def _arch_list(torch: Any) -> Optional[List[str]]:
    # torch.cuda.get_arch_list() is empty when no device answers; the build's own flags are always there
    flags = _quiet(lambda: torch._C._cuda_getArchFlags())  # noqa: PLW0108 - the name itself may be missing
    return flags.split() if isinstance(flags, str) else None


def _cudnn_compiled(torch: Any) -> Optional[int]:
    compiled = _quiet(lambda: torch._C._cudnn.getCompileVersion())  # noqa: PLW0108 - as above
    if not isinstance(compiled, tuple) or len(compiled) != 3:
        return None
    # cuDNN's own counting: 8902 is 8.9.2, and from 9 on 91900 is 9.19.0
    return int(compiled[0] * (10000 if compiled[0] >= 9 else 1000) + compiled[1] * 100 + compiled[2])


def _available() -> Data:
    import torch

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        available = bool(torch.cuda.is_available())
        count = int(torch.cuda.device_count())
    data: Data = {
        "available": available,
        "devices": count,
        "warnings": [str(one.message)[:2000] for one in caught][:10],
    }
    if not available and torch.version.cuda is not None:
        data["error"] = _quiet(torch.cuda.init, tell=True)
    return data


def _device() -> Data:
    torch = _with_device()
    properties = torch.cuda.get_device_properties(0)
    return {
        "name": str(properties.name),
        "capability": "%d.%d" % torch.cuda.get_device_capability(0),
        "memory": int(properties.total_memory),
        "processors": int(properties.multi_processor_count),
        "cudnn_found": _quiet(torch.backends.cudnn.version),
        "runtime": _quiet(lambda: torch._C._cuda_getCompiledVersion()),  # noqa: PLW0108 - as above
    }


def _matmul() -> Data:
    import torch

    device = _place(torch)
    # fixed numbers instead of random ones: the same question on each machine, and no generator is seeded
    left = (torch.arange(64 * 64, dtype=torch.float32).reshape(64, 64) % 7) - 3
    right = (torch.arange(64 * 64, dtype=torch.float32).reshape(64, 64) % 5) - 2
    expected = left @ right
    got = (left.to(device) @ right.to(device)).cpu()
    difference = float((got - expected).abs().max())
    if not difference <= 1e-3:
        raise AssertionError("the product on %s differs from the CPU's by %g" % (device, difference))
    return {"device": device, "difference": difference}


def _import_torchvision() -> Data:
    _need("torchvision")
    import torchvision

    return {
        "torchvision": str(torchvision.__version__),
        "file": torchvision.__file__,
        "cuda": _vision_cuda(torchvision),
    }


def _vision_cuda(torchvision: Any) -> Optional[str]:
    found = _quiet(lambda: torchvision.version.cuda)
    return ask.cuda_release(str(found)) if found else None


def _nms() -> Data:
    import torch
    from torchvision.ops import nms

    device = _place(torch)
    boxes = torch.tensor([[0.0, 0.0, 10.0, 10.0], [1.0, 1.0, 11.0, 11.0], [20.0, 20.0, 30.0, 30.0]], device=device)
    kept = nms(boxes, torch.tensor([0.9, 0.8, 0.7], device=device), 0.5).cpu().tolist()
    if kept != [0, 2]:
        raise AssertionError("kept boxes %s, expected [0, 2]" % kept)
    return {"device": device}


def _import_torchaudio() -> Data:
    _need("torchaudio")
    import torchaudio

    return {"torchaudio": str(torchaudio.__version__), "file": torchaudio.__file__}


def _import_numpy() -> Data:
    _need("torch")  # alone it tells nothing here, and costs time
    _need("numpy")
    import numpy

    return {"numpy": str(numpy.__version__), "file": numpy.__file__}


def _torch_numpy() -> Data:
    import numpy
    import torch

    back = torch.from_numpy(numpy.arange(4, dtype=numpy.float32)).numpy()
    return {"sum": float(back.sum())}


def _import_cv2() -> Data:
    _need("cv2")
    import cv2

    said = cv2.getBuildInformation()
    cuda = next((line.partition(":")[2].strip() for line in said.splitlines() if "NVIDIA CUDA:" in line), "")
    return {"cv2": str(cv2.__version__), "file": cv2.__file__, "cuda": cuda.upper().startswith("YES")}


def _import_tensorrt() -> Data:
    _need("tensorrt")
    import tensorrt

    return {"tensorrt": str(tensorrt.__version__), "file": tensorrt.__file__}


def _import_bitsandbytes() -> Data:
    _need("bitsandbytes")
    import bitsandbytes

    return {"bitsandbytes": str(bitsandbytes.__version__), "file": bitsandbytes.__file__}


def _quantize() -> Data:
    import torch
    from bitsandbytes import functional

    device = _place(torch)
    if device == "cpu":
        raise steps.NotRun("no CUDA device answers")
    weights = torch.linspace(-1, 1, 4096, device=device).reshape(64, 64)
    quantized, state = functional.quantize_4bit(weights, quant_type="nf4")
    difference = float((functional.dequantize_4bit(quantized, state) - weights).abs().max())
    if not difference < 0.2:
        raise AssertionError("a 4-bit round trip differs by %g" % difference)
    return {"device": device, "difference": difference}


class Step:
    """One thing that is tried: its name, its limit in seconds, the names of the steps it builds on."""

    def __init__(self, name: str, limit: float, work: Callable[[], Data], needs: Tuple[str, ...] = ()) -> None:
        self.name = name
        self.limit = limit
        self.work = work
        self.needs = needs


STEPS: Tuple[Step, ...] = (
    Step(INTERPRETER, 30, ask.interpreter),
    Step(IMPORT_TORCH, 120, _import_torch),
    Step("cuda available", 60, _available, (IMPORT_TORCH,)),
    Step("cuda device", 60, _device, (IMPORT_TORCH, "cuda available")),
    Step("matmul", 60, _matmul, (IMPORT_TORCH, "cuda available")),
    Step("import numpy", 30, _import_numpy),
    Step("torch to numpy", 10, _torch_numpy, (IMPORT_TORCH, "import numpy")),
    Step("import torchvision", 60, _import_torchvision, (IMPORT_TORCH,)),
    Step("torchvision nms", 60, _nms, (IMPORT_TORCH, "import torchvision")),
    Step("import torchaudio", 60, _import_torchaudio, (IMPORT_TORCH,)),
    Step("import cv2", 30, _import_cv2),
    Step("import tensorrt", 30, _import_tensorrt),
    Step("import bitsandbytes", 90, _import_bitsandbytes, (IMPORT_TORCH,)),
    Step("bitsandbytes quantize", 60, _quantize, (IMPORT_TORCH, "import bitsandbytes")),
)
"""In the order in which they are made: what is likeliest to crash comes last."""


def _need(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise steps.NotRun("%s is not installed" % module)


def _with_device() -> Any:
    import torch

    if _place(torch) == "cpu":
        raise steps.NotRun("no CUDA device answers")
    return torch


def _place(torch: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return "cuda" if torch.cuda.is_available() else "cpu"


def _quiet(work: Callable[[], Any], tell: bool = False) -> Any:
    try:
        return work()
    except Exception as error:  # a detail that this build does not have
        return ("%s: %s" % (type(error).__name__, error))[: steps.MESSAGE] if tell else None


def main() -> int:
    """Make the steps that standard input names, but none that builds on one it calls broken."""
    order = json.loads(sys.stdin.read())
    out = frames.take_stdout()
    start.leave_path()
    recorder = steps.Recorder(out)
    broken = set(order["broken"])
    for step in STEPS:
        if step.name not in order["steps"]:
            continue
        missing = next((need for need in step.needs if need in broken), None)
        if missing is not None:
            recorder.skip(step.name, missing + " did not succeed")
            broken.add(step.name)
        elif not recorder.step(step.name, step.limit * order["patience"], step.work):
            broken.add(step.name)
    # everything is told; tearing torch down takes time and may crash, and neither says anything about the machine
    sys.stderr.flush()
    os._exit(0)
