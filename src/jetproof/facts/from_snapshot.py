"""All facts of one machine, from its snapshot. Pure: nothing is read or run here."""

from __future__ import annotations

from jetproof.facts import container, cuda, memory, permissions, torch
from jetproof.facts.model import Facts, Message, MessageKind, Origin, PlatformClass
from jetproof.facts.platform import platform
from jetproof.facts.readout import ReadOut, plain_path
from jetproof.tables import Tables
from jetproof.target.reading import Reading
from jetproof.target.snapshot import Snapshot

_LISTED_AS_TEXT = ("/sys/class/devfreq",)
_PLUGIN_IDS = "/proc/device-tree/chosen/plugin-manager/ids"


def readout(snapshot: Snapshot) -> ReadOut:
    """Return the snapshot's texts, with its listings and trials as the texts that they stand for."""
    files = {plain_path(path): snapshot.file(path) for path in snapshot.files}
    commands = {line: snapshot.command(line) for line in snapshot.commands}
    for path in _LISTED_AS_TEXT:
        names = snapshot.listing(path)
        if isinstance(names, tuple):
            commands.setdefault(f"ls {path}", Reading(read_from=f"ls {path}", text="\n".join(names)))
    ids = snapshot.listing(_PLUGIN_IDS)
    if isinstance(ids, tuple):
        for name in ids:
            path = f"{_PLUGIN_IDS}/{name}"
            files.setdefault(path, Reading(read_from=path, text=""))
    device = snapshot.trials.step("cuda device") if snapshot.trials else None
    if device is not None and device.outcome == "ok":
        for member, line in (("name", "get_device_name"), ("capability", "get_device_capability")):
            if isinstance(device.data.get(member), str):
                name = f"torch.cuda.{line}"
                commands.setdefault(name, Reading(read_from=name, text=device.data[member]))
    emulated = snapshot.origin == "emulated" or bool(snapshot.emulation and snapshot.emulation.emulated)
    return ReadOut(files=files, commands=commands, emulated=emulated)


def _messages(snapshot: Snapshot) -> tuple[Message, ...]:
    """What the trials printed: rules search it as they search a pasted log."""
    if snapshot.trials is None:
        return ()
    found = [
        Message(text=text, kind=MessageKind.ERROR, read_from=f"trial: {step.name}")
        for step in snapshot.trials.steps
        for text in (step.message, step.traceback)
        if text and step.outcome != "not-run"
    ]
    for step in snapshot.trials.steps:
        warnings = step.data.get("warnings")
        if isinstance(warnings, list):
            found += [
                Message(text=str(one), kind=MessageKind.OUTPUT, read_from=f"trial: {step.name}") for one in warnings
            ]
    if snapshot.trials.stderr:
        found.append(Message(text=snapshot.trials.stderr, kind=MessageKind.ERROR, read_from="trials: standard error"))
    return tuple(found)


def facts(snapshot: Snapshot, tables: Tables) -> Facts:
    """Return every fact that the snapshot gives; what it does not give stays unknown, with the reason."""
    texts = readout(snapshot)
    machine = platform(texts, tables)
    emulated = texts.emulated or machine.platform_class.value is PlatformClass.EMULATED
    return Facts(
        origin=Origin.EMULATED if emulated else Origin(snapshot.origin),
        platform=machine,
        cuda=cuda.cuda(snapshot, texts),
        torch=torch.torch(snapshot),
        container=container.container(snapshot, machine),
        permissions=permissions.permissions(snapshot),
        memory=memory.memory(snapshot),
        messages=_messages(snapshot),
    )
