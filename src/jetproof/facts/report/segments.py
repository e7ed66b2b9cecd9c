"""A pasted text cut into messages of one kind each: what was printed, what was typed, what was written about it."""

from __future__ import annotations

import re

from jetproof.facts.expression import Expression
from jetproof.facts.model import Message, MessageKind

LONGEST_LINE = 2000
"""Characters of a line that are kept: searches stay linear in the text whatever it holds."""
MOST_TEXT = 48 << 10
"""Characters of a text that rules search. Of longer texts the telling lines are kept."""
_MOST_DULL = 2000
"""Lines without a telling word that are remembered, so that a log that repeats them is read quickly."""
_FENCE = Expression(r"\s{0,3}(?:```|~~~)")
_PROMPT = Expression(
    r"\s{0,8}(?:>>> |\.\.\. |In \[\d{1,5}\]: ?|(?:\([\w.-]{1,40}\) "
    r"?)?(?:[\w.-]{1,40}@[\w.-]{1,60}:[^\s$#]{0,80})?[$#] (?=\S)|\+ (?=\w)|RUN )"
)
_COMMAND = Expression(
    r"\s{0,8}(?:sudo |python3? |pip3? |uv |conda |mamba |docker |apt(?:-get)? |jetson-containers |\./|export "
    r"|wget |curl |cmake |make\b|source )"
)
_SENTENCE = Expression(r"[\w)`'\"][.:?]\s{0,20}$")
"""The end of a sentence, which a command does not have; "pip install ." is one."""
_HEADING = Expression(r"\s{0,3}# (?!(?:sudo|python3?|pip3?|uv|conda|docker|apt(?:-get)?|export|cat|ls|nvcc) )")
"""Outside a fence a hash begins a heading of Markdown, unless a command follows root's prompt."""
_ERROR = Expression(
    r"Traceback|[A-Za-z]Error\b|\berror\b|\bfatal\b|Exception|\bfailed\b|[Ff]ailure|cannot |[Cc]ould not"
    r"|not found|No such file"
    r"|Permission denied|denied|undefined symbol|Killed|Segmentation|Illegal instruction|[Aa]borted|core dumped"
    r"|assert|[Ww]arning",
    re.IGNORECASE,
)
_STRONG_ERROR = Expression(
    r"\s{0,12}(?:Traceback \(|[\w.]{0,80}(?:Error|Exception|Warning)\b|ERROR\b|FATAL\b|fatal\b|error\b|E\d{4} "
    r"|docker: |\S{1,200}\.py:\d{1,6}: \w{0,30}Warning\b)"
)
_TELLING = (
    "error",
    "fail",
    "fatal",
    "cannot",
    "could not",
    "not found",
    "no such",
    "denied",
    "torch",
    "cuda",
    "cudnn",
    "nvidia",
    "tegra",
    "jetson",
    "jetpack",
    "l4t",
    "python",
    "numpy",
    "killed",
    "memory",
    "warning",
    "kernel image",
    "sm_",
    "compute_",
    "docker",
    "illegal",
    "nvmap",
    "nvrm",
    "install",
    "orin",
    "xavier",
    "thor",
    "traceback",
    ".so",
    "aarch64",
    "x86",
    "triton",
    "bitsandbytes",
    "version",
)


def messages(text: str) -> tuple[tuple[Message, ...], str | None]:
    """Return the messages of a text with the lines they stand on, and a note when only telling lines were kept."""
    lines = text.split("\n")
    kept = range(len(lines))
    note = None
    chosen: list[int] = list(kept)
    if len(text) > MOST_TEXT:
        chosen = _telling(lines, MOST_TEXT)
        note = f"of {len(lines)} lines the {len(chosen)} telling ones were searched"
    return tuple(_runs(lines, chosen)), note


def condensed(text: str, limit: int) -> str:
    """Return a text of at most about `limit` characters: as it is, or its telling lines."""
    lines = text.split("\n")
    if len(text) <= limit and all(len(line) <= LONGEST_LINE for line in lines):
        return text
    chosen = range(len(lines)) if len(text) <= limit else _telling(lines, limit)
    return "\n".join(_cut(lines[number]) for number in chosen)


def _telling(lines: list[str], limit: int) -> list[int]:
    """Return the numbers of lines that can tell something, each text once, from head and tail."""
    seen: set[str] = set()
    dull: set[str] = set()
    candidates = []
    for number, line in enumerate(lines):
        if not line or line.isspace():
            continue
        low = line[:LONGEST_LINE].lower()
        if low in seen or low in dull:
            continue
        if any(word in low for word in _TELLING):
            seen.add(low)
            candidates.append(number)
        elif len(dull) < _MOST_DULL:
            dull.add(low)
    head, tail, size = [], [], 0
    front, back = 0, len(candidates) - 1
    while front <= back and size < limit:
        head.append(candidates[front])
        size += min(len(lines[candidates[front]]), LONGEST_LINE) + 1
        front += 1
        if front <= back and size < limit:
            tail.append(candidates[back])
            size += min(len(lines[candidates[back]]), LONGEST_LINE) + 1
            back -= 1
    return head + tail[::-1]


def _runs(lines: list[str], chosen: list[int]) -> list[Message]:
    """Join neighbouring lines of one kind."""
    found: list[Message] = []
    block: list[str] = []
    block_kind: MessageKind | None = None
    start = last = -1
    fenced = hidden = traceback = False

    def close() -> None:
        nonlocal block
        body = "\n".join(block).strip("\n")
        if body.strip() and block_kind is not None:
            found.append(Message(text="\n".join(block), kind=block_kind, read_from=f"line {start + 1}"))
        block = []

    for number in chosen:
        line = _cut(lines[number])
        if not fenced and line.lstrip().startswith("<!--"):
            hidden = True
        if hidden:
            hidden = "-->" not in line
            continue
        if _FENCE.match(line):
            fenced = not fenced
            traceback = False
            close()
            block_kind = None
            continue
        kind, traceback = _kind(line, fenced, traceback, block_kind)
        if kind is not block_kind or number != last + 1:
            close()
            block_kind, start = kind, number
        block.append(line)
        last = number
    close()
    return found


def _kind(line: str, fenced: bool, traceback: bool, before: MessageKind | None) -> tuple[MessageKind, bool]:
    if not line.strip():
        return (before or (MessageKind.OUTPUT if fenced else MessageKind.PROSE)), traceback
    typed = _PROMPT.match(line) and (fenced or not _HEADING.match(line))
    if typed or (_COMMAND.match(line) and not _SENTENCE.search(line)):
        return MessageKind.COMMAND, False
    if "Traceback (most recent call last)" in line:
        return MessageKind.ERROR, True
    if traceback and line[:1] in " \t":
        return MessageKind.ERROR, True
    if _STRONG_ERROR.match(line) or (fenced and _ERROR.search(line)):
        return MessageKind.ERROR, False
    return (MessageKind.OUTPUT if fenced else MessageKind.PROSE), False


def _cut(line: str) -> str:
    if len(line) <= LONGEST_LINE:
        return line
    return line[: LONGEST_LINE * 3 // 4] + " … " + line[-LONGEST_LINE // 4 :]


def place(message: Message, offset: int) -> str:
    """Return where in a report the text at `offset` of a message stands: its line, or the member's name."""
    if not message.read_from.startswith("line "):
        return message.read_from
    return f"line {int(message.read_from[5:]) + message.text.count(chr(10), 0, offset)}"
