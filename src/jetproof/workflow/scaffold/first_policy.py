"""The policy that a project begins with: gates and tiers of the plan, nothing claimed yet."""

from __future__ import annotations

import json
from typing import Any

from jetproof.workflow.scaffold.host import Host

JETSON_LABELS = ("self-hosted", "linux", "ARM64", "jetson")


def first_policy(host: Host) -> bytes:
    """Return the policy's file."""
    selections = []
    if host.gpu_tests:
        selections.append(_selection("gpu", host.gpu_tests))
    if host.cpu_tests:
        selections.append(_selection("cpu", host.cpu_tests))
    value: dict[str, Any] = {
        "schema_version": 1,
        "owner": f"the maintainers of {host.repository}",
        "cadence": "weekly",
        "evidence_retention_days": 31,
        "maximum_evidence_age_days": 30,
        "host": {
            "name": host.name,
            **({"device_resolver": host.resolver} if host.resolver else {}),
            "pytest": selections,
        },
        "gates": [_jetson(host), _arm64(host), *([_hub(host)] if host.hub else [])],
        "tiers": _tiers(host),
        "environment_waivers": [],
    }
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _selection(name: str, tests: tuple[str, ...]) -> dict[str, Any]:
    paths = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    return {"id": name, "paths": paths, "tests": list(tests), "timeout": 600.0}


def _probes(*names: str) -> list[dict[str, Any]]:
    return [{"probe": name} for name in names]


def _jetson(host: Host) -> dict[str, Any]:
    items = _probes("architecture", "jetson-identity", "torch-import", "cuda-available", "arch-list")
    if host.resolver:
        items += _probes("device-resolver")
    items += _probes("numerics", "transfers", "streams-events", "offloaded-edit", "bitsandbytes-nf4", "memory")
    items += _probes("tiny-transformer")
    if host.gpu_tests:
        items.append({"pytest": "gpu"})
    return {
        "id": "jetson-cuda-runtime",
        "aliases": ["jetson-runtime"],
        "description": "CUDA through PyTorch on a Jetson: device, numerics, offloaded edit, quantization, memory",
        "job": "jetson-cuda-runtime",
        "tracking_issue": host.issue,
        "runner": {"labels": list(JETSON_LABELS)},
        "platform": "jetson",
        "carries_claim": True,
        "items": items,
        "prerequisites": ["a JetPack installation with CUDA", "the torch that the tier pins"],
        "expected_cost": {"minutes": 20},
    }


def _arm64(host: Host) -> dict[str, Any]:
    items: list[dict[str, Any]] = [
        {"probe": "architecture"},
        {"probe": "import-project", "params": {"modules": [host.module]}},
    ]
    if host.cpu_tests:
        items.append({"pytest": "cpu"})
    return {
        "id": "linux-arm64-preflight",
        "description": "the package builds, installs and imports on ARM64: says nothing about CUDA or a Jetson",
        "job": "linux-arm64-preflight",
        "tracking_issue": host.issue,
        "runner": {"labels": ["ubuntu-24.04-arm"]},
        "platform": "linux-arm64",
        "carries_claim": True,
        "items": items,
        "expected_cost": {"minutes": 15},
    }


def _hub(host: Host) -> dict[str, Any]:
    return {
        "id": "model-download",
        "description": "a real tiny model from the hub, only when asked for by name",
        "job": "model-download",
        "tracking_issue": host.issue,
        "runner": {"labels": list(JETSON_LABELS)},
        "platform": "any",
        "carries_claim": False,
        "items": [
            {
                "probe": "hub-model",
                "params": {
                    "model": "hf-internal-testing/tiny-random-LlamaForCausalLM",
                    "revision": "9fb191250dd56d0ba7ec9785a025ed29c03d5998",
                },
            }
        ],
        "prerequisites": [
            "an account on the hub, for gated models only",
            "its token as a secret of the environment, for this job alone",
            "a cache folder that is cleared after the run",
        ],
        "expected_cost": {"minutes": 15, "note": "downloads a few megabytes"},
    }


def _tiers(host: Host) -> list[dict[str, Any]]:
    runtime: dict[str, Any] = {"kind": host.runtime.kind, "source": host.runtime.source}
    if host.runtime.digest is not None:
        runtime["digest"] = host.runtime.digest
    return [
        {
            "id": "agx-orin-64gb-jp62",
            "name": "Jetson AGX Orin 64 GB on JetPack 6.2",
            "module": "Jetson AGX Orin 64GB",
            "jetpack": "6.2",
            "l4t": "36.4.3",
            "cuda": "12.6",
            "stage": "target",
            "gate": "jetson-cuda-runtime",
            "runtime": runtime,
            "bitsandbytes": "unsupported: no source build for this stack is pinned yet",
            "memory": "64 GB is a capacity class shared by system, CUDA and file cache: begin with small models",
        },
        {
            "id": "agx-thor-jp7",
            "name": "Jetson AGX Thor on JetPack 7",
            "module": "Jetson T5000",
            "jetpack": "7.x",
            "l4t": "38.x",
            "cuda": "13.x",
            "stage": "evaluate",
            "gate": "jetson-cuda-runtime",
            "runtime": {"kind": "image", "source": "nvcr.io/nvidia/pytorch"},
            "bitsandbytes": "unsupported: not evaluated",
            "memory": "128 GB is a capacity class shared by system, CUDA and file cache",
        },
        {
            "id": "agx-xavier-jp51",
            "name": "Jetson AGX Xavier on JetPack 5.1",
            "module": "Jetson AGX Xavier",
            "jetpack": "5.1.x",
            "l4t": "35.x",
            "cuda": "11.x",
            "stage": "legacy",
            "gate": "jetson-cuda-runtime",
            "runtime": {"kind": "image", "source": "nvcr.io/nvidia/l4t-pytorch"},
            "bitsandbytes": "unsupported: no build for compute capability 7.2 is published",
            "memory": "32 or 64 GB are shared by system, CUDA and file cache",
        },
    ]
