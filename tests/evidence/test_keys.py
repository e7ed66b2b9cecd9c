"""Keys are made for their owner alone and loaded only when they are so; nothing is ever overwritten."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from jetproof.errors import UsageError
from jetproof.evidence import keys
from jetproof.evidence.checks.signature import verifies
from jetproof.evidence.signer import BackendSigner, backend_signer, keyid
from jetproof.evidence.signers import signer


def test_a_new_key_signs_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    made = keys.make(tmp_path / "deep" / "lane", comment="lane")
    loaded = keys.load(made.private_path)

    assert stat.S_IMODE(made.private_path.stat().st_mode) == 0o600
    assert made.public_path.read_text() == f"{made.ssh_public}\n"
    assert made.ssh_public.endswith(" lane")
    assert keyid(loaded.public) == made.keyid
    assert keys.public_bytes(made.ssh_public) == loaded.public
    assert verifies(loaded.public, loaded.sign(b"data"), b"data")
    assert not verifies(loaded.public, loaded.sign(b"data"), b"Data")


def test_the_key_id_is_the_sha256_of_the_der_form(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    made = keys.make(tmp_path / "lane")
    der = keys.load(tmp_path / "lane").key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

    assert made.keyid == hashlib.sha256(der).hexdigest()


def test_a_passphrase(tmp_path: Path) -> None:
    made = keys.make(tmp_path / "lane", b"open sesame")

    assert keyid(keys.load(made.private_path, b"open sesame").public) == made.keyid
    with pytest.raises(UsageError) as refused:
        keys.load(made.private_path)
    assert refused.value.reason == "key-passphrase"
    with pytest.raises(UsageError):
        keys.load(made.private_path, b"wrong")


def test_the_passphrase_comes_from_the_environment(tmp_path: Path) -> None:
    made = keys.make(tmp_path / "lane", b"open sesame")

    assert keyid(signer({"P": "open sesame"}, key=made.private_path, passphrase_env="P").public) == made.keyid
    assert keys.passphrase({}, None) is None
    with pytest.raises(UsageError, match="empty"):
        keys.passphrase({"P": ""}, "P")


@pytest.mark.parametrize("there", ["lane", "lane.pub"])
def test_nothing_is_overwritten(there: str, tmp_path: Path) -> None:
    (tmp_path / there).write_text("mine")

    with pytest.raises(UsageError) as refused:
        keys.make(tmp_path / "lane")

    assert refused.value.reason == "key-exists"
    assert (tmp_path / there).read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == [there]


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "lane").symlink_to(tmp_path / "target")

    with pytest.raises(UsageError):
        keys.make(tmp_path / "lane")

    assert not (tmp_path / "target").exists()


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    made = keys.make(tmp_path / "lane")
    made.private_path.chmod(0o640)

    with pytest.raises(UsageError, match="0640") as refused:
        keys.load(made.private_path)
    assert refused.value.hint == f"chmod 600 {made.private_path}"


def test_a_pipe_is_no_key_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)

    with pytest.raises(UsageError, match="is not a file"):
        keys.load(tmp_path / "pipe")


def test_a_full_disk_leaves_no_half_of_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="cannot be written: No space left on device"):
        keys.make(tmp_path / "lane")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_key(tmp_path: Path) -> None:
    for data in (b"", b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", b"\0" * 99):
        path = tmp_path / "broken"
        path.write_bytes(data)
        path.chmod(0o600)
        with pytest.raises(UsageError):
            keys.load(path)
    with pytest.raises(UsageError) as refused:
        keys.load(tmp_path / "nowhere")
    assert refused.value.hint == f"jetproof keys new {tmp_path / 'nowhere'}"


def test_a_key_of_another_kind(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    other = ec.generate_private_key(ec.SECP256R1())
    path = tmp_path / "other"
    path.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.chmod(0o600)

    with pytest.raises(UsageError, match="another kind"):
        keys.load(path)
    with pytest.raises(UsageError, match="another kind"):
        keys.public_bytes(other.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode())
    for text in ("", "ssh-ed25519", "nonsense here", "-----BEGIN PUBLIC KEY-----\nx"):
        with pytest.raises(UsageError):
            keys.public_bytes(text)


class FakeBackend:
    """Signs like a token that securesystemslib reaches."""

    def __init__(self, inner: Any, keytype: str = "ed25519") -> None:
        self.inner = inner
        self.public_key = type("Key", (), {"keytype": keytype, "keyval": {"public": inner.public.hex()}})()

    def sign(self, payload: bytes) -> Any:
        return type("Signature", (), {"signature": self.inner.sign(payload).hex()})()


def test_a_key_that_stays_in_a_token(tmp_path: Path) -> None:
    keys.make(tmp_path / "lane")
    inner = keys.load(tmp_path / "lane")
    token = BackendSigner(FakeBackend(inner))

    assert token.public == inner.public
    assert verifies(inner.public, token.sign(b"data"), b"data")
    with pytest.raises(UsageError, match="expected ed25519"):
        _ = BackendSigner(FakeBackend(inner, "ecdsa")).public


def test_signers_that_cannot_be_had(tmp_path: Path) -> None:
    keys.make(tmp_path / "lane")
    public = tmp_path / "lane.pub"

    with pytest.raises(UsageError, match="no signer for"):
        signer({}, uri="nonsense:1", public=public)
    with pytest.raises(UsageError, match="public key"):
        signer({}, uri="hsm:1")


def test_a_backend_of_securesystemslib_signs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file backend of securesystemslib stands in for a token: the same way of choosing it by its URI."""
    pytest.importorskip("securesystemslib")
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    keys.make(tmp_path / "lane")
    inner = keys.load(tmp_path / "lane")
    path = tmp_path / "lane.pem"
    path.write_bytes(inner.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    found = backend_signer(f"file2:{path}", inner.public)

    assert found.public == inner.public
    assert verifies(inner.public, found.sign(b"data"), b"data")
