"""Faults of a policy that span several places: names that lead nowhere, doubled ids, waivers that may not be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from jetproof.policy.model import Gate, Policy, ProbeItem, PytestItem, Stage, Tier

LONGEST_WAIVER = timedelta(days=30)

Path = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that is wrong, and the member where it stands."""

    path: Path
    message: str


def faults(policy: Policy) -> Iterator[Fault]:
    """Yield each fault of a policy whose shape is right."""
    yield from _doubled(policy)
    for number, gate in enumerate(policy.gates):
        yield from _gate(policy, gate, ("gates", number))
    for number, tier in enumerate(policy.tiers):
        yield from _tier(policy, tier, ("tiers", number))
    for number, selection in enumerate(policy.host.pytest):
        where: Path = ("host", "pytest", number)
        if bool(selection.tests) == (selection.at_least is not None):
            yield Fault(path=where, message="give either `tests` (ids) or `at_least` (a count floor)")
        if len(set(selection.tests)) != len(selection.tests):
            yield Fault(path=(*where, "tests"), message="a test id is listed twice")
    yield from _waivers(policy)
    if policy.evidence_retention_days < policy.maximum_evidence_age_days:
        message = "evidence would be deleted before it is too old to count (maximum_evidence_age_days)"
        yield Fault(path=("evidence_retention_days",), message=message)


def _doubled(policy: Policy) -> Iterator[Fault]:
    names: dict[str, set[str]] = {}
    entries: list[tuple[str, str, Path]] = []
    for number, gate in enumerate(policy.gates):
        entries.append(("gate", gate.id, ("gates", number, "id")))
        entries += [("gate", alias, ("gates", number, "aliases", i)) for i, alias in enumerate(gate.aliases)]
    entries += [("tier", tier.id, ("tiers", number, "id")) for number, tier in enumerate(policy.tiers)]
    entries += [("selection", s.id, ("host", "pytest", number, "id")) for number, s in enumerate(policy.host.pytest)]
    entries += [
        ("waiver", waiver.id, ("environment_waivers", number, "id"))
        for number, waiver in enumerate(policy.environment_waivers)
    ]
    for kind, name, path in entries:
        if name in names.setdefault(kind, set()):
            yield Fault(path=path, message=f"the {kind} {name} is named twice")
        names[kind].add(name)


def _gate(policy: Policy, gate: Gate, where: Path) -> Iterator[Fault]:
    seen: set[str] = set()
    for number, item in enumerate(gate.items):
        here: Path = (*where, "items", number)
        match item:
            case ProbeItem(probe=probe):
                name = f"probe::{probe}"
            case PytestItem(pytest=chosen):
                name = f"pytest::{chosen}"
                selection = policy.selection(chosen)
                if selection is None:
                    yield Fault(path=(*here, "pytest"), message=f"host.pytest has no selection {chosen}")
                elif gate.carries_claim and not selection.tests:
                    message = (
                        f"{gate.id} may carry a claim, so {chosen} must list test ids: a count floor is for rehearsals"
                    )
                    yield Fault(path=(*here, "pytest"), message=message)
        if name in seen:
            yield Fault(path=here, message=f"{name} is planned twice")
        seen.add(name)
    if gate.carries_claim and gate.platform.value == "any":
        yield Fault(path=(*where, "platform"), message="a gate that may carry a claim names its platform")


def _tier(policy: Policy, tier: Tier, where: Path) -> Iterator[Fault]:
    gate = policy.gate(tier.gate)
    if gate is None:
        yield Fault(path=(*where, "gate"), message=f"there is no gate {tier.gate}")
    elif not gate.carries_claim:
        yield Fault(path=(*where, "gate"), message=f"{tier.gate} carries no claim, so it cannot prove a tier")
    if tier.stage is Stage.TARGET and (tier.l4t.endswith(".x") or tier.jetpack.endswith(".x")):
        yield Fault(path=(*where, "l4t"), message="a tier of stage target names one exact release, not a family")


def _waivers(policy: Policy) -> Iterator[Fault]:
    for number, waiver in enumerate(policy.environment_waivers):
        where: Path = ("environment_waivers", number)
        gate = policy.gate(waiver.gate)
        if gate is None:
            yield Fault(path=(*where, "gate"), message=f"there is no gate {waiver.gate}")
        elif gate.software_only:
            message = f"{gate.id} needs no board, so nothing excuses a missing run: it cannot be waived"
            yield Fault(path=(*where, "gate"), message=message)
        if waiver.tier is not None and policy.tier(waiver.tier) is None:
            yield Fault(path=(*where, "tier"), message=f"there is no tier {waiver.tier}")
        if waiver.expires < waiver.opened:
            yield Fault(path=(*where, "expires"), message="the waiver ends before it is opened")
        elif waiver.expires - waiver.opened > LONGEST_WAIVER:
            message = f"a waiver holds at most 30 days: {waiver.opened + LONGEST_WAIVER} at the latest"
            yield Fault(path=(*where, "expires"), message=message)
