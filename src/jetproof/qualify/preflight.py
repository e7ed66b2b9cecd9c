"""What must hold before anything is run; each thing that does not hold is named, with what mends it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jetproof.diagnosis.rules import not_a_jetson
from jetproof.errors import Undecided
from jetproof.facts.model import Facts
from jetproof.policy.model import Gate, Platform
from jetproof.qualify.plan_model import Note, Plan, ProbeStep, Source
from jetproof.tables import Tables
from jetproof.target.snapshot import Snapshot
from jetproof_worker.ask import INTERESTING
from jetproof_worker.names import normalised
from jetproof_worker.probe import MIB, Probe

_NVIDIA_NODE = re.compile(r"/dev/(nvidia\d+|dxg)")
_ARM64 = frozenset({"aarch64", "arm64"})
_X86 = frozenset({"x86_64", "amd64", "AMD64"})
_PYTEST_MEMORY = 2048 * MIB
_FREE_BESIDE = 256 * MIB
"""Bytes that must stay free beside the largest item, for the system and the worker itself."""


def require_platform(gate: Gate, facts: Facts, tables: Tables, snapshot: Snapshot) -> None:
    """Raise `Undecided`, in the doctor's words, when this is not the machine that the gate needs."""
    match gate.platform:
        case Platform.ANY:
            return
        case Platform.JETSON:
            if facts.platform.is_jetson.value is not True:
                raise _not_here(gate, "needs a Jetson", _doctor(facts, tables))
        case Platform.LINUX_ARM64:
            arch = facts.platform.arch.value
            if arch not in _ARM64:
                raise _not_here(gate, "needs an ARM64 machine", f"the architecture here is {arch or 'not known'}")
        case Platform.X86_CUDA:
            arch = facts.platform.arch.value
            if arch not in _X86:
                raise _not_here(gate, "needs an x86-64 machine", f"the architecture here is {arch or 'not known'}")
            if not any(node is not None and _NVIDIA_NODE.fullmatch(path) for path, node in snapshot.nodes.items()):
                raise _not_here(gate, "needs an NVIDIA GPU", "no NVIDIA device node is there (like /dev/nvidia0)")


def _doctor(facts: Facts, tables: Tables) -> str:
    """Return what the doctor would say of this machine, without asking all its other rules."""
    said = next(not_a_jetson.check(facts, tables), None)
    if said is not None:
        return said.message
    reason = facts.platform.is_jetson.reason
    return f"whether this is one is not known ({reason.value if reason else 'not read'})"


def _not_here(gate: Gate, needs: str, found: str) -> Undecided:
    return Undecided(
        f"the gate {gate.id} {needs}, and cannot be checked here: {found}",
        hint="jetproof doctor says what this machine is; run the gate on the machine that it is for",
        reason="not-the-platform",
    )


def require_memory(plan: Plan, catalogue: Mapping[str, Probe], facts: Facts) -> None:
    """Raise `Undecided` when the largest item does not fit into the memory that is free now."""
    available = facts.memory.available.value
    if available is None:
        return
    name, needed = max(
        (
            (step.id, catalogue[step.probe].memory if isinstance(step, ProbeStep) else _PYTEST_MEMORY)
            for step in plan.items
        ),
        key=lambda need: need[1],
    )
    if available < needed + _FREE_BESIDE:
        raise Undecided(
            f"too little memory is free: {available // MIB} MiB, and {name} may take {needed // MIB} MiB",
            hint="end other programs (a desktop, a browser, another model), then run again",
            reason="memory",
        )


def lacking(plan: Plan, gate: Gate, catalogue: Mapping[str, Probe], snapshot: Snapshot) -> dict[str, list[str]]:
    """Return what the target interpreter lacks, each with the items that need it; empty when it could not be asked."""
    python = snapshot.python
    interpreter = python.interpreter if python is not None else None
    if interpreter is None:
        return {}
    have = {normalised(found.name) for found in interpreter.distributions}
    have |= {normalised(found.name) for found in interpreter.modules}  # some come without metadata
    needs: dict[str, list[str]] = {}
    for step in plan.items:
        wanted: tuple[str, ...] = ("pytest",)
        if isinstance(step, ProbeStep):
            probe = catalogue[step.probe]
            wanted = (("torch",) if probe.needs_torch else ()) + probe.packages
        for package in wanted:
            needs.setdefault(package, []).append(step.id)
    for module in gate.modules:
        needs.setdefault(module, []).append(f"the gate {gate.id}")
    # of other packages nobody asked, so nothing is said of them
    told = [package for package in needs if INTERESTING.match(normalised(package))]
    return {package: needs[package] for package in told if normalised(package) not in have}


def require_packages(lacks: Mapping[str, Sequence[str]], snapshot: Snapshot, facts: Facts) -> None:
    """Raise `Undecided` that names everything the target interpreter lacks, and how it gets there on this machine."""
    if not lacks:
        return
    interpreter = snapshot.python.interpreter if snapshot.python is not None else None
    name = (interpreter.executable if interpreter is not None else None) or "the target interpreter"
    lines = [f"{package} (for {', '.join(items)})" for package, items in lacks.items()]
    raise Undecided(
        "\n  ".join([f"{name} lacks", *lines]),
        hint=_how_to_install(lacks, name, on_jetson=facts.platform.is_jetson.value is not False),
        reason="packages-missing",
    )


def _how_to_install(lacks: Mapping[str, Sequence[str]], python: str, *, on_jetson: bool) -> str:
    """Return what puts the packages there: a board needs its own torch, any other machine takes the usual one."""
    other = "or name another interpreter with --python"
    if on_jetson:
        return f"install them without replacing torch (jetproof install), {other}"
    plain = f"{python} -m pip install {' '.join(lacks)}"
    if "torch" in lacks:
        plain += " (the selector on pytorch.org names the index for this machine's CUDA, or for none)"
    return f"{plain}, {other}"


def rehearsal_notes(source: Source, *, asked: bool, built_in: bool) -> tuple[Note, ...]:
    """Return why the run can prove nothing. Raises `Undecided` for an unclean checkout that is no rehearsal."""
    notes = []
    if asked:
        notes.append(Note(reason="rehearsal", message="it was asked for as a rehearsal"))
    if built_in:
        notes.append(
            Note(reason="no-policy", message="the project has no policy: the built-in gates speak of no project")
        )
    unclean = _unclean(source)
    if unclean is not None:
        if not asked and not built_in:
            hint = "commit or remove these, or rehearse with --rehearsal (a rehearsal proves nothing)"
            if source.commit is None:
                hint = "git init, git add, git commit; or rehearse with --rehearsal (a rehearsal proves nothing)"
            elif source.hidden and not (source.changed or source.untracked):
                hint = (
                    "git status does not tell these, and their bytes are not the commit's: git ls-files -v FILE and "
                    "git check-attr -a FILE name the flag, filter or line ending; run in a checkout without it "
                    "(for LFS: git lfs uninstall), or rehearse with --rehearsal"
                )
            raise Undecided(
                unclean if source.commit is None else f"the checkout is not clean: {unclean}",
                hint=hint,
                reason="checkout-not-clean",
            )
        notes.append(Note(reason="checkout-not-clean", message=unclean))
    return tuple(notes)


def _unclean(source: Source) -> str | None:
    if source.commit is None:
        return "there is no git checkout with a commit here"
    parts = []
    for paths, word in (
        (source.changed, "changed"),
        (source.untracked, "untracked"),
        (source.hidden, "hidden from git"),
    ):
        if paths:
            more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
            parts.append(f"{word}: {', '.join(paths[:3])}{more}")
    parts += [f"submodule {sub.path} is {sub.state}" for sub in source.submodules if sub.state != "same"]
    return "; ".join(parts) or None
