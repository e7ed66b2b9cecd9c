"""What uv's resolver writes, read back: requirements in its split style, and pylock.toml."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from packaging.pylock import Pylock, PylockValidationError
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from jetproof.errors import Refused
from jetproof.install.plan import Item


@dataclass(frozen=True, kw_only=True)
class Resolved:
    """One answer of uv's resolver."""

    items: tuple[Item, ...]
    tops: frozenset[str]
    """Names that the input itself asks for."""

    @property
    def releases(self) -> dict[str, str]:
        """Map each name to the number that was chosen."""
        return {item.name: item.release for item in self.items if item.release is not None}


_NAME = re.compile(r"^[A-Za-z0-9]")


def parse(text: str) -> Resolved:
    """Read what `uv pip compile` wrote, in its split style."""
    items: list[Item] = []
    tops: set[str] = set()
    for block in _blocks(text):
        head, *rest = block
        try:
            required = Requirement(head)
        except InvalidRequirement as error:
            raise Refused(f"uv's answer has a line that is no requirement: {head[:200]}", reason="uv-failed") from error
        name = canonicalize_name(required.name)
        via: list[str] = []
        index: str | None = None
        for line in rest:
            if line.startswith("# from "):
                index = line[7:].strip()
            elif line.startswith("#"):
                word = line.lstrip("#").strip().removeprefix("via").strip()
                if word.startswith("-") or "(" in word:
                    tops.add(name)
                elif word:
                    via.append(canonicalize_name(word.partition("[")[0]))
        exact = next((one.version for one in required.specifier if one.operator in ("==", "===")), None)
        items.append(
            Item(
                name=name,
                release=exact,
                extras=tuple(sorted(required.extras)),
                hashes=tuple(line.removeprefix("--hash=") for line in rest if line.startswith("--hash=")),
                address=required.url,
                wanted_by=tuple(via),
                index=index,
            )
        )
    return Resolved(items=tuple(sorted(items, key=lambda item: item.name)), tops=frozenset(tops))


def _blocks(text: str) -> Iterable[list[str]]:
    block: list[str] = []
    for raw in text.splitlines():
        line = raw.strip().removesuffix("\\").strip()
        if not line or (not raw.startswith(" ") and not _NAME.match(raw)):
            continue
        if raw.startswith(" "):
            if block:
                block.append(line)
            continue
        if block:
            yield block
        head, _, inline = line.partition(" --hash=")
        block = [head.partition(" ;")[0].strip(), *([f"--hash={inline}"] if inline else [])]
    if block:
        yield block


@dataclass(frozen=True, kw_only=True)
class File:
    """The file that uv chose for a package; without a wheel it is a source."""

    wheel: str | None
    size: int | None


def pylock(text: str) -> Pylock:
    """Read a pylock.toml that uv wrote."""
    import tomli

    try:
        return Pylock.from_dict(tomli.loads(text))
    except (tomli.TOMLDecodeError, PylockValidationError) as error:
        raise Refused(f"uv's answer cannot be read: {error}", reason="uv-failed") from error


def files(text: str) -> dict[str, File]:
    """Map each name to the file that uv chose for it."""
    found: dict[str, File] = {}
    for package in pylock(text).packages:
        if package.wheels:
            wheel = package.wheels[0]
            found[package.name] = File(wheel=wheel.filename, size=wheel.size)
        elif package.sdist is not None:
            found[package.name] = File(wheel=None, size=package.sdist.size)
    return found
