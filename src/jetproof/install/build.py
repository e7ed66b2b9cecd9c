"""Making an environment from a plan: the same steps for a new one and for one that is changed in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jetproof.errors import JetproofError, Refused
from jetproof.install.held import LISTED, is_held
from jetproof.install.plan import Item, Plan
from jetproof.install.resolve import with_indexes
from jetproof.install.uv import Sources, Uv, failure

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Builder:
    """Installs the items of a plan with uv, each with its hash, none with what it depends on."""

    uv: Uv
    sources: Sources
    scratch: Path
    say: Say

    def create(self, environment: Path, base: Path) -> None:
        """Make an empty environment over a base interpreter, whose packages it sees."""
        self.uv.run(
            ["venv", "-q", "--no-project", "--system-site-packages", "--python", str(base), str(environment)],
            cwd=self.scratch,
        )

    def stage(self, plan: Plan, folder: Path, python: Path) -> None:
        """Install the plan into a folder of its own, to see which files it brings."""
        self._install(replace(plan, project=None), ["--target", str(folder), "--python", str(python)])

    def fill(self, plan: Plan, python: Path) -> None:
        """Install the plan into the environment of that interpreter."""
        self._install(plan, ["--python", str(python)])

    def _install(self, plan: Plan, where: Sequence[str]) -> None:
        hashed = [item for item in plan.items if item.hashes and not item.build and not item.editable]
        builds = [item for item in plan.items if item.build]
        rest = [item for item in plan.items if item not in hashed and item not in builds]
        if hashed:
            self.say(f"installing {len(hashed)} wheels")
            self._run([*where, "--require-hashes", "--only-binary", ":all:"], "plan.txt", hashed)
        for item in builds:
            self.say(f"building {item.name} {item.release or ''} from source")
            self._build(item, where)
        for item in rest:
            self.say(f"installing {item.name} from {item.address or 'the index'}")
            if item.editable and "--target" in where:
                continue
            self._build(item, where)
        if plan.project is not None:
            self.say("installing the project itself")
            self._run([*where, *self._guarded(), "--editable", plan.project], None, ())

    def _build(self, item: Item, where: Sequence[str]) -> None:
        """Build apart from the environment first; where that would bring a second torch, against the vendor's."""
        checked = ["--require-hashes"] if item.hashes else []
        try:
            self._run([*where, *checked, *self._guarded()], "build.txt", [item])
        except JetproofError as error:
            if not _asks_for_held(error.message):
                raise
            self.say(f"{item.name} is built against torch: building it with the vendor's")
            self._run([*where, *checked, "--no-build-isolation"], "build.txt", [item])

    def _guarded(self) -> list[str]:
        guard = self.scratch / "guard.txt"
        guard.write_text("".join(f"{name}<0\n" for name in LISTED), encoding="utf-8")
        return ["--build-constraints", str(guard)]

    def _run(self, words: Sequence[str], name: str | None, items: Iterable[Item]) -> None:
        wanted = list(items)
        argv = ["pip", "install", "-q", "--no-deps", *words]
        if name is not None:
            path = self.scratch / name
            path.write_text(
                "".join(f"{'-e ' if item.editable else ''}{_line(item)}\n" for item in wanted), encoding="utf-8"
            )
            argv += ["-r", str(path)]
        done = self.uv.attempt([*argv, *with_indexes(self.sources, wanted).arguments()], cwd=self.scratch)
        if not done.ok:
            raise failure(done, self.uv.timeout)


def _line(item: Item) -> str:
    return str(item.address) if item.editable else item.line


def _asks_for_held(message: str) -> bool:
    return any(f"{name}<0" in message for name in LISTED)


def check(plan: Plan) -> None:
    """Refuse a plan that would touch what is held, whatever went wrong before."""
    touched = [item.name for item in plan.items if is_held(item.name) and item.name not in plan.let_in]
    if touched:
        raise Refused(f"the plan holds {', '.join(touched)}, which is the vendor's", reason="held-in-plan")
