"""Every way in which a command can end, and the errors that lead there.

All kinds stand in one file so that the exit codes stay unique at a glance.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the exit status of any jetproof command means."""

    OK = 0
    """Proven, or nothing wrong."""
    NO = 1
    """It ran, and the answer is no: blocking findings, a failed gate."""
    USAGE = 2
    """Wrong usage, or input that is not what it should be."""
    INTERNAL = 3
    """Internal error; the record is incomplete."""
    UNDECIDED = 4
    """Cannot be checked here, or not decided."""
    NOTHING_PLANNED = 5
    """Nothing was planned, so nothing can be proven."""
    EVIDENCE_INVALID = 6
    """Signature, tampering or wrong subject."""
    STALE = 7
    """Evidence is too old, or the clock is not to be trusted."""
    CLAIM_EXCEEDS_PROOF = 8
    """A text says more than the evidence proves."""
    POLICY_INVALID = 9
    """The policy or a waiver is invalid or expired."""
    TIME_LIMIT = 124
    """jetproof's own time limit."""
    INTERRUPTED = 130
    """Interrupted from the keyboard."""


class JetproofError(Exception):
    """Base of all errors a person should read: what was expected, what was found, and what to do.

    `reason` is a stable code for machines; `hint` is the next thing to try, if there is one.
    """

    exit_code = ExitCode.INTERNAL
    default_reason = "internal"

    def __init__(self, message: str, *, hint: str | None = None, reason: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.reason = reason or self.default_reason


class InternalError(JetproofError):
    """A fault of jetproof itself."""

    @classmethod
    def of(cls, error: Exception) -> InternalError:
        """Tell an exception that nobody foresaw."""
        return cls(
            f"internal error: {type(error).__name__}: {error}",
            hint="this is a fault of jetproof; JETPROOF_DEBUG=1 shows where, please report it with the input",
        )


class UsageError(JetproofError):
    """The call or its input is not what it should be."""

    exit_code = ExitCode.USAGE
    default_reason = "usage"


class Undecided(JetproofError):
    """The question cannot be answered here: no permission, no device, not the platform."""

    exit_code = ExitCode.UNDECIDED
    default_reason = "undecided"


class NothingPlanned(JetproofError):
    """There is nothing to run, and nothing run is nothing proven."""

    exit_code = ExitCode.NOTHING_PLANNED
    default_reason = "nothing-planned"


class Refused(JetproofError):
    """It ran and the answer is no; nothing was changed that had to stay."""

    exit_code = ExitCode.NO
    default_reason = "refused"


class EvidenceInvalid(JetproofError):
    """Evidence that does not stand: signature, tampering or wrong subject."""

    exit_code = ExitCode.EVIDENCE_INVALID
    default_reason = "evidence-invalid"


class EvidenceStale(JetproofError):
    """Evidence that is too old, or whose time cannot be trusted."""

    exit_code = ExitCode.STALE
    default_reason = "stale"


class PolicyInvalid(JetproofError):
    """A policy or waiver that is invalid or expired."""

    exit_code = ExitCode.POLICY_INVALID
    default_reason = "policy-invalid"


class TimeLimitReached(JetproofError):
    """jetproof's own time limit was reached."""

    exit_code = ExitCode.TIME_LIMIT
    default_reason = "time-limit"
