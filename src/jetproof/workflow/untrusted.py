"""Values that somebody outside the project can choose."""

from __future__ import annotations

import re

_TEXT = re.compile(
    r"\bgithub\.(head_ref|ref_name\b|event\.(?!(?:number|action|after|before|repository|sender\.id|schedule)\b)[\w.*\[\]'-]+)"
    r"|\b(?:inputs|github\.event\.inputs)\.[\w-]+"
)
_REF = re.compile(r"\bgithub\.(head_ref\b|event\.)|\binputs\.|\bneeds\.|\bsteps\.|\bvars\.|refs/pull/")

EVENTS = (
    "discussion",
    "discussion_comment",
    "fork",
    "gollum",
    "issue_comment",
    "issues",
    "pull_request_comment",
    "pull_request_review",
    "pull_request_review_comment",
    "watch",
)
"""Events that anybody with an account can cause."""


def text(expression: str) -> bool:
    """Return whether an expression may hold a text that somebody outside chooses."""
    return bool(_TEXT.search(expression))


def ref(expression: str) -> bool:
    """Return whether a checkout's ref is chosen by an event, an input or a variable."""
    return bool(_REF.search(expression))
