"""Put a lane together: the policy that is there or a first one, the files that follow from it, the managed blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from jetproof.claims.blocks import appended, block_text, blocks
from jetproof.claims.documents import BADGE_PATH, MATRIX, SUPPORT, WRITERS, badge
from jetproof.claims.said import Said
from jetproof.claims.scope import scopes
from jetproof.claims.write import badge_bytes
from jetproof.errors import UsageError
from jetproof.evidence.git import repository
from jetproof.policy.load import DEFAULT_PATH, named_by_pyproject, parse
from jetproof.policy.model import Policy
from jetproof.workflow.scaffold.files import files
from jetproof.workflow.scaffold.first_policy import first_policy
from jetproof.workflow.scaffold.first_tiers import first_tiers
from jetproof.workflow.scaffold.host import WHEEL, Asked, Host, host
from jetproof.workflow.scaffold.host_tests import with_tests
from jetproof.workflow.scaffold.plan import Kind, Step, Wanted, plan, present

_READMES = ("README.md", "README.rst", "Readme.md", "readme.md")


@dataclass(frozen=True, kw_only=True)
class FirstLane:
    """What would be written, for which project, by which policy."""

    steps: tuple[Step, ...]
    host: Host
    policy: Policy


def lane(project: Path, asked: Asked, *, policy: str | None, today: date, force: bool) -> FirstLane:
    """Return the lane of a project. Raises UsageError when the project is no folder or is not known well enough."""
    if not project.is_dir():
        raise UsageError(f"{project} is no folder", hint="name the top of the project")
    path = policy or named_by_pyproject(project) or DEFAULT_PATH
    data = present(project, path)
    known = None if data is None else parse(data, what=path)[0]
    told = host(project, _with_policy(asked, known), _remote(project))
    there = data is not None
    if data is None or known is None:
        data = first_policy(told)
    else:
        _only_tiers_of(known, asked, path)
        data = with_tests(data, known, device=told.gpu_tests, cpu=told.cpu_tests)
    known = parse(data, what=path)[0]
    said = Said(as_of=today)
    may = scopes(known)
    found = files(
        told,
        policy=known,
        policy_file=Wanted(path=path, data=data, kind=Kind.EDITED if there else Kind.ONCE),
        matrix=block_text(MATRIX, said, WRITERS[MATRIX](may, said)),
        badge=Wanted(path=BADGE_PATH, data=badge_bytes(badge(may, said)), kind=Kind.ONCE),
        readme=_readme(project, told, WRITERS[SUPPORT](may, said), said),
    )
    return FirstLane(steps=plan(project, found, force=force), host=told, policy=known)


def _only_tiers_of(known: Policy, asked: Asked, path: str) -> None:
    """Raise UsageError for tiers that the policy has not: once it is there it is the project's own."""
    boards = first_tiers((), asked.stacks, WHEEL) if asked.stacks else []
    missing = {*asked.tiers, *(str(tier["id"]) for tier in boards)} - {tier.id for tier in known.tiers}
    if missing:
        raise UsageError(
            f"{path} is there, and has no tier {', '.join(sorted(missing))}",
            hint="add the tier to it by hand; --tier and --stack choose for a first policy only",
            reason="tier-not-in-policy",
        )


def _with_policy(asked: Asked, known: Policy | None) -> Asked:
    """Take what the policy says where nothing else was said."""
    if known is None or not known.gates:
        return asked
    return replace(
        asked,
        issue=asked.issue or known.gates[0].tracking_issue,
        resolver=asked.resolver or known.host.device_resolver,
    )


def _readme(project: Path, told: Host, text: str, said: Said) -> Wanted:
    path = next((name for name in _READMES if present(project, name) is not None), "README.md")
    old = present(project, path)
    data = f"# {told.name}\n".encode() if old is None else old
    found = blocks(data)
    if found.faults:
        fault = found.faults[0]
        raise UsageError(f"{path}:{fault.line}: {fault.message}", hint="mend the markers by hand", reason=fault.reason)
    if found.block(SUPPORT) is None:
        data = appended(data, SUPPORT, said, text, rst=path.endswith(".rst"))
    return Wanted(path=path, data=data, kind=Kind.EDITED)


def _remote(project: Path) -> str | None:
    try:
        return repository(project).remote()
    except UsageError:
        return None
