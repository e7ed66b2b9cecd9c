"""Hold what a project's documents say against what is proven: managed blocks, the badge, and free text.

A block that carries a day may be held to that day, so that a lapse does not turn every bystander's pull request red;
then its commit and its date must have been proven on that day. What nobody has proven is refused either way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum

from jetproof.claims.blocks import Block, Found, blocks, without
from jetproof.claims.boards import Level
from jetproof.claims.calculus import Claims, State
from jetproof.claims.documents import BADGE_PATH, SUPPORT, WRITERS, badge, badges_without_claim, history
from jetproof.claims.said import Said, Saying, said
from jetproof.claims.scanner import Excused, TextClaim, scan, scan_pyproject
from jetproof.claims.scope import Kind, Scope
from jetproof.claims.texts import Documents, Passed, is_document
from jetproof.errors import UsageError
from jetproof.policy.release import covers
from jetproof.target import strict_json


class Weight(Enum):
    """Whether a remark means that a text exceeds the proof."""

    EXCEEDS = "exceeds"
    NOTE = "note"


@dataclass(frozen=True, kw_only=True)
class Remark:
    """Something about a line of a document."""

    reason: str
    weight: Weight
    path: str
    line: int
    message: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What a check of the documents found."""

    remarks: tuple[Remark, ...]
    said: Said
    """What may be said today."""
    looked_at: int
    blocks: int
    texts: tuple[TextClaim, ...] = ()
    """Free-text claims that hold."""
    excused: tuple[Excused, ...] = ()
    passed: tuple[Passed, ...] = ()
    held_to: str = "today"

    @property
    def exceeds(self) -> tuple[Remark, ...]:
        """The remarks because of which the answer is no."""
        return tuple(remark for remark in self.remarks if remark.weight is Weight.EXCEEDS)


ClaimsAt = Callable[[str, date], Claims | None]
"""The claims for a commit on a day; None when the commit is not here."""


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What the documents are held against."""

    claims: Claims
    """For the commit in hand, today."""
    at: ClaimsAt
    block_day: bool = False
    """Whether blocks are held to the day that they carry."""
    families: dict[str, str] = field(default_factory=dict)
    """Module to family, as in the tables."""

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Everything that could be claimed."""
        return tuple(claim.scope for claim in self.claims.claims)


def check(texts: Documents, proof: Proof, badge_data: bytes | None = None) -> Checked:
    """Return what the documents say beyond the proof, and what they leave unsaid."""
    remarks: list[Remark] = []
    holding: list[TextClaim] = []
    excused: list[Excused] = []
    count = 0
    shown: list[Said] = []
    for document in texts.documents:
        if not is_document(document.path):
            scanned = scan_pyproject(document.path, document.data.decode("utf-8", "replace"))
        else:
            found = blocks(document.data)
            count += len(found.blocks)
            shown += [block.said for block in found.blocks if block.id == SUPPORT]
            remarks += _of_blocks(document.path, found, proof)
            scanned = scan(document.path, without(document.data, found))
        for text in scanned.claims:
            remark = _of_text(text, proof)
            if remark is None:
                holding.append(text)
            else:
                remarks.append(remark)
        excused += scanned.excused
    if not shown and texts.documents:
        remarks.append(
            Remark(
                reason="block-missing",
                weight=Weight.EXCEEDS if proof.scopes else Weight.NOTE,
                path="README.md",
                line=1,
                message=f"no document holds the managed block {SUPPORT}",
                remedy="jetproof init adds it",
            )
        )
    if badge_data is not None:
        remarks += _of_badge(badge_data, proof, shown)
    ordered = sorted(remarks, key=lambda one: (one.weight is Weight.NOTE, one.path, one.line))
    return Checked(
        remarks=tuple(ordered),
        said=said(proof.claims),
        looked_at=len(texts.documents),
        blocks=count,
        texts=tuple(holding),
        excused=tuple(excused),
        passed=texts.passed,
        held_to="the day that each block carries" if proof.block_day else f"today, {proof.claims.today} (UTC)",
    )


_WRITE = "jetproof claims --write"


def _of_blocks(path: str, found: Found, proof: Proof) -> Iterator[Remark]:
    for fault in found.faults:
        yield Remark(
            reason=fault.reason,
            weight=Weight.EXCEEDS,
            path=path,
            line=fault.line,
            message=fault.message,
            remedy="mend the markers by hand, each block needs exactly one begin and one end",
        )
    for block in found.blocks:
        yield from _of_block(path, block, proof)


def _of_block(path: str, block: Block, proof: Proof) -> Iterator[Remark]:
    def remark(reason: str, message: str, *, weight: Weight = Weight.EXCEEDS, remedy: str = _WRITE) -> Remark:
        return Remark(reason=reason, weight=weight, path=path, line=block.line, message=message, remedy=remedy)

    if block.edited:
        yield remark("block-edited", f"the block {block.id} was changed by hand: its digest does not fit")
        return
    if history(block.id):
        return
    writer = WRITERS.get(block.id)
    if writer is None:
        yield remark(
            "block-unknown",
            f"no block is called {block.id}; there are {', '.join(WRITERS)}",
            remedy="remove it, or name it for what it holds",
        )
        return
    beyond = [text for text in (_beyond(saying, block.said.as_of, proof) for saying in block.said.sayings) if text]
    for text in beyond:
        yield remark("block-exceeds", f"the block {block.id} says more than is proven: {text}")
    if not beyond and writer(proof.scopes, block.said) != block.text:
        yield remark(
            "block-other-words", f"the block {block.id} has not the words that its facts give with this policy"
        )
    elif not beyond:
        may = said(proof.claims)
        unsaid = [one.scope for one in may.sayings if block.said.of(one.scope) != one]
        if unsaid:
            yield remark(
                "block-behind",
                f"the block {block.id} says less than is proven today: {', '.join(unsaid)}",
                weight=Weight.NOTE,
            )


def _beyond(saying: Saying, as_of: date, proof: Proof) -> str | None:
    """Return why a saying is not proven, in words; None when it is."""
    claim = proof.claims.of(saying.scope)
    if claim is None:
        return f"{saying.scope} is nothing that the policy knows"
    name = claim.scope.title
    until = claim.holds_until if claim.state is State.SUPPORTED else None
    if until is not None and saying.until <= until and saying.commit == claim.proven_commit:
        return None
    if not proof.block_day:
        if until is not None:
            other = f"it holds until {until} and was proven at {(claim.proven_commit or '')[:12]}"
            return f"{name}: {other}, the block says until {saying.until} at {saying.commit[:12]}"
        return f"{name} is {claim.state.value} at {proof.claims.commit[:12]}"
    if claim.state in (State.FAILING, State.CONTESTED, State.FLAKY):
        return f"{name} is {claim.state.value} at {proof.claims.commit[:12]}"
    if as_of > proof.claims.today:
        return f"{name}: the block carries a day that has not come, {as_of}"
    then = proof.at(saying.commit, as_of)
    before = None if then is None else then.of(saying.scope)
    if before is None:
        return f"{name}: the commit {saying.commit[:12]} is not here"
    if before.state is not State.SUPPORTED or before.holds_until is None:
        return f"{name} was {before.state.value} at {saying.commit[:12]} on {as_of}"
    if saying.until > before.holds_until:
        return f"{name} was proven until {before.holds_until} on {as_of}, not until {saying.until}"
    return None


def _of_badge(data: bytes, proof: Proof, shown: Sequence[Said]) -> Iterator[Remark]:
    try:
        value = strict_json.loads(data, what=BADGE_PATH, max_bytes=1 << 16, max_depth=4)
    except UsageError as error:
        yield Remark(
            reason="badge-unreadable",
            weight=Weight.EXCEEDS,
            path=BADGE_PATH,
            line=1,
            message=error.message,
            remedy=_WRITE,
        )
        return
    # a badge may say what the README says, which is held to its proof by itself
    allowed = [*badges_without_claim(), badge(proof.scopes, said(proof.claims))]
    if proof.block_day:
        allowed += [badge(proof.scopes, one) for one in shown]
    if value not in allowed:
        message = value.get("message") if isinstance(value, dict) else None
        yield Remark(
            reason="badge-exceeds",
            weight=Weight.EXCEEDS,
            path=BADGE_PATH,
            line=1,
            message=f"the badge says {str(message)[:80]!r}, and that is not what is proven",
            remedy=_WRITE,
        )


def _of_text(text: TextClaim, proof: Proof) -> Remark | None:
    why = _not_proven(text, proof)
    if why is None:
        return None
    quoted = text.text if len(text.text) <= 120 else text.text[:117] + "..."
    return Remark(
        reason="text-exceeds",
        weight=Weight.EXCEEDS,
        path=text.path,
        line=text.line,
        message=f"{quoted!r}: {why}",
        remedy="say it in a managed block, or not at all (docs/ci/claims.md)",
    )


def _not_proven(text: TextClaim, proof: Proof) -> str | None:
    """Return why a text's claim is not proven; None when it is."""
    supported = [claim.scope for claim in proof.claims.claims if claim.state is State.SUPPORTED]
    if text.level is Level.ARM64:
        if text.cuda:
            return "it speaks of a GPU on ARM64, and only a Jetson tier could prove that; name module and JetPack"
        proven = any(scope.kind is Kind.ARM64_IMPORTS for scope in supported)
        return None if proven else "that it imports on ARM64 is not proven today"
    tiers = [scope.tier for scope in supported if scope.tier is not None]
    if not tiers:
        return "no Jetson tier is proven today"
    if not text.families or not text.jetpacks:
        return "a Jetson is proven by module and JetPack release, and this names not both"
    for family in text.families:
        fitting = [tier for tier in tiers if family in (tier.module, proof.families.get(tier.module))]
        if not fitting:
            return f"{family} is not proven today"
        for release in text.jetpacks:
            if not any(covers(tier.jetpack, release) for tier in fitting):
                return f"{family} with JetPack {release} is not proven today"
    return None
