"""The wheels of a plan, fetched here and checked, for a board that installs them without a network of its own."""

from __future__ import annotations

import hashlib
import http.client
import re
import urllib.request
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit, urlunsplit

from jetproof.errors import Refused
from jetproof.install.held import LISTED
from jetproof.install.interpreter import Interpreter
from jetproof.install.plan import Item, Plan
from jetproof.install.resolve import with_indexes
from jetproof.install.uv import Sources, Uv
from jetproof.install.uv_answers import pylock
from jetproof_worker.redact import without_secrets

MOST = 1 << 30
"""Bytes of one wheel."""
_SECONDS = 60
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!-]{0,250}\.whl")
"""What a wheel's file may be called: an index chooses the address, and with it the name of the file here."""
_CHUNK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Wheel:
    """A wheel's file, as it was fetched."""

    path: Path
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Wheelhouse:
    """A folder that wheels are gathered in, and where from."""

    uv: Uv
    interpreter: Interpreter
    sources: Sources
    scratch: Path

    def gather(self, plan: Plan) -> tuple[Wheel, ...]:
        """Fetch every wheel of a plan. Raises Refused for another content than planned."""
        places = self._places([item for item in plan.items if item.address is None])
        return tuple(self._fetched(item, places.get(item.name) or str(item.address)) for item in plan.items)

    def built(self, project: Path) -> Wheel:
        """Build the project's own wheel here. Raises Refused for one that fits this machine only."""
        folder = self.scratch / "project"
        guard = self.scratch / "guard.txt"
        guard.write_text("".join(f"{name}<0\n" for name in LISTED), encoding="utf-8")
        words = ["build", "-q", "--wheel", "--out-dir", str(folder), "--build-constraints", str(guard)]
        self.uv.run([*words, *self.sources.arguments(), str(project)], cwd=self.scratch)
        found = sorted(folder.glob("*.whl"))
        if len(found) != 1 or not found[0].name.endswith("-none-any.whl"):
            names = ", ".join(path.name for path in found) or "nothing"
            raise Refused(
                f"the project has code that must be compiled on the board ({names} was built)",
                hint="On the board itself: jetproof install. What it needs goes there with --no-project.",
                reason="needs-build",
            )
        return Wheel(path=found[0], sha256=hashlib.sha256(found[0].read_bytes()).hexdigest())

    def _places(self, items: list[Item]) -> dict[str, str]:
        """Ask uv where the wheel of each item lies."""
        if not items:
            return {}
        lines = self.scratch / "wheels.in"
        lines.write_text("".join(f"{item.line}\n" for item in items), encoding="utf-8")
        words = ["pip", "compile", str(lines), "--no-deps", "--only-binary", ":all:", "--format", "pylock.toml"]
        words += ["--no-header", "-q", *self.interpreter.for_uv, *with_indexes(self.sources, items).arguments()]
        packages = pylock(self.uv.run(words, cwd=self.scratch)).packages
        wheels = {package.name: package.wheels[0] for package in packages if package.wheels}
        return {name: wheel.url or str(self.scratch / str(wheel.path)) for name, wheel in wheels.items()}

    def _fetched(self, item: Item, place: str) -> Wheel:
        name = unquote(urlsplit(place).path.rpartition("/")[2])
        if _NAME.fullmatch(name) is None:
            raise Refused(
                f"{without_secrets(place)} does not end with the name of a wheel",
                hint="Look at the index that gives this address, or ask who runs it.",
                reason="wheel-name",
            )
        folder = self.scratch / "wheels"
        folder.mkdir(exist_ok=True)
        path = folder / name
        sha256 = _fetch(place.partition("#")[0], path)
        if f"sha256:{sha256}" not in item.hashes:
            why = "is not what was planned" if item.hashes else "has no hash to be checked against"
            raise Refused(
                f"{name} from {without_secrets(place)} {why}",
                hint="The file was changed on its way or on the index: ask who runs it.",
                reason="wrong-hash" if item.hashes else "no-hash",
            )
        return Wheel(path=path, sha256=sha256)


def refuse_builds(plan: Plan) -> None:
    """Raise Refused for what is not there as a wheel: nothing is built from source for a board elsewhere."""
    found = [item.name for item in plan.items if item.build or item.editable or not _is_wheel(item.address)]
    if found:
        raise Refused(
            f"there is no wheel for this board of {', '.join(found)}, and nothing is built from source over a link",
            hint="On the board itself: jetproof install; or give wheels that were built there: --find-links DIR",
            reason="needs-build",
        )


def contents(wheels: Iterable[Wheel]) -> dict[str, str]:
    """Return each wheel's name and a digest of what it holds; the times of a project's new wheel do not count."""
    import zipfile

    found = {}
    for wheel in wheels:
        digest = hashlib.sha256()
        try:
            with zipfile.ZipFile(wheel.path) as archive:
                entries = sorted(archive.infolist(), key=lambda one: one.filename)
        except (zipfile.BadZipFile, ValueError, RuntimeError, OSError) as error:
            raise Refused(
                f"{wheel.path.name} is no archive that can be read: {error}",
                hint="Tell those who publish it.",
                reason="bad-wheel",
            ) from error
        for entry in entries:
            digest.update(f"{entry.filename}\0{entry.file_size}\0{entry.CRC}\0{entry.external_attr}\n".encode())
        found[wheel.path.name] = digest.hexdigest()
    return found


def _is_wheel(address: str | None) -> bool:
    return address is None or urlsplit(address).path.endswith(".whl")


def _fetch(place: str, path: Path) -> str:
    """Copy a file or an address to `path`; return its sha256."""
    digest = hashlib.sha256()
    try:
        with _opened(place) as source, path.open("xb") as file:
            size = 0
            while chunk := source.read(_CHUNK):
                size += len(chunk)
                if size > MOST:
                    raise Refused(f"{without_secrets(place)} is larger than {MOST >> 20} MiB", reason="wheel-too-large")
                digest.update(chunk)
                file.write(chunk)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Refused(
            f"{without_secrets(place)} cannot be fetched: {without_secrets(str(error))}",
            hint="Check the network and the free space of the temporary folder, or give a folder of wheels: "
            "--offline --find-links DIR",
            reason="no-network",
        ) from error
    return digest.hexdigest()


def _opened(place: str) -> BinaryIO:
    parts = urlsplit(place)
    if parts.scheme in ("", "file"):
        return Path(unquote(parts.path)).open("rb")
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"{parts.scheme} is no scheme that wheels are fetched by")
    host = parts.netloc.rpartition("@")[2]
    request = urllib.request.Request(urlunsplit(parts._replace(netloc=host)))  # noqa: S310 - the scheme was checked
    if parts.username:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        request.add_unredirected_header("Authorization", f"Basic {b64encode(pair.encode()).decode()}")
    opened: BinaryIO = urllib.request.urlopen(request, timeout=_SECONDS)  # noqa: S310 - as above
    return opened
