"""Verifies a Sigstore bundle around an envelope's digest: certificate, log, and what the certificate says of its job.

The sigstore package checks signature, chain and log. It says itself that it looks neither at the kind of statement nor
at its subject, so that is done here, and each thing that the certificate must say has its own reason.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jetproof.errors import UsageError
from jetproof.evidence import strict
from jetproof.evidence.countersign import SVR_TYPE, Countersigned, Expected
from jetproof.evidence.envelope import PAYLOAD_TYPE
from jetproof.evidence.reason import Reason, Refusal, Unreadable
from jetproof.evidence.statement import STATEMENT_TYPE

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

_FULCIO = "1.3.6.1.4.1.57264.1."
_ISSUER = _FULCIO + "8"
_SIGNER = _FULCIO + "9"
_RUNNER = _FULCIO + "11"
_REPOSITORY = _FULCIO + "12"
_COMMIT = _FULCIO + "13"
_TRIGGER = _FULCIO + "20"


class _Seen:
    """Takes the place of sigstore's policy: keeps the certificate, whose contents are judged afterwards."""

    def __init__(self) -> None:
        self.certificate: Certificate | None = None

    def verify(self, cert: Certificate) -> None:
        """Keep the certificate; sigstore calls this once the chain holds."""
        self.certificate = cert


def countersigned(
    data: bytes, expected: Expected, trusted_root: Path | None = None
) -> Countersigned | tuple[Refusal, ...]:
    """Return the countersignature, or every reason against it.

    `trusted_root`: a pinned root of trust; without it sigstore's own of the public service, as kept on this machine.
    Raises UsageError when the extra `sigstore` is not installed.
    """
    try:
        errors: Any = import_module("sigstore.errors")
        models: Any = import_module("sigstore.models")
        verify: Any = import_module("sigstore.verify")
    except ImportError:
        raise UsageError(
            "verifying a countersignature needs the package sigstore, which is not installed",
            hint="in the checkout of jetproof: pip install '.[sigstore]'; "
            "or: gh attestation verify FILE --bundle BUNDLE --repo OWNER/NAME",
            reason="sigstore-missing",
        ) from None
    seen = _Seen()
    try:
        body = strict.parsed(data, "the bundle")
        root = models.TrustedRoot.from_file(str(trusted_root)) if trusted_root is not None else None
        verifier = verify.Verifier(trusted_root=root) if root is not None else verify.Verifier.production(offline=True)
        kind, payload = verifier.verify_dsse(models.Bundle.from_json(data), seen)
    except Unreadable as error:
        return (Refusal(reason=Reason.BUNDLE_INVALID, message=error.refusal.message),)
    except (errors.Error, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        return (Refusal(reason=Reason.BUNDLE_INVALID, message=f"the bundle does not hold: {str(error)[:300]}"),)
    statement = _statement(kind, payload)
    if isinstance(statement, Refusal):
        return (statement,)
    if seen.certificate is None:
        return (Refusal(reason=Reason.BUNDLE_INVALID, message="the bundle holds no certificate"),)
    refusals = (*_subject(statement, expected), *_identity(seen.certificate, expected))
    if refusals:
        return refusals
    told = statement["predicate"].get("properties")
    return Countersigned(
        signer=_extension(seen.certificate, _SIGNER) or "",
        when=_logged(body),
        properties=tuple(str(item) for item in told) if isinstance(told, list) else (),
    )


def _statement(kind: str, payload: bytes) -> dict[str, Any] | Refusal:
    if kind != PAYLOAD_TYPE:
        return Refusal(reason=Reason.BUNDLE_PREDICATE, message=f"the bundle's payload is {kind[:80]!r}")
    try:
        body = strict.parsed(payload, "the countersignature")
    except Unreadable as error:
        return Refusal(reason=Reason.BUNDLE_INVALID, message=error.refusal.message)
    told = body.get("predicateType") if isinstance(body, dict) and body.get("_type") == STATEMENT_TYPE else None
    if told != SVR_TYPE or not isinstance(body.get("predicate"), dict):
        return Refusal(
            reason=Reason.BUNDLE_PREDICATE, message=f"the bundle says {str(told)[:80]!r}, expected {SVR_TYPE!r}"
        )
    return dict(body)


def _subject(statement: dict[str, Any], expected: Expected) -> Iterator[Refusal]:
    subjects = statement.get("subject")
    digests = [
        item["digest"].get("sha256")
        for item in (subjects if isinstance(subjects, list) else [])
        if isinstance(item, dict) and isinstance(item.get("digest"), dict)
    ]
    if digests != [expected.envelope_sha256]:
        found = ", ".join(str(digest)[:12] for digest in digests) or "nothing"
        yield Refusal(
            reason=Reason.BUNDLE_SUBJECT,
            message=f"the countersignature is for {found}, the envelope is {expected.envelope_sha256[:12]}",
        )


def _identity(certificate: Certificate, expected: Expected) -> Iterator[Refusal]:
    def told(oid: str) -> str:
        return _extension(certificate, oid) or "nothing"

    if told(_ISSUER) != expected.issuer:
        yield Refusal(reason=Reason.BUNDLE_ISSUER, message=f"the identity was issued by {told(_ISSUER)}")
    if told(_RUNNER) != expected.runner_environment:
        yield Refusal(
            reason=Reason.BUNDLE_RUNNER_ENVIRONMENT,
            message=f"signed in the runner environment {told(_RUNNER)}, required is {expected.runner_environment}",
        )
    if told(_REPOSITORY) != expected.repository:
        yield Refusal(
            reason=Reason.BUNDLE_SOURCE_REPOSITORY,
            message=f"signed for {told(_REPOSITORY)}, expected {expected.repository}",
        )
    if told(_COMMIT) != expected.commit:
        yield Refusal(
            reason=Reason.BUNDLE_SOURCE_DIGEST,
            message=f"signed at commit {told(_COMMIT)[:12]}, the evidence is for {expected.commit[:12]}",
        )
    workflow, _, ref = told(_SIGNER).partition("@")
    right = workflow == f"{expected.repository}/{expected.workflow}"
    if not right or not any(fnmatch.fnmatchcase(ref, pattern) for pattern in expected.refs):
        yield Refusal(
            reason=Reason.BUNDLE_SIGNER_WORKFLOW,
            message=f"signed by {told(_SIGNER)}, expected {expected.workflow} of {' or '.join(expected.refs)}",
        )
    if told(_TRIGGER).startswith("pull_request"):
        yield Refusal(
            reason=Reason.BUNDLE_TRIGGER,
            message=f"signed in a run that {told(_TRIGGER)} started: anybody can start one",
        )


def _extension(certificate: Certificate, oid: str) -> str | None:
    """Return the text of a Fulcio extension (DER UTF8String), None when it is not there or not that."""
    from cryptography.x509 import UnrecognizedExtension

    for extension in certificate.extensions:
        value = extension.value
        if extension.oid.dotted_string == oid and isinstance(value, UnrecognizedExtension):
            return _utf8_string(value.value)
    return None


def _utf8_string(der: bytes) -> str | None:
    if len(der) < 2 or der[0] != 0x0C:
        return None
    length, start = der[1], 2
    if length == 0x81 and len(der) > 2:
        length, start = der[2], 3
    elif length == 0x82 and len(der) > 3:
        length, start = int.from_bytes(der[2:4], "big"), 4
    elif length > 0x7F:
        return None
    text = der[start:]
    if len(text) != length:
        return None
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _logged(body: Any) -> datetime | None:
    """Return the log's time, which sigstore has checked when a promise of inclusion covers it."""
    try:
        entry = body["verificationMaterial"]["tlogEntries"][0]
        seconds = int(entry["integratedTime"])
        promised = bool(entry["inclusionPromise"]["signedEntryTimestamp"])
    except (KeyError, IndexError, TypeError, ValueError):
        return None
    return datetime.fromtimestamp(seconds, timezone.utc) if promised and seconds > 0 else None
