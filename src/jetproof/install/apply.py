"""Carry a plan out over the vendor's torch: build, prove, swap; or leave everything as it was."""

from __future__ import annotations

import errno
import secrets
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from jetproof.errors import Refused
from jetproof.install import build, inplace, venv
from jetproof.install.fit import Demand
from jetproof.install.interpreter import Asker, Interpreter, below
from jetproof.install.journal import Entry, Phase, State
from jetproof.install.plan import Plan
from jetproof.install.planned import Request, agree, configured, planned, refuse_claim, refuse_clash, refuse_old, vendor
from jetproof.install.proof import Proof, proof
from jetproof.install.protected import Mark, marks
from jetproof.install.recovery import hand_over, recover
from jetproof.install.uv import Uv


class Status(Enum):
    """How an installation ended."""

    PLANNED = "planned"
    INSTALLED = "installed"
    UNDONE = "undone"
    UNCHANGED = "unchanged"
    """It was all there already."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """Everything that a person or a machine is told afterwards."""

    status: Status
    interpreter: Interpreter
    """As it was before."""
    target: venv.Target
    plan: Plan
    refused: tuple[Demand, ...] = ()
    """Of a plan alone: what nobody has agreed to, so that installing will stop there."""
    proof: Proof | None = None
    recovered: str | None = None
    """What an earlier, interrupted installation had left, and what became of it."""
    log: Path | None = None


def install(request: Request, asker: Asker, uv: Path, say: build.Say) -> Result:
    """Carry out the whole installation, or with `dry_run` everything up to the first change.

    Raises Refused, UsageError or Undecided with nothing changed. A result UNDONE says that it was changed and
    brought back, because the vendor's torch was not what it had been.
    """
    try:
        return (_planned if request.dry_run else _install)(request, asker, uv, say)
    except OSError as error:
        # full disks and read-only file systems can show at any write; whatever was begun is undone by now
        named = f" ({error.filename})" if error.filename else ""
        raise Refused(
            f"{error.strerror or error}{named}; nothing was changed",
            hint="Mend that, then run the same command again.",
            reason=_REASONS.get(error.errno or 0, "os-error"),
        ) from error


_REASONS = {
    errno.ENOSPC: "disk-full",
    errno.EDQUOT: "disk-full",
    errno.EFBIG: "disk-full",
    errno.EROFS: "read-only",
    errno.EACCES: "no-permission",
    errno.EPERM: "no-permission",
}


def _planned(request: Request, asker: Asker, uv: Path, say: build.Say) -> Result:
    """Plan and leave no trace: what uv needs meanwhile lies in a folder that is thrown away."""
    state = State(root=request.root / ".jetproof")
    left = state.read()
    if request.elsewhere is not None:
        before = request.elsewhere
        refuse_old(before)
        target = venv.Target(path=request.venv or request.root / venv.DEFAULT_NAME, in_place=False)
    else:
        say("asking the interpreter")
        before = vendor(asker, request.python)
        target = venv.target(request.venv, before, request.root, state)
    with tempfile.TemporaryDirectory(prefix="jetproof-") as folder:
        say("planning")
        runner, notes = configured(Uv(program=uv, timeout=request.timeout), request, Path(folder))
        plan = planned(request, before, runner, Path(folder))
    return Result(
        status=Status.PLANNED,
        interpreter=before,
        target=target,
        plan=replace(plan, notes=(*plan.notes, *notes)),
        refused=request.agreed.refuses(plan.demands),
        recovered=None
        if left is None
        else f"an earlier installation ({left.id}) was interrupted; the next one finishes or undoes it first",
    )


def _install(request: Request, asker: Asker, uv: Path, say: build.Say) -> Result:
    state = State(root=request.root / ".jetproof")
    state.prepare()
    with state.lock() as held:
        recovered = recover(state)
        if recovered:
            say(recovered)
        say("asking the interpreter")
        before = vendor(asker, request.python)
        target = venv.target(request.venv, before, request.root, state)
        identity = time.strftime("%Y%m%d-%H%M%S-", time.gmtime()) + secrets.token_hex(3)
        log = state.folder / f"{identity}.log"
        with ExitStack() as stack:
            scratch = state.folder / "scratch"
            stack.callback(shutil.rmtree, scratch, ignore_errors=True)
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
            say("planning")
            runner, notes = configured(
                Uv(program=uv, timeout=request.timeout, keep_open=(held,), log=log), request, scratch
            )
            plan = planned(request, before, runner, scratch)
            plan = replace(plan, notes=(*plan.notes, *notes))
            agree(plan, request.agreed)
            say("looking at the vendor's files")
            job = _Job(
                request=request,
                state=state,
                asker=asker,
                builder=build.Builder(uv=runner, sources=request.sources, scratch=scratch, say=say),
                before=before,
                marks=marks(before.held, deep=request.deep),
                plan=plan,
                identity=identity,
            )
            found = job.in_place(target.path) if target.in_place else job.beside(target.path)
        return Result(
            status=Status.INSTALLED if found.holds else Status.UNDONE,
            interpreter=before,
            target=target,
            plan=plan,
            proof=found,
            recovered=recovered,
            log=log,
        )


@dataclass(frozen=True, kw_only=True)
class _Job:
    request: Request
    state: State
    asker: Asker
    builder: build.Builder
    before: Interpreter
    marks: Mapping[str, Mark]
    plan: Plan
    identity: str

    def beside(self, link: Path) -> Proof:
        """Build a new environment, prove it, swap the link."""
        environment = self.state.venvs / self.identity
        entry = Entry(id=self.identity, phase=Phase.BUILDING, environment=str(environment), link=str(link))
        self.state.write(entry)
        try:
            self.builder.say(f"building {environment}")
            self.builder.create(environment, self.before.executable)
            self.builder.fill(self.plan, venv.python_of(environment))
            found = self._proof(venv.python_of(environment))
        except BaseException:
            venv.drop(environment, self.state)
            self.state.clear()
            raise
        if not found.holds:
            venv.drop(environment, self.state)
            self.state.clear()
            return found
        hand_over(entry, self.state)
        return found

    def in_place(self, environment: Path) -> Proof:
        """Change an environment that holds the vendor's torch itself, with a way back."""
        python = venv.python_of(environment)
        stage = self.state.folder / "stage"
        backup = self.state.folder / "backup"
        for folder in (stage, backup):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        try:
            self.builder.say("fetching everything to see which files it brings")
            self.builder.stage(self.plan, stage, python)
            sites = self._sites(environment)
            refuse_clash(inplace.collisions(stage, [*sites, environment], self.marks))
            names = {item.name for item in self.plan.items}
            # what lies beneath the environment is not replaced but hidden
            inside = [dist for dist in self.before.distributions if below(dist.location, environment)]
            replaced = [dist for dist in inside if dist.name in names]
            for dist in replaced:
                refuse_claim(dist, inplace.claimed(dist, environment, self.marks))
            inplace.copy_aside(environment, replaced, stage, sites, backup)
            before = inplace.listing(environment)
            entry = Entry(
                id=self.identity,
                phase=Phase.CHANGING,
                environment=str(environment),
                before=before,
                backup=str(backup),
            )
            self.state.write(entry)
        except BaseException:
            shutil.rmtree(stage, ignore_errors=True)
            shutil.rmtree(backup, ignore_errors=True)
            raise
        holds = False
        try:
            self.builder.fill(self.plan, python)
            found = self._proof(python)
            holds = found.holds
        finally:
            if not holds:
                self.builder.say("undoing")
                inplace.undo(environment, before, backup)
            # from here on the environment is whole, as it was or as it is wanted
            self.state.clear()
            shutil.rmtree(stage, ignore_errors=True)
            shutil.rmtree(backup, ignore_errors=True)
        return found

    def _sites(self, environment: Path) -> list[Path]:
        inside = {dist.location for dist in self.before.distributions if dist.location.is_relative_to(environment)}
        return sorted(inside)

    def _proof(self, python: Path) -> Proof:
        self.builder.say("checking that the vendor's torch is what it was")
        after = self.asker.ask(str(python))
        return proof(self.before, after, self.marks, self.request.agreed, deep=self.request.deep, plan=self.plan)
