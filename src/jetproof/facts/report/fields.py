"""The members of a JSON report object as facts and messages. Members of a wrong kind are told and left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from jetproof.facts.expression import Expression
from jetproof.facts.model import Message, MessageKind
from jetproof.facts.report.gathered import Gathered
from jetproof.facts.report.segments import condensed

MOST_TEXT = 12 << 10
"""Characters kept of one member, of a longer one its telling lines."""
MOST_OF_ALL = 48 << 10
"""Characters kept of all members together."""
_MOST_ITEMS = 200

_TEXT: Mapping[str, str] = {
    "model": "platform.model",
    "kernel": "platform.kernel",
    "compute_capability": "platform.compute_capability",
    "python": "torch.python",
    "torch_version": "torch.torch",
    "torch_source": "torch.torch_source",
    "torchvision_version": "torch.torchvision",
    "torchaudio_version": "torch.torchaudio",
    "numpy_version": "torch.numpy",
    "bitsandbytes_version": "torch.bitsandbytes",
    "transformers_version": "torch.transformers",
    "triton_version": "torch.triton",
    "cuda": "cuda.toolkit",
    "cudnn": "cuda.cudnn",
    "tensorrt": "cuda.tensorrt",
    "driver": "cuda.kernel_driver",
    "container_image": "container.image",
    "docker_runtime": "container.runtime",
}
_KINDS: Mapping[str, MessageKind] = {
    "error_text": MessageKind.ERROR,
    "related_error_text": MessageKind.ERROR,
    "failed_url": MessageKind.COMMAND,
    "install_commands": MessageKind.COMMAND,
    "failing_command": MessageKind.COMMAND,
    "detector_output": MessageKind.OUTPUT,
    "nvidia_smi_line": MessageKind.OUTPUT,
    "wheel_archs": MessageKind.OUTPUT,
    "conda_virtual_packages": MessageKind.OUTPUT,
}
_LEADING_NUMBER = Expression(r"(?<![#\d])\d{1,4}(?:\.\d{1,4}){0,3}")


def read_members(members: Mapping[str, object], into: Gathered) -> None:
    """Fill facts and messages from a report object."""
    for name, value in list(members.items())[:_MOST_ITEMS]:
        place = f"reported.{name}"
        if not read_member(name, value, place, into):
            into.notes.append(f"{place} is not understood and was left out")


def read_member(name: str, value: object, place: str, into: Gathered) -> bool:
    """Read one member that was found at `place`; False when it is not understood."""
    if name in _TEXT and isinstance(value, (str, int, float)) and not isinstance(value, bool):
        _text_fact(name, str(value)[:2000], place, into)
    elif name in _TYPED:
        _TYPED[name](value, place, into)
    elif value is not None:
        return _said(name, value, place, into)
    return True


def _text_fact(name: str, text: str, place: str, into: Gathered) -> None:
    if name in ("python", "cuda", "compute_capability"):
        number = _LEADING_NUMBER.search(text)
        if number is None:
            into.messages.append(Message(text=text, kind=MessageKind.PROSE, read_from=place, member=name))
            return
        into.put(_TEXT[name], number.group(0), place)
        return
    into.put(_TEXT[name], text.strip(), place)
    if name in ("torch_source", "container_image", "docker_runtime", "model"):
        into.messages.append(Message(text=text, kind=MessageKind.PROSE, read_from=place, member=name))


def _said(name: str, value: object, place: str, into: Gathered) -> bool:
    """Keep a member as a message; False when it holds no text."""
    kind = _KINDS.get(name, MessageKind.PROSE)
    texts = list(_texts(value, depth=3))[:_MOST_ITEMS]
    if not texts:
        return False
    held = sum(len(message.text) for message in into.messages)
    for text in texts:
        kept = condensed(text, MOST_TEXT)
        held += len(kept)
        if held > MOST_OF_ALL:
            into.notes.append(f"{place} is too long and was left out in part")
            return True
        into.messages.append(Message(text=kept, kind=kind, read_from=place, member=name))
    return True


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
    elif depth and isinstance(value, Mapping):
        for item in list(value.values())[:_MOST_ITEMS]:
            yield from _texts(item, depth - 1)
    elif depth and isinstance(value, list):
        for item in value[:_MOST_ITEMS]:
            yield from _texts(item, depth - 1)


def _l4t(value: object, place: str, into: Gathered) -> None:
    into.put("platform.l4t", l4t_release(str(value)), place)


def l4t_release(text: str) -> str | None:
    """Return an L4T release as numbers: "R36 (rev 4.3)" and "R36.4.3" are 36.4.3; None when it is none."""
    found = re.search(r"(?<![\d#])R?(\d{2})(?:\.(\d{1,2}))?(?:\.(\d{1,2}))?(?!\d)", text)
    if found is None or not 20 <= int(found.group(1)) <= 60:
        return None
    parts = [part for part in found.groups() if part is not None]
    revision = re.search(r"rev(?:ision)?\s{0,3}[:.]?\s{0,3}(\d{1,2})(?:\.(\d{1,2}))?", text, re.IGNORECASE)
    if len(parts) == 1 and revision:
        parts += [part for part in revision.groups() if part is not None]
    return ".".join(parts)


def _jetpack(value: object, place: str, into: Gathered) -> None:
    number = re.search(r"(?<![#\d])\d(?:\.\d){0,2}(?!\d)", str(value))
    into.put("platform.jetpack", number.group(0) if number else None, place)


def _arch(value: object, place: str, into: Gathered) -> None:
    text = str(value).lower().replace("-", "_")
    words = re.findall(r"x86_64|amd64|aarch64|arm64|x86|x64", text)
    if len(words) > 1 or (words and words[0] != text):
        into.messages.append(Message(text=f"machine: {value}", kind=MessageKind.PROSE, read_from=place))
        text = words[0]
    into.put(
        "platform.arch",
        {"arm64": "aarch64", "amd64": "x86_64", "x64": "x86_64", "x86": "x86_64"}.get(text, text),
        place,
    )


def _flag(path: str) -> Callable[[object, str, Gathered], None]:
    def put(value: object, place: str, into: Gathered) -> None:
        if isinstance(value, bool):
            into.put(path, value, place)

    return put


def _torch_cuda(value: object, place: str, into: Gathered) -> None:
    if value is None or str(value).lower() in ("none", "null", "n/a", "cpu", ""):
        into.put_absent("torch.torch_cuda", place)
        return
    number = _LEADING_NUMBER.search(str(value))
    into.put("torch.torch_cuda", number.group(0) if number else None, place)


def _arch_list(value: object, place: str, into: Gathered) -> None:
    texts = list(_texts(value, depth=1))
    archs = tuple(arch for text in texts for arch in re.findall(r"(?:sm|compute)_\d{2,3}[af]?", text))[:100]
    into.put("torch.arch_list", archs or None, place)


def _os(value: object, place: str, into: Gathered) -> None:
    into.put("platform.os", f"Ubuntu {value}", place)


_TYPED: Mapping[str, Callable[[object, str, Gathered], None]] = {
    "l4t": _l4t,
    "jetpack": _jetpack,
    "arch": _arch,
    "in_container": _flag("platform.in_container"),
    "cuda_available": _flag("torch.available"),
    "torch_cuda": _torch_cuda,
    "torch_arch_list": _arch_list,
    "ubuntu": _os,
}
