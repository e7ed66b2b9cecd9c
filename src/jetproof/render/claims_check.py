"""A check of the documents, and what was written, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jetproof.claims.check import Checked, Weight
from jetproof.claims.write import Change
from jetproof.render.notice import Level, Notice
from jetproof.render.style import Style, counted, printable, printable_line

SCHEMA = "jetproof/claims-check/1"
_PAGE = "https://github.com/jetproof/jetproof/blob/main/docs/ci/claims.md"


def told(found: Checked, style: Style) -> str:
    """Return the check as text, its answer first."""
    count = len(found.exceeds)
    if count:
        answer = (
            style(f"{count} places say more than is proven", "red")
            if count > 1
            else style("1 place says more than is proven", "red")
        )
    else:
        answer = style("No document says more than is proven", "green")
    lines = [f"{answer}: {found.looked_at} documents, {found.blocks} managed blocks, held to {found.held_to}"]
    for remark in found.remarks:
        colour = "red" if remark.weight is Weight.EXCEEDS else "yellow"
        lines.append(
            f"{printable_line(remark.path)}:{remark.line}: {style(remark.reason, colour)}: {printable(remark.message)}"
        )
        lines.append(f"  mend: {remark.remedy}")
    lines += [f"{printable_line(text.path)}:{text.line}: proven: {printable(text.text)}" for text in found.texts]
    if found.excused:
        lines.append(f"{len(found.excused)} marked as no claim:")
        lines += [f"  {printable_line(one.path)}:{one.line}: {printable(one.text)}" for one in found.excused]
    for passed in found.passed[:20]:
        lines.append(f"not looked at: {printable_line(passed.path)}: {printable(passed.why)}")
    if len(found.passed) > 20:
        lines.append(f"not looked at: {len(found.passed) - 20} more")
    return "\n".join(lines) + "\n"


def as_json(found: Checked) -> dict[str, Any]:
    """Return the check for programs."""
    return {
        "schema": SCHEMA,
        "ok": not found.exceeds,
        "held_to": found.held_to,
        "documents": found.looked_at,
        "blocks": found.blocks,
        "as_of": found.said.as_of.isoformat(),
        "may_say": [
            {"id": one.scope, "commit": one.commit, "until": one.until.isoformat()} for one in found.said.sayings
        ],
        "remarks": [
            {
                "reason": remark.reason,
                "weight": remark.weight.value,
                "path": remark.path,
                "line": remark.line,
                "message": remark.message,
                "remedy": remark.remedy,
            }
            for remark in found.remarks
        ],
        "proven_texts": [{"path": text.path, "line": text.line, "text": text.text} for text in found.texts],
        "marked_as_no_claim": [{"path": one.path, "line": one.line, "text": one.text} for one in found.excused],
        "not_looked_at": [{"path": one.path, "why": one.why} for one in found.passed],
    }


def notices(found: Checked) -> tuple[Notice, ...]:
    """Return the remarks as lines that a forge shows beside the text."""
    return tuple(
        Notice(
            rule=remark.reason,
            name=remark.reason,
            level=Level.ERROR if remark.weight is Weight.EXCEEDS else Level.NOTE,
            message=f"{remark.message}. Mend: {remark.remedy}",
            path=remark.path,
            line=remark.line,
            url=_PAGE,
        )
        for remark in found.remarks
    )


def written(changes: Sequence[Change], style: Style, *, only_shown: bool) -> str:
    """Return what was written, or would be."""
    if not changes:
        return style("Everything says what is proven already", "green") + "; nothing was written\n"
    verb = "would be written" if only_shown else "written"
    lines = [f"{counted(len(changes), 'file')} {verb}"]
    for change in changes:
        lines.append(f"  {printable_line(change.path)}" + ("  (new)" if change.old is None else ""))
        lines += [f"    line {line}: a hand-made change inside the block was replaced" for line in change.hand_made]
    return "\n".join(lines) + "\n"
