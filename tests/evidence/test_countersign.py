"""A countersignature is written only for what is proven, and counts only from the named hosted job.

The bundles are made by an authority and logs of our own in Sigstore's formats; no real Fulcio certificate was tried.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.sample import COMMIT, MODULE, NOW, OTHER_COMMIT, P, changed, checked, failing, put, signed
from tests.evidence.sigstore_sample import REPOSITORY, SIGNED, WORKFLOW, Service, told

from jetproof.errors import EvidenceInvalid, EvidenceStale, Refused, UsageError
from jetproof.evidence.bundle import countersigned
from jetproof.evidence.countersign import SVR_TYPE, Countersigned, Expected, expected, predicate

ENVELOPE = signed()
DIGEST = hashlib.sha256(ENVELOPE).hexdigest()
EXPECTED = Expected(envelope_sha256=DIGEST, commit=COMMIT, repository=REPOSITORY, workflow=WORKFLOW)


def statement(**changes: Any) -> dict[str, Any]:
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "evidence.intoto.json", "digest": {"sha256": DIGEST}}],
        "predicateType": SVR_TYPE,
        "predicate": predicate(checked(), policy_uri="https://git.example/policy"),
        **changes,
    }


def test_the_predicate_says_what_was_proven_and_when() -> None:
    body = predicate(checked(), policy_uri="https://git.example/policy")

    assert body["timeCreated"] == NOW.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert body["properties"][0] == "JETPROOF_LANE_PASSED"
    assert "JETPROOF_MODULE_JETSON_AGX_ORIN_64GB" in body["properties"]
    assert body["policies"][0]["uri"] == "https://git.example/policy"
    assert len(body["policies"][0]["digest"]["sha256"]) == 64


def test_a_machine_without_a_module_is_never_called_a_jetson() -> None:
    def x86(body: dict[str, Any]) -> None:
        device = {"platformClass": "x86", "arch": "x86_64", "module": None}
        put(f"{P}.device", device)(body)
        put(f"{P}.plan.gate", "cuda-runtime")(body)

    body = predicate(checked(changed(x86)), policy_uri="u")

    assert "JETPROOF_NOT_JETSON_X86" in body["properties"]
    assert not any("MODULE" in item for item in body["properties"])


@pytest.mark.parametrize(
    ("change", "error"),
    [(failing, Refused), (put(f"{P}.origin", "recorded"), EvidenceInvalid)],
)
def test_nothing_else_is_countersigned(change: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        predicate(checked(changed(change)), policy_uri="u")
    with pytest.raises(EvidenceStale):
        predicate(checked(now=NOW + timedelta(days=40)), policy_uri="u")
    assert MODULE


def test_who_must_have_countersigned_is_named() -> None:
    assert expected(None, None, None) is None
    with pytest.raises(UsageError, match="named repository and workflow"):
        expected(Path("b"), None, None)
    named = expected(Path("b"), REPOSITORY, WORKFLOW)
    assert named is not None
    assert named.runner_environment == "github-hosted"


def test_without_the_package_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sigstore.errors", None)

    with pytest.raises(UsageError) as refused:
        countersigned(b"{}", EXPECTED)

    assert refused.value.reason == "sigstore-missing"


# ---- bundles: with the package sigstore only ----


@pytest.fixture(scope="module")
def service() -> Service:
    pytest.importorskip("sigstore")
    return Service()


@pytest.fixture
def root(service: Service, tmp_path: Path) -> Path:
    path = tmp_path / "trusted_root.json"
    path.write_bytes(service.trusted_root())
    return path


def outcome(body: dict[str, Any] | bytes, root: Path, wanted: Expected = EXPECTED) -> list[str] | Countersigned:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    found = countersigned(data, wanted, root)
    return found if isinstance(found, Countersigned) else [refusal.reason.value for refusal in found]


def test_a_good_bundle(service: Service, root: Path) -> None:
    found = outcome(service.bundle(statement(), told(COMMIT)), root)

    assert isinstance(found, Countersigned), found
    assert found.when == SIGNED
    assert found.signer == f"{REPOSITORY}/{WORKFLOW}@refs/heads/main"
    assert "JETPROOF_LANE_PASSED" in found.properties


@pytest.mark.parametrize(
    ("oid", "value", "reason"),
    [
        ("8", "https://issuer.example", "BUNDLE_ISSUER"),
        ("11", "self-hosted", "BUNDLE_RUNNER_ENVIRONMENT"),
        ("12", "https://github.com/somebody/else", "BUNDLE_SOURCE_REPOSITORY"),
        ("13", OTHER_COMMIT, "BUNDLE_SOURCE_DIGEST"),
        ("9", f"{REPOSITORY}/.github/workflows/other.yml@refs/heads/main", "BUNDLE_SIGNER_WORKFLOW"),
        ("9", f"{REPOSITORY}/{WORKFLOW}@refs/heads/evil", "BUNDLE_SIGNER_WORKFLOW"),
        ("9", f"https://github.com/somebody/else/{WORKFLOW}@refs/heads/main", "BUNDLE_SIGNER_WORKFLOW"),
        ("20", "pull_request", "BUNDLE_TRIGGER"),
        ("20", "pull_request_target", "BUNDLE_TRIGGER"),
    ],
)
def test_a_certificate_that_says_something_else(
    service: Service, root: Path, oid: str, value: str, reason: str
) -> None:
    assert outcome(service.bundle(statement(), told(COMMIT, **{oid: value})), root) == [reason]


def test_a_certificate_that_says_nothing(service: Service, root: Path) -> None:
    found = outcome(service.bundle(statement(), {}), root)

    assert isinstance(found, list)
    assert "BUNDLE_RUNNER_ENVIRONMENT" in found


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"subject": [{"name": "x", "digest": {"sha256": "0" * 64}}]}, "BUNDLE_SUBJECT"),
        ({"subject": []}, "BUNDLE_SUBJECT"),
        ({"subject": "x"}, "BUNDLE_SUBJECT"),
        ({"predicateType": "https://slsa.dev/provenance/v1"}, "BUNDLE_PREDICATE"),
        ({"_type": "https://in-toto.io/Statement/v0.1"}, "BUNDLE_PREDICATE"),
        ({"predicate": []}, "BUNDLE_PREDICATE"),
    ],
    ids=str,
)
def test_a_countersignature_for_something_else(
    service: Service, root: Path, change: dict[str, Any], reason: str
) -> None:
    assert outcome(service.bundle(statement(**change), told(COMMIT)), root) == [reason]


def test_another_payload_type(service: Service, root: Path) -> None:
    found = outcome(service.bundle(statement(), told(COMMIT), kind="application/json"), root)

    assert found in (["BUNDLE_PREDICATE"], ["BUNDLE_INVALID"])


def edit(path: str, change: Callable[[str], str]) -> Callable[[dict[str, Any]], None]:
    def edited(body: dict[str, Any]) -> None:
        target: Any = body
        *way, last = path.split(".")
        for part in way:
            target = target[int(part)] if isinstance(target, list) else target[part]
        target[last] = change(target[last])

    return edited


LOG = "verificationMaterial.tlogEntries.0"


@pytest.mark.parametrize(
    "change",
    [
        edit("dsseEnvelope.payload", lambda text: text[:-8] + "AAAA" + text[-4:]),
        edit("dsseEnvelope.signatures", lambda _: []),  # type: ignore[arg-type, return-value]
        edit(f"{LOG}.integratedTime", lambda text: str(int(text) - 86400)),
        edit(f"{LOG}.inclusionPromise.signedEntryTimestamp", lambda text: text[::-1]),
        edit(f"{LOG}.inclusionProof.rootHash", lambda text: "A" * 43 + "="),
        edit(f"{LOG}.canonicalizedBody", lambda text: text[:-8] + "AAAA" + text[-4:]),
        edit("mediaType", lambda _: "application/json"),
    ],
)
def test_an_edited_bundle(service: Service, root: Path, change: Callable[[dict[str, Any]], None]) -> None:
    body = service.bundle(statement(), told(COMMIT))
    change(body)

    assert outcome(body, root) == ["BUNDLE_INVALID"]


def test_another_authority(root: Path) -> None:
    assert outcome(Service().bundle(statement(), told(COMMIT)), root) == ["BUNDLE_INVALID"]


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"a":1,"a":2}', b"null"])
def test_what_is_no_bundle(root: Path, data: bytes) -> None:
    assert outcome(data, root) == ["BUNDLE_INVALID"]


def test_the_time_of_the_log_counts_as_what_another_party_saw(service: Service, root: Path, tmp_path: Path) -> None:
    from tests.evidence.sample import TABLES, FakeRepository, trust

    from jetproof.evidence.verify_files import Asked, verified_files

    envelope, bundle = tmp_path / "e.intoto.json", tmp_path / "b.sigstore.json"
    envelope.write_bytes(ENVELOPE)
    bundle.write_text(json.dumps(service.bundle(statement(), told(COMMIT))))
    asked = Asked(
        trust=trust(),
        tables=TABLES,
        now=NOW,
        repository=FakeRepository(),
        envelope_only=True,
        countersignature=bundle,
        countersigner=EXPECTED,
        trusted_root=root,
    )

    ((found,), _) = verified_files([envelope], asked)
    assert found.proven
    bundle.write_text(json.dumps(service.bundle(statement(), told(COMMIT, **{"11": "self-hosted"}))))
    ((found,), _) = verified_files([envelope], asked)
    assert [refusal.reason.value for refusal in found.refusals] == ["BUNDLE_RUNNER_ENVIRONMENT"]
