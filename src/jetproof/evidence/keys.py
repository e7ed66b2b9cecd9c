"""Makes, writes and loads ed25519 keys; only the owner may read a private one."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.errors import UsageError
from jetproof.evidence.signer import FileSigner, keyid
from jetproof.target.write import put_new

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_MAX_KEY_BYTES = 1 << 16

_PRIME = (1 << 255) - 19
_EIGHTH = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL_ORDER = frozenset({0, 1, _PRIME - 1, _EIGHTH, _PRIME - _EIGHTH})
"""y of the points of the curve whose order is 1, 2, 4 or 8: signatures under them need no private key."""


@dataclass(frozen=True, kw_only=True)
class NewKey:
    """A freshly made key: where its halves lie, and what a trust store needs of it."""

    private_path: Path
    public_path: Path
    keyid: str
    ssh_public: str
    """One line as in authorized_keys, which trust stores take."""


def make(path: Path, passphrase: bytes | None = None, comment: str = "") -> NewKey:
    """Make a key and write it to `path` (0600, OpenSSH form) and `path`.pub; an existing file is never replaced."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    protection: serialization.KeySerializationEncryption = (
        serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH
        if passphrase is None or _can_encrypt_ssh()
        else serialization.PrivateFormat.PKCS8,
        protection,
    )
    line = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()
    if comment:
        line += f" {comment}"
    public_path = path.with_name(path.name + ".pub")
    _write_new(path, private, 0o600)
    try:
        _write_new(public_path, line.encode() + b"\n", 0o644)
    except UsageError:
        path.unlink()
        raise
    return NewKey(
        private_path=path,
        public_path=public_path,
        keyid=keyid(key.public_key().public_bytes_raw()),
        ssh_public=line,
    )


def _can_encrypt_ssh() -> bool:
    """Whether cryptography can encrypt OpenSSH keys here: it needs bcrypt for that."""
    from importlib.util import find_spec

    return find_spec("bcrypt") is not None


def _write_new(path: Path, data: bytes, mode: int) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        put_new(path, data, mode=mode)
    except FileExistsError:
        raise UsageError(
            f"{path} is there already", hint="choose another file, or move it away", reason="key-exists"
        ) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", reason="key-unwritable") from None


def load(path: Path, passphrase: bytes | None = None) -> FileSigner:
    """Load a private ed25519 key in OpenSSH or PKCS#8 form; others must not be able to read the file."""
    data = _read_private(path)
    return FileSigner(_private(data, path, passphrase))


def _read_private(path: Path) -> bytes:
    try:
        # a link may lead to the key, on a stick for instance; a pipe is not waited for
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(
            f"the key {path} cannot be read: {error.strerror}",
            hint=f"jetproof keys new {path}",
            reason="key-unreadable",
        ) from None
    with os.fdopen(descriptor, "rb") as file:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise UsageError(f"the key {path} is not a file", reason="key-unreadable")
        if state.st_mode & 0o077:
            raise UsageError(
                f"the key {path} is open to others (mode {stat.S_IMODE(state.st_mode):04o}, expected 0600)",
                hint=f"chmod 600 {path}",
                reason="key-mode",
            )
        return file.read(_MAX_KEY_BYTES)


def _private(data: bytes, path: Path, passphrase: bytes | None) -> Ed25519PrivateKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    ssh = b"OPENSSH PRIVATE KEY" in data
    reader = serialization.load_ssh_private_key if ssh else serialization.load_pem_private_key
    try:
        key = reader(data, passphrase)
    except TypeError as error:
        if passphrase is None:
            raise UsageError(
                f"the key {path} is protected by a passphrase",
                hint="give it in the environment variable that --passphrase-env names",
                reason="key-passphrase",
            ) from None
        raise UsageError(f"the key {path} is not protected: {error}", reason="key-passphrase") from None
    except UnsupportedAlgorithm as error:
        raise UsageError(
            f"the key {path} cannot be opened here: {error}",
            hint="pip install bcrypt, or make the key with: jetproof keys new",
            reason="key-unsupported",
        ) from None
    except ValueError as error:
        # OpenSSH keys say a missing passphrase with this error class
        if ssh and passphrase is None and "password" in str(error).lower():
            raise UsageError(f"the key {path} is protected by a passphrase", reason="key-passphrase") from None
        raise UsageError(f"the key {path} cannot be opened: {error}", reason="key-unreadable") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError(
            f"the key {path} is of another kind, expected ed25519", hint="ssh-keygen -t ed25519", reason="key-type"
        )
    return key


def public_bytes(text: str) -> bytes:
    """Return the 32 bytes of an ed25519 public key from a line of OpenSSH or a PEM text."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        if text.lstrip().startswith("-----BEGIN"):
            key = serialization.load_pem_public_key(text.strip().encode() + b"\n")
        else:
            key = serialization.load_ssh_public_key(" ".join(text.split()[:2]).encode("ascii"))
    except (ValueError, UnsupportedAlgorithm, IndexError) as error:
        raise UsageError(f"not a public key: {str(error)[:120]}", reason="key-unreadable") from None
    if not isinstance(key, Ed25519PublicKey):
        raise UsageError("the public key is of another kind, expected ed25519", reason="key-type")
    raw = key.public_bytes_raw()
    if (int.from_bytes(raw, "little") & ((1 << 255) - 1)) % _PRIME in _SMALL_ORDER:
        raise UsageError("under this public key anybody can sign: its order is small", reason="key-weak")
    return raw


def passphrase(environment: Mapping[str, str], name: str | None) -> bytes | None:
    """Return the passphrase that an environment variable holds; command lines are no place for one."""
    if name is None:
        return None
    value = environment.get(name, "")
    if not value:
        raise UsageError(f"the variable {name} that should hold the passphrase is empty", reason="key-passphrase")
    return value.encode()
