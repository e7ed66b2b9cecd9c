"""Judge what a project would do to a board's torch: without the board or the network, and running nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jetproof.install.case import Case, Held, vendor_held
from jetproof.install.finding import Confidence, Finding, Severity, Verdict, worst
from jetproof.install.judgements import JUDGEMENTS
from jetproof.install.judgements.judgement import Judgement
from jetproof.install.locked import DEFAULT, Project, extra_key, group_key, normal
from jetproof.install.markers import Markers
from jetproof.install.selection import Selection, encoded, selection
from jetproof.install.stack_environment import StackBoard, WheelFit
from jetproof.tables import Tables


@dataclass(frozen=True, kw_only=True)
class Audit:
    """The answer: what would happen, and why."""

    project: Project
    board: StackBoard
    held: tuple[Held, ...]
    selection: Selection
    verdict: Verdict
    findings: tuple[Finding, ...]
    """The ones that decide first, then by weight and by rule."""

    @property
    def conditional(self) -> bool:
        """Whether only what is asked for directly could be judged, since there is no lock."""
        return not self.project.locked


_WEIGHT = {Severity.BLOCKING: 0, Severity.WARNING: 1, Severity.NOTE: 2}
_VERDICTS = {verdict: place for place, verdict in enumerate(Verdict)}


def _order(finding: Finding) -> tuple[int, int, str]:
    verdict = _VERDICTS[finding.verdict] if finding.verdict else len(_VERDICTS)
    return verdict, _WEIGHT[finding.severity], finding.rule


def _only_likely(finding: Finding) -> Finding:
    """What a program that was not run seems to ask for decides nothing: it is told, and the answer stays open."""
    if finding.verdict in (None, Verdict.UNDETERMINED):
        return finding
    return replace(finding, verdict=None, severity=Severity.WARNING, confidence=Confidence.POSSIBLE)


def audit(
    project: Project,
    board: StackBoard,
    tables: Tables,
    *,
    held: Sequence[Held] = (),
    extras: Sequence[str] = (),
    groups: Sequence[str] = (),
    asked: str | None = None,
    judgements: Sequence[Judgement] = JUDGEMENTS,
) -> Audit:
    """Return what installing a project on a board would do to the vendor's torch.

    `asked` is the path that a person named, a folder perhaps; the commands of the remedies repeat it.
    """
    kept = {one.name: one for one in held}
    if "torch" not in kept:
        kept = {"torch": vendor_held(board.target, tables), **kept}
    chosen = selection(project, board, extras=extras, groups=groups)
    wanted_extras = frozenset(map(normal, extras))
    wanted_groups = frozenset(map(normal, groups))
    case = Case(
        project=project,
        selection=chosen,
        board=board,
        held=kept,
        tables=tables,
        fits=WheelFit(board),
        markers=Markers(
            board.markers,
            extras=wanted_extras | encoded(project, wanted_extras, wanted_groups),
            groups=wanted_groups,
        ),
        keys=frozenset((DEFAULT, *map(extra_key, wanted_extras), *map(group_key, wanted_groups))),
        asked=asked,
    )
    found = [finding for judgement in judgements for finding in judgement.check(case)]
    if project.computed:
        found = [_only_likely(finding) for finding in found]
    findings = tuple(sorted(found, key=_order))
    return Audit(
        project=project,
        board=board,
        held=tuple(kept.values()),
        selection=chosen,
        verdict=worst(findings),
        findings=findings,
    )
