"""A plan for a person: what would be run, on what, and what it could prove."""

from __future__ import annotations

import json

from jetproof.qualify.plan_model import Plan, ProbeStep
from jetproof.render.style import printable, printable_line


def gate_plan(plan: Plan) -> str:
    """Return the plan as text, the answer first."""
    lines = [f"{plan.gate.id}: {len(plan.items)} items planned, none run (plan sha256 {plan.digest[:12]})"]
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
            what = f"{len(expected)} tests" if expected else f"at least {step.pytest.at_least} tests"
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
