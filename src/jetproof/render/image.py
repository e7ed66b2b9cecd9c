"""Choice, plan and result of images as text and JSON. Pure."""

from __future__ import annotations

from typing import Any

from jetproof.image.build import Built
from jetproof.image.choose import Candidate, Choice
from jetproof.image.dockerfile import Recipe
from jetproof.render.style import printable

_SHOWN = 6


def choice_text(choice: Choice) -> str:
    """Return the answer first, then why, then what else was looked at."""
    lines = []
    for pin in choice.pinned:
        lines.append(f"last known good: {pin.reference} (pinned by the policy for {pin.tier})")
    if choice.best is not None:
        lines.append(f"{choice.best.reference} for {choice.stack}, L4T {choice.l4t}")
        lines.append(f"  why: {choice.best.why}")
        lines.append(
            f"  torch {choice.best.build.torch_version or 'not told'}, CUDA {choice.best.build.cuda or 'not told'}"
        )
        lines += [f"  note: {note}" for note in (*choice.best.image.notes, *choice.best.build.notes)]
        lines += [f"  source: {source.title}, {source.url}" for source in choice.best.image.sources[:2]]
        lines.append(f"  next: docker pull {choice.best.reference}")
        lines.append("        docker image inspect --format '{{index .RepoDigests 0}}' " + str(choice.best.reference))
        lines.append("        jetproof policy pin TIER --base-image NAME@sha256:…   (a tag alone is not a pin)")
    else:
        lines.append(f"no image is known to fit {choice.stack}, L4T {choice.l4t}")
    lines += _list("also fit", choice.others)
    lines += _list("plausible, and nobody has reported on them", choice.unproven)
    lines += _list("do not fit", choice.refused)
    return "\n".join(printable(line) for line in lines) + "\n"


def choice_json(choice: Choice) -> dict[str, Any]:
    """Return the choice as JSON."""
    return {
        "schema": "jetproof/image-choice/1",
        "stack": choice.stack,
        "l4t": choice.l4t,
        "pinned": [{"tier": pin.tier, "reference": pin.reference} for pin in choice.pinned],
        "best": None if choice.best is None else _candidate(choice.best),
        "others": [_candidate(one) for one in choice.others],
        "unproven": [_candidate(one) for one in choice.unproven],
        "refused": [_candidate(one) for one in choice.refused],
    }


def plan_text(recipe: Recipe, why: str, name: str) -> str:
    """Return what a build would do."""
    source = "the folder of wheels, without network" if recipe.wheels else "pip's usual sources"
    lines = [
        f"{name} from {recipe.base}",
        f"  base: {why}",
        f"  1. note torch and its siblings of {recipe.python}",
        f"  2. install the project{' with ' + ', '.join(recipe.extras) if recipe.extras else ''} from {source}",
        "     (torch is held by a constraint, beside the image's own of PIP_CONSTRAINT)",
        "  3. look again: the build fails if torch or a sibling has changed",
    ]
    return "\n".join(printable(line) for line in lines) + "\n"


def plan_json(recipe: Recipe, why: str, name: str, text: str) -> dict[str, Any]:
    """Return the plan as JSON."""
    return {
        "schema": "jetproof/image-plan/1",
        "name": name,
        "base": str(recipe.base),
        "why": why,
        "python": recipe.python,
        "extras": list(recipe.extras),
        "wheels": recipe.wheels,
        "dockerfile": text,
    }


def built_text(built: Built) -> str:
    """Return what was built and how it is run."""
    return (
        f"{printable(built.name)} is built, and the base image's torch is unchanged in it\n"
        f"  {built.reference}\n"
        f"  next: jetproof image run {built.reference} GATE\n"
    )


def built_json(built: Built) -> dict[str, Any]:
    """Return the result as JSON."""
    return {
        "schema": "jetproof/image-built/1",
        "name": built.name,
        "id": built.id,
        "reference": built.reference,
        "base": str(built.base),
    }


def _list(title: str, candidates: tuple[Candidate, ...]) -> list[str]:
    if not candidates:
        return []
    lines = [f"{title}:"]
    lines += [f"  {one.reference or one.image.id}: {one.why}" for one in candidates[:_SHOWN]]
    if len(candidates) > _SHOWN:
        lines.append(f"  and {len(candidates) - _SHOWN} more (--json lists them)")
    return lines


def _candidate(one: Candidate) -> dict[str, Any]:
    return {
        "id": one.image.id,
        "reference": one.reference,
        "confirmed": one.image.confirmed,
        "group": one.group.id,
        "driver": one.group.driver,
        "torch": one.build.torch_version,
        "cuda": one.build.cuda,
        "verdict": one.verdict,
        "why": one.why,
        "sources": [{"title": source.title, "url": source.url} for source in one.image.sources],
    }
