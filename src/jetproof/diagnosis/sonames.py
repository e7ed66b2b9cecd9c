"""Which CUDA or cuDNN a missing library belongs to, by its soname."""

from __future__ import annotations

from dataclasses import dataclass

from jetproof.diagnosis.evidence import Hit, hit, texts
from jetproof.diagnosis.rule import Because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts, MessageKind

_MISSING = Expression(
    r"\b(lib[A-Za-z_0-9+-]{2,40})\.so(?:\.(\d{1,3}(?:\.\d{1,3}){0,3}))?['\"]?(?: =>|:|\)"
    r"|,)?\s{0,4}(?:is )?(?:cannot open shared|not found|missing|No such file|image not found"
    r"|(?:cannot|can't|could not) be (?:found|loaded|opened))"
    r"|(?:[Cc]ould not (?:find|load|open)|[Cc]annot (?:find|load|open)|[Uu]nable to (?:find|load)|[Mm]issing"
    r"|cannot find|did not find|OSError:|ImportError:?)[ (]{0,3}(?:dynamic |shared )?(?:library )?['\"]?"
    r"(lib[A-Za-z_0-9+-]{2,40})\.so(?:\.(\d{1,3}(?:\.\d{1,3}){0,3}))?"
)
_ALONE = Expression(r"(?m)^\W{0,4}(lib[A-Za-z_0-9+-]{2,40})\.so(?:\.(\d{1,3}(?:\.\d{1,3}){0,3}))?\W{0,3}$")

_EMPTY = Expression(r"\blib[\w.+-]{2,60}\.so[\d.]{0,12}['\"]?: (?:file too short|file is empty|empty file)")

_CUDA_OF_SONAME: dict[tuple[str, str], tuple[int, ...]] = {
    ("libcufft", "10"): (),  # of CUDA 10.1 to 11.8: decides nothing between JetPack 4 and 5
    ("libcufft", "11"): (12,),
    ("libcufft", "12"): (13,),
    ("libcusolver", "11"): (),  # CUDA 11 and 12
    ("libcusolver", "12"): (13,),
    ("libcusparse", "12"): (),  # CUDA 12 and 13
    ("libcurand", "10"): (),  # CUDA 10 to 13
    ("libnvToolsExt", "1"): (),  # all below 12.9
}
_TENSORRT = ("libnvinfer", "libnvonnxparser", "libnvparsers")
_BY_NUMBER = frozenset(
    {
        "libcudart",
        "libcublas",
        "libcublasLt",
        "libcusparse",
        "libcusolver",
        "libnvrtc",
        "libcupti",
        "libnvrtc-builtins",
        "libnvJitLink",
        "libcufft",
        "libnppc",
        "libnppig",
    }
)


@dataclass(frozen=True, kw_only=True)
class Missing:
    """A library that a program did not find."""

    name: str
    """Like libcudart."""
    number: str
    """Like 10.2; "" where the soname has none."""
    cuda: tuple[int, ...]
    """Leading numbers of the CUDA release that it belongs to; empty where it tells none."""
    cudnn: int | None
    tensorrt: int | None
    because: Because


def empty_library(facts: Facts) -> Because | None:
    """Return a library without bytes: an image's place holder over which the host's file was not mounted."""
    found = hit(facts, _EMPTY)
    return found.because if found else None


def missing_libraries(facts: Facts) -> tuple[Missing, ...]:
    """Return the libraries that the texts say were not found, in their order."""
    found: list[Missing] = []
    for message in texts(facts):
        if message.kind is MessageKind.COMMAND:
            continue
        matches = list(_MISSING.finditer(message.text))
        if message.kind is MessageKind.ERROR:
            matches += list(_ALONE.finditer(message.text))
        for match in matches[:50]:
            groups = [group or "" for group in match.groups()]
            name, number = (groups[0], groups[1]) if groups[0] else (groups[2], groups[3])
            found.append(
                Missing(
                    name=name,
                    number=number,
                    cuda=_cuda(name, number),
                    cudnn=_major(name, number, ("libcudnn",)),
                    tensorrt=_major(name, number, _TENSORRT),
                    because=Hit(match=match, message=message).because,
                )
            )
    return tuple(found)


def _major(name: str, number: str, prefixes: tuple[str, ...]) -> int | None:
    return int(number.partition(".")[0]) if name.startswith(prefixes) and number else None


def _cuda(name: str, number: str) -> tuple[int, ...]:
    major = number.split(".", maxsplit=1)[0]
    if (name, major) in _CUDA_OF_SONAME and not number.startswith("10."):
        return _CUDA_OF_SONAME[name, major]
    if name not in _BY_NUMBER or not number:
        return ()
    parts = tuple(int(part) for part in number.split(".")[:2])
    return parts if parts[0] == 10 else parts[:1]  # sonames carry the minor number up to CUDA 10 only
