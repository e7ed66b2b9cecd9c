"""A certificate authority, a certificate log and a transparency log of our own, in Sigstore's real formats.

Nothing here was issued by the public service: it shows that the formats are read and checked, and no more.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

import rfc8785
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

from jetproof.evidence.envelope import PAYLOAD_TYPE, pae

SIGNED = datetime(2026, 11, 30, 13, 0, tzinfo=timezone.utc)
REPOSITORY = "https://github.com/owner/project"
WORKFLOW = ".github/workflows/attest.yml"
ORIGIN = "log.example - 1"
FULCIO = "1.3.6.1.4.1.57264.1."
SCT_OID = "1.3.6.1.4.1.11129.2.4.2"


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def spki(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def identity(key: ec.EllipticCurvePrivateKey) -> bytes:
    return hashlib.sha256(spki(key)).digest()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def der_text(text: str) -> bytes:
    raw = text.encode()
    head = bytes([0x0C, len(raw)]) if len(raw) < 0x80 else bytes([0x0C, 0x81, len(raw)])
    return head + raw


@dataclass
class Service:
    """The keys of an authority and two logs."""

    root: ec.EllipticCurvePrivateKey = field(default_factory=new_key)
    ct: ec.EllipticCurvePrivateKey = field(default_factory=new_key)
    log: ec.EllipticCurvePrivateKey = field(default_factory=new_key)

    def __post_init__(self) -> None:
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an authority of our own")])
        self.authority = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self.root.public_key())
            .serial_number(1)
            .not_valid_before(SIGNED - timedelta(days=365))
            .not_valid_after(SIGNED + timedelta(days=3650))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(cert_sign=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self.root.public_key()), critical=False)
            .sign(self.root, hashes.SHA256())
        )

    def trusted_root(self) -> bytes:
        valid = {"start": "2020-01-01T00:00:00Z"}
        certificate = b64(self.authority.public_bytes(Encoding.DER))

        def log(key: ec.EllipticCurvePrivateKey, url: str) -> dict[str, Any]:
            return {
                "baseUrl": url,
                "hashAlgorithm": "SHA2_256",
                "publicKey": {
                    "rawBytes": b64(spki(key)),
                    "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                    "validFor": valid,
                },
                "logId": {"keyId": b64(identity(key))},
            }

        body = {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [log(self.log, "https://log.example")],
            "certificateAuthorities": [
                {
                    "subject": {"organization": "example", "commonName": "authority"},
                    "uri": "https://authority.example",
                    "certChain": {"certificates": [{"rawBytes": certificate}]},
                    "validFor": valid,
                }
            ],
            "ctlogs": [log(self.ct, "https://ct.example")],
            "timestampAuthorities": [],
        }
        return json.dumps(body).encode()

    def certificate(self, key: ec.EllipticCurvePrivateKey, told: Mapping[str, str]) -> x509.Certificate:
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([]))
            .issuer_name(self.authority.subject)
            .public_key(key.public_key())
            .serial_number(7)
            .not_valid_before(SIGNED - timedelta(minutes=5))
            .not_valid_after(SIGNED + timedelta(minutes=5))
            .add_extension(_usage(cert_sign=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self.root.public_key()), critical=False)
            .add_extension(
                x509.SubjectAlternativeName([x509.UniformResourceIdentifier(told.get("9", "https://x.example"))]),
                critical=True,
            )
        )
        for number, text in told.items():
            extension = x509.UnrecognizedExtension(ObjectIdentifier(FULCIO + number), der_text(text))
            builder = builder.add_extension(extension, critical=False)
        draft = builder.sign(self.root, hashes.SHA256())
        stamp = int(SIGNED.timestamp() * 1000)
        tbs = draft.tbs_certificate_bytes
        entry = identity(self.root) + len(tbs).to_bytes(3, "big") + tbs
        signed = self.ct.sign(
            struct.pack("!BBQH", 0, 0, stamp, 1) + entry + struct.pack("!H", 0), ec.ECDSA(hashes.SHA256())
        )
        sct = b"\0" + identity(self.ct) + struct.pack("!QH", stamp, 0) + bytes([4, 3]) + struct.pack("!H", len(signed))
        sct += signed
        listed = struct.pack("!HH", len(sct) + 2, len(sct)) + sct
        octets = bytes([0x04, len(listed)]) if len(listed) < 0x80 else bytes([0x04, 0x81, len(listed)])
        extension = x509.UnrecognizedExtension(ObjectIdentifier(SCT_OID), octets + listed)
        return builder.add_extension(extension, critical=False).sign(self.root, hashes.SHA256())

    def bundle(self, statement: Mapping[str, Any], told: Mapping[str, str], kind: str = PAYLOAD_TYPE) -> dict[str, Any]:
        key = new_key()
        certificate = self.certificate(key, told)
        payload = json.dumps(statement).encode()
        signature = key.sign(pae(kind, payload), ec.ECDSA(hashes.SHA256()))
        pem = b64(certificate.public_bytes(Encoding.PEM))
        entry = {
            "apiVersion": "0.0.1",
            "kind": "dsse",
            "spec": {
                "envelopeHash": {"algorithm": "sha256", "value": "0" * 64},
                "payloadHash": {"algorithm": "sha256", "value": hashlib.sha256(payload).hexdigest()},
                "signatures": [{"signature": b64(signature), "verifier": pem}],
            },
        }
        body = rfc8785.dumps(entry)
        seconds = int(SIGNED.timestamp())
        promise = rfc8785.dumps(
            {"body": b64(body), "integratedTime": seconds, "logID": identity(self.log).hex(), "logIndex": 0}
        )
        root = hashlib.sha256(b"\0" + body).digest()
        note = f"{ORIGIN}\n1\n{b64(root)}\n"
        stamp = identity(self.log)[:4] + self.log.sign(note.encode(), ec.ECDSA(hashes.SHA256()))
        return {
            "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
            "verificationMaterial": {
                "certificate": {"rawBytes": b64(certificate.public_bytes(Encoding.DER))},
                "tlogEntries": [
                    {
                        "logIndex": "0",
                        "logId": {"keyId": b64(identity(self.log))},
                        "kindVersion": {"kind": "dsse", "version": "0.0.1"},
                        "integratedTime": str(seconds),
                        "inclusionPromise": {
                            "signedEntryTimestamp": b64(self.log.sign(promise, ec.ECDSA(hashes.SHA256())))
                        },
                        "inclusionProof": {
                            "logIndex": "0",
                            "rootHash": b64(root),
                            "treeSize": "1",
                            "hashes": [],
                            "checkpoint": {"envelope": f"{note}\n\u2014 log.example {b64(stamp)}\n"},
                        },
                        "canonicalizedBody": b64(body),
                    }
                ],
            },
            "dsseEnvelope": {
                "payload": b64(payload),
                "payloadType": kind,
                "signatures": [{"sig": b64(signature)}],
            },
        }


def _usage(*, cert_sign: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not cert_sign,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=cert_sign,
        crl_sign=cert_sign,
        encipher_only=False,
        decipher_only=False,
    )


def told(commit: str, **changes: str) -> dict[str, str]:
    """Return what the certificate of a hosted signing job says, by the last number of its OID."""
    members = {
        "8": "https://token.actions.githubusercontent.com",
        "9": f"{REPOSITORY}/{WORKFLOW}@refs/heads/main",
        "11": "github-hosted",
        "12": REPOSITORY,
        "13": commit,
        "14": "refs/heads/main",
        "20": "workflow_dispatch",
    }
    return {**members, **changes}
