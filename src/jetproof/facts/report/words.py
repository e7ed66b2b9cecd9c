"""Facts that stand in the words of a report: release lines, `collect_env`, version numbers, images, groups.

Every expression is linear: bounded repeats, no nested ones, one line at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from jetproof.facts.cuda import of_number
from jetproof.facts.expression import Expression
from jetproof.facts.model import Distribution, Message, MessageKind
from jetproof.facts.report.beside import board_is_meant
from jetproof.facts.report.boards import family, other_model
from jetproof.facts.report.fields import l4t_release
from jetproof.facts.report.gathered import Gathered
from jetproof.facts.report.segments import place

_NUMBER = r"(\d{1,4}(?:\.\d{1,5}){1,3}(?:(?:a|b|rc|\.dev|\.post)\d{1,10})?(?:\+[\w.]{1,60})?)"
_GAP = r"(?:\s{0,2}(?:version|release|is|of)?\s{0,2}[:=]{0,2}\s{0,12}v?|\s{0,3}\|\s{0,3}|[ \t]{1,60}|-)"

_PLAIN: tuple[tuple[str, str], ...] = (
    (
        "platform.kernel",
        (
            r"\b(\d{1,2}\.\d{1,3}\.\d{1,4}[\w.-]{0,40}-(?:tegra|nvidia(?:-64k)?|generic|raspi|aws"
            r"|microsoft-standard\w{0,10}))\b"
        ),
    ),
    ("cuda.kernel_driver", r"(?i)(?:nvidia[ -])?driver version\s{0,20}[:=]\s{0,4}(\d{3}(?:\.\d{1,3}){1,2})"),
    ("torch.torch", rf"(?i)\bPyTorch(?: version)?\s{{0,20}}[:=]\s{{0,4}}v?{_NUMBER}"),
    ("torch.torch", rf"(?<![\w/.-])torch{_GAP}{_NUMBER}"),
    ("torch.torch", rf"(?i)torch\.__version__\W{{0,12}}{_NUMBER}"),
    ("torch.torch", rf"(?i)\bPyTorch v?{_NUMBER}"),
    ("torch.torchvision", rf"(?<![\w/.-])torchvision{_GAP}{_NUMBER}"),
    ("torch.torchaudio", rf"(?<![\w/.-])torchaudio{_GAP}{_NUMBER}"),
    ("torch.numpy", rf"(?i)(?<![\w/.-])numpy{_GAP}{_NUMBER}"),
    ("torch.bitsandbytes", rf"(?i)(?<![\w/.-])bitsandbytes{_GAP}{_NUMBER}"),
    ("torch.transformers", rf"(?i)(?<![\w/.-])transformers{_GAP}{_NUMBER}"),
    ("torch.triton", rf"(?i)(?<![\w/.-])(?:pytorch[_-])?triton{_GAP}{_NUMBER}"),
    ("torch.python", r"(?i)\bPython version\s{0,20}:\s{0,4}(\d\.\d{1,2}(?:\.\d{1,2})?)"),
    (
        "torch.python",
        (
            r"(?i)(?<!at least )(?<!needs )(?<!need )(?<!requires )(?<!require )(?<!requiring )(?<!wants )(?<!want )"
            r"\bPython[ :=]{1,3}v?(\d\.\d{1,2}(?:\.\d{1,2})?)\b(?![^.\n]{0,20}\b(?:needed|required|wanted)\b)"
        ),
    ),
    ("torch.python", r"/python(\d\.\d{1,2})/(?:site|dist)-packages"),
    ("cuda.toolkit", r"(?i)\bCUDA (?:runtime )?version\s{0,20}[:=]\s{0,4}(\d{1,2}\.\d{1,2})"),
    ("cuda.toolkit", r"(?i)Cuda compilation tools, release (\d{1,2}\.\d)"),
    ("cuda.toolkit", r"/usr/local/cuda-(\d{1,2}\.\d)\b"),
    ("cuda.toolkit", r"(?i)(?<!for )(?<!with )(?<![\w/.-])cuda-(\d{1,2}\.\d)\b(?!\.?\w|[-_/])"),
    ("cuda.toolkit", r"(?i)\bCUDA[ :=]{1,3}(?:toolkit )?v?(\d{1,2}\.\d{1,2})\b"),
    ("platform.jetpack", r"(?i)\bnvidia-jetpack\b[^\n\d]{0,40}(\d\.\d(?:\.\d)?)[+-]b\d"),
    (
        "platform.jetpack",
        r"(?i)\bfrom (?:JetPack|JP) ?\d(?:\.\d){0,2} to (?:JetPack |JP ?)?(\d(?:\.\d){0,2})\b",
    ),
    ("platform.jetpack", r"(?i)\bJetPack(?: SDK)?(?: version| release)?[^\w#]{0,6}v?(\d(?:\.\d){0,2})(?![\d.]*\s?GB)"),
    ("platform.jetpack", r"(?i)\bJP ?(\d\.\d(?:\.\d)?)\b"),
    ("platform.os", r"\b(Ubuntu \d{2}\.\d{2})"),
    ("platform.arch", r"\((aarch64|x86_64)\)"),
    (
        "platform.arch",
        r"\b(aarch64|arm64|(?<!for )(?<!only )x86_64(?! (?:wheel|build|binar|package|only|(?:and|or) a)|/a))\b",
    ),
)
_PLAIN_COMPILED = tuple((path, Expression(pattern)) for path, pattern in _PLAIN)
_BOARD_ARCH = Expression(r"\b(aarch64|arm64)\b")
_L4T = (
    Expression(
        r"(?i)\bfrom (?:L4T |Jetson Linux )?R?3\d\.\d{1,2}(?:\.\d{1,2})? to (?:L4T |Jetson Linux )?"
        r"R?(3[2-9]\.\d{1,2}(?:\.\d{1,2})?)\b"
    ),
    Expression(r"#? ?R(\d{2}) \(release\), REVISION: (\d{1,2}(?:\.\d{1,2})?)"),
    Expression(
        r"(?i)(?<![\w/:.-])L4T(?![\w/-])[ \t]{0,3}(?:version|release|is|of)?[ \t:=(\[\"'*`"
        r"|]{0,8}R?(\d{2}\.\d{1,2}(?:\.\d{1,2})?)"
    ),
    Expression(r"(?i)\b(?:Jetson Linux|nvidia-l4t-core)\b[^\n\d]{0,20}(\d{2}\.\d{1,2}(?:\.\d{1,2})?)"),
    Expression(r"(?i)(?<![\w:/.-])R(3[2-9]\.\d{1,2}(?:\.\d{1,2})?)\b"),
    Expression(r"(?i)(?<![\w/:.-])L4T[ :=(]{1,4}R?(3[2-9])\b"),
)
_AVAILABLE = (
    Expression(r"(?i)Is CUDA available\s{0,20}:\s{0,4}(True|False)"),
    Expression(r"(?i)(?:cuda\.|(?<![\w.]))is_available\b(?:\(\))?[^\n]{0,60}?\b(True|False)\b"),
    Expression(r"(?i)\bCUDA[ _]available\W{0,6}(True|False)\b"),
    Expression(r"(?i)cuda\.is_available\(\)\)?\s{0,4}\n\s{0,8}(True|False)\b"),
)
_TORCH_CUDA = (
    Expression(r"(?i)CUDA used to build PyTorch\s{0,20}:\s{0,4}(None|N/A|Could not collect|\d{1,2}\.\d{1,2})"),
    Expression(
        r"(?i)torch\.version\.cuda\b[^\n\w]{0,12}(?:is |was |returns |prints |gives |reports )?\W{0,4}(None"
        r"|\d{1,2}\.\d)"
    ),
)
_PRINTED = Expression(
    r"(?m)^\s{0,8}['\"]?([12]\.\d{1,2}\.\d{1,2}(?:a0)?\+(?:cu\d{2,3}|cpu|nv[\d.]{4,8}"
    r"|[0-9a-f]{7,12}(?:\.nv[\d.]{4,8})?))['\"]?(?:[ ,]{1,3}(None|\d{1,2}\.\d))?(?:[ ,]{1,3}(True"
    r"|False))?\s{0,4}$"
)
_PRINTED_AFTER = Expression(
    r"torch\.version\.cuda\b[^\n\w]{0,12}(?:->|=>|:|gives|prints|says|returns)[ ]{0,3}['\"(]{0,2}"
    r"(\d\.\d{1,2}\.\d{1,2}[\w.+]{0,40})[ ,'\"]{1,4}(None|\d{1,2}\.\d)(?:[ ,]{1,3}(True|False))?"
)
"""What a command printed that asks for the release and its CUDA, on the same line."""
_ARCH_LIST = (
    Expression(r"(?i)get_arch_list\(?\)?[^\n\[]{0,40}\[([^\]\n]{0,400})\]"),
    Expression(r"(?i)supports CUDA capabilities ((?:(?:sm|compute)_\d{2,3}[af]? ?){1,30})"),
)
_GROUPS = Expression(r"\buid=\d{1,7}\([^)\n]{0,60}\)[^\n]{0,80}groups=([^\n]{1,1200})")
_DRIVER_NUMBER = Expression(r"(?i)found version (\d{4,5})\b")
_SMI = Expression(r"NVIDIA-SMI[^\n]{0,60}CUDA Version: {0,4}(\d{1,2}\.\d)")
_DETECTED = Expression(r"Detected: ?(\d{3}\.[\d.]{1,8}) \(CUDA (\d{1,2}\.\d)\)")
_PAIR = Expression(r"CUDA Driver Version ?/ ?Runtime Version\s{1,12}(\d{1,2}\.\d) ?/ ?(\d{1,2}\.\d)")
_IMAGE = Expression(
    r"(?<![\w/.-])((?:nvcr\.io/[\w./-]{1,120}|dustynv/[\w.-]{1,80}|(?:docker\.io/)?(?:nvidia/cuda"
    r"|nvidia/[\w.-]{1,60}|pytorch/pytorch|ultralytics/ultralytics|vllm/vllm-openai"
    r"|ollama/ollama|arm64v8/[\w.-]{1,60}))(?::[\w.-]{1,128})?)"
)
_RUNTIME = Expression(r"(?i)\b(?:docker|container)'?s? runtime\W{1,4}(?:is |was )?(not nvidia|nvidia|runc|crun)\b")
_SOURCE = Expression(
    r"(?im)\btorch\b[^\n:]{0,30}\b(?:installed|came|comes|taken|built) (?:was )?from\W{1,3}([^\n]{3,160})"
)
_OF_IMAGE = Expression(
    r"(?i)[ ](?:(?!in\b|inside\b|and\b|with\b|but\b|on\b)[\w/-]{1,30} ){0,2}(?:image|container|tag)\b"
)
"""What follows a release that is an image's and not the host's."""
_BOARD = Expression(r"(?im)^\W{0,6}(?:model|board|device|hardware|module)\b\W{1,6}([^\n]{3,80})")
_DOCKER_RUN = Expression(r"\b(?:docker|podman|nerdctl) (?:container )?run\b[^\n]{0,600}")
_FROM = Expression(r"(?m)^\s{0,8}FROM (?:--platform=\S{1,40} )?(\S{1,200})")
_MEMINFO = (
    ("total", Expression(r"\bMemTotal:\s{1,20}(\d{1,12}) kB")),
    ("available", Expression(r"\bMemAvailable:\s{1,20}(\d{1,12}) kB")),
)
_SWAP = Expression(r"\bSwapTotal:\s{1,20}(\d{1,12}) kB")
_UNINSTALL = Expression(r"Found existing installation: (torch) (\S{1,80})|^\s{0,4}- (torch)==(\S{1,80})", re.MULTILINE)
_INSTALLED = Expression(
    r"Successfully installed [^\n]{0,1900}?\b(torch)-(\d\S{1,80})|^\s{0,4}\+ (torch)==(\S{1,80})", re.MULTILINE
)


def read_words(messages: Iterable[Message], into: Gathered) -> None:
    """Fill the facts that the texts state and that no earlier source gave."""
    texts = [message for message in messages if message.text]
    for message in texts:
        if message.member != "container_image":
            _releases(message, into)
        _labelled(message, into)
        _torch(message, into)
        _machine(message, into)
        _container(message, into)
        _replaced(message, into)
    told_arch = into.value("platform.arch")
    for path, pattern in _PLAIN_COMPILED:
        if into.value(path) is None:
            _first(path, pattern, texts, into)
    if told_arch is None and into.value("platform.arch") == "x86_64" and board_is_meant(texts):
        into.groups["platform"].pop("arch")
        _first("platform.arch", _BOARD_ARCH, texts, into)
    if into.value("platform.arch") == "arm64":
        into.groups["platform"].pop("arch")
        into.put("platform.arch", "aarch64", "words of the report")


def _first(path: str, pattern: Expression, texts: Iterable[Message], into: Gathered) -> None:
    for message in texts:
        found = pattern.search(message.text)
        if found:
            into.put(path, found.group(1), place(message, found.start()))
            return


def _releases(message: Message, into: Gathered) -> None:
    for pattern in _L4T:
        found = pattern.search(message.text)
        if found:
            path = "container.image_l4t" if _OF_IMAGE.match(message.text[found.end() :][:80]) else "platform.l4t"
            into.put(path, l4t_release(".".join(found.groups())), place(message, found.start()))
            return


def _labelled(message: Message, into: Gathered) -> None:
    text = message.text
    if source := _SOURCE.search(text):
        into.put("torch.torch_source", source.group(1).strip(), place(message, source.start()))
    if board := _BOARD.search(text):
        words = board.group(1).strip()
        if family(words) or other_model(words):
            into.put("platform.model", words, place(message, board.start()))


def _torch(message: Message, into: Gathered) -> None:
    text = message.text
    for pattern in (_PRINTED, _PRINTED_AFTER):
        if line := pattern.search(text):
            _printed(line, place(message, line.start()), into)
    for pattern in _AVAILABLE:
        found = pattern.search(text)
        if found:
            into.put("torch.available", found.group(1).lower() == "true", place(message, found.start()))
            break
    for pattern in _TORCH_CUDA:
        found = pattern.search(text)
        if found and found.group(1)[0].isdigit():
            into.put("torch.torch_cuda", found.group(1), place(message, found.start()))
        elif found and found.group(1).lower() == "none":
            into.put_absent("torch.torch_cuda", place(message, found.start()))
    for pattern in _ARCH_LIST:
        found = pattern.search(text)
        archs = tuple(re.findall(r"(?:sm|compute)_\d{2,3}[af]?", found.group(1))) if found else ()
        if found and archs:
            into.put("torch.arch_list", archs, place(message, found.start()))


def _printed(line: re.Match[str], where: str, into: Gathered) -> None:
    """Keep what a command printed: torch's release, its CUDA, whether it sees the GPU."""
    release, cuda, available = line.group(1, 2, 3)
    into.put("torch.torch", release, where)
    if cuda == "None":
        into.put_absent("torch.torch_cuda", where)
    else:
        into.put("torch.torch_cuda", cuda, where)
    if available:
        into.put("torch.available", available == "True", where)


def _machine(message: Message, into: Gathered) -> None:
    text = message.text

    def where(found: re.Match[str]) -> str:
        return place(message, found.start())

    if found := _GROUPS.search(text):
        groups = tuple(re.findall(r"\d{1,7}\(([^)]{1,60})\)", found.group(1)))
        into.put("permissions.groups", groups, where(found))
    if found := _DRIVER_NUMBER.search(text):
        number = int(found.group(1))
        into.put("cuda.driver", of_number(number), where(found), f"from the number {number}")
    if found := _DETECTED.search(text):
        into.put("cuda.kernel_driver", found.group(1), where(found))
        into.put("cuda.driver", found.group(2), where(found))
    if found := _SMI.search(text):
        into.put("cuda.driver", found.group(1), where(found))
    if found := _PAIR.search(text):
        into.put("cuda.driver", found.group(1), where(found))
        into.put("cuda.toolkit", found.group(2), where(found), "the runtime that the program was built with")
    for name, pattern in _MEMINFO:
        if found := pattern.search(text):
            into.put(f"memory.{name}", int(found.group(1)) * 1024, where(found))
    if found := _SWAP.search(text):
        into.put("memory.swap_total", int(found.group(1)) * 1024, where(found))


def _container(message: Message, into: Gathered) -> None:
    text = message.text
    run = _DOCKER_RUN.search(text)
    if run and message.kind is MessageKind.COMMAND:
        into.put("platform.in_container", True, place(message, run.start()))
        words = run.group(0)
        if re.search(r"--runtime[ =]\"?nvidia", words):
            into.put("container.runtime", "nvidia", place(message, run.start()))
        elif "--gpus" not in words and "--device" not in words:
            into.put("container.runtime", "not given", place(message, run.start()))
    if stated := _RUNTIME.search(text):
        into.put("container.runtime", stated.group(1).lower(), place(message, stated.start()))
    found = _IMAGE.search(text) or (_FROM.search(text) if message.kind is MessageKind.COMMAND else None)
    if found:
        into.put("container.image", found.group(1), place(message, found.start()))


def _replaced(message: Message, into: Gathered) -> None:
    """Note a torch that an installer took away and the one that it put there."""
    gone = _UNINSTALL.search(message.text)
    come = _INSTALLED.search(message.text, gone.end() if gone else 0)
    for found, active in ((gone, False), (come, True)):
        if found and not any(held.active is active for held in into.installs):
            release = (found.group(2) or found.group(4)).rstrip(",;")
            into.installs.append(
                Distribution(name="torch", release=release, location=place(message, found.start()), active=active)
            )
