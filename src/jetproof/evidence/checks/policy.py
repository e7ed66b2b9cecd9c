"""
Evidence made under another policy, under a weaker one than the base branch has, or for less than the gate asks.

The policy is the one that the proven commit holds, read with git, never the file that lies in the working tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from jetproof.errors import JetproofError
from jetproof.evidence.circumstances import Circumstances, Evidence
from jetproof.evidence.reason import Reason, Refusal
from jetproof.policy.load import parse
from jetproof.policy.model import Gate, Platform, Policy, ProbeItem
from jetproof.policy.ratchet import weakenings

MAY_BE_EXCLUDED = frozenset({"probe::bitsandbytes-nf4", "probe::bitsandbytes-int8", "probe::torch-compile"})
"""Items that a tier may declare unsupported."""


def check(evidence: Evidence, around: Circumstances) -> Iterator[Refusal]:
    """Yield what is wrong between the evidence and the policy of its commit."""
    said = evidence.statement
    if around.repository is None:
        return
    data = around.repository.file(said.commit, around.policy_path)
    told = said.configuration.get("policy", {}).get("sha256")
    if data is None:
        yield Refusal(reason=Reason.POLICY_MISSING, message=f"commit {said.commit[:12]} holds no {around.policy_path}")
        return
    try:
        policy, found = _parsed(data, around.policy_path)
    except JetproofError as error:
        yield Refusal(reason=Reason.POLICY_MISSING, message=f"the policy of the commit cannot be read: {error.message}")
        return
    if told != found:
        yield Refusal(
            reason=Reason.POLICY_DIFFERENT,
            message=f"made under the policy {str(told)[:12]}, the commit's is {found[:12]}",
        )
        return
    gate = policy.gate(said.gate)
    if gate is None:
        yield Refusal(reason=Reason.GATE_UNKNOWN, message=f"the policy of the commit has no gate {said.gate[:80]}")
        return
    yield from _elsewhere(evidence, gate)
    yield from _short(evidence, policy, gate)
    yield from _weaker(policy, around)


@lru_cache(maxsize=64)
def _parsed(data: bytes, what: str) -> tuple[Policy, str]:
    """Read a policy once, however many pieces of evidence were made under it."""
    return parse(data, what=what)


def expected(policy: Policy, gate: Gate) -> frozenset[str]:
    """Return the ids of all items that the gate asks for, as they stand in a statement."""
    found: set[str] = set()
    for item in gate.items:
        if isinstance(item, ProbeItem):
            found.add(f"probe::{item.probe}")
            continue
        selection = policy.selection(item.pytest)
        if selection is not None and selection.tests:
            found.update(f"pytest::{test}" for test in selection.tests)
        else:
            found.add(f"pytest::{item.pytest}")
    return frozenset(found)


def _elsewhere(evidence: Evidence, gate: Gate) -> Iterator[Refusal]:
    device = evidence.statement.device
    kind, arch = device.get("platformClass"), device.get("arch")
    fits = {
        Platform.JETSON: kind == "jetson",
        Platform.X86_CUDA: arch == "x86_64",
        Platform.LINUX_ARM64: arch == "aarch64",
        Platform.ANY: True,
    }
    if not fits[gate.platform]:
        yield Refusal(
            reason=Reason.DEVICE_CONTRADICTION,
            message=f"the gate {gate.id} is for {gate.platform.value}, this is {str(kind)[:40]} ({str(arch)[:40]})",
        )


def _short(evidence: Evidence, policy: Policy, gate: Gate) -> Iterator[Refusal]:
    said = evidence.statement
    told = {*said.passed, *said.failed, *said.warned, *said.not_run, *said.deselected}
    missing = sorted(expected(policy, gate) - told - (MAY_BE_EXCLUDED & set(said.excluded)))
    if missing:
        yield Refusal(
            reason=Reason.PLAN_SHORT,
            message=f"the plan leaves out {len(missing)} of the gate's items, first {missing[0]}",
        )


def _weaker(policy: Policy, around: Circumstances) -> Iterator[Refusal]:
    if around.base is None or around.repository is None:
        return
    base = around.repository.resolve(around.base)
    data = around.repository.file(base, around.policy_path) if base else None
    if data is None:
        return  # the base has no policy yet, so none can be weaker
    before, _ = _parsed(data, f"{around.policy_path} of {around.base}")
    for weaker in weakenings(before, policy):
        yield Refusal(reason=Reason.POLICY_WEAKER, message=f"weaker than on {around.base}: {weaker.message}")
