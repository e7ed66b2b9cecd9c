"""What follows about torch for all rules: which kind of build it is, what CUDA it wants, and whether there are two."""

from __future__ import annotations

import re

from jetproof.diagnosis.evidence import TYPED, hit, reason, reported
from jetproof.diagnosis.known import cuda_of, numbers
from jetproof.diagnosis.rule import Because, because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Distribution, Facts, Message, MessageKind

VENDOR = Expression(
    r"(?i)\.?\bnv\d\d\.\d|\+nv\d\d|a0\+[0-9a-f]{6,12}|jetson-ai-lab|\bredist/jp\b|nvidia\.box\.com|/jp/v\d"
    r"|\bnvidia(?:'s)?[- ](?:jetson |jetpack )?wheel"
    r"|\bjetpack wheel|\bjetson(?:'s)? (?:wheel|torch|build|index)|\bjetson index|\bvendor(?:'s)? (?:torch|wheel"
    r"|build)|\bjp[67]/cu\d|\bdustynv/|\bl4t-(?:pytorch|ml)\b"
)
"""Words that only a torch made for Jetson carries."""
_GENERIC = Expression(
    r"(?i)\bPyPI\b|download\.pytorch\.org|\bconda(?:-forge)?\b|\bmanylinux\w*|\bcommunity\b|\bthird[- ]party\b"
    r"|\bsbsa\b|\bplain pip\b|\b(?:default|normal|usual|standard) index\b"
    r"|\bpip(?:3)? install (?:-\S{1,20} ){0,4}(?:[\w.-]{1,30} ){0,6}torch\b(?!\S*\.whl)|\buv (?:pip install|add"
    r"|sync)\b|\bpip(?:,| wheel|$)|\bhatch\b|\bpoetry\b"
)
_SBSA = Expression(r"(?i)\bsbsa/cu\d|\bsbsa\b")
_CPU_TAG = Expression(r"\+cpu\b")
_CUDA_TAG = Expression(r"\+cu(\d{2})(\d)\b|/cu(\d{2})(\d)\b|\bcu(\d{2})(\d) index|\bindex\W{1,3}cu(\d{2})(\d)\b")
FIRST_CUDA_ON_PYPI = (2, 11)
"""First torch whose aarch64 wheel on the default index holds CUDA, and it is CUDA 13."""


def is_vendor(text: str) -> bool:
    """Whether a release number or a source names a build made for Jetson."""
    return bool(VENDOR.search(text))


def vendor(facts: Facts) -> Because | None:
    """Return what shows that the installed torch was made for Jetson."""
    for fact in (facts.torch.torch, facts.torch.torch_source):
        if fact.value and is_vendor(fact.value) and not _SBSA.search(fact.value):
            return because(fact)
    return None


def generic(facts: Facts) -> Because | None:
    """Return what shows that torch came from an index for all arm64 machines, not from one for Jetson."""
    source = facts.torch.torch_source
    if source.value:
        return because(source) if _GENERIC.search(source.value) else None
    return reason(facts, _PLAIN_PIP, *TYPED) or reason(facts, _NAMED_INDEX)


_PLAIN_PIP = Expression(
    r"(?i)\b(?:pip3?|uv pip|uv) (?:install|add)\b(?![^\n]{0,400}(?:\.whl|jetson-ai-lab"
    r"|redist))[^\n]{0,200}?(?<![\w/-])torch(?![\w/-])"
    r"|\b(?:conda|mamba) (?:env create|create|install)\b[^\n]{0,200}\bpytorch\b"
)
_NAMED_INDEX = Expression(
    r"(?i)download\.pytorch\.org/whl/|\b(?:torch|PyTorch)\b[^\n]{0,40}\b(?:from|via|through"
    r"|off) (?:the )?(?:PyPI|conda(?:-forge)?|pytorch\.org|pip)\b"
)


def cpu_build(facts: Facts) -> Because | None:
    """Return what shows for certain that the installed torch holds no CUDA."""
    torch = facts.torch
    if torch.torch_cuda.absent:
        return because(torch.torch_cuda)
    if torch.torch.value and _CPU_TAG.search(torch.torch.value):
        return because(torch.torch)
    for held in torch.installs:
        if held.name == "torch" and held.active and (held.built_for_cuda == "" or _CPU_TAG.search(held.release)):
            return Because(fact="torch", value=held.release + " built without CUDA", read_from=held.location)
    return None


def pypi_cpu(facts: Facts) -> Because | None:
    """Return what shows that the installed torch is the default index's aarch64 wheel of a release without CUDA."""
    torch = facts.torch
    if torch.torch_cuda.known or not torch.torch.value or "+" in torch.torch.value or is_vendor(torch.torch.value):
        return None
    if index_with_cuda(facts):
        return None
    release = numbers(torch.torch.value)
    source = generic(facts)
    if release and release < FIRST_CUDA_ON_PYPI and source and facts.platform.arch.value in ("aarch64", None):
        return because(torch.torch)
    return None


def index_with_cuda(facts: Facts) -> bool:
    """Whether torch came from an index that holds CUDA wheels for aarch64: cu126 and later, from torch 2.6 on."""
    release = numbers(facts.torch.torch.value or "")
    named = _CUDA_TAG.search(facts.torch.torch_source.value or "")
    found = named or next((tag for message in facts.messages if (tag := _CUDA_TAG.search(message.text))), None)
    return found is not None and release >= (2, 6) and numbers(_tagged(found)) >= (12, 6)


def wanted_cuda(facts: Facts) -> Because | None:
    """Return the CUDA release that torch was built for, like "13.0"."""
    torch = facts.torch
    if torch.torch_cuda.value:
        return because(torch.torch_cuda)
    if torch.torch_cuda.absent:
        return None
    for fact in (torch.torch, torch.torch_source):
        found = _CUDA_TAG.search(fact.value or "")
        if found:
            return cuda_of(fact, _tagged(found))
    for held in torch.installs:
        if held.name == "torch" and held.active:
            found = _CUDA_TAG.search(held.release)
            number = held.built_for_cuda or (_tagged(found) if found else "")
            if number:
                return Because(fact="torch", value=number, read_from=held.location)
    if torch.torch.value and generic(facts) and not is_vendor(torch.torch.value):
        release = numbers(torch.torch.value)
        if release >= FIRST_CUDA_ON_PYPI and facts.platform.arch.value in ("aarch64", None):
            return cuda_of(torch.torch, "13.0")
    return None


def indexed_cuda(facts: Facts) -> Because | None:
    """Return the CUDA release that a command's or a source's index names; proves nothing about what came from it."""
    tagged = wanted_cuda(facts)
    if tagged:
        return tagged
    found = hit(facts, _CUDA_TAG)
    return Because(fact="index", value=_tagged(found.match), read_from=found.because.read_from) if found else None


def _tagged(found: re.Match[str]) -> str:
    major, minor = [part for part in found.groups() if part is not None][:2]
    return f"{major}.{minor}"


_NAMES_TORCH = Expression(
    r"(?i)(?:pip3?|uv pip|uv|conda|mamba) (?:install|add)\b[^\n]{0,300}?(?<![\w/.-])(?:py)?torch(?![\w/.-])"
)
_GOOD_FIRST = (
    r"(?:(?:jetson|vendor|nvidia|jetpack|cuda|gpu|system|image|container|prebuilt|base"
    r"|working)(?:'s)?[- ]{1,2}){1,3}(?:\w{1,12} ){0,2}(?:torch|pytorch|wheel|build)"
    r"|(?:torch|pytorch|wheel)\b[^;\n]{0,60}\b(?:compiled|built|preinstalled|pre-installed|installed|named"
    r"|provided|shipped|from|of|by)\b[^;\n]{0,50}"
    r"\b(?:image|dockerfile|container|source|jetson|vendor|nvidia|board|index|system|host)\b|\bnv\d\d\.\d{1,2}\b"
    r"|a0\+[0-9a-f]{6,12}"
)
_GOOD_FIRST += (
    r"|\bjetson-ai-lab\b|\bbuilt from source with CUDA\b|(?:vendor|jetson|nvidia|jetpack|image|system|container"
    r"|board)(?:'s)?(?: \w{1,12}(?:'s)?){0,2} v?\d\.\d{1,2}(?:\.\d{1,2})?\b"
)
_TAKEN_OVER = (
    r"(?:replac|overw?r(?:it|id|ot)|swap|uninstall|downgrad|upgrad|displac|clobber|shadow|pull(?:s|ed)? in|remov"
    r"|re-?lock|re-?instal|supersed|solv(?:es|ed) (?:it )?away)\w{0,10}"
    r"|(?:pull|br(?:ought|ing)|fetch|put|install|select|choos|chose|t(?:ook"
    r"|ake))\w{0,5}\b[^;\n]{0,60}\b(?:over (?:it|that)|another|newer|different|default index|PyPI|instead|on top"
    r"|in front|before it|first)\b"
    r"|(?:comes?|sits?|is|stands?|found) (?:first|earlier|before|in front|ahead)\b"
    r"|(?:pip|uv|poetry|conda|dependenc\w{1,4}|requirements?)\b[^;\n]{0,60}\b(?:later|afterwards)\b"
    r"|(?:later|then|after(?:wards)?|next)\b[^.;\n]{0,80}\b(?:pip|uv|poetry|dependenc\w{1,4}|requirements?|sync"
    r"|resolver|script|install\w{0,3}|step)"
)
_FIRST = Expression(_GOOD_FIRST, re.IGNORECASE)
_THEN = Expression(_TAKEN_OVER, re.IGNORECASE)
_NEAR = 160
"""Characters within which the newcomer must follow the torch that was there first."""
_PASSIVE = Expression(
    r"(?is)(?:replac|overw?r(?:it|id|ot)|uninstall|downgrad|clobber|shadow|displac|hid(?:es?|den)\b"
    r"|swap)\w{0,10}\b.{0,80}"
    r"(?:(?:jetson|vendor|nvidia|jetpack|cuda|gpu|system|image"
    r"|container)(?:'s)?[- ]{1,2}(?:\w{1,12} ){0,2}(?:torch|pytorch|wheel|build)|nv\d\d\.\d{1,2}"
    r"|a0\+[0-9a-f]{6,12}"
    r"|(?:torch|pytorch)\b.{0,40}\b(?:with CUDA|CUDA build))"
)
_BY_INSTALLING = Expression(
    r"(?is)\b(?:install\w{0,8}|requirements?|dependenc\w{1,4}|pip3?|uv|poetry|resolver|setup|build step"
    r"|script)\b.{0,60}?"
    r"\b(?:replac|overw?r(?:it|id|ot)|uninstall|remov|downgrad|upgrad|clobber|displac"
    r"|swap)\w{0,10}\b(?:(?!import)[^,;]){0,60}?\b(?:py)?torch\b(?!vision|audio)"
)
"""An installation that takes away a torch; the user's own choice is told apart by his command."""
_GENERIC_FIRST = Expression(r"(?i)\A\W{0,5}(?:PyPI|pip|conda)\b(?! install)")


_ISOLATED = Expression(
    r"(?:pip-build-env-[\w-]{1,20}/|builds-v0/\.tmp\w{1,12}/|build-env-\w{1,12}/)[^\s\"']{0,160}/torch\b"
)


def isolated_build(facts: Facts) -> Because | None:
    """Return what shows that a torch of pip's or uv's build environment was at work, not the board's."""
    return reason(facts, _ISOLATED)


def two_torches(facts: Facts) -> tuple[Because, Because] | None:
    """Return the torch that was there first and the one that a resolver put over or before it.

    A command that names torch itself is the user's own choice, and no resolver's.
    """
    copies = [held for held in facts.torch.installs if held.name == "torch"]
    active = next((held for held in copies if held.active), None)
    hidden = next((held for held in copies if not held.active and _has_cuda(held)), None)
    if active and hidden and not is_vendor(active.release) and active.release != hidden.release:
        pair = (
            Because(fact="torch before", value=hidden.release, read_from=hidden.location),
            Because(fact="torch now", value=active.release, read_from=active.location),
        )
        own = hit(facts, _NAMES_TORCH, *TYPED)
        return pair if own is None or not reported(facts) else None
    if reported(facts):
        return _told(facts)
    return None


def _has_cuda(held: Distribution) -> bool:
    return bool(held.built_for_cuda) or is_vendor(held.release) or bool(_CUDA_TAG.search(held.release))


_INSTALLS = Expression(
    r"(?i)\b(?:pip3?|uv|poetry|conda|mamba|make|setup\.py|install\w{0,20}\.sh)\b[^\n]{0,40}\b(?:install|sync|add"
    r"|run|develop)?|\./\S{0,40}install"
)
_IMAGE_WITH_TORCH = Expression(
    r"(?i)l4t-(?:pytorch|ml|text)|dustynv/\S{0,60}|pytorch[^\s:]{0,20}:\S{0,30}igpu|jetson\S{0,40}(?:torch|pytorch)"
)


def _by_steps(facts: Facts) -> tuple[Because, Because] | None:
    """Return the pair that a sequence of steps shows: a vendor's torch, then an install that does not name torch."""
    torch = facts.torch.torch
    if not torch.value or is_vendor(torch.value) or facts.torch.available.value is True:
        return None
    first: Because | None = None
    image = facts.container.image
    if image.value and _IMAGE_WITH_TORCH.search(image.value) and (cpu_build(facts) or pypi_release(facts)):
        first = because(image)
    for message in facts.messages:
        if message.kind is not MessageKind.COMMAND:
            continue
        for line in message.text.splitlines():
            if is_vendor(line) and "torch" in line.lower():
                first = Because(fact="command", value=line.strip()[:240], read_from=message.read_from)
            elif _NAMES_TORCH.search(line):
                first = None
            elif first and _INSTALLS.search(line) and (cpu_build(facts) or pypi_release(facts)):
                return first, because(torch)
    return None


def pypi_release(facts: Facts) -> bool:
    """Whether the installed torch's number is one of the default index, not of a build for Jetson."""
    release = facts.torch.torch.value or ""
    return bool(re.fullmatch(r"\d{1,2}\.\d{1,2}(?:\.\d{1,2})?(?:\+cu13\d|\+cpu)?", release))


def _told(facts: Facts) -> tuple[Because, Because] | None:
    steps = _by_steps(facts)
    if steps:
        return steps
    for message in facts.messages:
        if message.kind in (MessageKind.COMMAND, MessageKind.ERROR) or _GENERIC_FIRST.match(message.text):
            continue
        found = _taken_over(message.text) or _PASSIVE.search(message.text) or _BY_INSTALLING.search(message.text)
        if found and (message.member == "torch_source" or re.search(r"(?i)torch|wheel", message.text)):
            if _names_torch_after_vendor(facts):
                return None
            told = _quote(message, found)
            now = because(facts.torch.torch) if facts.torch.torch.known else told
            return told, now
    return None


def _taken_over(text: str) -> re.Match[str] | None:
    """Return the words that tell of a good torch and, soon after it, of another one coming."""
    for first in list(_FIRST.finditer(text))[:50]:
        then = _THEN.search(text, first.end(), first.end() + _NEAR + 100)
        if then and then.start() - first.end() <= _NEAR:
            return then
    return None


def _names_torch_after_vendor(facts: Facts) -> bool:
    return any(
        _NAMES_TORCH.search(message.text) and not is_vendor(message.text)
        for message in facts.messages
        if message.kind is MessageKind.COMMAND
    )


def _quote(message: Message, found: re.Match[str]) -> Because:
    return Because(
        fact="told",
        value=" ".join(message.text[max(0, found.start() - 120) : found.end() + 40].split())[:240],
        read_from=message.read_from,
    )
