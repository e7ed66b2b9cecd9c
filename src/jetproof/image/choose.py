"""Which base image is right for a board, and why; or that none is known to be. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jetproof.policy.model import Policy
from jetproof.tables import Tables
from jetproof.tables.builds import builds
from jetproof.tables.rows import Image, ImageGroup, TorchBuild
from jetproof.tables.stacks import Stack, numbers

_ORDER = ("yes", "partly", "unproven", "no")


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One image and what speaks for or against it on this board."""

    image: Image
    group: ImageGroup
    build: TorchBuild
    verdict: str
    """"yes", "partly", "unproven" or "no", as in the table of torch builds."""
    why: str

    @property
    def reference(self) -> str | None:
        """Repository and tag; None where there is none to name."""
        return f"{self.image.repository}:{self.image.tag}" if self.image.tag else None


@dataclass(frozen=True, kw_only=True)
class Pinned:
    """An image that the project's policy has pinned for a tier: the last one known to be good."""

    tier: str
    reference: str
    """repository@sha256:…"""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The answer for one board. `best` is None when no image is known to fit."""

    stack: str
    l4t: str
    pinned: tuple[Pinned, ...]
    best: Candidate | None
    others: tuple[Candidate, ...]
    """Further ones that fit, the better first."""
    unproven: tuple[Candidate, ...]
    """Plausible ones that nobody has reported on."""
    refused: tuple[Candidate, ...]


def choose(stack: Stack, l4t: str, tables: Tables, policy: Policy | None = None) -> Choice:
    """Return the choice for a host with this stack and L4T release."""
    groups = {group.id: group for group in tables.image_groups}
    images = {image.id: image for image in tables.images}
    candidates = [
        _judged(
            images[one.build.id],
            groups[images[one.build.id].group],
            one.build,
            one.verdict.verdict,
            one.verdict.why,
            stack,
            l4t,
        )
        for one in builds(stack, tables.torch_builds)
        if one.build.id in images
    ]
    fit = sorted(
        (one for one in candidates if one.verdict in ("yes", "partly")),
        key=lambda one: _rank(one, stack, l4t),
        reverse=True,
    )
    usable = [one for one in fit if one.reference is not None and one.image.confirmed]
    best = usable[0] if usable else None
    return Choice(
        stack=stack.name,
        l4t=l4t,
        pinned=() if policy is None else tuple(_pins(policy, l4t)),
        best=best,
        others=tuple(one for one in fit if one is not best),
        unproven=tuple(one for one in candidates if one.verdict == "unproven"),
        refused=tuple(one for one in candidates if one.verdict == "no"),
    )


def matches(group: ImageGroup, l4t: str) -> bool:
    """Whether a host with this L4T release takes the group's images."""
    host = numbers(l4t)
    low, high = numbers(group.l4t_low), numbers(group.l4t_high)
    # a bound says nothing about the places it does not name
    return low <= host[: len(low)] and host[: len(high)] <= high


def _judged(
    image: Image, group: ImageGroup, build: TorchBuild, verdict: str, why: str, stack: Stack, l4t: str
) -> Candidate:
    """Join what is known of the torch inside with what the host must be; the worse of both counts."""
    if not matches(group, l4t):
        verdict, why = "no", f"this host has L4T {l4t}: {group.why}"
    elif not set(stack.socs) & set(group.socs):
        verdict, why = "no", f"made for {', '.join(group.socs)}, and this board is {', '.join(stack.socs)}"
    elif verdict == "no" and why.startswith("made for") and not why.startswith("made for cp"):
        # the build's own range is narrower than what its group is reported to run on
        verdict, why = "partly", f"{group.why}; {why}"
    return Candidate(image=image, group=group, build=build, verdict=verdict, why=why)


def _rank(one: Candidate, stack: Stack, l4t: str) -> tuple[object, ...]:
    torch = one.build.torch_version or "0"
    release = "".join(letter for letter in torch.split(" ")[0].split("+")[0] if letter.isdigit() or letter == ".")
    return (
        -_ORDER.index(one.verdict),
        one.image.confirmed,
        one.build.cuda is None or one.build.cuda.startswith((stack.cuda, "12.x", "13.x")),
        numbers(one.image.l4t or "0") <= numbers(l4t),
        numbers(release.strip(".")) if release.strip(".") else (0,),
        numbers(one.image.l4t or "0"),
        one.image.id,
    )


def _pins(policy: Policy, l4t: str) -> Sequence[Pinned]:
    from jetproof.policy.release import covers

    return [
        Pinned(tier=tier.id, reference=f"{tier.runtime.source.split('@')[0]}@{tier.runtime.digest}")
        for tier in policy.tiers
        if tier.runtime.kind == "image" and tier.runtime.digest is not None and covers(tier.l4t, l4t)
    ]
