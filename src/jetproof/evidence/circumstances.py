"""What evidence is checked against: whom to trust, what time it is, which checkout, policy and challenge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from jetproof.evidence.challenge import Challenge
from jetproof.evidence.envelope import Envelope
from jetproof.evidence.git import Repository
from jetproof.evidence.kept_challenges import NONE, KeptChallenges
from jetproof.evidence.sequence import Numbered
from jetproof.evidence.side_files import SideFiles
from jetproof.evidence.statement import Statement
from jetproof.evidence.trust import Trust
from jetproof.tables import Tables

POLICY_PATH = "ci/conditional-test-policy.json"


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One envelope that could be read, with its statement."""

    envelope: Envelope
    statement: Statement
    sha256: str
    """Of the envelope's file: what a store and a countersignature name."""
    payload_sha256: str
    """Of the signed bytes: the same evidence under another wrapping has the same."""
    name: str = ""
    """Where it was read from."""


@dataclass(frozen=True, kw_only=True)
class Circumstances:
    """All that a check may look at beside the evidence itself."""

    trust: Trust
    now: datetime
    tables: Tables
    maximum_age_days: int = 30
    repository: Repository | None = None
    """None: there is no checkout, so the subject cannot be recomputed; that is told as not checked."""
    commit: str | None = None
    """The commit that is to be proven; None: whichever the evidence names."""
    repository_uri: str | None = None
    base: str | None = None
    """Revision whose policy must not have been weakened."""
    policy_path: str = POLICY_PATH
    side_files: SideFiles | None = None
    """None: they are not at hand, so the record cannot be replayed; that is told as not checked."""
    challenge: Challenge | None = None
    """The one that was issued for this run, named by hand."""
    kept: KeptChallenges = NONE
    """Those that the judging revision holds: each is a witness that the run it was made for began no earlier."""
    challenge_required: bool = False
    used_challenges: Mapping[str, Numbered] = field(default_factory=dict)
    """Nonce to the evidence that used it first."""
    trusted_time: datetime | None = None
    """When a party other than the board saw the envelope: a log, a timestamp authority, a hosted job."""

    @property
    def leeway(self) -> timedelta:
        """How far two honest clocks may differ."""
        return timedelta(minutes=5)
