"""The probes that need a GPU, each by itself on the stand-in: what they pass, and what the policy may ask of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .conftest import Served, serve_with

pytestmark = pytest.mark.process

STAND_IN = Path(__file__).parent / "board_torch"
WANTED: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "the right device": ("cuda-available", {"device_name": "Orin", "capability": "8.7"}, "PASS", "ok"),
    "another device": ("cuda-available", {"device_name": "Thor"}, "FAIL", "wrong-device"),
    "another capability": ("cuda-available", {"capability": "11.0"}, "FAIL", "wrong-capability"),
    "the build's own torch": ("torch-import", {"torch": "2.5.0a0", "cuda": "12"}, "PASS", "ok"),
    "another torch": ("torch-import", {"torch": "2.9.1"}, "FAIL", "wrong-torch"),
    "another CUDA": ("torch-import", {"cuda": "13.0"}, "FAIL", "wrong-cuda"),
    "code for the device": ("arch-list", {}, "PASS", "ok"),
    "one number format": ("numerics", {"dtypes": ["bfloat16"]}, "PASS", "ok"),
    "a bound that cannot be kept": (
        "numerics",
        {"dtypes": ["float16"], "bounds": {"softmax/float16": 0.0}},
        "FAIL",
        "bound-exceeded",
    ),
    "transfers": ("transfers", {}, "PASS", "ok"),
    "no other device": ("transfers", {"device": "cpu"}, "MISS", "device-missing"),
    "no such device": ("memory", {"device": "tpu"}, "ERROR", "bad-parameter"),
    "nms": ("torchvision-nms", {}, "PASS", "ok"),
    "an edit": ("offloaded-edit", {}, "PASS", "ok"),
    "NF4": ("bitsandbytes-nf4", {}, "PASS", "ok"),
    "NF4 that the tier leaves out": ("bitsandbytes-nf4", {"support": "none"}, "MISS", "unsupported-by-tier"),
    "int8": ("bitsandbytes-int8", {}, "PASS", "ok"),
    "int8 that the tier leaves out": ("bitsandbytes-int8", {"support": "none"}, "MISS", "unsupported-by-tier"),
    "memory": ("memory", {}, "PASS", "ok"),
    "a transformer": ("tiny-transformer", {}, "PASS", "ok"),
    "a compiler that is not there": ("torch-compile", {}, "MISS", "package-missing"),
    "a model that is not pinned": ("hub-model", {"model": "org/tiny", "revision": "main"}, "FAIL", "not-pinned"),
}


@pytest.fixture(scope="module")
def served() -> Served:
    """Run them all by one worker."""
    items = [
        {"id": name, "probe": probe, "params": params, "timeout": 120, "memory": 1 << 20, "seed": 5}
        for name, (probe, params, _, _) in WANTED.items()
    ]
    return serve_with({"items": items}, env={"PYTHONPATH": str(STAND_IN)}, timeout=300)


@pytest.mark.xdist_group("stand-in")
@pytest.mark.parametrize("name", WANTED)
def test_each_answers_as_it_should(name: str, served: Served) -> None:
    _, _, outcome, reason = WANTED[name]
    end = served.ends[name]

    assert (end["outcome"], end["reason"]) == (outcome, reason), end


def test_a_module_that_is_left_off_meta() -> None:
    item = {"id": "edit", "probe": "offloaded-edit", "params": {}, "timeout": 60}

    left = serve_with({"items": [item]}, env={"PYTHONPATH": str(STAND_IN), "JETPROOF_STAND_IN": "left-off-meta"})

    assert left.verdict == ("FAIL", "left-meta")
