"""Which of the project's code that a run imported, or may have imported, its commit does not hold."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from jetproof.errors import Undecided
from jetproof.qualify.checkout_git import git, shown
from jetproof.qualify.committed import Blob, committed, content, is_blob
from jetproof.qualify.journal import Journal
from jetproof.qualify.sessions import Module, sessions

_LISTED = 100
_MOST_SEEN = 100_000
_IMPORTED = (".py", ".pyc", ".so", ".pyd")
_APART = frozenset({b".git", b"__pycache__", b"site-packages", b"dist-packages", b"node_modules"})


@dataclass(frozen=True, kw_only=True)
class Code:
    """What is written down of the code of a run."""

    not_in_commit: tuple[str, ...] = ()
    """Paths below the top of the project, at most 100."""
    unchecked: str | None = None
    """Why it could not be checked; None when it was."""

    def as_json(self) -> dict[str, object]:
        """Return it as the journal holds it."""
        return {"not_in_commit": list(self.not_in_commit), "unchecked": self.unchecked}


def code(project: Path, journal: Journal, resolver: str | None, timeout: float = 60.0) -> Code:
    """Hold the modules that a run told, and what lies where it imports from, against the commit of its checkout.

    The host's tests tell what they imported. A probe calls the resolver and tells nothing, so any file of the
    resolver's package counts. A file that takes a committed module's name away from it counts always.
    """
    told = sessions(journal)
    if told.modules_cut:
        return Code(unchecked="the tests imported more modules than are told")
    try:
        top = git(project, timeout, "rev-parse", "--show-toplevel")
        if not top.ok or not git(project, timeout, "rev-parse", "--verify", "--quiet", "HEAD").ok:
            return Code()  # no commit: the run is told to be none of a clean checkout
        root = Path(os.fsdecode(top.stdout.rstrip(b"\n"))).resolve()
        held = committed(root, timeout)
    except Undecided as error:
        return Code(unchecked=error.message)
    inside = os.fsencode(project.resolve().relative_to(root).as_posix())
    prefix = b"" if inside == b"." else inside + b"/"
    own = {path[len(prefix) :]: blob for path, blob in held.items() if path.startswith(prefix)}
    found = {
        module.file for module in told.modules if not (_is_held(project, own, module) or _is_no_file(project, module))
    }
    try:
        found.update(shown(path) for path in _strangers(project, own, resolver))
    except _TooMany:
        return Code(unchecked=f"the packages of the project hold more than {_MOST_SEEN} files")
    return Code(not_in_commit=tuple(sorted(found)[:_LISTED]))


def _is_held(project: Path, own: Mapping[bytes, Blob], module: Module) -> bool:
    path = os.fsencode(module.file)
    blob = own.get(path)
    data = content(project, path) if blob is not None else None
    return blob is not None and data is not None and is_blob(data, blob) and sha256(data).hexdigest() == module.sha256


def _is_no_file(project: Path, module: Module) -> bool:
    """Return whether it is one of torch's modules that name a file, like `_ops.py`, and were made without one."""
    return module.name.startswith("torch.") and module.sha256 is None and not os.path.lexists(project / module.file)


class _TooMany(Exception):
    """More files than are looked at."""


def _strangers(project: Path, own: Mapping[bytes, Blob], resolver: str | None) -> Iterator[bytes]:
    """Yield the files that could be imported in the place of a committed module, or by the resolver."""
    importable = [PurePosixPath(os.fsdecode(path)) for path in own if path.endswith(b".py")]
    packages = {path.parent for path in importable if path.name == "__init__.py"}
    bases = {PurePosixPath(), PurePosixPath("src")}
    bases |= {package.parent for package in packages if package.parent not in packages}
    taken = {name for path in importable for base in bases if (name := _name(path, base))}
    asked = (resolver or "").partition(":")[0].partition(".")[0]
    tops = {name.partition(".")[0] for name in taken}
    seen = 0
    for base in sorted(bases):
        for path in _below(project, base, tops):
            seen += 1
            if seen > _MOST_SEEN:
                raise _TooMany
            if os.fsencode(path) in own:
                continue
            name = _name(path, base)
            plain = not path.suffix and not (project / path).is_symlink()
            if name and not plain and (name in taken or name.partition(".")[0] == asked):
                yield os.fsencode(path)


def _below(project: Path, base: PurePosixPath, tops: set[str]) -> Iterator[PurePosixPath]:
    """Yield the files, and links to folders, of the packages and modules of a base that have one of these names."""
    try:
        here = sorted(os.scandir(project / base), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in here:
        if entry.name.partition(".")[0] not in tops:
            continue
        if entry.is_symlink() or not entry.is_dir():
            yield base / entry.name
            continue
        for folder, folders, files in os.walk(entry.path):
            place = PurePosixPath(Path(folder).relative_to(project).as_posix())
            yield from (place / name for name in files)
            yield from (place / name for name in folders if Path(folder, name).is_symlink())
            folders[:] = [name for name in folders if os.fsencode(name) not in _APART]


def _name(path: PurePosixPath, base: PurePosixPath) -> str | None:
    """Return the dotted name that a file is imported by from a base; a link to a folder may be a package."""
    if not path.is_relative_to(base) or (path.suffix and path.suffix not in _IMPORTED):
        return None
    parts = list(path.relative_to(base).parts)
    parts[-1] = parts[-1].partition(".")[0]
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None
