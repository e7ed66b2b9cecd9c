"""Write the managed blocks and the badge for what may be said: which bytes change, file by file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from jetproof.claims.blocks import blocks, replaced
from jetproof.claims.calculus import Claims, State
from jetproof.claims.documents import BADGE_PATH, SUPPORT, WRITERS, badge
from jetproof.claims.said import Said, said
from jetproof.claims.scope import Kind
from jetproof.claims.texts import Documents
from jetproof.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Change:
    """A file before and after."""

    path: str
    old: bytes | None
    """None when it is not there yet."""
    new: bytes
    hand_made: tuple[int, ...] = ()
    """Lines of blocks that somebody changed by hand, and that are written anew."""


def changes(texts: Documents, claims: Claims, badge_data: bytes | None) -> tuple[Change, ...]:
    """Return what has to be written so that documents and badge say what is proven, and no more.

    A block whose facts are the same keeps its day, so that writing twice changes nothing.
    Raises UsageError when markers are not in order, or when no document has the README's block.
    """
    scopes = [claim.scope for claim in claims.claims]
    may = said(claims)
    found: list[Change] = []
    there = False
    for document in texts.documents:
        data = document.data
        known = blocks(data)
        if known.faults:
            fault = known.faults[0]
            raise UsageError(
                f"{document.path}:{fault.line}: {fault.message}",
                hint="mend the markers by hand; nothing was written",
                reason=fault.reason,
            )
        there = there or known.block(SUPPORT) is not None
        for block in known.blocks:
            writer = WRITERS.get(block.id)
            if writer is None:
                continue
            facts = _kept(block.said, may)
            text = writer(scopes, facts)
            if block.edited or facts != block.said or text != block.text:
                data = replaced(data, block.id, facts, text)
        if data != document.data:
            found.append(
                Change(
                    path=document.path,
                    old=document.data,
                    new=data,
                    hand_made=tuple(block.line for block in known.blocks if block.edited),
                )
            )
    if not there:
        raise UsageError(
            f"no document holds the managed block {SUPPORT}", hint="jetproof init adds it", reason="block-missing"
        )
    lapsed = any(claim.scope.kind is Kind.JETSON and claim.state is State.STALE for claim in claims.claims)
    new = badge_bytes(badge(scopes, may, lapsed=lapsed))
    if new != badge_data:
        found.append(Change(path=BADGE_PATH, old=badge_data, new=new))
    return tuple(found)


def badge_bytes(value: object) -> bytes:
    """Return a badge as its file holds it."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def patch(found: Sequence[Change]) -> str:
    """Return the changes as a patch that `git apply` takes."""
    from difflib import unified_diff

    parts: list[str] = []
    for change in found:
        old = _lines(change.old or b"")
        before = "/dev/null" if change.old is None else f"a/{change.path}"
        parts.append(f"diff --git a/{change.path} b/{change.path}\n")
        if change.old is None:
            parts.append("new file mode 100644\n")
        for line in unified_diff(old, _lines(change.new), before, f"b/{change.path}", lineterm="\n"):
            parts.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(parts)


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _kept(before: Said, may: Said) -> Said:
    """Keep the day of a block that says the same still."""
    return before if before.sayings == may.sayings and before.as_of <= may.as_of else may
