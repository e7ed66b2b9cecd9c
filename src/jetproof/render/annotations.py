"""Remarks as GitHub workflow commands, which show them beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from jetproof.render.notice import Level, Notice

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def as_annotations(notices: Iterable[Notice]) -> str:
    """Return one workflow command a remark. Foreign text cannot begin another command: line ends are escaped."""
    return "".join(_line(notice) for notice in notices)


def _line(notice: Notice) -> str:
    properties = [f"file={_property(notice.path)}"]
    if notice.line:
        properties.append(f"line={notice.line}")
    if notice.column:
        properties.append(f"col={notice.column}")
    title = notice.rule if notice.name == notice.rule else f"{notice.rule} {notice.name}"
    properties.append(f"title={_property(title)}")
    return f"::{_COMMANDS[notice.level]} {','.join(properties)}::{_data(notice.message)}\n"


def _data(text: str) -> str:
    """Escape as the runner unescapes, and drop what else could end a line."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return "".join(char if char.isprintable() else " " for char in escaped)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
