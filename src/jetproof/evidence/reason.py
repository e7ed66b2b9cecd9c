"""Every named reason for which evidence is refused, or does not prove what it is offered for.

All stand in one closed list, so that each can have a test that forges it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Effect(Enum):
    """What a reason does to the evidence it is found in."""

    INVALID = "invalid"
    """It does not stand: it is not counted at all, neither for nor against anything."""
    UNTIMELY = "untimely"
    """It stands, but its time does not serve: too old, or the clock is not to be trusted."""
    PROVES_NOTHING = "proves-nothing"
    """It stands, and says something other than "proven"."""


class Reason(Enum):
    """Why evidence is refused; the value is the stable code for machines."""

    # form: the bytes cannot be read as evidence in one way only
    TOO_LARGE = "TOO_LARGE"
    NOT_UTF8 = "NOT_UTF8"
    NOT_JSON = "NOT_JSON"
    TRAILING_DATA = "TRAILING_DATA"
    DUPLICATE_NAME = "DUPLICATE_NAME"
    NOT_FINITE = "NOT_FINITE"
    TOO_DEEP = "TOO_DEEP"
    LONE_SURROGATE = "LONE_SURROGATE"
    ENVELOPE_MALFORMED = "ENVELOPE_MALFORMED"
    BASE64_INVALID = "BASE64_INVALID"
    PAYLOAD_TYPE_UNKNOWN = "PAYLOAD_TYPE_UNKNOWN"
    STATEMENT_TYPE_UNKNOWN = "STATEMENT_TYPE_UNKNOWN"
    PREDICATE_TYPE_UNKNOWN = "PREDICATE_TYPE_UNKNOWN"
    STATEMENT_MALFORMED = "STATEMENT_MALFORMED"

    # signature and trust
    UNSIGNED = "UNSIGNED"
    SIGNATURE_INVALID = "SIGNATURE_INVALID"
    KEY_UNKNOWN = "KEY_UNKNOWN"
    KEY_NOT_YET_VALID = "KEY_NOT_YET_VALID"
    KEY_EXPIRED = "KEY_EXPIRED"
    KEY_REVOKED = "KEY_REVOKED"
    KEY_ROLE = "KEY_ROLE"

    # subject
    COMMIT_DIFFERENT = "COMMIT_DIFFERENT"
    COMMIT_UNKNOWN = "COMMIT_UNKNOWN"
    TREE_MISMATCH = "TREE_MISMATCH"
    DIRTY_TREE = "DIRTY_TREE"
    SUBMODULE_MISMATCH = "SUBMODULE_MISMATCH"
    MERGE_COMMIT = "MERGE_COMMIT"
    REPOSITORY_DIFFERENT = "REPOSITORY_DIFFERENT"
    CODE_OUTSIDE_TREE = "CODE_OUTSIDE_TREE"

    # record, journal and side files
    ARTIFACT_PATH = "ARTIFACT_PATH"
    ARTIFACT_LINK = "ARTIFACT_LINK"
    ARTIFACT_MISSING = "ARTIFACT_MISSING"
    ARTIFACT_TOO_LARGE = "ARTIFACT_TOO_LARGE"
    ARTIFACT_DIGEST = "ARTIFACT_DIGEST"
    JOURNAL_BROKEN = "JOURNAL_BROKEN"
    JOURNAL_UNFINISHED = "JOURNAL_UNFINISHED"
    RECORD_NOT_REPLAYED = "RECORD_NOT_REPLAYED"
    STATEMENT_CONTRADICTS_RECORD = "STATEMENT_CONTRADICTS_RECORD"

    # plan and result
    RESULT_CONTRADICTS_PLAN = "RESULT_CONTRADICTS_PLAN"
    PLAN_EMPTY = "PLAN_EMPTY"
    PLAN_DIGEST = "PLAN_DIGEST"
    PLAN_SHORT = "PLAN_SHORT"
    TESTS_HIDDEN = "TESTS_HIDDEN"
    ENVIRONMENT_UNCLEAN = "ENVIRONMENT_UNCLEAN"
    NOT_PASSED = "NOT_PASSED"
    FLAKY = "FLAKY"
    WAIVED = "WAIVED"

    # policy
    POLICY_MISSING = "POLICY_MISSING"
    POLICY_DIFFERENT = "POLICY_DIFFERENT"
    POLICY_WEAKER = "POLICY_WEAKER"
    GATE_UNKNOWN = "GATE_UNKNOWN"

    # device
    DEVICE_CONTRADICTION = "DEVICE_CONTRADICTION"
    ORIGIN_NOT_LIVE = "ORIGIN_NOT_LIVE"

    # time
    STALE = "STALE"
    FUTURE = "FUTURE"
    BEFORE_COMMIT = "BEFORE_COMMIT"
    CLOCK_UNTRUSTED = "CLOCK_UNTRUSTED"
    MONOTONIC_MISMATCH = "MONOTONIC_MISMATCH"

    # replay and completeness
    CHALLENGE_MISSING = "CHALLENGE_MISSING"
    CHALLENGE_DIFFERENT = "CHALLENGE_DIFFERENT"
    CHALLENGE_REUSED = "CHALLENGE_REUSED"
    CHALLENGE_LATER_THAN_RUN = "CHALLENGE_LATER_THAN_RUN"
    CHALLENGE_FUTURE = "CHALLENGE_FUTURE"
    SEQUENCE_GAP = "SEQUENCE_GAP"
    SEQUENCE_REUSED = "SEQUENCE_REUSED"
    PREVIOUS_DIFFERENT = "PREVIOUS_DIFFERENT"

    # privacy
    PRIVATE_DATA = "PRIVATE_DATA"

    # countersignature
    BUNDLE_INVALID = "BUNDLE_INVALID"
    BUNDLE_PREDICATE = "BUNDLE_PREDICATE"
    BUNDLE_SUBJECT = "BUNDLE_SUBJECT"
    BUNDLE_SOURCE_DIGEST = "BUNDLE_SOURCE_DIGEST"
    BUNDLE_SOURCE_REPOSITORY = "BUNDLE_SOURCE_REPOSITORY"
    BUNDLE_SIGNER_WORKFLOW = "BUNDLE_SIGNER_WORKFLOW"
    BUNDLE_RUNNER_ENVIRONMENT = "BUNDLE_RUNNER_ENVIRONMENT"
    BUNDLE_TRIGGER = "BUNDLE_TRIGGER"
    BUNDLE_ISSUER = "BUNDLE_ISSUER"

    @property
    def effect(self) -> Effect:
        """What this reason does to the evidence."""
        return _EFFECTS.get(self, Effect.INVALID)


_EFFECTS = {
    Reason.STALE: Effect.UNTIMELY,
    Reason.CLOCK_UNTRUSTED: Effect.UNTIMELY,
    Reason.FUTURE: Effect.UNTIMELY,
    Reason.BEFORE_COMMIT: Effect.UNTIMELY,
    Reason.MONOTONIC_MISMATCH: Effect.UNTIMELY,
    Reason.CHALLENGE_FUTURE: Effect.UNTIMELY,
    Reason.NOT_PASSED: Effect.PROVES_NOTHING,
    Reason.FLAKY: Effect.PROVES_NOTHING,
    Reason.WAIVED: Effect.PROVES_NOTHING,
    Reason.SEQUENCE_GAP: Effect.PROVES_NOTHING,
    Reason.SEQUENCE_REUSED: Effect.PROVES_NOTHING,
    Reason.PREVIOUS_DIFFERENT: Effect.PROVES_NOTHING,
}


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """One reason against a piece of evidence, with what was expected and what was found."""

    reason: Reason
    message: str
    hint: str | None = None

    def as_json(self) -> dict[str, str]:
        """Return the members for `--json`."""
        members = {"reason": self.reason.value, "effect": self.reason.effect.value, "message": self.message}
        if self.hint:
            members["hint"] = self.hint
        return members


class Unreadable(Exception):
    """Bytes that are not evidence in form; carries the one refusal that says why."""

    def __init__(self, reason: Reason, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.refusal = Refusal(reason=reason, message=message, hint=hint)
