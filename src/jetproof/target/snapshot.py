"""What was read from one machine: the input of all judgement, and the same whether live, recorded or emulated."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError

from jetproof.errors import UsageError
from jetproof.target import snapshot_model as model
from jetproof.target.reading import Reading, Reason
from jetproof_worker.redact import Redactor

SCHEMA = "jetproof/snapshot/1"
Origin = Literal["live", "recorded", "emulated"]

_TREES = ("/proc/device-tree/", "/sys/firmware/devicetree/base/")
_STATUS = {"timed-out": Reason.TIMED_OUT, "denied": Reason.NO_PERMISSION}
_REASONS = {reason.value: reason for reason in Reason}
_MOST_TOLD = 3

Name = Annotated[str, StringConstraints(max_length=4096)]


class Snapshot(model.Part):
    """One machine as it was read. A member that is missing was not read; nothing is filled in."""

    schema_: str = Field(default=SCHEMA, alias="schema")
    origin: Origin = "recorded"
    collected_at: str | None = None
    worker: model.Worker | None = None
    emulation: model.Emulation | None = None
    files: dict[Name, model.FileEntry] = Field(default_factory=dict)
    commands: dict[Name, model.CommandEntry] = Field(default_factory=dict)
    listings: dict[Name, model.ListingEntry] = Field(default_factory=dict)
    nodes: dict[Name, model.Node | None] = Field(default_factory=dict)
    user: model.User | None = None
    programs: dict[Name, str | None] = Field(default_factory=dict)
    libraries: dict[Name, model.Library | None] = Field(default_factory=dict)
    driver: model.Driver | None = None
    disk: dict[Name, model.Space] = Field(default_factory=dict)
    clock: model.Clock | None = None
    environment: dict[Name, str | bool] = Field(default_factory=dict)
    python: model.Python | None = None
    trials: model.Trials | None = None

    def file(self, path: str) -> Reading:
        """Return one file's text. A list (the device tree's `compatible`) is joined with NULs, as the kernel has it."""
        name = next((name for name in _names(path) if name in self.files), None)
        if name is None:
            return Reading(read_from=path, reason=Reason.NOT_READ)
        entry = self.files[name]
        if isinstance(entry, list):
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

    def commands_with(self, start: str) -> tuple[Reading, ...]:
        """Return the outputs of all commands whose line begins with `start`, in the snapshot's order."""
        return tuple(self.command(line) for line in self.commands if line.startswith(start))

    def listing(self, path: str) -> tuple[str, ...] | Reading:
        """Return a folder's names; a Reading that says why when it is absent or not known."""
        name = next((name for name in _names(path) if name in self.listings), None)
        if name is None:
            return Reading(read_from=path, reason=Reason.NOT_READ)
        entry = self.listings[name]
        if isinstance(entry, list):
            return tuple(entry)
        return _reading(name, entry)

    def dumps(self) -> str:
        """Return the snapshot as JSON for a file: redacted, names sorted, only what was read."""
        members: dict[str, Any] = self.model_dump(by_alias=True, exclude_unset=True, mode="json")
        members.setdefault("schema", SCHEMA)
        members["origin"] = self.origin
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
        return Snapshot.model_validate({**value, "origin": "emulated" if emulated else origin})
    except ValidationError as error:
        raise UsageError(
            f"{what} is not as expected: {_told(error)}", hint="docs/snapshot.md tells the format"
        ) from None


def _told(error: ValidationError) -> str:
    told: dict[str, str] = Field(default_factory=dict)
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        # of a union's members the place is told once, without pydantic's own names for the members
        place = ".".join(str(part) for part in fault["loc"][:2])
        told.setdefault(place, fault["msg"])
    faults = [f"{place}: {message}" for place, message in list(told.items())[:_MOST_TOLD]]
    more = len(told) - len(faults)
    return "; ".join(faults) + (f"; and {more} more" if more > 0 else "")


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
