"""What a claim is about, and which evidence concerns it: a Jetson tier, CUDA on x86, or importing on ARM64.

The three never mix. Evidence from a generic ARM64 machine proves that the package imports there; evidence from an x86
machine proves CUDA on x86; only a named module with its release proves a tier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from jetproof.claims.proof import Proof, Told
from jetproof.evidence.checks.policy import expected
from jetproof.policy.model import Gate, Platform, Policy, Stage, Tier, Waiver
from jetproof.policy.release import covers


class Kind(Enum):
    """What kind of thing is claimed."""

    JETSON = "jetson"
    X86_CUDA = "x86-cuda"
    ARM64_IMPORTS = "arm64-imports"


@dataclass(frozen=True, kw_only=True)
class Scope:
    """One thing that may be claimed, with the terms of the policy."""

    id: str
    """The tier's id, or the gate's where the claim is no tier's."""
    kind: Kind
    title: str
    """Like "Jetson AGX Orin 64GB, JetPack 6.2 (L4T 36.4.3, CUDA 12.6)"."""
    machine: str
    gate_id: str
    gates: tuple[str, ...]
    """The gate's id and aliases, all of which evidence may name."""
    software_only: bool
    required: frozenset[str]
    """Items that must have passed."""
    excusable: frozenset[str]
    """Items that the tier declares unsupported."""
    blockers: tuple[str, ...] = ()
    """What the policy itself still lacks; with any of these nothing can be supported."""
    tier: Tier | None = None

    def waived_by(self, waiver: Waiver) -> bool:
        """Whether a waiver excuses a missing run of it; software-only gates have no excuse."""
        if self.software_only or waiver.gate not in self.gates:
            return False
        return waiver.tier is None or (self.tier is not None and waiver.tier == self.tier.id)

    def concerns(self, proof: Proof, families: Mapping[str, str]) -> bool:
        """Whether evidence is about this machine and release at all. A failure may leave out what it never learned."""
        if self.kind is Kind.X86_CUDA:
            return proof.platform_class == "x86" and proof.arch == "x86_64" and proof.module is None
        if self.kind is Kind.ARM64_IMPORTS:
            return proof.arch == "aarch64"
        if self.tier is None or proof.platform_class != "jetson" or proof.arch != "aarch64" or proof.module is None:
            return False
        if self.tier.module not in (proof.module, families.get(proof.module)):
            return False
        failed = proof.told is Told.FAIL
        if not _covers(self.tier.l4t, proof.l4t, unknown=failed) or not _covers(
            self.tier.jetpack, proof.jetpack, unknown=failed
        ):
            return False
        # a failure with another runtime says nothing of this one; a failure that names none may be this one's
        return not failed or None in (proof.runtime, self._pinned) or proof.runtime == self._pinned

    @property
    def _pinned(self) -> str | None:
        digest = None if self.tier is None else self.tier.runtime.digest
        return None if digest is None else digest.removeprefix("sha256:")

    def shortfall(self, proof: Proof) -> str | None:
        """Return why evidence that concerns it does not prove it, in words; None when it does."""
        left_out = self.required - proof.passed - (self.excusable & proof.excluded)
        if left_out:
            return f"a run that includes {min(left_out)}"
        if self.tier is not None:
            # a tier that pins none is held back as a whole, and its evidence is shown
            if self._pinned is not None and proof.runtime != self._pinned:
                return f"a run with the pinned runtime ({self.tier.runtime.kind} {self._pinned[:12]})"
            if not _covers(self.tier.cuda, _two_numbers(proof.cuda), unknown=False):
                return f"a run with CUDA {self.tier.cuda}"
        return None


def _covers(named: str, release: str | None, *, unknown: bool) -> bool:
    return unknown if release is None else covers(named, release)


def _two_numbers(release: str | None) -> str | None:
    return None if release is None else ".".join(release.split(".")[:2])


def scopes(policy: Policy) -> tuple[Scope, ...]:
    """Return everything that the policy lets be claimed: its tiers, then the gates that are no Jetson's."""
    tiers = tuple(_of_tier(policy, tier) for tier in policy.tiers)
    return tiers + tuple(
        _of_gate(policy, gate)
        for gate in policy.gates
        if gate.carries_claim and gate.platform in (Platform.X86_CUDA, Platform.LINUX_ARM64)
    )


def _of_tier(policy: Policy, tier: Tier) -> Scope:
    gate = policy.gate(tier.gate)
    blockers: list[str] = []
    if gate is None or not gate.carries_claim or gate.platform is not Platform.JETSON:
        blockers.append(f"a gate {tier.gate} that runs on a Jetson and may carry a claim")
    if tier.stage is not Stage.TARGET:
        blockers.append(f"stage target in the policy (it is {tier.stage.value}: its evidence is shown, no more)")
    if tier.runtime.digest is None:
        blockers.append(f"a runtime pinned by digest (jetproof policy pin {tier.id})")
    excusable: set[str] = set()
    if tier.bitsandbytes != "required":
        excusable |= {"probe::bitsandbytes-nf4", "probe::bitsandbytes-int8"}
    if not tier.torch_compile:
        excusable.add("probe::torch-compile")
    return Scope(
        id=tier.id,
        kind=Kind.JETSON,
        title=f"{tier.module}, JetPack {tier.jetpack} (L4T {tier.l4t}, CUDA {tier.cuda})",
        machine=f"{tier.module} with JetPack {tier.jetpack}",
        gate_id=tier.gate if gate is None else gate.id,
        gates=(tier.gate,) if gate is None else (gate.id, *gate.aliases),
        software_only=False,
        required=frozenset() if gate is None else expected(policy, gate),
        excusable=frozenset(excusable),
        blockers=tuple(blockers),
        tier=tier,
    )


def _of_gate(policy: Policy, gate: Gate) -> Scope:
    arm = gate.platform is Platform.LINUX_ARM64
    return Scope(
        id=gate.id,
        kind=Kind.ARM64_IMPORTS if arm else Kind.X86_CUDA,
        title="imports on ARM64 (no CUDA, no Jetson)" if arm else "CUDA on x86 (no Jetson)",
        machine="an ARM64 Linux" if arm else "an x86 machine with an NVIDIA GPU",
        gate_id=gate.id,
        gates=(gate.id, *gate.aliases),
        software_only=gate.software_only,
        required=expected(policy, gate),
        excusable=frozenset(),
    )
