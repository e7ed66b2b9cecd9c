"""Other tools read our envelopes and we read theirs; openssl alone verifies a signature by the documented steps."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.sample import LANE, around, reasons, signed, statement, trust

from jetproof.evidence.checks.signature import accepted
from jetproof.evidence.envelope import PAYLOAD_TYPE, parsed
from jetproof.evidence.from_run import payload
from jetproof.evidence.reason import Refusal
from jetproof.evidence.signer import keyid
from jetproof.evidence.statement import PREDICATE_TYPE
from jetproof.evidence.verify import verified

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "evidence" / "verify-without-jetproof.md"


def sslib_key() -> Any:
    module = pytest.importorskip("securesystemslib.signer")
    return module.SSlibKey(keyid(LANE.public), "ed25519", "ed25519", {"public": LANE.public.hex()})


def test_securesystemslib_verifies_our_envelope() -> None:
    key = sslib_key()
    from securesystemslib.dsse import Envelope

    theirs = Envelope.from_dict(json.loads(signed()))

    assert list(theirs.verify([key], 1)) == [keyid(LANE.public)]
    assert theirs.payload == payload(statement())
    assert theirs.pae() == parsed(signed()).pae()


def test_we_verify_the_envelope_of_securesystemslib() -> None:
    sslib_key()
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner

    theirs = Envelope(payload(statement()), PAYLOAD_TYPE, {})
    theirs.sign(CryptoSigner(LANE.key))
    data = json.dumps(theirs.to_dict()).encode()

    assert verified(data, around()).proven


def test_in_toto_attestation_reads_our_statement() -> None:
    module = pytest.importorskip("in_toto_attestation.v1.statement")
    from google.protobuf.json_format import ParseDict
    from in_toto_attestation.v1 import statement_pb2

    body = json.loads(parsed(signed()).payload)
    theirs = ParseDict(body, statement_pb2.Statement())  # type: ignore[attr-defined]
    module.Statement.copy_from_pb(theirs).validate()

    assert theirs.predicate_type == PREDICATE_TYPE
    assert dict(theirs.subject[0].digest) == body["subject"][0]["digest"]
    assert theirs.predicate["result"] == "PASSED"


def test_we_read_the_statement_of_in_toto_attestation() -> None:
    module = pytest.importorskip("in_toto_attestation.v1.statement")
    from google.protobuf.json_format import MessageToDict, ParseDict
    from in_toto_attestation.v1 import statement_pb2

    theirs = ParseDict(statement(), statement_pb2.Statement())  # type: ignore[attr-defined]
    theirs = module.Statement.copy_from_pb(theirs).pb
    body = MessageToDict(theirs, preserving_proto_field_name=False)
    body["_type"] = body.pop("type", body.get("_type"))
    found = verified(signed(whole_numbers(body)), around())

    assert found.proven, reasons(found)


def whole_numbers(value: Any) -> Any:
    """Undo what protobuf's Struct does to every number of the predicate: it knows only doubles."""
    if isinstance(value, dict):
        return {name: member if name == "monotonicSeconds" else whole_numbers(member) for name, member in value.items()}
    if isinstance(value, list):
        return [whole_numbers(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def test_in_toto_attestation_reads_our_predicate() -> None:
    pytest.importorskip("in_toto_attestation.predicates.test_result.v0.test_result_pb2")
    from google.protobuf.json_format import ParseDict
    from in_toto_attestation.predicates.test_result.v0 import test_result_pb2

    found = ParseDict(statement()["predicate"], test_result_pb2.TestResult(), ignore_unknown_fields=True)  # type: ignore[attr-defined]

    assert found.result == "PASSED"
    assert len(found.passed_tests) == 4
    assert [item.name for item in found.configuration] == ["policy", "plan", "runtime"]


@pytest.mark.process
def test_openssl_alone_verifies_by_the_documented_steps(tmp_path: Path) -> None:
    """The very commands of the page are run."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    (tmp_path / "evidence.intoto.json").write_bytes(signed())
    pem = LANE.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "lane.pem").write_bytes(pem)
    ssh = LANE.key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    (tmp_path / "lane.pub").write_bytes(ssh + b"\n")
    script = documented("openssl")

    good = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, capture_output=True, timeout=60, check=False
    )
    assert good.returncode == 0, good.stderr
    assert b"Signature Verified Successfully" in good.stdout
    assert keyid(LANE.public).encode() in good.stdout

    body = json.loads(signed())
    body["payload"] = body["payload"][:40] + ("A" if body["payload"][40] != "A" else "B") + body["payload"][41:]
    (tmp_path / "evidence.intoto.json").write_text(json.dumps(body))
    bad = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, capture_output=True, timeout=60, check=False
    )
    assert bad.returncode != 0


@pytest.mark.process
def test_python_with_in_toto_alone_verifies_by_the_documented_steps(tmp_path: Path) -> None:
    sslib_key()
    import sys

    (tmp_path / "evidence.intoto.json").write_bytes(signed())
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    pem = LANE.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "lane.pem").write_bytes(pem)
    (tmp_path / "check.py").write_text(documented("python"))

    good = subprocess.run([sys.executable, "check.py"], cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert good.returncode == 0, good.stderr
    assert b"PASSED" in good.stdout


def documented(language: str) -> str:
    """Return the block of the page that is marked for this test."""
    text = DOCUMENT.read_text(encoding="utf-8")
    found = re.search(rf"<!-- tested: {language} -->\n```\w+\n(.*?)```", text, re.DOTALL)
    assert found is not None
    return found.group(1)


def test_a_store_with_one_key_reads_any_wrapping() -> None:
    spaced = json.dumps(json.loads(signed()), indent=4).encode()

    assert not isinstance(accepted(parsed(spaced), trust()), Refusal)
