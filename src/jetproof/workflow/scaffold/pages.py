"""The pages about the lane and the issue form, written from the policy."""

from __future__ import annotations

from jetproof.policy.model import Policy
from jetproof.workflow.scaffold.host import Host
from jetproof.workflow.scaffold.template import filled, template
from jetproof.workflow.scaffold.workflows import jetson_gate, target_tier, tier_labels

_STAGES = {
    "target": "the one that is to be supported first",
    "evaluate": "evidence is shown, nothing is claimed; it needs a runner and an issue of its own",
    "legacy": "deferred until somebody has the hardware and the need",
}
_OWN = (
    "requirements/run.txt -r requirements/build.txt &&\n"
    "    .lane/jetproof/bin/pip install --no-deps --no-build-isolation ."
)
"""jetproof's own checkout: what it needs by hash, then itself from here."""


def conditional_testing(host: Host, policy: Policy, policy_path: str) -> str:
    """Return docs/conditional-testing.md."""
    gate, tier = jetson_gate(policy), target_tier(policy)
    rows = [
        f"| `{entry.id}`{''.join(f' (`{alias}`)' for alias in entry.aliases)} | {_cell(entry.description)} | "
        f"`{'`, `'.join(entry.runner.labels)}` | `python scripts/run_conditional_gate.py {entry.id}` |"
        for entry in policy.gates
    ]
    tiers = [
        f"- {_cell(one.module)} with JetPack {one.jetpack} (L4T {one.l4t}): {one.stage.value}" for one in policy.tiers
    ]
    extra = tier_labels(policy)
    return filled(
        template("conditional-testing.md"),
        {
            "policy": policy_path,
            "issue": host.issue,
            "gate_rows": "\n".join(rows),
            "freshness": str(policy.maximum_evidence_age_days),
            "retention": str(policy.evidence_retention_days),
            "tier_lines": "\n".join(tiers),
            "jetson_labels": "`, `".join(gate.runner.labels) if gate else "",
            "tier_labels": f", for the target tier also `{'`, `'.join(extra)}`" if extra else "",
            "jetson_gate": gate.id if gate else "",
            "requirements": _OWN if host.own_checkout else "ci/jetproof-requirements.txt",
            "branch": host.branch,
            "module": _cell(tier.module) if tier else "",
            "tier": tier.id if tier else "",
        },
    )


def jetson_support(host: Host, policy: Policy, matrix: str) -> str:
    """Return docs/jetson-support.md; `matrix` is the managed block of what is proven."""
    sections = []
    for tier in policy.tiers:
        digest = tier.runtime.digest or f"not pinned yet (`jetproof policy pin {tier.id}` on the board)"
        sections.append(
            f"### {_cell(tier.name)}\n\n"
            f"{tier.stage.value.capitalize()}: {_STAGES[tier.stage.value]}.\n\n"
            f"- module: {_cell(tier.module)}\n"
            f"- JetPack {tier.jetpack}, L4T {tier.l4t}, CUDA {tier.cuda}\n"
            f"- torch: the {tier.runtime.kind} `{_cell(tier.runtime.source)}`, digest: {digest}\n"
            f"- bitsandbytes: {_cell(tier.bitsandbytes)}\n"
            f"- memory: {_cell(tier.memory)}\n"
        )
    return filled(
        template("jetson-support.md"),
        {"issue": host.issue, "matrix": matrix, "tier_sections": "\n".join(sections) + "\n"},
    )


def issue_form(policy: Policy) -> str:
    """Return .github/ISSUE_TEMPLATE/jetson-runtime-report.yml."""
    gate = jetson_gate(policy)
    return filled(template("runtime-report.yml"), {"jetson_gate": gate.id if gate else "GATE"})


def _cell(text: str) -> str:
    """Return a text of the policy so that it stays in its cell and makes no markup."""
    return "".join(f"\\{char}" if char in "\\`|<>[]" else char for char in text if char.isprintable())
