"""What a changed policy asks less of than the one before: each weakening by its place, old value and new value.

Making a policy stricter needs nobody's word; making it weaker must be seen. Where a direction cannot be told (another
bound of a probe, another resolver), the change is named too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from jetproof.policy.model import Gate, Policy, ProbeItem, PytestItem, Selection, Stage, Tier


class Weakening(Enum):
    """How a policy became weaker."""

    AGE = "evidence-may-be-older"
    RETENTION = "evidence-kept-shorter"
    CADENCE = "runs-less-often"
    MATERIAL = "fewer-paths-matter"
    RESOLVER = "resolver-changed"
    PLUGIN = "plugin-allowed"
    GATE_REMOVED = "gate-removed"
    ITEM_REMOVED = "item-removed"
    PARAMETERS = "parameters-changed"
    ATTEMPTS = "more-attempts"
    PLATFORM = "platform-changed"
    CLAIM = "claim-granted"
    MODULE = "module-not-required"
    LABEL = "runner-label-removed"
    TEST_REMOVED = "test-removed"
    FLOOR = "count-floor-lowered"
    SELECTION = "selection-changed"
    TIER_PROMOTED = "tier-promoted"
    TIER_CHANGED = "tier-changed"
    RUNTIME = "runtime-changed"
    BITSANDBYTES = "bitsandbytes-not-required"
    COMPILE = "torch-compile-not-required"
    WAIVER = "waiver-added"
    WAIVER_LONGER = "waiver-extended"


@dataclass(frozen=True, kw_only=True)
class Loosened:
    """One weakening."""

    kind: Weakening
    where: str
    """Like gates[jetson-cuda-runtime].items."""
    old: str
    new: str

    @property
    def message(self) -> str:
        """Return it as a sentence."""
        return f"{self.where}: {self.kind.value.replace('-', ' ')}: {self.old} -> {self.new}"


def weakenings(old: Policy, new: Policy) -> tuple[Loosened, ...]:
    """Return each way in which `new` asks less than `old`, in the order of the file."""
    return tuple(_all(old, new))


def _all(old: Policy, new: Policy) -> Iterator[Loosened]:
    if new.maximum_evidence_age_days > old.maximum_evidence_age_days:
        yield _was(
            Weakening.AGE, "maximum_evidence_age_days", old.maximum_evidence_age_days, new.maximum_evidence_age_days
        )
    if new.evidence_retention_days < old.evidence_retention_days:
        yield _was(
            Weakening.RETENTION, "evidence_retention_days", old.evidence_retention_days, new.evidence_retention_days
        )
    if new.cadence.days > old.cadence.days:
        yield _was(Weakening.CADENCE, "cadence", old.cadence.value, new.cadence.value)
    yield from _host(old, new)
    for gate in old.gates:
        now = next((item for item in new.gates if item.id == gate.id), None)
        if now is None:
            yield _was(Weakening.GATE_REMOVED, f"gates[{gate.id}]", "present", "absent")
        else:
            yield from _gate(gate, now)
    known = {gate.id for gate in old.gates}
    for gate in new.gates:
        if gate.id not in known and gate.carries_claim:
            yield _was(Weakening.CLAIM, f"gates[{gate.id}].carries_claim", "absent", "true")
    yield from _tiers(old, new)
    yield from _waivers(old, new)


def _was(kind: Weakening, where: str, old: object, new: object) -> Loosened:
    return Loosened(kind=kind, where=where, old=str(old), new=str(new))


def _host(old: Policy, new: Policy) -> Iterator[Loosened]:
    before, after = old.host, new.host
    if after.device_resolver != before.device_resolver and before.device_resolver is not None:
        yield _was(Weakening.RESOLVER, "host.device_resolver", before.device_resolver, after.device_resolver or "none")
    for name in sorted(set(after.plugins) - set(before.plugins)):
        yield _was(Weakening.PLUGIN, "host.plugins", "not allowed", name)
    if after.material_paths is not None:
        lost = "all tracked files" if before.material_paths is None else None
        gone = sorted(set(before.material_paths or ()) - set(after.material_paths))
        if lost or gone:
            yield _was(
                Weakening.MATERIAL, "host.material_paths", lost or ", ".join(gone), ", ".join(after.material_paths)
            )
    for selection in before.pytest:
        now = next((item for item in after.pytest if item.id == selection.id), None)
        if now is None:
            yield _was(Weakening.SELECTION, f"host.pytest[{selection.id}]", "present", "absent")
        else:
            yield from _selection(selection, now)


def _selection(old: Selection, new: Selection) -> Iterator[Loosened]:
    where = f"host.pytest[{old.id}]"
    for test in sorted(set(old.tests) - set(new.tests)):
        yield _was(Weakening.TEST_REMOVED, f"{where}.tests", test, "absent")
    if old.at_least is not None and not new.tests and (new.at_least or 0) < old.at_least:
        yield _was(Weakening.FLOOR, f"{where}.at_least", old.at_least, new.at_least)
    if not set(old.paths) <= set(new.paths):
        yield _was(Weakening.SELECTION, f"{where}.paths", ", ".join(old.paths), ", ".join(new.paths))


def _gate(old: Gate, new: Gate) -> Iterator[Loosened]:
    where = f"gates[{old.id}]"
    now = {_name(item): item for item in new.items}
    for item in old.items:
        name = _name(item)
        if name not in now:
            yield _was(Weakening.ITEM_REMOVED, f"{where}.items", name, "absent")
            continue
        other = now[name]
        if isinstance(item, ProbeItem) and isinstance(other, ProbeItem) and item.params != other.params:
            yield _was(Weakening.PARAMETERS, f"{where}.items[{name}].params", item.params, other.params)
    if new.attempts > old.attempts:
        yield _was(Weakening.ATTEMPTS, f"{where}.attempts", old.attempts, new.attempts)
    if new.platform is not old.platform:
        yield _was(Weakening.PLATFORM, f"{where}.platform", old.platform.value, new.platform.value)
    if new.carries_claim and not old.carries_claim:
        yield _was(Weakening.CLAIM, f"{where}.carries_claim", "false", "true")
    for module in sorted(set(old.modules) - set(new.modules)):
        yield _was(Weakening.MODULE, f"{where}.modules", module, "absent")
    for label in sorted(set(old.runner.labels) - set(new.runner.labels)):
        yield _was(Weakening.LABEL, f"{where}.runner.labels", label, "absent")


def _name(item: ProbeItem | PytestItem) -> str:
    return f"probe::{item.probe}" if isinstance(item, ProbeItem) else f"pytest::{item.pytest}"


_STAGES = {Stage.LEGACY: 0, Stage.EVALUATE: 0, Stage.TARGET: 1}


def _tiers(old: Policy, new: Policy) -> Iterator[Loosened]:
    before = {tier.id: tier for tier in old.tiers}
    for tier in new.tiers:
        was = before.get(tier.id)
        where = f"tiers[{tier.id}]"
        stage = 0 if was is None else _STAGES[was.stage]
        if _STAGES[tier.stage] > stage:
            yield _was(
                Weakening.TIER_PROMOTED, f"{where}.stage", was.stage.value if was else "absent", tier.stage.value
            )
        if was is not None:
            yield from _tier(was, tier, where)


def _tier(old: Tier, new: Tier, where: str) -> Iterator[Loosened]:
    for member in ("module", "jetpack", "l4t", "cuda", "gate"):
        if getattr(old, member) != getattr(new, member):
            yield _was(Weakening.TIER_CHANGED, f"{where}.{member}", getattr(old, member), getattr(new, member))
    # filling the pin is what the policy waits for; changing or dropping one is not
    if old.runtime.digest is not None and old.runtime != new.runtime:
        yield _was(Weakening.RUNTIME, f"{where}.runtime", old.runtime.digest, new.runtime.digest)
    if old.bitsandbytes == "required" != new.bitsandbytes:
        yield _was(Weakening.BITSANDBYTES, f"{where}.bitsandbytes", old.bitsandbytes, new.bitsandbytes)
    if old.torch_compile and not new.torch_compile:
        yield _was(Weakening.COMPILE, f"{where}.torch_compile", "true", "false")


def _waivers(old: Policy, new: Policy) -> Iterator[Loosened]:
    before = {waiver.id: waiver for waiver in old.environment_waivers}
    for waiver in new.environment_waivers:
        was = before.get(waiver.id)
        where = f"environment_waivers[{waiver.id}]"
        if was is None or (was.gate, was.tier) != (waiver.gate, waiver.tier):
            yield _was(Weakening.WAIVER, where, "absent", f"{waiver.gate} until {waiver.expires}")
        elif waiver.expires > was.expires:
            yield _was(Weakening.WAIVER_LONGER, f"{where}.expires", was.expires, waiver.expires)
