"""Take out of what the worker tells whatever names this machine's people and places, before it is written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jetproof_worker import redact
from jetproof_worker.files import user_name


def redactor(project_root: str | None) -> Callable[[Any], Any]:
    """Return a function that redacts a JSON value: the project's folder becomes `<project>`, home folders `~`."""
    account = redact.here(user_name())
    root = project_root if project_root not in (None, "/") else None

    def redacted(value: Any) -> Any:
        if isinstance(value, str):
            return account.text(value if root is None else value.replace(root, "<project>"))
        if isinstance(value, list):
            return [redacted(member) for member in value]
        if isinstance(value, dict):
            return {redacted(name): redacted(member) for name, member in value.items()}
        return value

    return redacted
