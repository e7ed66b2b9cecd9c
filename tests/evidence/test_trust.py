"""A trust store says who, until when and for what; anything that could be read two ways is an error."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest
from tests.evidence.sample import COMMIT, LANE, ROGUE, FakeRepository

from jetproof.errors import PolicyInvalid, UsageError
from jetproof.evidence import trust
from jetproof.evidence.git import Entry
from jetproof.evidence.signer import FileSigner


def line(signer: FileSigner = LANE) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return signer.key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def toml(more: str = "", signer: FileSigner = LANE) -> bytes:
    head = 'schema = "jetproof/trust/1"\n\n[[signer]]\nname = "lane"\n'
    return f'{head}public_key = "{line(signer)}"\nmodules = ["Jetson AGX Orin 64GB"]\n{more}'.encode()


def test_trust_toml() -> None:
    (key,) = trust.from_toml(toml("valid_from = 2026-01-01\nvalid_until = 2026-12-31\n"), "trust.toml")

    assert key.name == "lane"
    assert key.public == LANE.public
    assert key.valid_from == datetime(2026, 1, 1, tzinfo=timezone.utc)
    assert key.valid_until == datetime(2027, 1, 1, tzinfo=timezone.utc)  # the day named still counts, to its end
    assert not key.revoked
    assert key.may_speak_for("Jetson AGX Orin 64GB")
    assert not key.may_speak_for("Jetson AGX Orin 32GB")


def test_a_pem_key_serves_too() -> None:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    pem = LANE.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    data = toml().replace(f'"{line()}"'.encode(), f'"""{pem}"""'.encode())

    assert trust.from_toml(data, "trust.toml")[0].public == LANE.public


@pytest.mark.parametrize("text", ["revoked = true", "revoked = 2026-05-05"])
def test_revoked(text: str) -> None:
    assert trust.from_toml(toml(text), "t")[0].revoked
    assert not trust.from_toml(toml("revoked = false"), "t")[0].revoked


@pytest.mark.parametrize(
    "data",
    [
        b"\xff",
        b"= 1",
        b"",
        b'schema = "jetproof/trust/2"',
        b'schema = "jetproof/trust/1"\nsigners = []',
        b'schema = "jetproof/trust/1"\nsigner = 3',
        b'schema = "jetproof/trust/1"\nsigner = [3]',
        toml("revokd = true"),
        toml('revoked = "yes"'),
        toml('valid_until = "2026-01-01"'),
        toml("valid_until = 2026-01-01T00:00:00"),
        toml() + toml().partition(b"\n\n")[2],
        toml().replace(b'modules = ["Jetson AGX Orin 64GB"]', b"modules = []"),
        toml().replace(b'modules = ["Jetson AGX Orin 64GB"]', b""),
        toml().replace(b"ssh-ed25519", b"ssh-rsa"),
        b"#" * (1 << 21),
    ],
)
def test_what_is_no_trust_store(data: bytes) -> None:
    with pytest.raises(PolicyInvalid):
        trust.from_toml(data, "trust.toml")


def test_allowed_signers() -> None:
    text = (
        "# who may sign\n\n"
        f'lane@jetson-agx-orin-64gb,lane@x86 namespaces="git,evidence@jetproof",valid-after="20260101Z",'
        f'valid-before="202612312359Z" {line()} a comment\n'
        f'other@* namespaces="git" {line(ROGUE)}\n'
        f"somebody@x86 ssh-rsa AAAA\n"
    )
    (key,) = trust.from_allowed_signers(text.encode(), b"", "allowed_signers")

    assert key.modules == ("jetson-agx-orin-64gb", "x86")
    assert key.may_speak_for("Jetson AGX Orin 64GB")
    assert key.valid_from == datetime(2026, 1, 1, tzinfo=timezone.utc)
    assert key.valid_until == datetime(2026, 12, 31, 23, 59, tzinfo=timezone.utc)


def test_a_principal_without_a_module_speaks_for_nothing() -> None:
    (key,) = trust.from_allowed_signers(f"lane {line()}\n".encode(), b"", "allowed_signers")

    assert not key.may_speak_for("Jetson AGX Orin 64GB")


def test_revoked_keys_of_openssh() -> None:
    data = f"lane@x86 {line()}\n".encode()

    assert trust.from_allowed_signers(data, f"# gone\n{line()}\n".encode(), "s")[0].revoked
    assert not trust.from_allowed_signers(data, line(ROGUE).encode(), "s")[0].revoked


@pytest.mark.parametrize(
    "text",
    [
        "lane",
        'lane@x86 surprise="1" KEY',
        'lane@x86 valid-after="yesterday" KEY',
        'lane@x86 valid-after="20261301Z" KEY',
        "\xff",
    ],
)
def test_what_is_no_allowed_signers(text: str) -> None:
    data = text.replace("KEY", line()).encode("latin-1")

    with pytest.raises(PolicyInvalid):
        trust.from_allowed_signers(data, b"", "allowed_signers")


def repository(files: dict[str, bytes]) -> FakeRepository:
    return FakeRepository(files={(COMMIT, path): data for path, data in files.items()}, names={"base": COMMIT})


def test_trust_is_read_from_a_revision() -> None:
    found = trust.at(repository({trust.TRUST_PATH: toml()}), "base")

    assert [key.name for key in found.keys] == ["lane"]
    assert found.read_from == f".jetproof/trust.toml of base ({COMMIT[:12]})"


def test_both_files_count_and_a_revocation_in_either_ends_a_key() -> None:
    files = {
        trust.TRUST_PATH: toml(),
        trust.SIGNERS_PATH: f"lane@x86 {line()}\nother@x86 {line(ROGUE)}\n".encode(),
        trust.REVOKED_PATH: line().encode(),
    }
    found = trust.at(repository(files), "base")

    assert [(key.public == LANE.public, key.revoked) for key in found.keys] == [
        (True, True),
        (True, True),
        (False, False),
    ]


def test_nobody_is_trusted_by_default() -> None:
    with pytest.raises(PolicyInvalid, match="nobody is trusted"):
        trust.at(repository({}), "base")
    with pytest.raises(UsageError, match="no revision"):
        trust.at(repository({}), "elsewhere")


@pytest.mark.parametrize("name", ["Jetson AGX Orin 64GB", "jetson-agx-orin-64gb", "JETSON  agx/orin 64gb"])
def test_slug(name: str) -> None:
    assert trust.slug(name) == "jetson-agx-orin-64gb"


def test_window_edges_are_days_in_utc() -> None:
    entry: Any = toml("valid_until = 2026-11-30\n")
    (key,) = trust.from_toml(entry, "t")
    assert key.valid_until is not None
    assert key.valid_until - timedelta(seconds=1) == datetime(2026, 11, 30, 23, 59, 59, tzinfo=timezone.utc)
    assert key.valid_until.date() == date(2026, 12, 1)
    assert Entry(mode="100644", oid="a").mode == "100644"
