"""A plan for a person: what would be run, on what, and what it could prove."""

from __future__ import annotations

import json

from jetproof.qualify.plan_model import Plan, ProbeStep
from jetproof.render.style import counted, printable, printable_line


def gate_plan(plan: Plan) -> str:
    """Return the plan as text, the answer first."""
    lines = [f"{plan.gate.id}: {counted(len(plan.items), 'item')} planned, none run (plan sha256 {plan.digest[:12]})"]
    tier = (
        f"{plan.tier.id} ({printable_line(plan.tier.name)})"
        if plan.tier is not None
        else "none of the policy fits here"
    )
    commit = plan.source.commit or "no commit"
    lines += [
        f"  tier    {tier}",
        f"  origin  {plan.origin}",
        f"  commit  {commit}",
        f"  policy  {printable_line(plan.policy_path)}",
        "",
    ]
    width = max(len(step.id) for step in plan.items)
    for step in plan.items:
        if isinstance(step, ProbeStep):
            what = json.dumps(step.params) if step.params else ""
        else:
            expected = step.pytest.expected
            what = (
                counted(len(expected), "test") if expected else f"at least {counted(step.pytest.at_least or 0, 'test')}"
            )
        lines.append(f"  {step.id:<{width}}  at most {step.timeout:g} s  {printable(what)}".rstrip())
    for entry in plan.excluded:
        lines.append(f"  {entry.id:<{width}}  not run: {printable(entry.message)}")
    reasons = [printable(note.message) for note in plan.rehearsal]
    if plan.origin != "live":
        reasons.append(f"the machine is {plan.origin}")
    if not plan.gate.carries_claim:
        reasons.append("the policy gives this gate no claim to carry")
    if reasons:
        lines += ["", f"It could prove nothing: {'; '.join(reasons)}"]
    return "\n".join(lines) + "\n"
