"""A job of the lane may write more than it needs.

Why it matters
    A gate reads the project and nothing else; a token that writes is what an intruder is after.

How it is decided
    `write-all` anywhere in a lane's workflow; a permission to write on a device's job or at the top;
    `contents`, `actions` or `packages` to write on any job. What a signer needs (`id-token`, `attestations`) is
    the matter of JW409.

What to do
    Take it away.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW603", name="permissions-excessive")

_SIGNING = ("id-token", "attestations")
_NEVER = ("contents", "actions", "packages", "deployments", "checks", "statuses", "pull-requests")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such permission."""
    for workflow in lane.lane_workflows:
        for job in (None, *workflow.jobs):
            holder = workflow.root if job is None else job.table
            if (holder.text("permissions") or "").strip() == "write-all":
                place = lane.in_workflow(workflow, holder.at("permissions"))
                yield ABOUT.at(place, "Everything may be written.", "Write `permissions: {}`.")
            table = holder.table("permissions")
            for name in table.members if table is not None else ():
                wide = job is None or name in _NEVER or (job.self_hosted and name not in _SIGNING)
                if table is not None and table.text(name) == "write" and wide:
                    place = lane.in_workflow(workflow, table.at(name))
                    who = "Every job" if job is None else job.id
                    yield ABOUT.at(place, f"{who} may write {name}.", f"Remove `{name}: write`.")


RULE = ABOUT.rule(check)
