"""Good evidence in memory, made with real keys, and a checkout that fits it; tests change one thing at a time."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from jetproof.evidence.circumstances import Circumstances
from jetproof.evidence.from_run import payload
from jetproof.evidence.git import Entry
from jetproof.evidence.signer import FileSigner, sealed
from jetproof.evidence.statement import PREDICATE_TYPE, STATEMENT_TYPE, time_text
from jetproof.evidence.trust import Trust, TrustedKey
from jetproof.evidence.verify import Verification, verified
from jetproof.policy.load import parse
from jetproof.tables import Tables, load

NOW = datetime(2026, 11, 30, 18, 0, 0, tzinfo=timezone.utc)
FINISHED = datetime(2026, 11, 30, 12, 0, 30, tzinfo=timezone.utc)
COMMIT = "c0ffee" + "0" * 34
TREE = "7ee5" + "0" * 36
OTHER_COMMIT = "dead" + "1" * 36
RUNTIME = "ab" * 32
MODULE = "Jetson AGX Orin 64GB"
URI = "git+https://git.example/owner/project@refs/heads/main"
ITEMS = (
    "probe::architecture",
    "probe::cuda-available",
    "probe::bitsandbytes-nf4",
    "pytest::tests/test_gpu.py::test_edit",
)
TABLES: Tables = load()


def key(seed: int) -> FileSigner:
    """Return the same key for the same number in every run."""
    return FileSigner(Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32))


LANE, ROGUE, SECOND = key(1), key(2), key(3)


def trusted(signer: FileSigner = LANE, **changes: Any) -> TrustedKey:
    """Return a trusted key that may speak for the board of these tests."""
    members: dict[str, Any] = {"name": "lane", "public": signer.public, "modules": (MODULE, "x86", "arm64-server")}
    return TrustedKey(**{**members, **changes})


def trust(*keys: TrustedKey) -> Trust:
    """Return a trust store."""
    return Trust(keys=keys or (trusted(),), read_from="a test")


def policy_value(**changes: Any) -> dict[str, Any]:
    """Return a policy: one target tier on a Jetson, a gate on x86, one on ARM64."""
    gate = {
        "description": "a gate",
        "tracking_issue": "https://git.example/owner/project/issues/1",
        "carries_claim": True,
        "expected_cost": {"minutes": 5},
    }
    value: dict[str, Any] = {
        "schema_version": 1,
        "owner": "the owner",
        "cadence": "weekly",
        "evidence_retention_days": 60,
        "maximum_evidence_age_days": 30,
        "host": {
            "name": "project",
            "device_resolver": "project.device:get",
            "pytest": [{"id": "gpu", "paths": ["tests/test_gpu.py"], "tests": ["tests/test_gpu.py::test_edit"]}],
        },
        "gates": [
            {
                **gate,
                "id": "jetson-cuda-runtime",
                "aliases": ["jetson-runtime"],
                "job": "jetson",
                "runner": {"labels": ["self-hosted", "jetson"]},
                "platform": "jetson",
                "items": [
                    {"probe": "architecture"},
                    {"probe": "cuda-available"},
                    {"probe": "bitsandbytes-nf4"},
                    {"pytest": "gpu"},
                ],
            },
            {
                **gate,
                "id": "cuda-runtime",
                "job": "cuda",
                "runner": {"labels": ["self-hosted", "cuda"]},
                "platform": "x86-cuda",
                "items": [{"probe": "cuda-available"}],
            },
            {
                **gate,
                "id": "linux-arm64-preflight",
                "job": "arm64",
                "runner": {"labels": ["ubuntu-24.04-arm"]},
                "platform": "linux-arm64",
                "items": [{"probe": "architecture"}],
            },
        ],
        "tiers": [
            {
                "id": "agx-orin-jp62",
                "name": "Jetson AGX Orin 64GB on JetPack 6.2",
                "module": MODULE,
                "jetpack": "6.2",
                "l4t": "36.4.3",
                "cuda": "12.6",
                "stage": "target",
                "gate": "jetson-cuda-runtime",
                "runtime": {"kind": "image", "source": "registry.example/torch", "digest": f"sha256:{RUNTIME}"},
                "bitsandbytes": "required",
                "memory": "64 GB is a capacity class",
            }
        ],
    }
    return {**value, **changes}


def policy_bytes(value: Mapping[str, Any] | None = None) -> bytes:
    """Return a policy as the file's bytes."""
    return json.dumps(policy_value() if value is None else value, indent=2).encode()


POLICY_SHA256 = parse(policy_bytes(), what="policy")[1]


def statement(**predicate: Any) -> dict[str, Any]:
    """Return a good statement: a green run on the board, twelve o'clock."""
    return {
        "_type": STATEMENT_TYPE,
        "subject": [
            {
                "uri": URI,
                "digest": {"gitCommit": COMMIT, "gitTree": TREE},
                "annotations": {"sourceRefs": ["refs/heads/main"]},
            }
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "result": "PASSED",
            "configuration": [
                {"name": "policy", "digest": {"sha256": POLICY_SHA256}},
                {"name": "plan", "digest": {"sha256": "11" * 32}},
                {"name": "runtime", "digest": {"sha256": RUNTIME}},
            ],
            "passedTests": list(ITEMS),
            "failedTests": [],
            "warnedTests": [],
            "successes": len(ITEMS),
            "failures": 0,
            "warnings": 0,
            "jetproof": {
                "schema": "1.0",
                "plan": {
                    "gate": "jetson-cuda-runtime",
                    "digest": "11" * 32,
                    "planned": len(ITEMS),
                    "executed": len(ITEMS),
                    "passed": len(ITEMS),
                    "notRun": [],
                    "deselected": [],
                    "retried": [],
                    "waived": [],
                    "excluded": [],
                },
                "outcome": "PASS",
                "because": [],
                "origin": "live",
                "source": {"dirty": False, "untracked": 0, "submodules": [], "shallow": False},
                "device": {
                    "platformClass": "jetson",
                    "arch": "aarch64",
                    "module": MODULE,
                    "moduleSku": "p3701-0005",
                    "compatible": ["nvidia,p3737-0000+p3701-0005", "nvidia,p3701-0005", "nvidia,tegra234"],
                    "chip": "tegra234",
                    "memTotalClass": "64GB",
                    "l4t": "36.4.3",
                    "jetpack": "6.2",
                    "kernel": "5.15.148-tegra",
                    "cuda": "12.6",
                    "cc": "8.7",
                    "deviceId": "f" * 32,
                },
                "time": {
                    "started": "2026-11-30T12:00:00Z",
                    "finished": "2026-11-30T12:00:30Z",
                    "monotonicSeconds": 30.0,
                    "ntpSynced": True,
                },
                "run": {"runId": "aa" * 16, "challenge": None, "seq": 1, "attempt": None},
                "artifacts": [],
                "tool": {"name": "jetproof", "version": "0.1.0", "filesSha256": "22" * 32, "workerSha256": "33" * 32},
            },
            **predicate,
        },
    }


Change = Callable[[dict[str, Any]], None]


def put(path: str, value: Any) -> Change:
    """Return a change that sets one member of a statement; the path is dotted, numbers index lists."""

    def change(body: dict[str, Any]) -> None:
        target: Any = body
        *way, last = path.split(".")
        for part in way:
            target = target[int(part)] if isinstance(target, list) else target[part]
        if isinstance(target, list):
            target[int(last)] = value
        else:
            target[last] = value

    return change


P = "predicate.jetproof"


def changed(*changes: Change) -> dict[str, Any]:
    """Return the good statement with changes."""
    body = copy.deepcopy(statement())
    for change in changes:
        change(body)
    return body


def at(finished: datetime, seconds: int = 30) -> Change:
    """Return a change that moves a run in time."""

    def change(body: dict[str, Any]) -> None:
        put(f"{P}.time.started", time_text(finished - timedelta(seconds=seconds)))(body)
        put(f"{P}.time.finished", time_text(finished))(body)
        put(f"{P}.time.monotonicSeconds", float(seconds))(body)

    return change


def failing(body: dict[str, Any]) -> None:
    """Make a statement tell one failure."""
    put("predicate.result", "FAILED")(body)
    put("predicate.passedTests", list(ITEMS[1:]))(body)
    put("predicate.failedTests", [ITEMS[0]])(body)
    put("predicate.successes", len(ITEMS) - 1)(body)
    put("predicate.failures", 1)(body)
    put(f"{P}.plan.passed", len(ITEMS) - 1)(body)
    put(f"{P}.outcome", "FAIL")(body)


def signed(body: Mapping[str, Any] | None = None, signer: FileSigner = LANE) -> bytes:
    """Return an envelope's bytes."""
    return sealed(payload(statement() if body is None else body), signer).to_bytes()


@dataclass
class FakeRepository:
    """A repository in memory: the proven commit, its tree, time and policy."""

    trees: dict[str, str] = field(default_factory=lambda: {COMMIT: TREE})
    times: dict[str, datetime] = field(default_factory=lambda: {COMMIT: FINISHED - timedelta(hours=1)})
    files: dict[tuple[str, str], bytes] = field(default_factory=dict)
    listings: dict[str, dict[str, Entry]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    url: str | None = "https://git.example/owner/project.git"
    policy: bytes | None = field(default_factory=policy_bytes)

    def resolve(self, revision: str) -> str | None:
        return self.names.get(revision, revision if revision in self.trees else None)

    def tree(self, commit: str) -> str | None:
        return self.trees.get(commit)

    def committed(self, commit: str) -> datetime | None:
        return self.times.get(commit)

    def file(self, commit: str, path: str) -> bytes | None:
        if path == "ci/conditional-test-policy.json" and (commit, path) not in self.files:
            return self.policy if commit in self.trees else None
        return self.files.get((commit, path))

    def listing(self, commit: str) -> Mapping[str, Entry] | None:
        found = {
            path: Entry(mode="100644", oid=hashlib.sha1(data).hexdigest())
            for (one, path), data in self.files.items()
            if one == commit
        }
        return {**found, **self.listings.get(commit, {})} if commit in self.trees else None

    def holding(self, commit: str, text: str) -> frozenset[str]:
        return frozenset(path for (one, path), data in self.files.items() if one == commit and text.encode() in data)

    def changes(self) -> tuple[str, ...]:
        return ()

    def remote(self) -> str | None:
        return self.url


def around(**changes: Any) -> Circumstances:
    """Return the circumstances of a good verification."""
    members: dict[str, Any] = {
        "trust": trust(),
        "now": NOW,
        "tables": TABLES,
        "repository": FakeRepository(),
        "commit": COMMIT,
        "repository_uri": "https://git.example/owner/project.git",
    }
    return Circumstances(**{**members, **changes})


def checked(body: Mapping[str, Any] | None = None, signer: FileSigner = LANE, **circumstances: Any) -> Verification:
    """Return the verification of a statement that was signed with a key."""
    return verified(signed(body, signer), around(**circumstances))


def reasons(found: Verification) -> list[str]:
    """Return the reason codes of a verification."""
    return [refusal.reason.value for refusal in found.refusals]
