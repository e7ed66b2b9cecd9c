"""Adds a key to a project's trust store, keeping what is written there."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import tomlkit

from jetproof.errors import UsageError
from jetproof.evidence.git import repository
from jetproof.evidence.keys import public_bytes
from jetproof.evidence.store import read_bounded, replace
from jetproof.evidence.trust import SCHEMA, TRUST_PATH, TrustedKey, covers, from_toml, slug
from jetproof.facts.model import PlatformClass
from jetproof.tables import load

_CLASSES = tuple(one.value for one in PlatformClass)


@dataclass(frozen=True, kw_only=True)
class Trusted:
    """A key that was added, and the file that it was written to."""

    key: TrustedKey
    file: Path


def trust(repo: Path, public: Path, *, name: str, modules: Sequence[str], until: date | None = None) -> Trusted:
    """Add a public key to `.jetproof/trust.toml` of the checkout. Raises UsageError when it is there already."""
    for module in modules:
        _known(module)
    file = repository(repo).root / TRUST_PATH
    line = read_bounded(public).decode("utf-8", "replace").strip()
    raw = public_bytes(line)
    before = read_bounded(file) if file.is_file() else b""
    if before and raw in {key.public for key in from_toml(before, TRUST_PATH)}:
        raise UsageError(f"{file} trusts this key already", hint="edit its entry there", reason="key-trusted")
    document = tomlkit.parse(before.decode("utf-8"))
    document.setdefault("schema", SCHEMA)
    entries = document.setdefault("signer", tomlkit.aot())
    entry = tomlkit.table()
    entry["name"] = name
    entry["public_key"] = " ".join(line.split()[:2]) if line.startswith("ssh-") else line
    entry["modules"] = list(modules)
    if until is not None:
        entry["valid_until"] = until
    entries.append(entry)
    data = tomlkit.dumps(document).encode("utf-8")
    key = next(key for key in from_toml(data, TRUST_PATH) if key.public == raw)
    replace(file, data)
    return Trusted(key=key, file=file)


def machine(name: str) -> str:
    """Return the module or platform class of that name as evidence writes it, or raise UsageError."""
    found = next((one for one in _names() if slug(one) == slug(name)), None)
    if found is None:
        raise _unknown(name)
    return found


def _known(pattern: str) -> None:
    """Raise UsageError for a pattern that covers no module of the tables and no platform class: mostly a slip."""
    if not any(covers((pattern,), name) for name in _names()):
        raise _unknown(pattern)


def _names() -> tuple[str, ...]:
    rows = load().modules
    return (*(name for row in rows for name in (row.name, row.family_name) if name), *_CLASSES)


def _unknown(name: str) -> UsageError:
    folded = {one.lower(): one for one in _names()}
    near = [folded[one] for one in difflib.get_close_matches(name.lower(), folded, n=3, cutoff=0.5)]
    return UsageError(
        f"there is no module or platform class {name!r}",
        hint=f"near ones: {', '.join(near or ['Jetson AGX Orin 64GB', *_CLASSES])}",
        reason="unknown-module",
    )
