"""Judge what a project would do to a board's torch: without the board or the network, and running nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jetproof.install.case import Case, Held, vendor_held
from jetproof.install.finding import Confidence, Finding, Remedy, Severity, Verdict, worst
from jetproof.install.judgements import JUDGEMENTS
from jetproof.install.locked import DEFAULT, Kind, Project, extra_key, group_key, normal
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


_SYNC = {
    Kind.UV_LOCK: ("uv sync", "--no-group"),
    Kind.POETRY_LOCK: ("poetry install", "--without"),
    Kind.PDM_LOCK: ("pdm install", "--without"),
}
"""How a tool installs its lock, and its option that leaves a group out."""


def _note(groups: Sequence[str], kind: Kind) -> str:
    """Say which groups the verdict of a plain install leaves aside."""
    named = f"{'group' if len(groups) == 1 else 'groups'} {', '.join(groups)}"
    asked = "".join(f" --group {group}" for group in groups)
    if kind in _SYNC:
        tool = _SYNC[kind][0]
        return f"{tool} takes the {named} along, of which only what replaces torch is told here; for all of it:{asked}"
    return f"judged without the {named}, which uv sync, poetry install and pdm install take along: add{asked}"


def _through_groups(plain: Sequence[Finding], along: Sequence[Finding], kind: Kind) -> Iterator[Finding]:
    """What replaces torch only through the groups that the lock's own tool takes along, and how to leave them out."""
    command, option = _SYNC[kind]
    told = {(finding.rule, finding.package) for finding in plain}
    for finding in along:
        group = finding.wanted_by[0].partition(" (group ")[2].removesuffix(")") if finding.wanted_by else ""
        if finding.verdict is not Verdict.REPLACES_TORCH or not group or (finding.rule, finding.package) in told:
            continue
        remedy = Remedy(text=f"or leave the group {group} out on the board", command=f"{command} {option} {group}")
        message = f"{finding.message} (through the group {group}, which {command} takes along)"
        yield replace(finding, message=message, remedy=(*finding.remedy, remedy))


def audit(
    project: Project,
    board: StackBoard,
    tables: Tables,
    *,
    held: Sequence[Held] = (),
    extras: Sequence[str] = (),
    groups: Sequence[str] = (),
    default_groups: bool = True,
    asked: str | None = None,
) -> Audit:
    """Return what installing a project on a board would do to the vendor's torch.

    Judged is the project with the extras and groups that are asked for. What replaces torch through a group that the
    lock's own tool takes along is told too, unless `default_groups` is off.

    `asked` is the path that a person named, a folder perhaps; the commands of the remedies repeat it.
    """
    kept = {one.name: one for one in held}
    if "torch" not in kept:
        kept = {"torch": vendor_held(board.target, tables), **kept}
    wanted = frozenset(map(normal, groups))
    along = [group for group in project.default_groups if group not in wanted]
    if project.kind is Kind.PYLOCK and default_groups:
        # there they are part of what a plain install means
        wanted, along = wanted.union(along), []

    def case(groups: frozenset[str]) -> Case:
        return _case(project, board, tables, kept, frozenset(map(normal, extras)), groups, asked)

    plain = case(wanted)
    found = [finding for judgement in JUDGEMENTS for finding in judgement.check(plain)]
    if along and default_groups:
        if project.kind in _SYNC:
            more = case(wanted.union(along))
            later = [finding for judgement in JUDGEMENTS for finding in judgement.check(more)]
            found += _through_groups(found, later, project.kind)
        project = replace(project, notes=(*project.notes, _note(along, project.kind)))
    if project.computed:
        found = [_only_likely(finding) for finding in found]
    findings = tuple(sorted(found, key=_order))
    return Audit(
        project=project,
        board=board,
        held=tuple(kept.values()),
        selection=plain.selection,
        verdict=worst(findings),
        findings=findings,
    )


def _case(
    project: Project,
    board: StackBoard,
    tables: Tables,
    held: Mapping[str, Held],
    extras: frozenset[str],
    groups: frozenset[str],
    asked: str | None,
) -> Case:
    return Case(
        project=project,
        selection=selection(project, board, extras=sorted(extras), groups=sorted(groups)),
        board=board,
        held=held,
        tables=tables,
        fits=WheelFit(board),
        markers=Markers(board.markers, extras=extras | encoded(project, extras, groups), groups=groups),
        keys=frozenset((DEFAULT, *map(extra_key, extras), *map(group_key, groups))),
        asked=asked,
    )
