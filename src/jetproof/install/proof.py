"""Afterwards: are the vendor's files as they were, is the same torch imported, does what worked still work."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from jetproof.facts.model import Outcome
from jetproof.install.fit import Demand, Fit, fit
from jetproof.install.interpreter import Interpreter, Torch, below
from jetproof.install.merged import Unmet, unmet
from jetproof.install.plan import Agreed, Item, Plan, demands
from jetproof.install.protected import Difference, Marks, differences

_BROKEN = (Outcome.FAILED, Outcome.CRASHED, Outcome.TIMED_OUT)
_NOT_TORCH = ("import cv2",)
"""Trials about packages that are not the vendor's torch: their change is told and breaks no rule."""


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What was compared, and every way in which the rule is broken. Nothing broken is proven."""

    files: int
    """How many protected files were compared."""
    deep: bool
    """Whether the content of all of them was."""
    differences: tuple[Difference, ...]
    broken: tuple[str, ...]
    """One sentence for each."""
    before: Torch
    after: Torch
    missing: tuple[str, ...] = ()
    """What was planned and is not in the environment: one sentence for each."""
    unmet: tuple[Unmet, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the vendor's torch is what it was, and everything that was planned is there."""
        return not self.broken and not self.differences and not self.missing


def proof(before: Interpreter, after: Interpreter, marks: Marks, agreed: Agreed, *, deep: bool, plan: Plan) -> Proof:
    """Compare, and look for what was planned; its own metadata is checked against the vendor's build too."""
    broken = [*_imports(before.torch, after.torch), *_shadows(before, after, plan.let_in)]
    notes = [*_unproven(after.torch, plan.let_in)]
    wanted = {item.name for item in plan.items}
    earlier = {trial.name: trial for trial in before.torch.trials}
    for trial in after.torch.trials:
        old = earlier.get(trial.name)
        if trial.outcome not in _BROKEN or (old is not None and old.outcome in _BROKEN):
            continue
        told = f"{trial.name} {'worked before and now ends' if old and old.outcome is Outcome.OK else 'ends'} with: "
        told += f"{trial.outcome.value}: {trial.message.splitlines()[0] if trial.message else 'no message'}"
        (notes if trial.name in _NOT_TORCH else broken).append(told)
    asked = demands(
        [(f"{dist.name} {dist.release}", (), dist.requires) for dist in after.distributions if dist.name in wanted],
        after,
    )
    broken.extend(told_demand(one) for one in agreed.refuses(asked))
    return Proof(
        files=len(marks),
        deep=deep,
        differences=differences(marks, deep=deep),
        broken=tuple(dict.fromkeys(broken)),
        before=before.torch,
        after=after.torch,
        missing=tuple(_missing(after, plan)),
        unmet=unmet(after, before),
        notes=tuple(notes),
    )


def told_demand(one: Demand) -> str:
    """Say who asks for what, and which copy is there."""
    return f"{one.by} asks for {one.requirement}, and {one.name} {one.present} is there, which {_reading(one)}"


def _reading(one: Demand) -> str:
    return one.fit.value if one.fit is not None else "is absent"


def _imports(before: Torch, after: Torch) -> list[str]:
    broken: list[str] = []
    if after.file is not None and before.file is not None and not _same(before.file, after.file):
        broken.append(f"torch was imported from {before.file} and is now imported from {after.file}")
    if after.release != before.release and after.release is not None:
        broken.append(f"torch was {before.release} and is now {after.release}")
    if after.built_for_cuda != before.built_for_cuda and after.release is not None:
        broken.append(
            f"torch was built for CUDA {before.built_for_cuda}, the one imported now for {after.built_for_cuda}"
        )
    if before.available and not after.available:
        broken.append("torch saw a CUDA device and now sees none")
    return broken


def _missing(after: Interpreter, plan: Plan) -> Iterator[str]:
    """Each item that an import would not find in the environment, with the planned number."""
    project = () if plan.project_name is None else (Item(name=canonicalize_name(plan.project_name), release=None),)
    for item in (*plan.items, *project):
        there = after.active(item.name)
        planned = f"{item.name} {item.release}" if item.release is not None else item.name
        if there is None:
            yield f"{planned} was planned and is not there"
        elif not below(there.location, after.prefix):
            yield f"{planned} was planned for {after.prefix}, and an import finds {there.release} in {there.location}"
        elif item.release is not None and fit(SpecifierSet(f"=={item.release}"), there.release) is not Fit.AS_IS:
            yield f"{planned} was planned, and {there.release} is there"


def _unproven(after: Torch, let_in: frozenset[str]) -> Iterator[str]:
    """A build of bitsandbytes that came in and could not be tried; one that failed has broken the proof."""
    tried = {trial.name: trial for trial in after.trials}
    trial = tried.get("bitsandbytes quantize")
    if let_in and (trial is None or trial.outcome is not Outcome.OK):
        yield f"that bitsandbytes computes here could not be shown: {trial.message if trial else 'it was not tried'}"


def _shadows(before: Interpreter, after: Interpreter, let_in: frozenset[str]) -> list[str]:
    """A held package that was not there, or that hides the vendor's copy."""
    broken: list[str] = []
    for dist in after.held:
        if not dist.active or (dist.name in let_in and before.active(dist.name) is None):
            continue
        old = before.active(dist.name)
        if old is None:
            broken.append(f"{dist.name} {dist.release} was installed to {dist.location}")
        elif not _same(str(old.location), str(dist.location)) or old.release != dist.release:
            broken.append(f"{dist.name} {dist.release} in {dist.location} hides {old.release} in {old.location}")
    return broken


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
