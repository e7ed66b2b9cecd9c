"""Lint a project's lane: read it, hold it against the rules, ask zizmor where it is there."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from jetproof.workflow.all_rules import RULES
from jetproof.workflow.check import Checked, check, with_more
from jetproof.workflow.gather import gather
from jetproof.workflow.zizmor import Answer, ask, new_to


def lint(project: Path, *, policy: str | None, now: datetime, zizmor: bool) -> Checked:
    """Return what is wrong with the lane of a project. Raises `UsageError` when there is none."""
    lane = gather(project, policy=policy, now=now)
    findings = check(lane, RULES)
    checked = Checked(
        findings=findings,
        rules=len(RULES),
        workflows=tuple(workflow.path for workflow in lane.workflows),
        policy=None if lane.policy is None else lane.policy_path,
        zizmor="not asked",
    )
    if not zizmor or not (lane.workflows or lane.broken_workflows):
        return checked
    answer: Answer = ask(project)
    return with_more(checked, new_to(findings, answer.findings), answer.told)
