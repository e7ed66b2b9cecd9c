"""Answers to named questions in a pasted text, like "JetPack: 6.2", read as a report object's members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jetproof.facts.expression import Expression
from jetproof.facts.model import Message, MessageKind
from jetproof.facts.report.boards import family, other_model
from jetproof.facts.report.fields import read_member
from jetproof.facts.report.gathered import Gathered
from jetproof.facts.report.segments import place

_LINE = Expression(
    r"(?m)^[ \t>*+-]{0,8}(?:\|\s{0,4})?[*_`]{0,3}([A-Za-z][A-Za-z0-9 ._()'/-]{1,40}?)[*_`]{0,3}[ \t]{0,20}(?::|="
    r"|\|)[*_`]{0,3}[ \t]{0,20}(\S[^\n|]{0,200}?)[*_`]{0,3}\s{0,4}\|?$"
)
_MEMBERS: Mapping[str, tuple[str, ...]] = {
    "model": ("model", "board", "device", "hardware", "machine", "module", "jetson model", "platform", "jetson"),
    "jetpack": ("jetpack", "jetpack version", "jetpack sdk", "jetpack release"),
    "l4t": ("l4t", "l4t version", "jetson linux", "l4t release", "jetson linux version"),
    "arch": ("arch", "architecture"),
    "kernel": ("kernel", "kernel version", "kernel release"),
    "python": ("python", "python version"),
    "torch_version": ("torch", "pytorch", "torch version", "pytorch version"),
    "torch_cuda": ("torch.version.cuda", "torch cuda"),
    "torch_arch_list": ("torch arch list", "torch.cuda.get_arch_list()", "arch list"),
    "torch_source": ("torch source", "torch from", "torch installed from", "pytorch from", "how you installed pytorch"),
    "cuda": ("cuda", "cuda version", "cuda toolkit", "cuda toolkit version"),
    "cuda_available": ("cuda available", "torch.cuda.is_available()", "is cuda available", "torch.cuda.is_available"),
    "in_container": ("in a container", "in container", "inside docker", "docker", "container"),
    "container_image": ("container image", "image", "docker image", "base image"),
    "docker_runtime": ("docker runtime", "container runtime"),
    "package": ("package", "library", "program", "component", "software", "tool", "application"),
    "torchvision_version": ("torchvision", "torchvision version"),
    "transformers_version": ("transformers", "transformers version"),
    "bitsandbytes_version": ("bitsandbytes", "bitsandbytes version"),
    "numpy_version": ("numpy", "numpy version"),
    "tensorrt": ("tensorrt", "tensorrt version"),
    "cudnn": ("cudnn", "cudnn version"),
    "driver": ("driver", "driver version", "nvidia driver", "nvidia driver version"),
    "constraint": ("constraint", "requirement", "requires"),
}
_MEMBER_OF = {label: member for member, labels in _MEMBERS.items() for label in labels}
_NO_ANSWER = Expression(r"(?i)(?:n/?a|none|no response|_no response_|unknown|-|not (?:known|sure|applicable))\W*")
_OF_APT = Expression(r"(?i)(?:nvidia-|cuda-|lib)[a-z0-9.+-]+$")
"""A package name of dpkg or apt-cache, not the package that fails."""


def read_labels(messages: Iterable[Message], into: Gathered) -> None:
    """Read each line that answers a named question; the first answer counts."""
    for message in list(messages):
        if message.kind not in (MessageKind.PROSE, MessageKind.OUTPUT):
            continue
        for found in list(_LINE.finditer(message.text))[:200]:
            member = _MEMBER_OF.get(found.group(1).strip().lower().replace("_", " "))
            if member is not None:
                _answer(member, found.group(2).strip(), place(message, found.start()), into)


def _answer(member: str, text: str, where: str, into: Gathered) -> None:
    value: object = text
    if member == "torch_cuda":
        pass  # "None" is an answer here
    elif _NO_ANSWER.fullmatch(text):
        return
    if member == "model" and not (family(text) or other_model(text)):
        return
    if member == "package" and _OF_APT.match(text):
        return
    if member in ("in_container", "cuda_available"):
        word = text.lower().split()[0].strip(".,`*()")
        if word not in ("yes", "no", "true", "false"):
            return
        value = word in ("yes", "true")
    read_member(member, value, where, into)
