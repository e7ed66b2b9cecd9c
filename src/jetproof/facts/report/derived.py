"""What follows from stated facts: the machine's kind, its SoC, the JetPack of an L4T release, an image's release."""

from __future__ import annotations

import re

from jetproof.facts.expression import Expression
from jetproof.facts.model import MessageKind, PlatformClass
from jetproof.facts.report.beside import OF_ANOTHER, board_is_meant
from jetproof.facts.report.boards import Family, family, names_emulation, names_jetson, other_machine, other_model
from jetproof.facts.report.gathered import Gathered
from jetproof.facts.report.segments import place
from jetproof.tables import Tables

_PLAIN_OTHERS = frozenset(
    {PlatformClass.DGX_SPARK, PlatformClass.GRACE, PlatformClass.RASPBERRY_PI, PlatformClass.IGX, PlatformClass.CLARA}
)
"""Machines whose mere name in a text is telling; the word "desktop" beside a Jetson is not."""
_GPU_LINE = Expression(
    r"(?i)(?:GPU models and configuration|GPU \d{1,2}|get_device_name|Device \d{1,2}|device[_ ]?name"
    r"|Found device \d|GPU name)[^\n]{0,12}[:=)][^\n]{0,80}"
    r"|\|\s{1,4}\d{1,2}  NVIDIA [^\n|]{1,40}"
)
_STATED_X86 = Expression(
    r"(?i)\(x86_64\)|-x86_64-with|\bx86_64 GNU/Linux|Architecture:\s{1,20}x86_64|linux/amd64 host|microsoft-standard"
)
_JETSON_GPU = Expression(r"(?i)\bOrin \(nvgpu\)|\bNVIDIA Thor\b|: ?\"?(?:Orin|Xavier|Thor|NVIDIA Tegra X[12])\b")
_IMAGE_L4T = Expression(r"(?i)(?<![\w.])(?:l4t[-_]?)?r?(3[2-9]\.\d{1,2}(?:\.\d{1,2})?)(?![\d.]*\d)|\br(3[2-9])\b")
_IMAGE_JETPACK = Expression(r"(?i)(?:jetpack|jetson|jp)[-_. ]?(\d(?:\.\d){0,2})(?![\d.]*\d)")


def derive(into: Gathered, tables: Tables) -> None:
    """Fill what follows from what is there. A stated fact is never changed."""
    line = _board(into)
    _jetpack(into, tables)
    if line is None and into.value("platform.is_jetson"):
        line = _by_jetpack(into)
    if line is not None:
        detail = f"every {line.name} has it"
        into.put("platform.soc", line.soc, into.origin_of("platform.is_jetson"), detail)
        into.put("platform.compute_capability", line.compute_capability, into.origin_of("platform.is_jetson"), detail)
    _image(into, tables)


def _board(into: Gathered) -> Family | None:
    """Decide whether it is a Jetson, and of which line."""
    model = into.value("platform.model")
    if model is not None:
        where = into.origin_of("platform.model")
        emulated = names_emulation(model)
        other = other_model(model)
        line = family(model)
        if emulated:
            return _not_jetson(into, PlatformClass.EMULATED, emulated, where)
        if other and (
            other[0] in _PLAIN_OTHERS or other[0] is PlatformClass.DRIVE or not (names_jetson(model) or line)
        ):
            return _not_jetson(into, other[0], other[1], where)
        if names_jetson(model) or line:
            return _jetson(into, line, model, where)
    return _by_words(into)


def _by_words(into: Gathered) -> Family | None:
    kernel = into.value("platform.kernel") or ""
    if kernel.endswith("-tegra"):
        return _jetson(into, _named_family(into), f"kernel {kernel}", into.origin_of("platform.kernel"))
    for message in into.messages:
        if message.kind is MessageKind.PROSE:
            continue
        for found in _GPU_LINE.finditer(message.text):
            if _JETSON_GPU.search(found.group(0)):
                return _jetson(into, family(found.group(0)), found.group(0).strip(), place(message, found.start()))
            other = other_machine(found.group(0))
            if other:
                return _not_jetson(into, other[0], other[1], place(message, found.start()))
    board = board_is_meant(into.messages)
    for message in into.messages:
        stated = _STATED_X86.search(message.text)
        if stated and not (board and message.kind is MessageKind.PROSE and stated.group(0) == "(x86_64)"):
            kind = PlatformClass.WSL if "microsoft" in stated.group(0).lower() else PlatformClass.X86
            return _not_jetson(into, kind, stated.group(0), place(message, stated.start()))
    if into.value("platform.arch") == "x86_64" and not into.value("platform.l4t"):
        emulated = next((words for message in into.messages if (words := names_emulation(message.text))), None)
        if emulated:
            return _not_jetson(into, PlatformClass.EMULATED, emulated, into.origin_of("platform.arch"))
        return _not_jetson(into, PlatformClass.X86, "x86_64", into.origin_of("platform.arch"))
    for fact in ("platform.l4t", "platform.jetpack"):
        if into.value(fact) is not None:
            return _jetson(
                into, _named_family(into), f"{fact.partition('.')[2]} {into.value(fact)}", into.origin_of(fact)
            )
    return _by_mention(into, kernel, board)


def _by_mention(into: Gathered, kernel: str, board: bool) -> Family | None:
    """Decide by what the texts merely speak of: the board that is meant, or else the machine named first."""
    for message in into.messages:
        if message.member in OF_ANOTHER:
            continue
        emulated = names_emulation(message.text)
        other = other_machine(message.text)
        meant = board and family(message.text) is not None
        if meant or names_jetson(message.text) or _JETSON_GPU.search(message.text):
            if emulated and other and other[0] is PlatformClass.X86:
                return _not_jetson(into, PlatformClass.EMULATED, emulated, message.read_from)
            return _jetson(into, _named_family(into), "named in the text", message.read_from)
        if other and (other[0] in _PLAIN_OTHERS or other[0] is PlatformClass.ARM64_SERVER):
            return _not_jetson(into, other[0], other[1], message.read_from)
    line = _named_family(into)
    if line is not None:
        return _jetson(into, line, f"{line.name} is named", "words of the report")
    stated = into.value("platform.arch")
    for message in into.messages:  # no Jetson is spoken of: a plain word for another machine is then telling
        other = other_machine(message.text)
        if other and not (stated == "aarch64" and other[0] is PlatformClass.X86):
            return _not_jetson(into, other[0], other[1], message.read_from)
    if re.search(r"-nvidia(?:-64k)?$", kernel):
        return _not_jetson(into, PlatformClass.GRACE, kernel, into.origin_of("platform.kernel"))
    return None


def _named_family(into: Gathered) -> Family | None:
    for message in into.messages:
        line = family(message.text)
        if line:
            return line
    return None


def _jetson(into: Gathered, line: Family | None, why: str, where: str) -> Family | None:
    into.put("platform.is_jetson", True, where, why)
    into.put("platform.platform_class", PlatformClass.JETSON, where)
    if line is not None:
        into.put("platform.model", f"Jetson {line.name}", where)
    return line


def _not_jetson(into: Gathered, kind: PlatformClass, words: str, where: str) -> Family | None:
    """Keep that it is another machine; the answer is that no line of modules is known."""
    into.put("platform.is_jetson", False, where, words)
    into.put("platform.platform_class", kind, where, words)
    into.put("platform.model", words, where)
    return None


def _jetpack(into: Gathered, tables: Tables) -> None:
    l4t = into.value("platform.l4t")
    if l4t is None:
        return
    row = next((row for row in tables.releases if row.l4t == l4t), None)
    if row is not None and row.jetpack:
        into.put("platform.jetpack", row.jetpack, into.origin_of("platform.l4t"), f"JetPack of L4T {l4t}")


_ONLY_LINE = {"6": "Orin", "7.0": "Thor", "7.1": "Thor"}
"""JetPack generations that exist for one line of modules alone."""


def _by_jetpack(into: Gathered) -> Family | None:
    jetpack = str(into.value("platform.jetpack") or "")
    named = _ONLY_LINE.get(jetpack[:3]) or _ONLY_LINE.get(jetpack[:1])
    return family(named) if named else None


def _image(into: Gathered, tables: Tables) -> None:
    image = into.value("container.image")
    if image is None:
        return
    where = into.origin_of("container.image")
    into.put("platform.in_container", True, where)
    found = _IMAGE_L4T.search(image)
    if found:
        into.put("container.image_l4t", found.group(1) or found.group(2), where, "from the image's tag")
    elif jetpack := _IMAGE_JETPACK.search(image):
        row = next((row for row in tables.releases if row.jetpack == jetpack.group(1)), None)
        into.put(
            "container.image_l4t",
            row.l4t if row else None,
            where,
            f"L4T of JetPack {jetpack.group(1)}, which the image names",
        )
    if re.search(r"(?i)\bamd64\b|x86[_-]?64", image):
        into.put("container.image_arch", "amd64", where)
    if into.value("platform.l4t") is not None:
        into.put("container.host_l4t", into.value("platform.l4t"), into.origin_of("platform.l4t"))
