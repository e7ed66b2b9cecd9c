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
from jetproof.evidence.trust import SCHEMA, TRUST_PATH, TrustedKey, covers, from_toml
from jetproof.facts.model import PlatformClass
from jetproof.tables import load


@dataclass(frozen=True, kw_only=True)
class Trusted:
    """A key that was added, and the file that it was written to."""

    key: TrustedKey
    file: Path


def trust(
    repo: Path, public: Path, *, name: str, modules: Sequence[str], until: date | None = None, since: date | None = None
) -> Trusted:
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
    if since is not None:
        entry["valid_from"] = since
    if until is not None:
        entry["valid_until"] = until
    entries.append(entry)
    data = tomlkit.dumps(document).encode("utf-8")
    key = next(key for key in from_toml(data, TRUST_PATH) if key.public == raw)
    replace(file, data)
    return Trusted(key=key, file=file)


def _known(pattern: str) -> None:
    """Raise UsageError for a pattern that covers no module of the tables and no platform class: mostly a slip."""
    classes = [one.value for one in PlatformClass]
    names = [name for row in load().modules for name in (row.name, row.family_name) if name]
    if any(covers((pattern,), name) for name in (*names, *classes)):
        return
    folded = {name.lower(): name for name in (*names, *classes)}
    near = [folded[one] for one in difflib.get_close_matches(pattern.lower(), folded, n=3, cutoff=0.5)]
    raise UsageError(
        f"there is no module or platform class {pattern!r}",
        hint=f"near ones: {', '.join(near or ['Jetson AGX Orin 64GB', *classes])}",
        reason="unknown-module",
    )
