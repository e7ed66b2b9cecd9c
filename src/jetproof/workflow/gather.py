"""Read a project's lane: its policy, every workflow and the pages that speak of the lane."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from jetproof.errors import PolicyInvalid, UsageError
from jetproof.evidence.trust import REVOKED_PATH, SIGNERS_PATH, TRUST_PATH, from_allowed_signers, from_toml
from jetproof.policy.load import DEFAULT_PATH, LARGEST, Loaded, load, named_by_pyproject
from jetproof.policy.positions import Path as MemberPath
from jetproof.policy.positions import positions
from jetproof.target.recorded import read
from jetproof.workflow.document import LARGEST as LARGEST_WORKFLOW
from jetproof.workflow.document import Unreadable, parse
from jetproof.workflow.lane import PAGES, Broken, Lane, Place
from jetproof.workflow.model import Workflow

FOLDER = ".github/workflows"
_MOST_FILES = 200
_TOML_PLACE = re.compile(r"\(at line (?P<line>\d+), column (?P<column>\d+)\)")
_PLACED = re.compile(r"^(?P<path>.+?):(?P<line>\d+):(?P<column>\d+): (?P<member>[^\s:]+): (?P<message>.*)$")


def gather(project: Path, *, policy: str | None, now: datetime) -> Lane:
    """Return the lane of a project. Raises `UsageError` when the folder holds no policy and no workflow at all."""
    if not project.is_dir():
        raise UsageError(f"{project} is no folder", hint="name the top of the project")
    loaded, broken_policy, path = _policy(project, policy)
    workflows, broken = _workflows(project)
    if loaded is None and not broken_policy and not workflows and not broken:
        raise UsageError(
            f"{project} has neither a policy ({path}) nor a workflow ({FOLDER})",
            hint="jetproof init writes both",
            reason="policy-missing",
        )
    return Lane(
        workflows=workflows,
        policy=None if loaded is None else loaded.policy,
        policy_path=path,
        policy_places={} if loaded is None else _places(read(project / path, LARGEST), path),
        pages={page: text for page in (*PAGES, "README.md") if (text := _page(project / page)) is not None},
        broken_workflows=broken,
        broken_policy=broken_policy,
        broken_trust=tuple(_trust(project)),
        now=now,
    )


def _policy(project: Path, named: str | None) -> tuple[Loaded | None, tuple[Broken, ...], str]:
    path = named or named_by_pyproject(project) or DEFAULT_PATH
    try:
        loaded = load(project, named)
    except PolicyInvalid as error:
        return None, tuple(_broken(error.message, path)), path
    return (None, (), path) if loaded.built_in else (loaded, (), path)


def _broken(message: str, path: str) -> list[Broken]:
    """Take apart what the loader says: one fault a line, each with its place."""
    found = []
    for line in message.splitlines():
        match = _PLACED.match(line)
        if match is None:
            found.append(Broken(place=Place(path=path), member=(), message=line))
            continue
        place = Place(path=path, line=int(match["line"]), column=int(match["column"]))
        member = re.split(r"[.\[]", match["member"])[0]
        found.append(Broken(place=place, member=(member,), message=f"{match['member']}: {match['message']}"))
    return found


def _places(data: bytes, path: str) -> Mapping[MemberPath, Place]:
    text = data.decode("utf-8")
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    found = {}
    for member, offset in positions(text).items():
        line = bisect_right(starts, offset)
        found[member] = Place(path=path, line=line, column=offset - starts[line - 1] + 1)
    return found


def _workflows(project: Path) -> tuple[tuple[Workflow, ...], tuple[Broken, ...]]:
    folder = project / FOLDER
    if not folder.is_dir():
        return (), ()
    files = sorted(file for file in folder.iterdir() if file.suffix in (".yml", ".yaml"))
    if len(files) > _MOST_FILES:
        raise UsageError(f"{folder} holds more than {_MOST_FILES} workflows")
    found, broken = [], []
    for file in files:
        path = f"{FOLDER}/{file.name}"
        try:
            found.append(Workflow(path, parse(read(file, LARGEST_WORKFLOW))))
        except Unreadable as error:
            place = Place(path=path, line=error.line, column=error.column)
            broken.append(Broken(place=place, member=(), message=error.message))
        except UsageError as error:
            broken.append(Broken(place=Place(path=path), member=(), message=error.message))
    return tuple(found), tuple(broken)


def _trust(project: Path) -> Iterator[Broken]:
    """Read the trust store as the working tree has it, which is what the next commit will be judged by."""
    data = {path: _bytes(project / path) for path in (TRUST_PATH, SIGNERS_PATH, REVOKED_PATH)}
    readers: tuple[tuple[str, Callable[[bytes], object]], ...] = (
        (TRUST_PATH, lambda found: from_toml(found, TRUST_PATH)),
        (SIGNERS_PATH, lambda found: from_allowed_signers(found, data[REVOKED_PATH] or b"", SIGNERS_PATH)),
    )
    for path, read_by in readers:
        found = data[path]
        if found is None:
            continue
        try:
            read_by(found)
        except PolicyInvalid as error:
            at = _TOML_PLACE.search(error.message)
            where = (int(at["line"]), int(at["column"])) if at else (1, 1)
            yield Broken(place=Place(path=path, line=where[0], column=where[1]), member=(), message=error.message)


def _bytes(file: Path) -> bytes | None:
    return read(file, LARGEST) if file.is_file() else None


def _page(file: Path) -> str | None:
    return read(file, LARGEST).decode("utf-8", "replace") if file.is_file() else None
