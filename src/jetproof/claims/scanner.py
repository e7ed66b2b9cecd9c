"""Find what a text claims to run on: sentences like "tested on", badges, classifiers, with file and line.

Denials, questions, plans and instructions are no claims. A sentence that only mentions a Jetson is none either: it must
promise. The words decide, not the intent, so a person may mark a line as no claim, and the mark is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from jetproof.claims.boards import CUDA, Level, families, level, releases
from jetproof.claims.sentences import Form, Piece, pieces

_PROMISE = re.compile(
    r"\b(?:"
    r"support(?:s|ed|ing)?\b|supports?\s+for|"
    r"(?:tested|test(?=\s+on)|verified|validated|proven|certified|qualified|benchmarked|evaluated|known\s+to\s+work)\b|"
    r"works?\b(?=[^.]{0,40}\b(?:on|with|under|out)\b)|(?<!who\s)(?:runs?|running|runnable|be\s+run)\b(?=[^.]{0,60}\b(?:on|onboard)\b)|"
    r"compatible\b|compatibility\b|ready\b|first[- ]class|tier[\s-]*[123]\b|"
    r"(?:should|will)\s+(?:also\s+)?(?:work|run|support)\b|"
    r"\d+\s*fps\s+on\b"
    r")",
    re.IGNORECASE,
)
"""Words by which a text promises that something runs there."""
_MADE_FOR = re.compile(
    r"\b(?:optimi[sz]ed|designed|tuned|built|build|compiled|available|packages|wheels|library|drivers?|images?|deploy(?:s|ed|ing|able)?|"
    r"configurator|developed|made)\b(?:(?!\b(?:people|who|those)\b)[^.]){0,60}?\b(?:for|on|onto|to|with)\s+(?:the\s+)?(?:embedded\s+)?(?:all\s+)?(?:NVIDIA\s+)?"
    r"(?:jetsons?|jetpack|xavier|orin|agx|arm64|aarch64)\b",
    re.IGNORECASE,
)
"""The same in other words, on a project's front page; elsewhere such words mostly speak of others' products."""
_DENIAL = re.compile(
    r"\b(?:not|no|never|nor|neither|cannot|can't|don't|doesn't|isn't|aren't|won't|hasn't|haven't|without|unsupported|"
    r"untested|unproven|unverified|incompatible|drop(?:s|ped)?|remov(?:e|es|ed)|fails?|failed|broken|lacks?|missing|nothing|"
    r"n/?a|only\s+proves|says\s+nothing|deprecated|unavailable|refus(?:e|es|ed)|except)\b|❌|✗|✘|🚫",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|todo|to-do|roadmap|upcoming|coming\s+soon|in\s+(?:the\s+)?future|future|wip|"
    r"work\s+in\s+progress|will\s+be|would|could|might|may|hope(?:s|fully)?|wish|goal|intend(?:ed|s)?|once|until|"
    r"as\s+we\s+add|later|pending|experimental(?=\s+idea)|evaluat(?:e|ing)\b|consider(?:ing)?|proposal|draft|wanted|looking\s+for|must|shall|ha(?:s|ve)\s+to)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^\s*(?:if|when|whenever|whether|before|after|to|in\s+order\s+to|how|why|what|which|where|do\s+not|please|"
    r"install(?:ing)?|check|download|see|run|build|open|follow|make\s+sure|set(?:ting)?\s+up|use|refer|read|note\s+that\s+if|"
    r"change|add|select|choose|start|let|give|ask|take|make|get|keep|flash|name|try)\b",
    re.IGNORECASE,
)
"""How instructions and conditions begin."""
_INSTRUCTION_PROMISE = re.compile(r"\b(?:on|for)\s+(?:NVIDIA\s+)?jetson\s+platforms?\b|\bat\s+~?\d+", re.IGNORECASE)
_SUBJECT_ELSEWHERE = re.compile(
    r"^\s*(?:this\s+(?:tutorial|guide|page|document(?:ation)?|section|article)|NVIDIA(?:'s)?\s+(?:documents|publishes|provides|says|"
    r"ships|released?)|the\s+(?:rule|finding|gate|probe|tier|policy|evidence|word|sentence|page)s?\b)",
    re.IGNORECASE,
)
"""A sentence about a page or about somebody else's product."""
_CLAUSE = re.compile(
    r"\s*;\s+|,?\s+(?:but|however|although|though|whereas|while|yet)\s+|\s+[-–—]\s+(?=\w+\s+\w+\s+\w+)", re.IGNORECASE
)
_HEAD_PROMISES = re.compile(
    r"\b(?:support(?:s|ed)?|tested|verified|validated|compatib(?:le|ility)|requirements?|works?\s+on|runs?\s+on|"
    r"platforms?(?=\s*$)|(?:hardware|software)\s+specifications?)\b",
    re.IGNORECASE,
)
_LIST_PROMISES = re.compile(
    r"\b(?:support(?:s|ed)?|tested|verified|validated|compatible|works?|runs?)\b", re.IGNORECASE
)
_YES = re.compile(
    r"✅|✔|☑|🟢|\b(?:yes|full(?:y)?|ok|pass(?:ed|es)?|supported|stable|tested|verified|works|ready)\b", re.IGNORECASE
)
_MARK = re.compile(r"✅|✔|☑|🟢")
_NAMED_SUPPORT = re.compile(r"\b(?:supported|tested|verified|validated)\b", re.IGNORECASE)
_NOT_A_CLAIM = re.compile(r"jetproof:not-a-claim\b")
_BADGE_DENIES = re.compile(r"\b(?:not|no|un\w+|plan\w*|wip|todo|help)\b|lightgr[ae]y|inactive", re.IGNORECASE)
_FRONT = re.compile(r"(?:^|/)(?:readme[^/]*|pyproject\.toml|-)$", re.IGNORECASE)
_LONGEST = 2000


@dataclass(frozen=True, kw_only=True)
class TextClaim:
    """A claim that stands in a text."""

    path: str
    line: int
    text: str
    level: Level
    families: tuple[str, ...]
    """Module families that it names; none when it speaks of a Jetson in general."""
    jetpacks: tuple[str, ...]
    cuda: bool
    """Whether it speaks of CUDA or a GPU."""
    form: Form


@dataclass(frozen=True, kw_only=True)
class Excused:
    """A claim that somebody marked as none."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Scanned:
    """What a scan found."""

    claims: tuple[TextClaim, ...] = ()
    excused: tuple[Excused, ...] = ()


def scan(path: str, lines: Sequence[str]) -> Scanned:
    """Return the claims of one document, given as lines without their ends."""
    claims: list[TextClaim] = []
    excused: list[Excused] = []
    for piece in pieces(lines):
        found = _claim(path, piece)
        if found is None:
            continue
        around = lines[max(piece.line - 2, 0) : piece.line]
        if any(_NOT_A_CLAIM.search(line) for line in around):
            excused.append(Excused(path=path, line=piece.line, text=found.text))
        else:
            claims.append(found)
    return Scanned(claims=tuple(dict.fromkeys(claims)), excused=tuple(excused))


def scan_pyproject(path: str, text: str) -> Scanned:
    """Return the claims in the description and classifiers of a pyproject file; a broken one has none."""
    import tomli

    try:
        project = tomli.loads(text).get("project")
    except (tomli.TOMLDecodeError, RecursionError):
        return Scanned()
    if not isinstance(project, dict):
        return Scanned()
    claims: list[TextClaim] = []
    description = project.get("description")
    if isinstance(description, str):
        line = _line_of(text, description)
        piece = Piece(text=description, line=line, form=Form.SENTENCE)
        claims.extend(claim for claim in (_claim(path, piece),) if claim is not None)
    classifiers = project.get("classifiers")
    for classifier in classifiers if isinstance(classifiers, list) else ():
        if isinstance(classifier, str) and level(classifier) is not None:
            claims.append(_made(path, Piece(text=classifier, line=_line_of(text, classifier), form=Form.ITEM)))
    return Scanned(claims=tuple(claims))


def _claim(path: str, piece: Piece) -> TextClaim | None:
    text = piece.text[:_LONGEST]
    if piece.form is Form.BADGE:
        return _badge(path, piece)
    about = level(text)
    if about is None or text.rstrip(" *_\"')").endswith(("?", "？")):
        return None
    if piece.form is Form.HEADING:
        return None
    if piece.form is Form.ROW:
        return _row(path, piece)
    if _SUBJECT_ELSEWHERE.match(text):
        return None
    front = _FRONT.search(path) is not None
    for clause in _CLAUSE.split(text):
        if level(clause) is not None and _promises(clause, piece, front=front):
            return _made(path, piece, clause)
    # the board may be named in one clause and the promise made in another
    first = _CLAUSE.split(text)[0]
    if (
        level(first) is None
        and _promises(text, piece, front=front)
        and not _DENIAL.search(text)
        and not _PLAN.search(text)
    ):
        return _made(path, piece)
    return None


def _promises(clause: str, piece: Piece, *, front: bool) -> bool:
    if _denied(clause) or _PLAN.search(_without_limits(clause)):
        return False
    if _CONDITION.match(clause) and not _INSTRUCTION_PROMISE.search(clause):
        return False
    if _PROMISE.search(clause) or (front and _MADE_FOR.search(clause)):
        return True
    if piece.form is Form.ITEM and piece.under:
        leading = piece.under[-1]
        if _denied(leading) or _PLAN.search(leading):
            return False
        listed = len(clause.split()) <= 12 or bool(re.match(r"[^.]{0,60}:", clause))
        if leading.endswith((":", "：")):
            return listed and bool(_LIST_PROMISES.search(leading))
        return listed and bool(_HEAD_PROMISES.search(leading))
    return False


def _row(path: str, piece: Piece) -> TextClaim | None:
    """A row claims when the table is one of support, or a cell of such a column says yes; a denial takes that away."""
    if _denied(piece.text) or _PLAN.search(piece.text) or not piece.under:
        return None
    title, head = " ".join(piece.under[:-1]), _cells(piece.under[-1])
    if _PLAN.search(title) or _denied(title):
        return None
    cells = _cells(piece.text)
    said = any(
        _YES.search(cell) and (_MARK.search(cell) or (number < len(head) and _LIST_PROMISES.search(head[number])))
        for number, cell in enumerate(cells)
    )
    return _made(path, piece) if said or _HEAD_PROMISES.search(title) or _NAMED_SUPPORT.search(head[0]) else None


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _badge(path: str, piece: Piece) -> TextClaim | None:
    text = re.sub(r"[-_+=&?/]+", " ", unquote(piece.text.split("/badge/")[-1].split("?logo")[0]))
    if level(text) is None or _BADGE_DENIES.search(text):
        return None
    return _made(path, Piece(text=text.strip(), line=piece.line, form=Form.BADGE))


def _denied(text: str) -> bool:
    return bool(_DENIAL.search(_without_limits(text)))


def _without_limits(text: str) -> str:
    """Leave out what narrows a promise without taking it back: "but not JetPack 3", "no other board"."""
    kept = re.sub(
        r"\b(?:no|without)\s+(?:extra|additional|further|any\s+changes?|modifications?|cloud|problems?)\b", "", text
    )
    return re.sub(r"\bnot\s+(?:only|just)\b", "", kept, flags=re.IGNORECASE)


def _made(path: str, piece: Piece, clause: str | None = None) -> TextClaim:
    said = piece.text if clause is None else clause
    about = level(said) or level(piece.text) or Level.JETSON
    return TextClaim(
        path=path,
        line=piece.line,
        text=piece.text[:300],
        level=about,
        families=families(said),
        jetpacks=releases(said),
        cuda=bool(CUDA.search(said)),
        form=piece.form,
    )


def _line_of(text: str, value: str) -> int:
    at = text.find(value)
    return 1 if at < 0 else text.count("\n", 0, at) + 1
