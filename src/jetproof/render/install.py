"""An installation as a person or a machine reads it: the answer, the plan, the proof."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jetproof.facts.model import Outcome
from jetproof.install.apply import Result, Status
from jetproof.install.fit import Demand
from jetproof.install.interpreter import Installed, Interpreter
from jetproof.install.merged import Why
from jetproof.install.plan import Item, Plan
from jetproof.install.proof import Proof
from jetproof.install.quantization import Ruling
from jetproof.render.style import PLAIN, Style, counted, printable

SCHEMA = "jetproof/install/1"


def text(result: Result, style: Style = PLAIN) -> str:
    """Return the result for a terminal."""
    return (
        printable("\n".join(_lines(result))) + "\n" if not style.colour else "\n".join(_coloured(result, style)) + "\n"
    )


def _coloured(result: Result, style: Style) -> Iterator[str]:
    first, *rest = (printable(line) for line in _lines(result))
    yield style(first, "bold", "red" if result.status is Status.UNDONE else "green")
    yield from rest


def _lines(result: Result) -> Iterator[str]:
    plan = result.plan
    yield _answer(result)
    python = result.interpreter
    yield f"Python: {python.platform or python.executable} ({python.release}, chosen by {python.asked})"
    if result.recovered:
        yield f"Before that: {result.recovered}."
    yield ""
    yield from _vendor(result.interpreter)
    yield from _plan(plan, elsewhere=result.interpreter.torch.outcome is Outcome.NOT_RUN)
    if result.proof is not None:
        yield ""
        yield from _proof(result.proof)
    if result.status is Status.PLANNED:
        yield ""
        if result.interpreter.torch.outcome is Outcome.NOT_RUN:
            yield "Nothing was changed. To install: the same command on the board, without --dry-run and --stack"
        else:
            yield "Nothing was changed. To install: the same command without --dry-run"
        if result.refused:
            at = counted(len(result.refused), "requirement")
            yield f"It will stop at {at} on the vendor's packages unless you agree (see above)."
    elif result.status in (Status.INSTALLED, Status.UNCHANGED):
        yield ""
        where = f" on {result.target.board}" if result.target.board else ""
        yield f"Use it{where}: source {result.target.path}/bin/activate"


def _answer(result: Result) -> str:
    count = len(result.plan.items)
    torch = result.interpreter.torch.release
    match result.status:
        case Status.PLANNED:
            return f"Planned: {count} packages over torch {torch}, which stays.{_tier_unmet(result.plan)}"
        case Status.INSTALLED:
            return (
                f"Installed: {count} packages in {result.target.path}; torch {torch} is untouched and works."
                f"{_tier_unmet(result.plan)}"
            )
        case Status.UNCHANGED:
            return f"Nothing to do: {count} packages are in {result.target.path}; torch {torch} is untouched and works."
        case Status.UNDONE:
            changed = len(result.proof.differences) if result.proof else 0
            if changed:
                return (
                    f"Undone, but {changed} of the vendor's files are not what they were (below): install torch anew."
                )
            if result.proof is not None and result.proof.missing and not result.proof.broken:
                return "Undone: what was planned did not come as planned (below); everything is as it was before."
            return f"Undone: the installation broke the vendor's torch {torch}; everything is as it was before."


def _tier_unmet(plan: Plan) -> str:
    ruling = plan.quantization
    return f" The tier {ruling.tier} is NOT met: it requires bitsandbytes." if ruling and ruling.unmet else ""


def _vendor(interpreter: Interpreter) -> Iterator[str]:
    torch = interpreter.torch
    if torch.outcome is Outcome.NOT_RUN:
        yield "Stays as it is on that board, as the tables give it (its other packages are not known):"
        yield f"  torch {torch.release}"
        return
    built = f"built for CUDA {torch.built_for_cuda}" if torch.built_for_cuda else "built without CUDA"
    device = {True: "a device answers", False: "no device answers", None: "not asked for a device"}[torch.available]
    yield f"Stays as it is ({built}, {device}):"
    for dist in interpreter.held:
        yield f"  {_place(dist, interpreter)}"
    if interpreter.active("torch") is None:
        yield f"  torch {torch.release} from {torch.file} (without metadata)"


def _place(dist: Installed, interpreter: Interpreter) -> str:
    hidden = "" if dist.active else ", hidden by another copy"
    return f"{dist.name} {dist.release} ({interpreter.site(dist).value}: {dist.location}{hidden})"


def _plan(plan: Plan, *, elsewhere: bool) -> Iterator[str]:
    if plan.from_lock:
        yield f"From the lock {plan.from_lock}, with its numbers and hashes:"
    else:
        yield "Resolved with uv, the vendor's packages left out:"
    for item in plan.items:
        yield f"  {_item(item)}"
    if plan.project:
        yield f"  the project itself, editable, from {plan.project}"
    size = sum(item.size or 0 for item in plan.items)
    if size:
        yield f"  {size / 1e6:.1f} MB at most to fetch"
    yield from _left_out(plan, elsewhere=elsewhere)
    for one in plan.alphas:
        yield f"Alpha: {_demand(one)}. Agree with --allow-alpha."
    for one in plan.unfit:
        yield f"Unfit: {_demand(one)}. Overrule with --allow-overrule {one.asker}."
    for back in plan.backtracked:
        yield f"Older than it would be without the bounds here: {back.name} {back.chosen}, else {back.free}."
    for bound in plan.constraints:
        yield f"Respected: {bound}"
    for note in plan.notes:
        yield f"Note: {note}"


def _left_out(plan: Plan, *, elsewhere: bool) -> Iterator[str]:
    needed = "Needed, and to be on the board already" if elsewhere else "Needed and not there"
    if plan.dropped:
        yield f"Left out, because they are the vendor's: {', '.join(plan.dropped)}"
    families = list(dict.fromkeys(absent.family for absent in plan.absent))
    for family in families:
        mine = [absent for absent in plan.absent if absent.family is family]
        by = ", ".join(sorted({asker for absent in mine for asker in absent.wanted_by})) or "the lock"
        names = ", ".join(absent.name for absent in mine)
        yield f"{needed}, never filled from an index: {names} ({family.value}; asked by {by})"
    if plan.quantization is not None:
        yield from _quantization(plan.quantization)


def _quantization(ruling: Ruling) -> Iterator[str]:
    """What the policy says of bitsandbytes, and how it is built where it may be."""
    if ruling.tier is None:
        yield f"bitsandbytes stays out: {ruling.told}, and its wheels hold CUDA code for servers."
    elif not ruling.required:
        yield f"bitsandbytes stays out: the tier {ruling.tier} of the policy calls it {ruling.told}"
    elif ruling.unmet:
        yield f"The tier {ruling.tier} requires bitsandbytes, and that is not met: {ruling.told}"
    else:
        yield f"bitsandbytes, which the tier {ruling.tier} requires: {ruling.told}"
    if ruling.recipe:
        yield "  Built on the board, where the project's policy allows it:"
        yield from (f"    {line}" for line in ruling.recipe)
        yield "    # then, where a tier requires it: the same command with --bitsandbytes and the wheel in dist/"


def _item(item: Item) -> str:
    number = item.release or item.address or "?"
    how = " (built from source here)" if item.build else ""
    checked = "" if item.hashes else " (no hash to check)"
    return f"{item.name} {number}{how}{checked}"


def _demand(one: Demand) -> str:
    return f"{one.by} asks for {one.requirement}; {one.name} {one.present} {one.fit.value if one.fit else 'is absent'}"


def _proof(proof: Proof) -> Iterator[str]:
    how = "by content" if proof.deep else "by inode, size and times, by content where those differ"
    if proof.holds:
        yield f"Proven: {proof.files} protected files are unchanged ({how});"
        yield f"  torch is imported from {proof.after.file}, as before;"
        yield f"  CUDA: {_cuda(proof)}; one operation passes in a fresh process."
    for line in proof.missing:
        yield f"Missing: {line}"
    for why in proof.broken:
        yield f"Broken: {why}"
    for difference in proof.differences[:20]:
        yield f"Broken: {difference.path}: {difference.what}"
    for note in proof.notes:
        yield f"Note: {note}"
    for one in proof.unmet:
        mark = "Unmet" if one.why is Why.OTHER else "Unmet, explained"
        yield f"{mark}: {one.by} asks for {one.requirement}, {one.present or 'nothing'} is there: {one.why.value}"


def _cuda(proof: Proof) -> str:
    if proof.before.available:
        return "a device answered before and answers now"
    return "no device answered before, so that could not be shown"


def json_object(result: Result) -> dict[str, Any]:
    """Return the result for machines."""
    plan, proof = result.plan, result.proof
    return {
        "schema": SCHEMA,
        "status": result.status.value,
        "python": {
            "executable": str(result.interpreter.executable),
            "release": result.interpreter.release,
            "asked": result.interpreter.asked,
        },
        "target": {
            "path": str(result.target.path),
            "in_place": result.target.in_place,
            "board": result.target.board,
        },
        "recovered": result.recovered,
        "held": [
            {
                "name": dist.name,
                "release": dist.release,
                "location": str(dist.location),
                "site": result.interpreter.site(dist).value,
                "active": dist.active,
            }
            for dist in result.interpreter.held
        ],
        "plan": {
            "from_lock": plan.from_lock,
            "project": plan.project,
            "items": [
                {
                    "name": item.name,
                    "release": item.release,
                    "hashes": list(item.hashes),
                    "address": item.address,
                    "wheel": item.wheel,
                    "build": item.build,
                    "wanted_by": list(item.wanted_by),
                }
                for item in plan.items
            ],
            "dropped": list(plan.dropped),
            "absent": [
                {"name": one.name, "family": one.family.value, "wanted_by": list(one.wanted_by)} for one in plan.absent
            ],
            "demands": [
                {
                    "by": one.by,
                    "requirement": one.requirement,
                    "present": one.present,
                    "fit": None if one.fit is None else one.fit.name.lower(),
                }
                for one in plan.demands
            ],
            "backtracked": [{"name": one.name, "chosen": one.chosen, "free": one.free} for one in plan.backtracked],
            "constraints": list(plan.constraints),
            "bitsandbytes": None if plan.quantization is None else _quantization_json(plan.quantization),
            "notes": list(plan.notes),
        },
        "proof": None if proof is None else _proof_json(proof),
        "log": None if result.log is None else str(result.log),
    }


def _quantization_json(ruling: Ruling) -> dict[str, Any]:
    return {
        "tier": ruling.tier,
        "required": ruling.required,
        "met": not ruling.unmet,
        "installed": None if ruling.build is None else ruling.build.filename,
        "told": ruling.told,
        "recipe": list(ruling.recipe),
    }


def _proof_json(proof: Proof) -> dict[str, Any]:
    return {
        "holds": proof.holds,
        "files": proof.files,
        "deep": proof.deep,
        "differences": [{"path": one.path, "what": one.what} for one in proof.differences],
        "broken": list(proof.broken),
        "missing": list(proof.missing),
        "torch": {"release": proof.after.release, "file": proof.after.file, "cuda": proof.after.built_for_cuda},
        "available_before": proof.before.available,
        "available_after": proof.after.available,
        "unmet": [
            {"by": one.by, "requirement": one.requirement, "present": one.present, "why": one.why.name.lower()}
            for one in proof.unmet
        ],
        "notes": list(proof.notes),
    }
