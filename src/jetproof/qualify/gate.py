"""Qualify one gate: look at machine and checkout, plan, run, and leave a journal from which all else follows."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from jetproof.errors import Undecided, UsageError
from jetproof.facts.from_snapshot import facts as facts_of
from jetproof.facts.model import Facts
from jetproof.policy import pin
from jetproof.policy.load import Loaded, named_gate
from jetproof.policy.model import Gate, Platform
from jetproof.qualify import clock, preflight
from jetproof.qualify.checkout import source as source_of
from jetproof.qualify.code import code as code_of
from jetproof.qualify.folder import Folder, is_ours
from jetproof.qualify.journal import Entry, Journal, Writer, load, read
from jetproof.qualify.locks import held
from jetproof.qualify.machine import nvcc, told
from jetproof.qualify.place import place_of
from jetproof.qualify.plan import plan as plan_of
from jetproof.qualify.plan import tier_of
from jetproof.qualify.plan_model import Note, Plan, Source, ToolFacts
from jetproof.qualify.record import to_bytes
from jetproof.qualify.run import After, Surroundings, run
from jetproof.qualify.state import state
from jetproof.qualify.tool import tool as this_tool
from jetproof.tables import Tables
from jetproof.target.interface import CollectRequest, Target
from jetproof.target.recorded import RecordedTarget
from jetproof.target.snapshot import Snapshot
from jetproof_worker.probe import Probe

_SEEDS = 1 << 32


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is to be qualified, and where the files go."""

    loaded: Loaded
    gate: str
    project: Path
    """Top of the project under test."""
    output: Path
    rehearsal: bool = False
    challenge: str | None = None
    side_folder: Callable[[str, str], str | None] | None = None
    """Gives a folder with a pinned pytest for an interpreter (path, release) that has none."""
    torch_wheel: Path | None = None
    """The wheel that torch was installed from, for installers that note no digest; it is held against what is there."""


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """Everything that was decided before the first item runs."""

    plan: Plan
    snapshot: Snapshot
    facts: Facts
    context: Mapping[str, Any]
    surroundings: Surroundings
    source: Callable[[], Source]


def find_gate(loaded: Loaded, name: str) -> Gate:
    """Return the policy's gate of that id or alias. Raises `UsageError` that lists those there are."""
    return named_gate(loaded.policy, loaded.path, name)


def prepare(
    request: Request,
    snapshot: Snapshot,
    tables: Tables,
    catalogue: Mapping[str, Probe],
    *,
    tool: ToolFacts | None = None,
    in_the_way: list[Undecided] | None = None,
) -> Prepared:
    """Return the plan and what it rests on; nothing is run. `snapshot` is the target's, read without trials.

    With a list `in_the_way`, what keeps the gate from being checked here is put there, for a plan that is only shown.
    Raises `Undecided` when the gate cannot be checked here, `PolicyInvalid`, `NothingPlanned`.
    """
    gate = find_gate(request.loaded, request.gate)
    facts = facts_of(snapshot, tables)
    with _obstacle(in_the_way):
        preflight.require_platform(gate, facts, tables, snapshot)

    def read_source() -> Source:
        return source_of(request.project, ours=lambda path: is_ours(request.output, path))

    source = read_source()
    notes: tuple[Note, ...] = ()
    with _obstacle(in_the_way):
        notes = preflight.rehearsal_notes(source, asked=request.rehearsal, built_in=request.loaded.built_in)
    plan = plan_of(
        run=secrets.token_hex(16),
        challenge=request.challenge,
        policy=request.loaded.policy,
        policy_path=request.loaded.path,
        policy_sha256=request.loaded.sha256,
        gate=gate,
        tier=tier_of(request.loaded.policy, gate, facts, tables),
        catalogue=catalogue,
        facts=facts,
        tables=tables,
        source=source,
        tool=tool or this_tool(),
        rehearsal=notes,
        seeds=_fresh_seeds(),
    )
    with _obstacle(in_the_way):
        preflight.require_memory(plan, catalogue, facts)
    lacks = preflight.lacking(plan, gate, catalogue, snapshot)
    side_folder = None
    python = snapshot.python
    if request.side_folder is not None and "pytest" in lacks and python is not None and python.interpreter is not None:
        executable = python.path or python.interpreter.executable
        side_folder = request.side_folder(executable, python.interpreter.version)
        if side_folder is not None:
            del lacks["pytest"]
    with _obstacle(in_the_way):
        preflight.require_packages(lacks, snapshot, facts)
    context = {
        "facts": told(facts),
        "snapshot_sha256": sha256(snapshot.dumps().encode()).hexdigest(),
        "state": state(snapshot),
        "nvcc": nvcc(snapshot),
        "torch_wheel_sha256": _wheel(request.torch_wheel, facts),
    }
    return Prepared(
        plan=plan,
        snapshot=snapshot,
        facts=facts,
        context=context,
        surroundings=Surroundings(project_root=str(request.project.resolve()), side_folder=side_folder),
        source=read_source,
    )


@contextmanager
def _obstacle(found: list[Undecided] | None) -> Iterator[None]:
    """Keep what is in the way where somebody wants to know all of it; else let it be raised."""
    try:
        yield
    except Undecided as error:
        if found is None:
            raise
        found.append(error)


def qualify(
    request: Request,
    prepared: Prepared,
    target: Target,
    *,
    on_entry: Callable[[Entry], None] | None = None,
    now: Callable[[], clock.Instant] = clock.now,
) -> Journal:
    """Run the plan and return its journal; all files but the reports are written.

    Raises `Undecided` on a recording and when another run has the GPU or the folder, `JournalUnwritable` when the
    disk is full or read-only. What was written before stays.
    """
    if isinstance(target, RecordedTarget):
        raise Undecided(
            f"{target.path} is a recording: nothing can be run on it",
            hint="run the gate on the machine itself; --dry-run shows what would be run",
            reason="recorded",
        )
    place = place_of(target)
    if request.torch_wheel is not None and not place.here:
        raise UsageError(
            "a wheel can be held against the torch of this machine only",
            hint="run the gate on the board itself, or install torch there by its URL: then the digest is noted",
            reason="wheel-elsewhere",
        )
    folder = Folder(out=request.output, gate=prepared.plan.gate.id)
    folder.prepare()
    with ExitStack() as stack:
        stack.enter_context(held(folder.lock, "this output folder"))
        if prepared.plan.gate.platform != Platform.LINUX_ARM64.value and place.gpu_lock is not None:
            stack.enter_context(held(place.gpu_lock, "the GPU"))
        folder.open()
        folder.write("plan.json", to_bytes(prepared.plan.as_json()))
        folder.write("snapshot.json", prepared.snapshot.dumps().encode())
        writer = Writer(folder.journal, now)
        stack.callback(writer.close)

        def read_again(journal: Journal) -> After:
            source = prepared.source()
            code = code_of(request.project, journal, prepared.plan.resolver).as_json()
            try:
                return After(source=source, code=code, state=state(target.collect(CollectRequest(trials=False))))
            except Undecided as error:  # the board's state is a witness, not a condition
                return After(source=source, code=code, state={"not_read": error.message})

        run(
            target,
            prepared.plan,
            writer,
            context={**prepared.context, **place.told()},
            surroundings=prepared.surroundings,
            after=read_again,
            on_entry=on_entry,
        )
    return read(load(folder.journal))  # what is judged is what lies on the disk


def _wheel(named: Path | None, facts: Facts) -> str | None:
    """Return the digest of the wheel that torch came from, None where nobody told it."""
    if named is None:
        return facts.torch.wheel_sha256.value
    return pin.from_wheel(named, pin.torch_site(facts)).digest.removeprefix("sha256:")


def _fresh_seeds() -> Iterator[int]:
    while True:
        yield secrets.randbelow(_SEEDS)
