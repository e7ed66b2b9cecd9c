"""Which waivers are over at a given time."""

from __future__ import annotations

from datetime import date, datetime, timezone

from jetproof.policy.model import Policy, Waiver


def expired(policy: Policy, now: datetime) -> tuple[Waiver, ...]:
    """Return the waivers whose last day is over."""
    return tuple(waiver for waiver in policy.environment_waivers if _day(now) > waiver.expires)


def _day(now: datetime) -> date:
    if now.tzinfo is None:
        raise ValueError("a time without a zone cannot decide a waiver")
    return now.astimezone(timezone.utc).date()
