"""Projects for the tests of the lane: the good one, edited in memory or on disk."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

from jetproof.workflow.all_rules import RULES
from jetproof.workflow.check import check
from jetproof.workflow.gather import gather
from jetproof.workflow.rule import Finding

NOW = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)


def findings(project: Path) -> tuple[Finding, ...]:
    """Return what all rules find in a project on the day of the tests."""
    return check(gather(project, policy=None, now=NOW), RULES)
