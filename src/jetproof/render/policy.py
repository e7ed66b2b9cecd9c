"""A policy for a person: where it is, what its gates run and need, its tiers and waivers."""

from __future__ import annotations

from typing import Any

from jetproof.policy.load import Loaded
from jetproof.policy.model import Gate, ProbeItem, Tier
from jetproof.render.style import counted, printable


def gates(loaded: Loaded) -> str:
    """Return the list of gates, the place of the policy first."""
    policy = loaded.policy
    lines = [f"{counted(len(policy.gates), 'gate')} in {loaded.path} (sha256 {loaded.sha256[:12]})"]
    for gate in policy.gates:
        names = ", ".join((gate.id, *gate.aliases))
        lines += ["", f"{names}", f"  {printable(gate.description)}", f"  {_needs(gate)}"]
        lines.append(
            f"  {counted(len(gate.items), 'item')}, about {gate.expected_cost.minutes:g} min: jetproof run {gate.id}"
        )
    return "\n".join(lines) + "\n"


def gates_json(loaded: Loaded) -> dict[str, Any]:
    """Return the gates for machines."""
    return {
        "schema": "jetproof/gates/1",
        "policy": loaded.path,
        "policy_sha256": loaded.sha256,
        "gates": [gate.model_dump(mode="json") for gate in loaded.policy.gates],
    }


def shown(loaded: Loaded) -> str:
    """Return the whole policy as it is understood."""
    policy = loaded.policy
    lines = [
        f"policy {loaded.path}, sha256 {loaded.sha256}",
        f"  owner {printable(policy.owner)}, runs {policy.cadence.value}",
        f"  evidence counts for {policy.maximum_evidence_age_days} days and is kept {policy.evidence_retention_days}",
        f"  host {printable(policy.host.name)}, device resolver {policy.host.device_resolver or 'none'}",
    ]
    for gate in policy.gates:
        lines += ["", f"gate {gate.id}: {_needs(gate)}"]
        for item in gate.items:
            if isinstance(item, ProbeItem):
                lines.append(f"  probe::{item.probe}{' ' + printable(str(item.params)) if item.params else ''}")
            else:
                selection = policy.selection(item.pytest)
                tests = len(selection.tests) if selection is not None else 0
                count = f"{tests} test ids" if tests else f"at least {selection.at_least if selection else 0} tests"
                lines.append(f"  pytest::{item.pytest} ({count})")
    for tier in policy.tiers:
        lines += ["", *_tier(tier)]
    for waiver in policy.environment_waivers:
        until = f"until the end of {waiver.expires} (UTC)"
        lines += [
            "",
            f"waiver {waiver.id}: {waiver.gate} {until}, {printable(waiver.owner)}: {printable(waiver.reason)}",
        ]
    return "\n".join(lines) + "\n"


def checked(loaded: Loaded) -> str:
    """Return the answer of a check that found nothing."""
    policy = loaded.policy
    kinds = (("gate", policy.gates), ("tier", policy.tiers), ("waiver", policy.environment_waivers))
    counts = ", ".join(counted(len(entries), noun) for noun, entries in kinds)
    return f"{loaded.path}: its form is right ({counts}; sha256 {loaded.sha256})\n"


def policy_json(loaded: Loaded) -> dict[str, Any]:
    """Return the policy for machines, defaults filled in."""
    return {
        "schema": "jetproof/policy-shown/1",
        "path": loaded.path,
        "sha256": loaded.sha256,
        "built_in": loaded.built_in,
        "policy": loaded.policy.model_dump(mode="json"),
    }


def _needs(gate: Gate) -> str:
    claim = "may carry a claim" if gate.carries_claim else "carries no claim"
    return f"needs {gate.platform.value}, runner {' '.join(gate.runner.labels)}; {claim}"


def _tier(tier: Tier) -> list[str]:
    pin = tier.runtime.digest or "not pinned: cannot be claimed (jetproof policy pin)"
    return [
        f"tier {tier.id} ({tier.stage.value}): {printable(tier.name)}",
        f"  {printable(tier.module)}, JetPack {tier.jetpack}, L4T {tier.l4t}, CUDA {tier.cuda}; proven by {tier.gate}",
        f"  runtime {tier.runtime.kind} {printable(tier.runtime.source)}, {pin}",
        f"  bitsandbytes {printable(tier.bitsandbytes)}; memory: {printable(tier.memory)}",
    ]
