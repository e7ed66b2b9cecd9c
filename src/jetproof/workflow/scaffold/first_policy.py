"""The policy that a project begins with: gates and tiers of the plan, nothing claimed yet."""

from __future__ import annotations

import json
from typing import Any

from jetproof.workflow.scaffold.first_tiers import first_tiers
from jetproof.workflow.scaffold.host import Host
from jetproof.workflow.scaffold.host_tests import CPU, DEVICE, selection

JETSON_LABELS = ("self-hosted", "linux", "ARM64", "jetson")


def first_policy(host: Host) -> bytes:
    """Return the policy's file."""
    selections = []
    if host.gpu_tests:
        selections.append(selection(DEVICE, host.gpu_tests))
    if host.cpu_tests:
        selections.append(selection(CPU, host.cpu_tests))
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
        "tiers": first_tiers(host.tiers, host.stacks, host.runtime),
        "environment_waivers": [],
    }
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _probes(*names: str) -> list[dict[str, Any]]:
    return [{"probe": name} for name in names]


def _jetson(host: Host) -> dict[str, Any]:
    items = _probes("architecture", "jetson-identity", "torch-import", "cuda-available", "arch-list")
    items.append(_installed(host))
    if host.resolver:
        items += _probes("device-resolver")
    items += _probes("numerics", "transfers", "streams-events", "offloaded-edit", "bitsandbytes-nf4", "memory")
    items += _probes("tiny-transformer")
    if host.gpu_tests:
        items.append({"pytest": DEVICE})
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


def _installed(host: Host) -> dict[str, Any]:
    """The lane installs the project before the gate: what was tested is that, whole, from this checkout."""
    return {"probe": "project-installed", "params": {"distribution": host.name}}


def _arm64(host: Host) -> dict[str, Any]:
    items: list[dict[str, Any]] = [{"probe": "architecture"}]
    if host.torch:
        items.append({"probe": "torch-import", "params": {"cuda": False}})
    items += [_installed(host), {"probe": "import-project", "params": {"modules": [host.module]}}]
    if host.torch and host.resolver:
        items.append({"probe": "device-resolver", "params": {"expected": "cpu"}})
    if host.torch:
        items.append({"probe": "numerics", "params": {"device": "cpu"}})
    if host.cpu_tests:
        items.append({"pytest": CPU})
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
