"""Evidence as a person reads it: the answer first, then each reason with what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jetproof.evidence.sequence import Sequences
from jetproof.evidence.statement import Statement, time_text
from jetproof.evidence.verify import Verification
from jetproof.render.style import Style, printable, printable_line

VERIFICATION_SCHEMA = "jetproof/verification/1"


def verification(found: Sequence[Verification], style: Style, trust_from: str) -> str:
    """Return the result of verifying as text."""
    lines: list[str] = []
    for one in found:
        lines.append(_headline(one, style))
        if one.evidence is not None:
            lines.append(f"  {_subject(one.evidence.statement)}")
            signer = "nobody trusted" if one.signer is None else f"{one.signer.name} ({one.signer.keyid[:8]})"
            lines.append(f"  signed by {printable_line(signer)}; trust from {printable_line(trust_from)}")
        if one.counts_from is not None:
            lines.append(
                f"  its age counts from {one.counts_from:%Y-%m-%d %H:%M}Z, which others saw, not from its own clock"
            )
        for refusal in one.refusals:
            lines.append(f"  {style(refusal.reason.value, 'red')}: {printable(refusal.message)}")
            if refusal.hint:
                lines.append(f"    fix: {printable(refusal.hint)}")
        lines.extend(f"  {style('not checked', 'yellow')}: {text}" for text in one.unchecked)
    return "\n".join(lines) + "\n"


def _headline(one: Verification, style: Style) -> str:
    name = printable_line(one.name or "the evidence")
    if one.proven:
        return f"{style('proven', 'green', 'bold')}: {name}"
    if not one.valid:
        return f"{style('refused', 'red', 'bold')}: {name}"
    if not one.timely:
        return f"{style('not fresh', 'yellow', 'bold')}: {name}"
    return f"{style('not proven', 'yellow', 'bold')}: {name}"


def _subject(said: Statement) -> str:
    machine = said.module or f"no Jetson ({said.device.get('platformClass')})"
    release = f", L4T {said.device.get('l4t')}" if said.module else ""
    return printable(
        f"{said.gate} at {said.commit[:12]} on {machine}{release}, {said.finished:%Y-%m-%d %H:%M}Z: "
        f"{said.passed_count} of {said.planned} passed"
    )


def verification_json(found: Sequence[Verification], trust_from: str) -> dict[str, Any]:
    """Return the result of verifying for programs."""
    return {
        "schema": VERIFICATION_SCHEMA,
        "trust_from": trust_from,
        "proven": bool(found) and all(one.proven for one in found),
        "evidence": [_one_json(one) for one in found],
    }


def _one_json(one: Verification) -> dict[str, Any]:
    members: dict[str, Any] = {
        "name": one.name,
        "proven": one.proven,
        "valid": one.valid,
        "timely": one.timely,
        "exit_code": int(one.exit_code),
        "refusals": [refusal.as_json() for refusal in one.refusals],
        "unchecked": list(one.unchecked),
    }
    if one.evidence is not None:
        said = one.evidence.statement
        members["sha256"] = one.evidence.sha256
        # what an unaccepted signature covers is just somebody's text, and is not repeated as if it said something
        if one.signer is not None:
            members["signer"] = {"name": one.signer.name, "keyid": one.signer.keyid}
            members["counts_from"] = time_text(one.counts_from or said.finished)
            members.update(gate=said.gate, commit=said.commit, result=said.result, finished=time_text(said.finished))
    return members


def listing(rows: Sequence[Mapping[str, Any]], chain: Sequences, odd: Sequence[tuple[str, str]], style: Style) -> str:
    """Return the store's contents as a table, and what is wrong with them."""
    lines = [f"{len(rows)} pieces of evidence"]
    for row in rows:
        mark = style("pass", "green") if row["result"] == "PASSED" else style(str(row["outcome"]).lower(), "red")
        machine = row["module"] or row["platform_class"] or "unknown machine"
        number = "-" if row["seq"] is None else str(row["seq"])
        text = f"{row['sha256'][:12]}  {row['finished'][:10]}  {row['gate']}  {row['commit'][:12]}  {machine}"
        lines.append(f"{mark:<6} {printable(text)}  {printable_line(str(row['signer']))} #{number}")
    for gap in chain.gaps:
        span = f"number {gap.first}" if gap.first == gap.last else f"numbers {gap.first} to {gap.last}"
        lines.append(f"{style('gap', 'red')}: {span} of {gap.signer[:8]} missing: jetproof evidence add FILE")
    lines.extend(
        f"{style('duplicate', 'yellow')}: {two[:12]} wraps the same as {one[:12]}" for one, two in chain.duplicates
    )
    for sha256, refusals in sorted(chain.refusals.items()):
        lines.extend(
            f"{style(refusal.reason.value, 'yellow')}: {sha256[:12]}: {printable(refusal.message)}"
            for refusal in refusals
        )
    lines.extend(f"{style('odd', 'red')}: {printable_line(name)}: {printable(message)}" for name, message in odd)
    return "\n".join(lines) + "\n"
