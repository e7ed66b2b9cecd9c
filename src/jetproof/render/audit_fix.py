"""What `audit --fix` wrote, or would write."""

from __future__ import annotations

from jetproof.install.fix import Change
from jetproof.render.style import printable


def told(change: Change, *, diff: bool) -> str:
    """Return the answer, and with `diff` the change itself."""
    if not change.changes:
        return printable(f"nothing to write: {change.path} holds the vendor's torch already\n")
    if diff:
        return printable(change.diff)
    return printable(f"written: {change.path} holds the vendor's torch\n  then: {change.use}\n")
