"""The plan of a run: from the policy's gate, what is known of the machine, and fresh seeds. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pydantic import JsonValue

from jetproof.errors import NothingPlanned, PolicyInvalid
from jetproof.facts.model import Facts, Origin
from jetproof.policy.model import Gate, Platform, Policy, ProbeItem, PytestItem, Tier
from jetproof.policy.release import covers
from jetproof.qualify.plan_model import (
    Excluded,
    GateFacts,
    Note,
    Plan,
    ProbeStep,
    PytestStep,
    Selection,
    Source,
    TierFacts,
    ToolFacts,
)
from jetproof.tables import Tables
from jetproof_worker.probe import Probe

BITSANDBYTES_PROBES = frozenset({"bitsandbytes-nf4", "bitsandbytes-int8"})
"""Probes that a tier may declare unsupported."""


def plan(
    *,
    run: str,
    policy: Policy,
    policy_path: str,
    policy_sha256: str,
    gate: Gate,
    tier: Tier | None,
    catalogue: Mapping[str, Probe],
    facts: Facts,
    tables: Tables,
    source: Source,
    tool: ToolFacts,
    rehearsal: Sequence[Note],
    seeds: Iterator[int],
    challenge: str | None = None,
) -> Plan:
    """Return what is to be run.

    Raises `PolicyInvalid` for a probe that does not exist or takes no such parameter, `NothingPlanned` when no item
    is left to run.
    """
    wanted = _wanted(gate, tier, facts, tables)
    items: list[ProbeStep | PytestStep] = []
    excluded: list[Excluded] = []
    for item in gate.items:
        if isinstance(item, ProbeItem):
            probe = catalogue.get(item.probe)
            if probe is None:
                raise PolicyInvalid(
                    f"the gate {gate.id} plans a probe that does not exist: {item.probe}",
                    hint="jetproof probes lists those that do",
                    reason="unknown-probe",
                )
            because = _unsupported(gate, item, tier)
            if because is not None:
                excluded.append(Excluded(id=f"probe::{item.probe}", reason="unsupported-by-tier", message=because))
            else:
                items.append(_probe(gate, item, probe, wanted, next(seeds)))
        else:
            items.append(_pytest(policy, gate, item, next(seeds)))
    if not items:
        raise NothingPlanned(
            f"the gate {gate.id} plans nothing, and nothing run is nothing proven",
            hint=f"add items to the gate in {policy_path}",
        )
    return Plan(
        run=run,
        challenge=challenge,
        gate=GateFacts(
            id=gate.id,
            platform=gate.platform.value,
            carries_claim=gate.carries_claim,
            attempts=gate.attempts,
            job=gate.job,
            tracking_issue=gate.tracking_issue,
        ),
        tier=None if tier is None else _tier_facts(tier),
        origin=origin(facts),
        rehearsal=tuple(rehearsal),
        policy_sha256=policy_sha256,
        policy_path=policy_path,
        host=policy.host.name,
        resolver=policy.host.device_resolver,
        source=source,
        tool=tool,
        items=tuple(items),
        excluded=tuple(excluded),
    )


def origin(facts: Facts) -> Literal["live", "recorded", "emulated"]:
    """Return where the run takes place; whatever is not surely live is not called so."""
    if facts.origin is Origin.LIVE:
        return "emulated" if facts.platform.emulated.value else "live"
    return "emulated" if facts.origin is Origin.EMULATED else "recorded"


def tier_of(policy: Policy, gate: Gate, facts: Facts, tables: Tables) -> Tier | None:
    """Return the tier that the machine belongs to: its module, L4T release and JetPack, as the policy names them."""
    platform = facts.platform
    if platform.l4t.value is None or platform.module.value is None:
        return None
    names = {platform.module.value}
    names.update(row.family_name for row in tables.modules if row.name == platform.module.value and row.family_name)
    for tier in policy.tiers:
        chosen = policy.gate(tier.gate)
        if chosen is None or chosen.id != gate.id or tier.module not in names:
            continue
        jetpack = platform.jetpack.value
        if covers(tier.l4t, platform.l4t.value) and (jetpack is None or covers(tier.jetpack, jetpack)):
            return tier
    return None


def _wanted(gate: Gate, tier: Tier | None, facts: Facts, tables: Tables) -> dict[str, dict[str, JsonValue]]:
    """Return what the probes are to find, beyond the policy's own parameters: the tier's promises, by probe."""
    platform = facts.platform
    identity: dict[str, JsonValue] = {}
    if platform.l4t.value is not None:
        identity["l4t"] = platform.l4t.value  # a tier that names a family is held to the member that is here
    wanted: dict[str, dict[str, JsonValue]]
    if tier is None:
        wanted = {"jetson-identity": identity}
        if gate.platform is Platform.LINUX_ARM64 and origin(facts) == "emulated":
            # the plan says so already, and so proves nothing: the probe need not fail for it
            wanted["architecture"] = {"emulated": True}
        return wanted
    parts = sorted(
        {part for row in tables.modules if tier.module in (row.name, row.family_name) for part in row.part_numbers}
    )
    if parts:
        identity["compatible"] = list(parts)
    wanted = {"jetson-identity": identity, "torch-import": {"cuda": tier.cuda.removesuffix(".x")}}
    if tier.bitsandbytes != "required":
        wanted["project-installed"] = {"unsupported": ["bitsandbytes"]}
    return wanted


def _tier_facts(tier: Tier) -> TierFacts:
    return TierFacts(
        id=tier.id,
        name=tier.name,
        module=tier.module,
        jetpack=tier.jetpack,
        l4t=tier.l4t,
        cuda=tier.cuda,
        stage=tier.stage.value,
        runtime=tier.runtime.model_dump(mode="json"),
        bitsandbytes=tier.bitsandbytes,
    )


def _unsupported(gate: Gate, item: ProbeItem, tier: Tier | None) -> str | None:
    """Return why a tier leaves an item out, None when it is to be run."""
    if tier is not None and item.probe in BITSANDBYTES_PROBES and tier.bitsandbytes != "required":
        return tier.bitsandbytes
    if item.probe == "torch-compile" and gate.platform is Platform.JETSON and (tier is None or not tier.torch_compile):
        return (
            "torch.compile is not promised by the tier" if tier is not None else "no tier that promises torch.compile"
        )
    return None


def _probe(
    gate: Gate, item: ProbeItem, probe: Probe, wanted: Mapping[str, Mapping[str, JsonValue]], seed: int
) -> ProbeStep:
    unknown = sorted(set(item.params) - set(probe.params) - {"bounds"})
    if unknown:
        takes = ", ".join([*probe.params, "bounds"])
        raise PolicyInvalid(
            f"the gate {gate.id} gives the probe {probe.id} parameters that it does not take: {', '.join(unknown)}",
            hint=f"{probe.id} takes {takes}",
            reason="unknown-parameter",
        )
    params: dict[str, JsonValue] = {**wanted.get(probe.id, {}), **item.params}
    timeout = item.timeout if item.timeout is not None else probe.timeout
    return ProbeStep(id=f"probe::{probe.id}", probe=probe.id, params=params, timeout=timeout, seed=seed)


def _pytest(policy: Policy, gate: Gate, item: PytestItem, seed: int) -> PytestStep:
    chosen = policy.selection(item.pytest)
    if chosen is None:
        raise PolicyInvalid(
            f"the gate {gate.id} names no selection of the host: {item.pytest}", reason="unknown-selection"
        )
    return PytestStep(
        id=f"pytest::{chosen.id}",
        timeout=chosen.timeout,
        seed=seed,
        exclusive=chosen.exclusive,
        pytest=Selection(
            args=chosen.tests or chosen.paths,
            expected=chosen.tests,
            at_least=chosen.at_least,
            plugins=policy.host.plugins,
        ),
    )
