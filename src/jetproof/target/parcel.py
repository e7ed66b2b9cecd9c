"""What is sent to a board in one piece: the worker, the request, the project, and pytest where it lacks one."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jetproof.errors import UsageError
from jetproof.target.pack import Packed
from jetproof.target.project_files import link_target, project_files

HERE = "@jetproof@"
"""Stands in a request for the run's folder on the board."""
FILES = HERE + "/files"
"""Stands in a request for the folder of the files that were sent along."""
MOST = 1 << 30
"""Bytes that a project, or what is to be installed, may have."""


@dataclass(frozen=True, kw_only=True)
class Parcel:
    """A gzipped tar archive and its SHA-256 in hex."""

    content: bytes
    sha256: str


def parcel(worker: Packed, request: Mapping[str, object], files: Sequence[Path] = ()) -> Parcel:
    """Return what the board needs for a request of `collect`, `serve` or `install`.

    The folders that the request names here are sent along, and the request names them there; `files` will lie in the
    folder `FILES`. Raises `UsageError` for what is too large, and for a project with a link that leads out of it.
    """
    project = request.get("project_root")
    root = Path(project) if isinstance(project, str) else None
    side = side_folder(request)
    body = rewritten(request, {str(root): f"{HERE}/project", str(side): f"{HERE}/side"})
    buffer = io.BytesIO()
    # files that are sent as they are, wheels, are packed already
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=0 if files else 3) as archive:
        _add(archive, "worker.pyz", worker.content)
        _add(archive, "request.json", json.dumps(body).encode())
        if root is not None:
            _add_tree(archive, "project", root, project_files(root))
        if side is not None:
            folder = Path(side)
            names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
            _add_tree(archive, "side", folder, tuple(names))
        _refuse_too_large(sum(path.stat().st_size for path in files), "what is to be installed")
        for path in files:
            _add(archive, f"files/{path.name}", path.read_bytes())
    content = buffer.getvalue()
    return Parcel(content=content, sha256=hashlib.sha256(content).hexdigest())


def side_folder(request: Mapping[str, object]) -> str | None:
    """Return the folder with pytest that the request names, if it names one."""
    for item in _items(request):
        wanted = item.get("pytest")
        if isinstance(wanted, Mapping) and isinstance(wanted.get("side_folder"), str):
            return str(wanted["side_folder"])
    return None


def rewritten(request: Mapping[str, object], places: Mapping[str, str]) -> dict[str, object]:
    """Return the request with the folders of this machine named as they are called where it is run."""
    body: dict[str, Any] = dict(request)
    if isinstance(body.get("project_root"), str):
        body["project_root"] = places.get(body["project_root"], body["project_root"])
    items: list[Mapping[str, Any]] = []
    for item in _items(request):
        if isinstance(item.get("pytest"), Mapping):
            moved = {
                name: places.get(value, value) if name in ("root", "side_folder") and isinstance(value, str) else value
                for name, value in item["pytest"].items()
            }
            items.append({**item, "pytest": moved})
        else:
            items.append(item)
    if items:
        body["items"] = items
    return body


def _items(request: Mapping[str, object]) -> list[Mapping[str, Any]]:
    items = request.get("items")
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list | tuple) else []


def _add(archive: tarfile.TarFile, name: str, content: bytes, executable: bool = False) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    entry.mode = 0o700 if executable else 0o600
    archive.addfile(entry, io.BytesIO(content))


def _add_tree(archive: tarfile.TarFile, top: str, root: Path, names: tuple[str, ...]) -> None:
    entry = tarfile.TarInfo(top)
    entry.type, entry.mode = tarfile.DIRTYPE, 0o700
    archive.addfile(entry)
    total = 0
    for name, path in _files(root, names):
        if path.is_symlink():
            link = tarfile.TarInfo(f"{top}/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, link_target(root, name)
            archive.addfile(link)
            continue
        total += path.stat().st_size
        _refuse_too_large(total, str(root))
        _add(archive, f"{top}/{name}", path.read_bytes(), os.access(path, os.X_OK))


def _refuse_too_large(size: int, what: str) -> None:
    if size > MOST:
        raise UsageError(
            f"{what} is larger than {MOST >> 20} MiB, too much to send to a board",
            hint="keep data out of the repository, or run jetproof on the board itself",
            reason="project-too-large",
        )


def _files(root: Path, names: tuple[str, ...]) -> Iterator[tuple[str, Path]]:
    for name in names:
        path = root / name
        if path.is_symlink() or path.is_file():
            yield name, path
