"""Claims as a table and as JSON: what may be said today, until when, and what is missing for more."""

from __future__ import annotations

from typing import Any

from jetproof.claims.assess import Assessment
from jetproof.claims.calculus import Claim, State
from jetproof.render.style import Style, printable, printable_line

SCHEMA = "jetproof/claims/1"
_COLOURS = {
    State.SUPPORTED: "green",
    State.FAILING: "red",
    State.CONTESTED: "red",
    State.FLAKY: "yellow",
    State.STALE: "yellow",
}


def table(found: Assessment, style: Style) -> str:
    """Return the claims as text."""
    claims = found.claims
    supported = [claim for claim in claims.claims if claim.state is State.SUPPORTED]
    answer = ", ".join(claim.scope.title for claim in supported) or "nothing"
    lines = [f"Proven at {claims.commit[:12]} on {claims.today} (UTC): {style(answer, 'bold')}"]
    for claim in claims.claims:
        lines.extend(_lines(claim, claims.commit, style))
    for waiver in claims.unused_waivers:
        lines.append(f"{style('unused waiver', 'yellow')}: {waiver.id}: it excuses nothing that is missing; remove it")
    for waiver in claims.expired_waivers:
        lines.append(f"{style('expired waiver', 'red')}: {waiver.id}: ended {waiver.expires}; remove it")
    for gap in found.gathered.sequences.gaps:
        numbers = f"{gap.first}" if gap.first == gap.last else f"{gap.first} to {gap.last}"
        lines.append(f"{style('gap', 'red')}: number {numbers} of the signer {gap.signer[:8]} is missing")
    for name in found.taken_out[:10]:
        lines.append(
            f"{style('taken out of the store', 'red')}, and counts all the same, since {found.judge} holds it: {name}"
        )
    counted = len(found.gathered.proofs)
    lines.append(f"{counted} of {found.gathered.read} pieces of evidence count; trust from {found.trust.read_from}")
    for turned in found.gathered.turned[:10]:
        first = turned.refusals[0]
        lines.append(f"  {printable_line(turned.name)[:24]}: {first.reason.value}: {printable(first.message)}")
    if len(found.gathered.turned) > 10:
        lines.append(f"  and {len(found.gathered.turned) - 10} more: jetproof evidence list")
    return "\n".join(lines) + "\n"


def _lines(claim: Claim, commit: str, style: Style) -> list[str]:
    colour = _COLOURS.get(claim.state)
    state = style(claim.state.value, colour) if colour else claim.state.value
    lines = [f"{state}: {printable(claim.scope.title)}  [{claim.scope.id}]"]
    if claim.holds_until is not None:
        proven = claim.proven_commit or commit
        other = "" if proven == commit else ", whose material paths are the same"
        lines.append(
            f"  holds until {claim.holds_until} (UTC), proven at {proven[:12]}{other}, signers: {claim.signers}"
        )
    if claim.waiver is not None:
        waiver = claim.waiver
        lines.append(
            f"  waived until {waiver.expires} by {printable(waiver.owner)}: {printable(waiver.reason)} ({waiver.issue})"
        )
    lines.extend(f"  missing: {printable(text)}" for text in claim.missing)
    return lines


def as_json(found: Assessment) -> dict[str, Any]:
    """Return the claims for programs."""
    claims = found.claims
    return {
        "schema": SCHEMA,
        "commit": claims.commit,
        "today": claims.today.isoformat(),
        "policy_sha256": found.policy_sha256,
        "trust_from": found.trust.read_from,
        "claims": [_claim(claim) for claim in claims.claims],
        "unused_waivers": [waiver.id for waiver in claims.unused_waivers],
        "expired_waivers": [waiver.id for waiver in claims.expired_waivers],
        "gaps": [{"signer": gap.signer, "first": gap.first, "last": gap.last} for gap in found.gathered.sequences.gaps],
        "taken_out": list(found.taken_out),
        "counted": len(found.gathered.proofs),
        "read": found.gathered.read,
        "refused": [
            {"name": turned.name, "refusals": [refusal.as_json() for refusal in turned.refusals]}
            for turned in found.gathered.turned
        ],
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "id": claim.scope.id,
        "kind": claim.scope.kind.value,
        "title": claim.scope.title,
        "state": claim.state.value,
        "missing": list(claim.missing),
        "proven_commit": claim.proven_commit,
        "holds_until": None if claim.holds_until is None else claim.holds_until.isoformat(),
        "evidence": list(claim.evidence),
        "signers": claim.signers,
        "waiver": None if claim.waiver is None else claim.waiver.id,
    }
