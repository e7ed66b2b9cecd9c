"""What was read from one machine: the input of all judgement, and the same whether live, recorded or emulated."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from jetproof.errors import UsageError
from jetproof.target import shape
from jetproof.target import snapshot_model as model
from jetproof.target.reading import Reading, Reason
from jetproof_worker.redact import Redactor

SCHEMA = "jetproof/snapshot/1"
Origin = str
"""One of "live", "recorded", "emulated"; only the first may ever become evidence."""

_TREES = ("/proc/device-tree/", "/sys/firmware/devicetree/base/")
_STATUS = {"timed-out": Reason.TIMED_OUT, "denied": Reason.NO_PERMISSION}
_REASONS = {reason.value: reason for reason in Reason}


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """One machine as it was read. A member that is missing was not read; nothing is filled in."""

    schema: str = SCHEMA
    origin: Origin
    collected_at: str | None = None
    worker: model.Worker | None = None
    emulation: model.Emulation | None = None
    files: Mapping[str, model.FileEntry] = field(default_factory=dict)
    commands: Mapping[str, model.CommandEntry] = field(default_factory=dict)
    listings: Mapping[str, model.ListingEntry] = field(default_factory=dict)
    nodes: Mapping[str, model.Node | None] = field(default_factory=dict)
    user: model.User | None = None
    programs: Mapping[str, str | None] = field(default_factory=dict)
    libraries: Mapping[str, model.Library | None] = field(default_factory=dict)
    driver: model.Driver | None = None
    disk: Mapping[str, model.Space] = field(default_factory=dict)
    clock: model.Clock | None = None
    environment: Mapping[str, str | bool] = field(default_factory=dict)
    python: model.Python | None = None
    trials: model.Trials | None = None

    def file(self, path: str) -> Reading:
        """Return one file's text. A list (the device tree's `compatible`) is joined with NULs, as the kernel has it."""
        name = next((name for name in _names(path) if name in self.files), None)
        if name is None:
            return Reading(read_from=path, reason=Reason.NOT_READ)
        entry = self.files[name]
        if isinstance(entry, tuple):
            return Reading(read_from=name, text="\0".join(entry))
        return _reading(name, entry)

    def strings(self, path: str) -> tuple[str, ...] | None:
        """Return a file of several texts as these, split at NULs; None when it is absent or not known."""
        text = self.file(path).text
        return None if text is None else tuple(part for part in text.split("\0") if part)

    def command(self, line: str) -> Reading:
        """Return one command's output, by the line it is listed under."""
        if line not in self.commands:
            return Reading(read_from=line, reason=Reason.NOT_READ)
        entry = self.commands[line]
        if isinstance(entry, model.Trouble):
            detail = entry.stderr.strip()[-500:]
            if entry.status == "missing":
                return Reading(read_from=line, absent=True, detail=detail)
            return Reading(read_from=line, reason=_STATUS.get(entry.status, Reason.FAILED), detail=detail)
        return _reading(line, entry)

    def listing(self, path: str) -> tuple[str, ...] | Reading:
        """Return a folder's names; a Reading that says why when it is absent or not known."""
        name = next((name for name in _names(path) if name in self.listings), None)
        if name is None:
            return Reading(read_from=path, reason=Reason.NOT_READ)
        entry = self.listings[name]
        if isinstance(entry, tuple):
            return entry
        return _reading(name, entry)

    def dumps(self) -> str:
        """Return the snapshot as JSON for a file: redacted, names sorted, only what was read."""
        members = {"schema": self.schema, "origin": self.origin, **shape.plain(self)}
        redacted = Redactor("", "").value(members)
        return json.dumps(redacted, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def parse(value: object, *, what: str, origin: Origin) -> Snapshot:
    """Return the snapshot that a JSON value holds. Raises UsageError when it is none; `what` names it there.

    `origin` is where it came from, whatever it says itself; but what calls itself emulated stays so.
    """
    if not isinstance(value, dict):
        raise UsageError(f"{what} holds no JSON object", hint="save one with: jetproof inspect --save FILE")
    schema = value.get("schema", SCHEMA)
    if schema != SCHEMA:
        raise UsageError(
            f"{what} has schema {json.dumps(schema)[:80]}, expected {SCHEMA}",
            hint="save a snapshot with: jetproof inspect --save FILE",
        )
    if not any(name in value for name in ("files", "commands", "schema")):
        raise UsageError(
            f"{what} holds neither `files` nor `commands`, so it is no read-out of a machine",
            hint="save one with: jetproof inspect --save FILE",
        )
    emulated = value.get("origin") == "emulated"
    try:
        return shape.read(Snapshot, {**value, "origin": "emulated" if emulated else origin})
    except shape.Misfit as misfit:
        raise UsageError(f"{what} is not as expected: {misfit}", hint="docs/snapshot.md tells the format") from None


def _names(path: str) -> tuple[str, ...]:
    """Return a path and its other name: the device tree is mounted in two places."""
    for here, there in (_TREES, _TREES[::-1]):
        if path.startswith(here):
            return path, there + path[len(here) :]
    return (path,)


def _reading(name: str, entry: str | model.Unknown | None) -> Reading:
    if entry is None:
        return Reading(read_from=name, absent=True)
    if isinstance(entry, str):
        return Reading(read_from=name, text=entry)
    return Reading(read_from=name, reason=_REASONS.get(entry.reason, Reason.FAILED), detail=entry.detail)
