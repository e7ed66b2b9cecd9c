"""Install a project over the vendor's torch: find it, plan, build, prove, swap; or leave everything as it was."""

from __future__ import annotations

import errno
import secrets
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from jetproof.errors import Refused
from jetproof.facts.model import Outcome
from jetproof.install import build, inplace, venv
from jetproof.install.bounds import bounds
from jetproof.install.interpreter import Asker, Interpreter, constraint_files
from jetproof.install.journal import Entry, Phase, State
from jetproof.install.plan import Agreed, Plan
from jetproof.install.proof import Proof, proof, told_demand
from jetproof.install.protected import Mark, marks
from jetproof.install.recovery import hand_over, recover
from jetproof.install.resolve import Resolver, Wanted
from jetproof.install.uv import Sources, Uv
from jetproof.tables import load


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a person asked for."""

    wanted: Wanted
    root: Path
    """Folder of the project; `.jetproof` lies there."""
    venv: Path | None = None
    python: str | None = None
    dry_run: bool = False
    agreed: Agreed = field(default_factory=Agreed)
    sources: Sources = field(default_factory=Sources)
    deep: bool = False
    timeout: float = 3600
    """Seconds for each single run of uv."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """The surroundings' variables that name constraint files."""


OLDEST_PYTHON = (3, 8)
"""That uv installs for."""


class Status(Enum):
    """How an installation ended."""

    PLANNED = "planned"
    INSTALLED = "installed"
    UNDONE = "undone"


@dataclass(frozen=True, kw_only=True)
class Result:
    """Everything that a person or a machine is told afterwards."""

    status: Status
    interpreter: Interpreter
    """As it was before."""
    target: venv.Target
    plan: Plan
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
        return _install(request, asker, uv, say)
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
        runner = Uv(program=uv, timeout=request.timeout, keep_open=(held,), log=log)
        with ExitStack() as stack:
            scratch = state.folder / "scratch"
            stack.callback(shutil.rmtree, scratch, ignore_errors=True)
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
            # uv takes the nearest settings above it: without this, a project's `[pip] target` names where files go
            (scratch / "uv.toml").touch()
            say("planning")
            wanted = replace(
                request.wanted,
                constraint_files=constraint_files(request.variables),
                bounds=bounds(before.torch.release, load()),
            )
            plan = Resolver(uv=runner, interpreter=before, sources=request.sources, scratch=scratch).plan(wanted)
            build.check(plan)
            if request.dry_run:
                log.unlink(missing_ok=True)
                return Result(status=Status.PLANNED, interpreter=before, target=target, plan=plan, recovered=recovered)
            _agree(plan, request.agreed)
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


def vendor(asker: Asker, python: str | None) -> Interpreter:
    """Return the interpreter that sees the vendor's torch, having made sure that it works.

    A virtual environment without a torch of its own stands over a base; then the base is what counts.
    """
    found = asker.ask(python)
    if found.is_venv and not found.vendor_inside:
        short = ".".join(found.release.split(".")[:2])
        base = found.base_prefix / "bin" / f"python{short}"
        found = replace(asker.ask(str(base)), asked=f"the base of {found.executable} ({found.asked})")
    if tuple(int(part) for part in found.release.split(".")[:2]) < OLDEST_PYTHON:
        raise Refused(
            f"{found.executable} is Python {found.release}, and uv installs for 3.8 and later",
            hint="On JetPack 4: pip3 install --no-deps, package by package; jetproof audit names what to leave out.",
            reason="python-too-old",
        )
    if found.active("torch") is None and found.torch.outcome is not Outcome.OK:
        raise Refused(
            f"{found.executable} ({found.asked}) has no torch, so there is nothing to install over",
            hint="See which build is right for this board: jetproof install --torch",
            reason="no-torch",
        )
    if found.torch.outcome is not Outcome.OK:
        raise Refused(
            f"torch of {found.executable} does not work before anything is installed: {found.torch.message[:500]}",
            hint="Find the cause first: jetproof doctor",
            reason="torch-broken-before",
        )
    return found


def _agree(plan: Plan, agreed: Agreed) -> None:
    refused = agreed.refuses(plan.demands)
    if not refused:
        return
    names = sorted({one.by.split(" ")[0] for one in refused if one in plan.unfit})
    options = [*(["--allow-alpha"] if any(one in plan.alphas for one in refused) else [])]
    options += [f"--allow-overrule {name}" for name in names]
    raise Refused(
        "the vendor's build does not meet what is asked of it, and nothing was changed:\n"
        + "\n".join(f"  {told_demand(one)}" for one in refused),
        hint=f"Choose older releases of what asks, or go ahead at your own risk with: {' '.join(options)}",
        reason="alpha" if not names else "unfit",
    )


def _refuse_clash(clash: Sequence[str]) -> None:
    if clash:
        raise Refused(
            f"a package would overwrite {len(clash)} of the vendor's files, like {clash[0]}; nothing was changed",
            hint="Leave that package out.",
            reason="collision",
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
            _refuse_clash(inplace.collisions(stage, [*sites, environment], self.marks))
            names = {item.name for item in self.plan.items}
            replaced = [dist for dist in self.before.distributions if dist.name in names]
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
        names = [item.name for item in self.plan.items]
        return proof(self.before, after, self.marks, self.request.agreed, deep=self.request.deep, wanted=names)
