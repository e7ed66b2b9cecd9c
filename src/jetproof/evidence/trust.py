"""Whose word counts: keys with a validity window, a revocation and the modules that each may speak for.

Read from `.jetproof/trust.toml`, or from OpenSSH's `allowed_signers` beside a list of revoked keys, and always from a
given base revision: a change under review must not name its own judges.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, timezone
from functools import cached_property, lru_cache
from typing import Any

from jetproof.errors import PolicyInvalid, UsageError
from jetproof.evidence.git import Repository
from jetproof.evidence.keys import public_bytes
from jetproof.evidence.signer import keyid

TRUST_PATH = ".jetproof/trust.toml"
SIGNERS_PATH = ".jetproof/allowed_signers"
REVOKED_PATH = ".jetproof/revoked_keys"
SCHEMA = "jetproof/trust/1"
NAMESPACE = "evidence@jetproof"
_MAX_BYTES = 1 << 20
_KNOWN = {"name", "public_key", "valid_from", "valid_until", "revoked", "modules", "note"}


@dataclass(frozen=True, kw_only=True)
class TrustedKey:
    """One key and what it is trusted with."""

    name: str
    public: bytes
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    """First moment at which it no longer counts."""
    revoked: bool = False
    modules: tuple[str, ...] = ()
    """Patterns of module names and platform classes that it may speak for; none means nothing."""

    @cached_property
    def keyid(self) -> str:
        """The key's id."""
        return keyid(self.public)

    def may_speak_for(self, what: str) -> bool:
        """Return whether its role covers a module's name or a platform class."""
        return covers(self.modules, what)


@dataclass(frozen=True, kw_only=True)
class Trust:
    """All trusted keys, and where they were read."""

    keys: tuple[TrustedKey, ...]
    read_from: str

    @cached_property
    def by_keyid(self) -> Mapping[str, TrustedKey]:
        """The keys by their ids."""
        return {key.keyid: key for key in self.keys}

    def hinted(self, hint: str) -> Iterator[TrustedKey]:
        """Yield every key, the one that the hint names first: a hint speeds up, it decides nothing."""
        named = self.by_keyid.get(hint)
        if named is not None:
            yield named
        yield from (key for key in self.keys if key is not named)


@lru_cache(maxsize=4096)
def covers(patterns: tuple[str, ...], what: str) -> bool:
    """Return whether one of the patterns matches a module's name, its slug, or a platform class."""
    wanted = {what.lower(), slug(what)}
    return any(fnmatch.fnmatchcase(name, pattern.lower()) for pattern in patterns for name in wanted)


def slug(name: str) -> str:
    """Return a module's name as one lower-case word with hyphens, as it stands in allowed_signers."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def at(repository: Repository, revision: str) -> Trust:
    """Return the trust store as it stands in one revision of the repository."""
    commit = repository.resolve(revision)
    if commit is None:
        raise UsageError(f"there is no revision {revision!r} to read the trust store from", reason="base-unknown")
    where = f"{revision} ({commit[:12]})"
    toml = repository.file(commit, TRUST_PATH)
    signers = repository.file(commit, SIGNERS_PATH)
    if toml is None and signers is None:
        raise PolicyInvalid(
            f"{where} has neither {TRUST_PATH} nor {SIGNERS_PATH}, so nobody is trusted",
            hint="jetproof init, or jetproof keys trust KEY.pub --name NAME --module MODULE, writes one; "
            "it counts once it is committed on the base branch",
            reason="trust-store-missing",
        )
    keys: tuple[TrustedKey, ...] = ()
    read: list[str] = []
    if toml is not None:
        keys += from_toml(toml, TRUST_PATH)
        read.append(TRUST_PATH)
    if signers is not None:
        keys += from_allowed_signers(signers, repository.file(commit, REVOKED_PATH) or b"", SIGNERS_PATH)
        read.append(SIGNERS_PATH)
    return Trust(keys=_merged(keys), read_from=f"{' and '.join(read)} of {where}")


def _merged(keys: tuple[TrustedKey, ...]) -> tuple[TrustedKey, ...]:
    """Let a revocation in either file end the key in both."""
    revoked = {key.public for key in keys if key.revoked}
    return tuple(key if key.revoked or key.public not in revoked else replace(key, revoked=True) for key in keys)


def from_toml(data: bytes, where: str) -> tuple[TrustedKey, ...]:
    """Read `trust.toml`; a member that is not known is an error, since a misspelt `revoked` must not be ignored."""
    import tomli

    if len(data) > _MAX_BYTES:
        raise PolicyInvalid(f"{where} is larger than {_MAX_BYTES} bytes", reason="trust-store")
    try:
        body = tomli.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomli.TOMLDecodeError) as error:
        raise PolicyInvalid(f"{where} is not TOML: {error}", reason="trust-store") from None
    if body.get("schema") != SCHEMA:
        raise PolicyInvalid(f"{where} has schema {body.get('schema')!r}, expected {SCHEMA!r}", reason="trust-store")
    entries = body.get("signer", [])
    unknown = set(body) - {"schema", "signer"}
    if unknown or not isinstance(entries, list):
        raise PolicyInvalid(
            f"{where} has unknown members: {', '.join(sorted(unknown)) or 'signer'}", reason="trust-store"
        )
    keys = tuple(_from_entry(entry, f"{where}, signer {number}") for number, entry in enumerate(entries, 1))
    if len({key.public for key in keys}) != len(keys):
        raise PolicyInvalid(f"{where} lists a key twice", reason="trust-store")
    return keys


def _from_entry(entry: object, where: str) -> TrustedKey:
    if not isinstance(entry, dict):
        raise PolicyInvalid(f"{where} is not a table", reason="trust-store")
    unknown = set(entry) - _KNOWN
    if unknown:
        raise PolicyInvalid(
            f"{where} has unknown members: {', '.join(sorted(map(str, unknown)))}", reason="trust-store"
        )
    modules = entry.get("modules", [])
    revoked = entry.get("revoked", False)
    if not isinstance(modules, list) or not all(isinstance(item, str) for item in modules) or not modules:
        raise PolicyInvalid(f"{where}: modules is a list of names that the key may speak for", reason="trust-store")
    if not isinstance(revoked, (bool, date)):
        raise PolicyInvalid(f"{where}: revoked is true, or the day of it", reason="trust-store")
    try:
        public = public_bytes(str(entry.get("public_key", "")))
    except UsageError as error:
        raise PolicyInvalid(f"{where}: {error.message}", reason="trust-store") from None
    return TrustedKey(
        name=str(entry.get("name", "")) or keyid(public)[:8],
        public=public,
        valid_from=_moment(entry, "valid_from", where, end=False),
        valid_until=_moment(entry, "valid_until", where, end=True),
        # a stolen key can date its work back, so a revoked key says nothing, whenever it says it spoke
        revoked=revoked is not False,
        modules=tuple(modules),
    )


def _moment(entry: Mapping[str, Any], name: str, where: str, *, end: bool) -> datetime | None:
    """Return a bound; a bare day counts from its first moment, or to its end, in UTC."""
    value = entry.get(name)
    if value is None:
        return None
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise PolicyInvalid(f"{where}: {name} needs a zone, like 2026-11-30T00:00:00Z", reason="trust-store")
        return value.astimezone(timezone.utc)
    if isinstance(value, date):
        day = value + timedelta(days=1) if end else value
        return datetime.combine(day, time(), timezone.utc)
    raise PolicyInvalid(f"{where}: {name} is not a day", reason="trust-store")


_OPTION = re.compile(r'([a-z-]+)(?:="([^"]*)")?(?:,|$)')


def from_allowed_signers(data: bytes, revoked: bytes, where: str) -> tuple[TrustedKey, ...]:
    """Read OpenSSH's allowed_signers; the part of a principal after "@" is the module that the key may speak for."""
    if len(data) > _MAX_BYTES or len(revoked) > _MAX_BYTES:
        raise PolicyInvalid(f"{where} is larger than {_MAX_BYTES} bytes", reason="trust-store")
    out = {public for public in (_public_or_none(line) for line in _lines(revoked, where)) if public is not None}
    found: list[TrustedKey] = []
    for line in _lines(data, where):
        fields = line.split()
        kind = next((n for n, field in enumerate(fields) if field == "ssh-ed25519"), None)
        if kind is None or kind == 0 or kind + 1 >= len(fields):
            if any(field.startswith(("ssh-", "ecdsa-", "sk-")) for field in fields):
                continue  # a key of another kind signs no evidence
            raise PolicyInvalid(f"{where}: not a line of allowed_signers: {line[:80]}", reason="trust-store")
        options = _options(" ".join(fields[1:kind]), where)
        namespaces = options.get("namespaces")
        if "cert-authority" in options:
            continue
        if namespaces is not None and not any(fnmatch.fnmatchcase(NAMESPACE, item) for item in namespaces.split(",")):
            continue
        public = public_bytes(f"ssh-ed25519 {fields[kind + 1]}")
        principals = fields[0].split(",")
        found.append(
            TrustedKey(
                name=principals[0],
                public=public,
                valid_from=_ssh_time(options.get("valid-after"), where),
                valid_until=_ssh_time(options.get("valid-before"), where),
                revoked=public in out,
                modules=tuple(part.partition("@")[2] for part in principals if "@" in part),
            )
        )
    return tuple(found)


def _lines(data: bytes, where: str) -> Iterator[str]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise PolicyInvalid(f"{where} is not UTF-8", reason="trust-store") from None
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line.strip()


def _public_or_none(line: str) -> bytes | None:
    fields = line.split()
    if "ssh-ed25519" not in fields:
        return None
    start = fields.index("ssh-ed25519")
    return public_bytes(" ".join(fields[start : start + 2]))


def _options(text: str, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    position = 0
    while position < len(text):
        match = _OPTION.match(text, position)
        if match is None or match.group(1) not in ("cert-authority", "namespaces", "valid-after", "valid-before"):
            raise PolicyInvalid(f"{where}: options not understood: {text[:80]}", reason="trust-store")
        found[match.group(1)] = match.group(2) or ""
        position = match.end()
    return found


def _ssh_time(text: str | None, where: str) -> datetime | None:
    """Return a bound of allowed_signers; without Z OpenSSH means local time, which no two verifiers share."""
    if text is None:
        return None
    digits = text.removesuffix("Z")
    form = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}.get(len(digits), "") if digits.isdigit() else ""
    try:
        return datetime.strptime(digits or "-", form).replace(tzinfo=timezone.utc)
    except ValueError:
        raise PolicyInvalid(f"{where}: {text!r} is not a time like 20261130Z", reason="trust-store") from None
