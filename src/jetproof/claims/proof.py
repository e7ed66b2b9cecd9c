"""Evidence reduced to what a claim depends on: small, so that a hundred thousand fit into memory."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from sys import intern
from typing import NamedTuple

from jetproof.evidence.circumstances import Evidence
from jetproof.evidence.reason import Effect, Reason, Refusal


class Told(Enum):
    """What evidence that stands says about its gate."""

    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    FLAKY = "flaky"
    WAIVED = "waived"
    """An item was waived: neither passed nor failed."""


class Proof(NamedTuple):
    """One piece of evidence that stands: trusted, unchanged, live. A tuple, since many pass between processes."""

    sha256: str
    commit: str
    gate: str
    told: Told
    finished: datetime
    """From when its age counts."""
    clock_trusted: bool
    """Whether its time can be believed; what cannot be dated supports nothing and clears nothing."""
    signer: str
    """Key id of the accepted signer: one stream of numbered evidence."""
    seq: int | None
    platform_class: str
    arch: str
    module: str | None
    l4t: str | None
    jetpack: str | None
    cuda: str | None
    runtime: str | None
    """sha256 of the image or wheel that it ran with."""
    passed: frozenset[str]
    excluded: frozenset[str]

    def later_than(self, other: Proof) -> bool:
        """Whether it came after another one: by number within a stream, else by time."""
        if self.signer == other.signer and self.seq is not None and other.seq is not None:
            return self.seq > other.seq
        return self.finished > other.finished


_SETS: dict[tuple[str, ...], frozenset[str]] = {}


def _shared(names: tuple[str, ...]) -> frozenset[str]:
    """Return one set for all evidence that lists the same names."""
    found = _SETS.get(names)
    if found is None:
        if len(_SETS) > 4096:
            _SETS.clear()
        found = _SETS[names] = frozenset(names)
    return found


def _text(device: Mapping[str, object], name: str) -> str | None:
    value = device.get(name)
    return intern(value) if type(value) is str else None


def proof(evidence: Evidence, signer: str, refusals: tuple[Refusal, ...], finished: datetime) -> Proof | None:
    """Return what evidence proves or disproves; None when it does not stand and so does not count at all."""
    told, clock = Told.PASS, True
    for refusal in refusals:
        effect = refusal.reason.effect
        if effect is Effect.INVALID:
            return None
        if effect is Effect.UNTIMELY and refusal.reason is not Reason.STALE:
            clock = False
    said = evidence.statement
    if said.outcome == "FLAKY" or said.retried:
        told = Told.FLAKY
    elif said.waived:
        told = Told.WAIVED
    elif said.result != "PASSED":
        told = Told.FAIL
    device = said.device
    runtime = said.configuration.get("runtime", {}).get("sha256")
    return Proof(
        sha256=evidence.sha256,
        commit=intern(said.commit),
        gate=intern(said.gate),
        told=told,
        finished=finished,
        clock_trusted=clock,
        signer=intern(signer),
        seq=said.seq,
        platform_class=_text(device, "platformClass") or "unknown",
        arch=_text(device, "arch") or "unknown",
        module=_text(device, "module"),
        l4t=_text(device, "l4t"),
        jetpack=_text(device, "jetpack"),
        cuda=_text(device, "cuda"),
        runtime=None if runtime is None else intern(runtime),
        passed=_shared(said.passed),
        excluded=_shared(said.excluded),
    )
