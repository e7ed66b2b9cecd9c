"""The lane's workflows, written from the policy: one job a gate, a hosted challenge before, a hosted signer after."""

from __future__ import annotations

import re

from jetproof.errors import UsageError
from jetproof.policy.model import Gate, Platform, Policy, ProbeItem, Tier
from jetproof.workflow.liveness import GH_FIELDS
from jetproof.workflow.scaffold.host import Host
from jetproof.workflow.scaffold.template import filled, template

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_IMAGE = re.compile(r"[a-z0-9][a-z0-9._:/-]*")


def jetson_gate(policy: Policy) -> Gate | None:
    """Return the gate that runs on a Jetson and may carry a claim."""
    return next((gate for gate in policy.gates if gate.platform is Platform.JETSON and gate.carries_claim), None)


def target_tier(policy: Policy) -> Tier | None:
    """Return the first tier that may become supported."""
    return next((tier for tier in policy.tiers if tier.stage.value == "target"), None)


def conditional_tests(host: Host, policy: Policy, policy_path: str) -> str:
    """Return .github/workflows/conditional-tests.yml. Raises UsageError when the policy has no gate for a Jetson."""
    jetson = jetson_gate(policy)
    if jetson is None:
        raise UsageError(
            f"{policy_path} has no gate for a Jetson that may carry a claim, so there is no lane to write",
            hint='add one with "platform": "jetson" and "carries_claim": true',
            reason="no-jetson-gate",
        )
    jobs = [(gate, part) for gate in policy.gates if (part := _part(gate)) is not None]
    gates = [gate for gate, _ in jobs]
    common = {
        "repository": host.repository,
        "install_jetproof": install(host),
        "retention": str(max(policy.maximum_evidence_age_days + 1, min(policy.evidence_retention_days, 90))),
        "policy": policy_path,
    }
    parts = [
        filled(
            template("workflow-head.yml"),
            {
                **common,
                "again": host.again(),
                "default_gate": _word(jetson.id),
                "dispatch_options": "\n".join(
                    f"          - {_word(gate.id)}" for gate in gates if gate.platform is not Platform.LINUX_ARM64
                ),
                "cron": "17 3 * * 1",
                **_challenges(gates),
            },
        )
    ]
    parts += [filled(template(part), {**common, **_of_gate(host, policy, gate)}) for gate, part in jobs]
    needed = ["challenge", *(_word(gate.job) for gate in gates if gate.carries_claim), "countersign"]
    parts.append(filled(template("job-lane.yml"), {**common, "needed": ", ".join(needed)}))
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def support_claims(host: Host) -> str:
    """Return .github/workflows/support-claims.yml."""
    return filled(
        template("support-claims.yml"),
        {
            "repository": host.repository,
            "branch": host.branch,
            "install_jetproof": install(host),
            "run_fields": GH_FIELDS,
            "skips": "".join(f" --skip {path}" for path in host.skips),
        },
    )


def install(host: Host) -> str:
    """Return the commands that install jetproof itself, by hash."""
    return template("install-checkout.txt" if host.own_checkout else "install-requirements.txt")


def _part(gate: Gate) -> str | None:
    """Return the template of a gate's job; None for gates that this lane does not run."""
    if any(isinstance(item, ProbeItem) and item.probe == "hub-model" for item in gate.items):
        return "job-hub.yml"
    if gate.platform is Platform.JETSON:
        return "job-jetson.yml" if gate.carries_claim else "job-unclaimed.yml"
    if gate.platform is Platform.X86_CUDA and gate.carries_claim:
        return "job-cuda.yml"
    return "job-arm64.yml" if gate.platform is Platform.LINUX_ARM64 else None


def _challenges(gates: list[Gate]) -> dict[str, str]:
    """Return the places of the job that makes a nonce for each gate on a machine of the project's own."""
    names = [_word(gate.id) for gate in gates if gate.carries_claim and not gate.software_only]
    outputs = [f"      nonce-{name}: ${{{{ steps.challenge.outputs.nonce-{name} }}}}" for name in names]
    return {"challenged": " ".join(names), "challenge_outputs": "\n".join(outputs)}


def _of_gate(host: Host, policy: Policy, gate: Gate) -> dict[str, str]:
    labels = [_word(label) for label in gate.runner.labels]
    if gate.platform is Platform.JETSON:
        labels += [label for label in tier_labels(policy) if label not in labels]
    return {
        "job": _word(gate.job),
        "gate": _word(gate.id),
        "labels": ", ".join(labels),
        "minutes": str(int(gate.expected_cost.minutes * 2) + 10),
        "container": _container(policy),
        "smoke": f"          .lane/cpu/bin/{host.command} --help"
        if host.command
        else "          .lane/cpu/bin/pip check",
    }


def tier_labels(policy: Policy) -> tuple[str, ...]:
    """Return the labels that tell the target tier's board: its kind and the JetPack's number."""
    tier = target_tier(policy)
    if tier is None:
        return ()
    kind = next((word for word in ("orin", "thor", "xavier") if word in f"{tier.module} {tier.name}".lower()), None)
    return tuple(label for label in (kind, f"jetpack-{tier.jetpack.split('.')[0]}") if label)


def _container(policy: Policy) -> str:
    """Return the job's container when the target tier runs in a pinned image."""
    tier = target_tier(policy)
    if tier is None or tier.runtime.kind != "image" or tier.runtime.digest is None:
        return ""
    name = tier.runtime.source.partition("@")[0]
    if not _IMAGE.fullmatch(name):
        raise UsageError(f"the image of the tier {tier.id} has no name that a workflow can hold: {name!r}")
    return f"    container:\n      image: {name}@{tier.runtime.digest}\n      options: --runtime nvidia\n"


def _word(text: str) -> str:
    if not _WORD.fullmatch(text):
        raise UsageError(f"the policy's {text!r} cannot stand in a workflow: letters, digits, '.', '_' and '-' only")
    return text
