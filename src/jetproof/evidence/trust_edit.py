"""Adds a key to a project's trust store, keeping what is written there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import tomlkit

from jetproof.errors import UsageError
from jetproof.evidence.git import repository
from jetproof.evidence.keys import public_bytes
from jetproof.evidence.store import read_bounded, replace
from jetproof.evidence.trust import SCHEMA, TRUST_PATH, TrustedKey, from_toml


@dataclass(frozen=True, kw_only=True)
class Trusted:
    """A key that was added, and the file that it was written to."""

    key: TrustedKey
    file: Path


def trust(
    repo: Path, public: Path, *, name: str, modules: Sequence[str], until: date | None = None, since: date | None = None
) -> Trusted:
    """Add a public key to `.jetproof/trust.toml` of the checkout. Raises UsageError when it is there already."""
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
