"""Where the lane's life is read: the evidence store, the checkout's last commit, a saved list of runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from jetproof.errors import PolicyInvalid
from jetproof.evidence import trust as trusts
from jetproof.evidence.git import repository
from jetproof.evidence.opening import default_base, store_of
from jetproof.evidence.statement import moment
from jetproof.evidence.store_work import contents
from jetproof.target.recorded import read
from jetproof.workflow.gather import gather
from jetproof.workflow.liveness import Evidence, Liveness, judge, runs_from

_LARGEST = 16 << 20


def liveness(
    project: Path, *, policy: str | None, runs: Path | None, store: Path | None, branch: str | None, now: datetime
) -> Liveness:
    """Return whether the project's lane lives. Raises `PolicyInvalid` without a policy or without anybody to trust."""
    lane = gather(project, policy=policy, now=now)
    if lane.policy is None:
        broken = "; ".join(one.message for one in lane.broken_policy)
        raise PolicyInvalid(
            f"{lane.policy_path} does not stand: {broken or 'it is missing'}", hint="jetproof policy check"
        )
    checkout = repository(project)
    head = checkout.resolve("HEAD")
    trust = trusts.at(checkout, default_base(checkout, os.environ))
    kept = contents(store_of(checkout, store, branch), trust)
    names = [workflow.root.text("name") for workflow in lane.lane_workflows]
    listed = None if runs is None else runs_from(read(runs, _LARGEST), str(runs), names[0] if len(names) == 1 else None)
    return judge(lane.policy, _evidence(kept.rows), listed, None if head is None else checkout.committed(head), now)


def _evidence(rows: tuple[Mapping[str, Any], ...]) -> Iterator[Evidence]:
    for row in rows:
        yield Evidence(gate=row["gate"], finished=moment(row["finished"], "finished"), passed=row["result"] == "PASSED")
