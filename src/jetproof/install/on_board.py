"""Install a project over the vendor's torch of a board at the other end of a link, and leave nothing else there.

The plan is made here, for the board's interpreter; the wheels are fetched and checked here. The board's own Python gets
them with the worker, builds the environment, proves that torch stayed, and only then puts it in its place.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from jetproof.errors import Refused, Undecided
from jetproof.install import asking, board_answers, build, venv
from jetproof.install.apply import Result, Status
from jetproof.install.audit_resolution import uv_platform
from jetproof.install.interpreter import Interpreter
from jetproof.install.merged import unmet
from jetproof.install.plan import Plan
from jetproof.install.planned import Request, agree, configured, planned, vendor
from jetproof.install.proof import Proof
from jetproof.install.protected import Difference, place
from jetproof.install.uv import Uv
from jetproof.install.wheelhouse import Wheelhouse, contents, refuse_builds
from jetproof.target.interface import OnRecord
from jetproof.target.parcel import FILES
from jetproof_worker import process

SCHEMA = "jetproof/board-environment/1"
_LOOK_LIMIT = 900.0
_OLDEST_GLIBC = 17
"""The minor number with which manylinux for aarch64 begins."""
_MACHINES = ("aarch64", "x86_64")


class Board(Protocol):
    """Whatever runs the worker's `install` mode on a board."""

    def install(
        self, request: Mapping[str, object], on_record: OnRecord, timeout: float, files: tuple[Path, ...] = ()
    ) -> process.Completed:
        """Send the request, with files, and hand on what the worker tells."""


@dataclass(kw_only=True)
class BoardAsker:
    """Describes interpreters of a board; the last look also told what lies at the place to install to."""

    board: Board
    venv: str
    asked: str
    """By what the board's interpreter was chosen."""
    patience: float = 1.0
    seen: dict[str, Any] = field(default_factory=dict)

    def ask(self, python: str | None) -> Interpreter:
        """Describe the interpreter at that path of the board; None leaves the choice to the board."""
        asked = f"{self.asked} on {self.board}"
        body = {"do": "look", "python": python, "venv": self.venv, "patience": self.patience, "asked": asked}
        self.seen = _asked(self.board, body, _LOOK_LIMIT * self.patience)
        return _interpreter(self.seen)


def install(request: Request, board: Board, uv: Path, say: build.Say, *, patience: float = 1.0) -> Result:
    """Carry out the whole installation, or with `dry_run` everything up to the first change on the board.

    Raises Refused, UsageError or Undecided with nothing changed there, except for a link that was lost for good: then
    the old environment is there or the new one, whole, and the next installation tells which.
    """
    asker = BoardAsker(
        board=board,
        venv=str(request.venv or venv.DEFAULT_NAME),
        asked="PATH" if request.python is None else "--python",
        patience=patience,
    )
    say(f"asking the interpreter of {board}")
    # the board's own choice of an interpreter is what the link runs
    before = vendor(asker, None)
    _refuse_inside(before)
    target = venv.Target(path=Path(asker.seen["link"]), in_place=False, board=str(board))
    own = request.wanted.editable
    kept = {name: value for name, value in request.variables.items() if name not in ("PIP_CONSTRAINT", "UV_CONSTRAINT")}
    request = replace(request, wanted=replace(request.wanted, editable=None), variables=kept)
    with tempfile.TemporaryDirectory(prefix="jetproof-install-") as folder:
        scratch = Path(folder)
        runner, notes = configured(Uv(program=uv, timeout=request.timeout), request, scratch)
        # this machine's Python and the board's platform: what has metadata only once it is built is asked here
        here = replace(before, executable=Path(sys.executable), platform=_platform(before))
        say("planning")
        plan = planned(request, here, runner, scratch)
        refuse_builds(plan)
        if own is not None:
            notes = (*notes, f"the project itself goes there as a wheel, built of {own}")
        plan = replace(plan, notes=(*plan.notes, *notes))
        result = Result(
            status=Status.PLANNED,
            interpreter=before,
            target=target,
            plan=plan,
            refused=request.agreed.refuses(plan.demands),
        )
        if request.dry_run:
            return result
        agree(plan, request.agreed)
        say(f"fetching {len(plan.items)} wheels")
        house = Wheelhouse(uv=runner, interpreter=here, sources=request.sources, scratch=scratch)
        wheels = house.gather(plan)
        if own is not None:
            say("building the project's own wheel")
            wheels = (*wheels, house.built(own))
        stamp = {
            "schema": SCHEMA,
            "project": request.wanted.project.name or request.root.name,
            "python": f"{before.executable} {before.release}",
            "torch": before.torch.release,
            "wheels": contents(wheels),
        }
        if _is_there(asker.seen, stamp, plan, before):
            return replace(result, status=Status.UNCHANGED)
        say(f"installing {len(wheels)} wheels to {board}")
        body: dict[str, object] = {
            "do": "install",
            "venv": asker.venv,
            "base": str(before.executable),
            "before": asker.seen["tried"],
            "held": [place(dist) for dist in before.held],
            "wheels": [{"file": wheel.path.name, "sha256": wheel.sha256} for wheel in wheels],
            "wheelhouse": FILES,
            "stamp": stamp,
            "deep": request.deep,
            "patience": patience,
        }
        told = _asked(board, body, request.timeout, say, tuple(wheel.path for wheel in wheels))
    return replace(
        result,
        status=Status.INSTALLED if told["holds"] else Status.UNDONE,
        proof=_proof(told, before, deep=request.deep),
        recovered=f"an earlier installation was interrupted: {len(told['recovered'])} undone"
        if told["recovered"]
        else None,
    )


def _asked(
    board: Board,
    body: Mapping[str, object],
    timeout: float,
    say: build.Say = lambda _: None,
    files: tuple[Path, ...] = (),
) -> dict[str, Any]:
    """Have the board do it; return what it tells in the end. Raises what it refuses."""
    last = "looked" if body["do"] == "look" else "installed"
    answer: dict[str, Any] | None = None

    def heard(record: dict[str, object]) -> None:
        nonlocal answer
        if board_answers.checked(record, "step", last, "refused") == "step":
            say(str(record["text"]))
        elif answer is None:
            answer = record

    done = board.install(body, heard, timeout, files)
    if answer is None:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Undecided(
            f"the board did not end what was begun: {done.detail or (said[-1][:300] if said else done.status)}",
            hint="Its environment is the old or the new one, whole. Run the same command again.",
            reason="board-lost",
        )
    if answer["record"] == "refused":
        raise Refused(str(answer["message"]), hint=str(answer["hint"]), reason=str(answer["reason"]))
    return answer


def _interpreter(told: Mapping[str, Any]) -> Interpreter:
    about = told["python"]
    if about["status"] != "ok" or about["interpreter"] is None:
        raise Undecided(
            f"{about['path']} of the board does not answer: {about['detail'] or about['status']}",
            hint="Name another interpreter of the board with --python.",
            reason="python-broken",
        )
    return asking.interpreter(about["interpreter"], told["tried"], about["asked"], told["distributions"])


def _refuse_inside(before: Interpreter) -> None:
    if before.vendor_inside:
        raise Refused(
            f"torch of {before.executable} lies inside the environment {before.prefix}, which is changed in place",
            hint="That is done on the board itself only: jetproof install there.",
            reason="torch-inside",
        )


def _platform(interpreter: Interpreter) -> str:
    """Return uv's name of the board's platform."""
    glibc = re.fullmatch(r"2\.(\d{1,3})", interpreter.glibc or "")
    if interpreter.machine not in _MACHINES or glibc is None or int(glibc[1]) < _OLDEST_GLIBC:
        library = f"glibc {interpreter.glibc}" if interpreter.glibc else "another C library than glibc"
        raise Undecided(
            f"no wheels are known for {interpreter.machine} with {library}",
            hint="jetproof installs over links to boards with aarch64 or x86_64 and glibc",
            reason="no-platform",
        )
    return uv_platform((2, int(glibc[1]))).replace("aarch64", interpreter.machine)


def _is_there(seen: Mapping[str, Any], stamp: Mapping[str, object], plan: Plan, before: Interpreter) -> bool:
    """Say whether the place holds just this already, and its torch is the vendor's and works."""
    if seen["stamp"] != stamp or seen["environment"] is None:
        return False
    now = _interpreter(seen["environment"])
    there = {(dist.name, dist.release) for dist in now.distributions if dist.active}
    whole = all((item.name, item.release) in there for item in plan.items if item.release is not None)
    return whole and now.torch == replace(before.torch, trials=now.torch.trials)


def _proof(told: Mapping[str, Any], before: Interpreter, *, deep: bool) -> Proof:
    after = _interpreter(told["after"])
    return Proof(
        files=told["files"],
        deep=deep,
        differences=tuple(Difference(*one) for one in told["differences"]),
        broken=tuple(told["broken"]),
        before=before.torch,
        after=after.torch,
        unmet=unmet(after, before),
    )
