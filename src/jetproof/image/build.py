"""Build an image with a project over a pinned base image, and have the build fail where torch would be replaced."""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from jetproof.errors import Refused, TimeLimitReached, UsageError
from jetproof.image import engine_errors
from jetproof.image.dockerfile import WORKER, Recipe, dockerfile
from jetproof.image.engine import Program
from jetproof.image.reference import Reference
from jetproof.tables import Tables
from jetproof.target.pack import worker
from jetproof.target.project_files import link_target, project_files
from jetproof_worker.process import HeadTail

_NAME = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*(?:/[a-z0-9]+(?:[._-][a-z0-9]+)*)*(?::\w[\w.-]{0,127})?", re.ASCII)
_SAID = re.compile(r"jetproof: (.*)")
_KEPT = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Built:
    """An image that was made."""

    name: str
    id: str
    base: Reference

    @property
    def reference(self) -> str:
        """What `--target container:` takes."""
        return f"{self.name.rpartition(':')[0] or self.name}@{self.id}"


def write_context(folder: Path, recipe: Recipe, project: Path, wheels: Path | None) -> None:
    """Write all that a build needs into an empty folder. Raises `UsageError` for links that lead out."""
    (folder / "Dockerfile").write_text(dockerfile(recipe), "utf-8")
    (folder / WORKER).write_bytes(worker().content)
    (folder / "project").mkdir()
    for name in project_files(project):
        source, target = project / name, folder / "project" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.symlink_to(link_target(project, name))
        elif source.is_file():
            shutil.copy2(source, target)
    if wheels is not None:
        (folder / "wheels").mkdir()
        for wheel in sorted(wheels.glob("*.whl")):
            shutil.copy2(wheel, folder / "wheels" / wheel.name)


def new_context(folder: Path, recipe: Recipe, project: Path, wheels: Path | None) -> None:
    """Write a context into a folder that is made for it. Raises `UsageError` when something is there already."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise UsageError(f"{folder} is there already", hint="name a folder that is not") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}", hint="name another folder") from None
    write_context(folder, recipe, project, wheels)


def build(
    program: Program,
    recipe: Recipe,
    project: Path,
    *,
    name: str,
    wheels: Path | None,
    timeout: float,
    tables: Tables,
    on_output: Callable[[bytes], None],
) -> Built:
    """Build and return the image. Raises `Refused`, in the guard's own words, when torch would be replaced.

    The base must be on this machine under its digest; with `wheels` the build has no network at all.
    """
    if not _NAME.fullmatch(name) or name.endswith(":latest"):
        raise UsageError(
            f"{name[:80]!r} is no name for an image", hint="like myproject-jetson:2026-11-30, never latest"
        )
    local = program.local(recipe.base)
    # a builder takes a name and no id; this one is made for the build and means exactly that id
    alias = f"jetproof-base:{secrets.token_hex(8)}"
    kept = HeadTail(_KEPT)

    def arrived(chunk: bytes) -> None:
        kept.feed(chunk)
        on_output(chunk)

    with tempfile.TemporaryDirectory(prefix="jetproof-image-") as place:
        folder = Path(place) / "context"
        folder.mkdir()
        write_context(folder, recipe, project, wheels)
        text = dockerfile(recipe).replace(f"FROM {recipe.base}\n", f"FROM {alias}\n", 1)
        (folder / "Dockerfile").write_text(text, "utf-8")
        told = program.ask("tag", local.id, alias)
        if not told.ok:
            raise engine_errors.told(told.stderr.decode("utf-8", "replace"), tables)
        try:
            network = ("--network=none",) if wheels is not None else ()
            file = Path(place) / "id"
            words = ["build", "--force-rm", *network, f"--iidfile={file}", f"--tag={name}", str(folder)]
            done = program.stream(words, timeout, arrived)
        finally:
            program.ask("rmi", "--no-prune", alias)
        if done.status == "timed-out":
            raise TimeLimitReached(f"the build took longer than {timeout:g} s", hint="--timeout stretches it")
        if not done.ok:
            _fail(kept.value() + b"\n" + done.stderr, tables)
        return Built(name=name, id=file.read_text("ascii").strip(), base=replace(recipe.base))


def _fail(said: bytes, tables: Tables) -> None:
    text = said.decode("utf-8", "replace")
    ours = [line for line in _SAID.findall(text) if not line.startswith(("unchanged", "the base image's own"))]
    if len(ours) >= 2:
        reason = "torch-would-be-replaced" if "replac" in ours[0] else "build-failed"
        raise Refused(f"the build failed: {ours[0]}", hint=ours[1], reason=reason)
    raise engine_errors.told(text, tables)
