"""An error as a person or a machine reads it."""

from __future__ import annotations

import json

from jetproof.errors import JetproofError
from jetproof.render.style import printable


def told(error: JetproofError, *, arguments_json: bool = False) -> str:
    """Return the error for standard error: JSON when the command was asked for JSON, text otherwise."""
    if arguments_json:
        body = {
            "schema": "jetproof/error/1",
            "reason": error.reason,
            "message": error.message,
            "hint": error.hint,
            "exit_code": int(error.exit_code),
        }
        return json.dumps(body, ensure_ascii=False) + "\n"
    text = f"error: {_indented(error.message)}\n"
    if error.hint:
        text += f"hint: {_indented(error.hint)}\n"
    return text


def _indented(text: str) -> str:
    """A message may quote foreign lines: they stand to the right, so that none can pass for a line of ours."""
    return printable(text).replace("\n", "\n  ")
