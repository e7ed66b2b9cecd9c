"""The second layer: a hosted signer says that it verified an envelope, and anybody can check that without jetproof.

Its subject is the sha256 of the envelope's file, its predicate an in-toto summary of verification (SVR). It is made by
`actions/attest` in a job that never runs the project's code, from the predicate that is written here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from jetproof.errors import EvidenceInvalid, EvidenceStale, Refused, UsageError
from jetproof.evidence.reason import Effect
from jetproof.evidence.statement import time_text
from jetproof.evidence.trust import slug
from jetproof.evidence.verify import Verification

SVR_TYPE = "https://in-toto.io/attestation/svr/v0.2"
VERIFIER_ID = "https://github.com/jetproof/jetproof/blob/main/docs/evidence/format.md#countersignature"
"""Who says it: jetproof, by the page that tells what its word means. An SVR names a verifier by any URI of its own."""
HOSTED = "github-hosted"
ISSUER = "https://token.actions.githubusercontent.com"


@dataclass(frozen=True, kw_only=True)
class Expected:
    """Who must have countersigned, and for what."""

    envelope_sha256: str
    commit: str
    repository: str
    """Like https://github.com/owner/name."""
    workflow: str
    """Path of the signing workflow in the repository, like .github/workflows/attest.yml."""
    refs: tuple[str, ...] = ("refs/heads/main",)
    """Refs from which that workflow may have come; a trailing * covers all with that beginning."""
    runner_environment: str = HOSTED
    issuer: str = ISSUER


@dataclass(frozen=True, kw_only=True)
class Countersigned:
    """A countersignature that holds."""

    signer: str
    """The signing workflow, as its certificate names it."""
    when: datetime | None
    """When the log saw it; None where the bundle tells no time that was checked."""
    properties: tuple[str, ...]
    """What the signer says of the envelope; worth as much as the signer's own check."""


def predicate(found: Verification, *, policy_uri: str) -> dict[str, Any]:
    """Return the SVR predicate for evidence that was proven here and now.

    Raises EvidenceInvalid, EvidenceStale or Refused when it was not: nothing else is ever countersigned.
    """
    if found.evidence is None or not found.proven:
        first = found.refusals[0]
        error = {Effect.INVALID: EvidenceInvalid, Effect.UNTIMELY: EvidenceStale, Effect.PROVES_NOTHING: Refused}
        raise error[first.reason.effect](
            f"{found.name or 'the evidence'} is not proven: {first.message}", hint=first.hint, reason=first.reason.value
        )
    said = found.evidence.statement
    policy = dict(said.configuration.get("policy", {}))
    return {
        "verifier": {"id": VERIFIER_ID},
        "policies": [{"uri": policy_uri, "digest": policy}],
        "timeCreated": time_text(found.at),
        "properties": list(properties(found)),
    }


def properties(found: Verification) -> Iterable[str]:
    """Yield what was proven, in names that hold no more than that."""
    evidence = found.evidence
    if evidence is None or not found.proven:
        return
    yield "JETPROOF_LANE_PASSED"
    yield f"JETPROOF_FRESH_{found.maximum_age_days}"
    yield f"JETPROOF_GATE_{_word(evidence.statement.gate)}"
    device = evidence.statement.device
    if evidence.statement.module is not None:
        yield f"JETPROOF_MODULE_{_word(evidence.statement.module)}"
        yield f"JETPROOF_L4T_{_word(str(device.get('l4t')))}"
    else:
        # no machine without a module is ever named a Jetson
        yield f"JETPROOF_NOT_JETSON_{_word(str(device.get('platformClass')))}"


def _word(text: str) -> str:
    return slug(text).upper().replace("-", "_")


def expected(bundle: Path | None, repository: str | None, workflow: str | None) -> Expected | None:
    """Return who must have countersigned. Raises UsageError when a bundle is given and nobody is named."""
    if bundle is None and repository is None and workflow is None:
        return None
    if repository is None or workflow is None:
        raise UsageError(
            "a countersignature counts only from a named repository and workflow",
            hint="--signer-repository https://github.com/OWNER/NAME --signer-workflow .github/workflows/attest.yml",
            reason="countersigner-unnamed",
        )
    return Expected(envelope_sha256="", commit="", repository=repository, workflow=workflow)
