"""Whatever a person pastes, made into bounded, printable text or an object; never more than LIMIT bytes are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

from jetproof.errors import UsageError
from jetproof.facts.expression import Expression
from jetproof.facts.report.prefixes import bare
from jetproof_worker.process import HeadTail

LIMIT = 8 << 20
"""Bytes of a report that are kept: half from its head, half from its tail."""
MOST_READ = 1 << 30
"""Bytes after which an endless stream is no longer read."""
_CHUNK = 1 << 20
_ESCAPES = Expression(r"\x1b(?:\[[0-9;?]{0,32}[ -/]{0,8}[@-~]|[@-Z\\-_])")
_CONTROL = Expression(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_JSON = Expression(r"\s{0,1000}(?:\{\s{0,1000}\"|\[\s{0,1000}[\"{])")
_MEMBER_NAME = Expression(r"(?<!\\)\"(?:[^\"\\\n]|\\.){0,300}\"[ \t]{0,20}:")
"""Of a JSON text that is no report object: a member's name says nothing of its value, as in "emulated": false."""
_REPORT_FIELDS = frozenset(
    {"model", "jetpack", "l4t", "error_text", "torch_version", "container_image", "failing_command", "install_commands"}
)


@dataclass(frozen=True, kw_only=True)
class Intake:
    """A report as text, or as the object that its JSON holds; `notes` say what was left out."""

    text: str = ""
    members: Mapping[str, object] | None = None
    notes: tuple[str, ...] = ()


def read(stream: BinaryIO, name: str) -> bytes:
    """Return head and tail of a stream in bounded memory; raises UsageError when it cannot be read."""
    keep = HeadTail(LIMIT)
    try:
        while keep.total < MOST_READ:
            data = stream.read(_CHUNK)
            if not data:
                break
            keep.feed(data)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror or error}", hint="Give a text file.") from error
    return keep.value()


def intake(data: bytes, name: str = "the report") -> Intake:
    """Return the report in `data`; raises UsageError for what is not text or is another kind of file."""
    notes = []
    if len(data) > LIMIT:
        notes.append(f"{name} is larger than {LIMIT >> 20} MiB: its middle was left out")
    text = _decoded(data[: LIMIT + 4096])
    if not text.strip():
        raise UsageError(f"{name} is empty", hint="Paste a traceback, a log or an issue, or name a file.")
    sample = text[:65536]
    strange = len(_CONTROL.findall(sample)) + sample.count("\ufffd")
    if strange * 4 > len(sample):
        raise UsageError(f"{name} is not text", hint="Give the log or the issue as plain text.")
    if strange:
        notes.append(f"{name} holds bytes that are not text; they were left out")
    members = _members(text, name)
    if members is not None:
        return Intake(members=members, notes=tuple(notes))
    if _JSON.match(text):
        text = _MEMBER_NAME.sub("", text)
    text = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return Intake(text=bare(_CONTROL.sub("", text)), notes=tuple(notes))


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    return data.decode("utf-8-sig", errors="replace")


def _members(text: str, name: str) -> Mapping[str, object] | None:
    """Return the report object that a JSON text holds, None when it is a text after all."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    inner = value.get("reported")
    if isinstance(inner, dict):
        return inner
    if str(value.get("schema", "")).startswith("jetproof/snapshot/") or {"files", "commands"} <= value.keys():
        raise UsageError(f"{name} is a snapshot, not a report", hint=f"Try: jetproof doctor --from {name}")
    return value if _REPORT_FIELDS & value.keys() else None
