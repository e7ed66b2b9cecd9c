"""Probes on the CPU build of torch: they pass where the numbers are right, and fail where a bound is not kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Serve

pytestmark = [pytest.mark.torch, pytest.mark.process]

PLAIN = {"PYTHONPATH": ""}


def test_numerics_and_memory_on_the_cpu(serve: Serve, torch_python: str) -> None:
    cpu = {"device": "cpu"}
    items = [
        {"id": "numerics", "probe": "numerics", "params": cpu, "seed": 11},
        {"id": "too tight", "probe": "numerics", "params": {**cpu, "bounds": {"matmul/float32": 1e-12}}, "seed": 11},
        {"id": "one format", "probe": "numerics", "params": {**cpu, "dtypes": ["float32"]}, "seed": 12},
        {"id": "memory", "probe": "memory", "params": cpu},
        {"id": "torch", "probe": "torch-import", "params": {"cuda": False}},
        {"id": "torch with CUDA", "probe": "torch-import"},
        {"id": "another torch", "probe": "torch-import", "params": {"cuda": False, "torch": "1.0.0"}},
        {"id": "cuda", "probe": "cuda-available"},
        {"id": "transfers", "probe": "transfers"},
        {"id": "soak", "probe": "soak", "params": {**cpu, "minutes": 0.01}},
    ]
    served = serve({"items": items}, python=torch_python, env=PLAIN)
    torch = served.one("torch")
    assert torch["outcome"] == "PASS"
    assert torch["data"]["threads"] == 1, "one BLAS thread in the process that is forked"
    assert torch["data"]["mode"] == "fork"
    assert {id_: (end["outcome"], end["reason"]) for id_, end in served.ends.items()} == {
        "numerics": ("PASS", "ok"),
        "too tight": ("FAIL", "bound-exceeded"),
        "one format": ("PASS", "ok"),
        "memory": ("PASS", "ok"),
        "torch": ("PASS", "ok"),
        "torch with CUDA": ("FAIL", "built-without-cuda"),
        "another torch": ("FAIL", "wrong-torch"),
        "cuda": ("FAIL", "built-without-cuda"),
        "transfers": ("MISS", "device-missing"),
        "soak": ("PASS", "ok"),
    }
    numerics = served.ends["numerics"]
    assert numerics["detail"]["seed"] == 11
    assert numerics["peak_memory_bytes"] > 100 << 20
    names = {measured["name"] for measured in numerics["measurements"]}
    assert {"matmul/bfloat16", "conv2d/float16", "fft/float32", "solve/float32", "random/not-repeated"} <= names
    assert served.ends["memory"]["detail"]["refused_by"] == "out-of-memory-error"


def test_an_operation_in_parallel_works_in_a_forked_process(serve: Serve, torch_python: str, tmp_path: Path) -> None:
    """The fork of a process with BLAS threads would hang here."""
    (tmp_path / "parallelhost.py").write_text(
        "import torch\n\ndef resolve(name):\n    torch.set_num_threads(2)\n"
        "    for _ in range(3):\n        a = torch.randn(600, 600)\n        (a @ a).sum().item()\n    return 'cpu'\n"
    )
    items = [
        {"id": str(n), "probe": "device-resolver", "params": {"expected": "cpu"}, "timeout": 40, "memory": 1 << 20}
        for n in range(4)
    ]
    request = {"items": items, "resolver": "parallelhost:resolve", "project_root": str(tmp_path), "parallel": 4}
    served = serve(request, python=torch_python, env=PLAIN)
    assert {end["reason"] for end in served.ends.values()} == {"ok"}
