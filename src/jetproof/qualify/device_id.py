"""A random name of this machine, kept on it: links two runs of one board and tells nobody which board it is."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path

from jetproof.errors import JetproofError
from jetproof.target.read import plain_bytes
from jetproof.target.write import put_new

_FORM = re.compile(r"[0-9a-f]{32}\n?")


def device_id(environment: Mapping[str, str] = os.environ) -> str:
    """Return the machine's random id, made on first use; never derived from a serial number.

    It lies in `jetproof/device-id` of the user's configuration folder. Raises `JetproofError` when that cannot be
    written or holds something else.
    """
    return _kept(_folder(environment) / "device-id")


def device_id_at(address: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the random id by which this machine knows another one that keeps none itself; made on first use.

    It lies in `jetproof/devices`, under a digest of the address that the other is reached by.
    """
    return _kept(_folder(environment) / "devices" / hashlib.sha256(address.encode()).hexdigest()[:32])


def _kept(path: Path) -> str:
    try:
        found = _read(path)
        if found is None:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = _make(path)
    except OSError as error:
        raise JetproofError(
            f"cannot keep the device's id in {path}: {error.strerror or error}",
            hint="set XDG_CONFIG_HOME to a folder that you may write to",
            reason="device-id-unwritable",
        ) from error
    return found


def _folder(environment: Mapping[str, str]) -> Path:
    configured = environment.get("XDG_CONFIG_HOME", "")
    base = Path(configured) if configured.startswith("/") else Path(environment.get("HOME") or "/") / ".config"
    return base / "jetproof"


def _read(path: Path) -> str | None:
    try:
        text = plain_bytes(path, 100).decode("ascii", "replace")
    except FileNotFoundError:
        return None
    if not _FORM.fullmatch(text):
        raise JetproofError(
            f"{path} does not hold a device id (32 hex digits)",
            hint=f"remove {path}; a new id is made on the next run",
            reason="device-id-broken",
        )
    return text.strip()


def _make(path: Path) -> str:
    """Write a new id under a name of its own first, so that nobody ever reads half of one."""
    fresh = secrets.token_hex(16)
    try:
        put_new(path, fresh.encode() + b"\n", mode=0o600)
    except FileExistsError:  # another run has just made one
        return _read(path) or fresh
    return fresh
