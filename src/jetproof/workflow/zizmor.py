"""What zizmor says of the same workflows, where it is installed. It is asked offline and never needed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jetproof.diagnosis.rule import Severity
from jetproof.workflow.gather import FOLDER
from jetproof.workflow.lane import Place
from jetproof.workflow.rule import Finding
from jetproof_worker import process

_SECONDS = 60.0
_LIMIT = 16 << 20
_OPTIONS = ("--offline", "--no-progress", "--color=never", "--format=json-v1")
_RAN = (0, 11, 12, 13, 14)
_NO_INPUT = 3
_SEVERITY = {"High": Severity.BLOCKING, "Medium": Severity.WARNING}
_SAME = {
    "unpinned-uses": ("JW601", "JW210"),
    "artipacked": ("JW605",),
    "template-injection": ("JW109",),
    "excessive-permissions": ("JW602", "JW603"),
    "dangerous-triggers": ("JW102", "JW103"),
    "concurrency-limits": ("JW505", "JW506"),
    "self-hosted-runner": ("JW101", "JW102", "JW103", "JW104"),
    "unpinned-images": ("JW210",),
}
"""Its audits and the rules here that find the same."""

Run = Callable[[list[str], Path], process.Completed]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What it found, and what became of asking it."""

    findings: tuple[Finding, ...] = ()
    told: str


def run(words: list[str], project: Path) -> process.Completed:
    """Start it in the project's folder: the one beside this Python first, else the one on PATH."""
    beside = Path(sys.executable).parent / "zizmor"
    return process.run([str(beside) if beside.is_file() else "zizmor", *words], _SECONDS, cwd=project, limit=_LIMIT)


def ask(project: Path, start: Run = run) -> Answer:
    """Return zizmor's findings on the project's workflows. What cannot be asked is told, and is no finding."""
    done = start([*_OPTIONS, FOLDER], project)
    if done.status == "missing":
        return Answer(told="not installed (pip install zizmor)")
    if done.status != "exited" or done.truncated:
        return Answer(told=f"not heard: {done.status}{', it said too much' if done.truncated else ''}")
    if done.code == _NO_INPUT:
        return Answer(told="asked, and found no workflow")
    if done.code not in _RAN:
        last = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["nothing"])[-1]
        return Answer(told=f"not heard: it ended with {done.code} and said {last[:200]}")
    try:
        findings = tuple(_findings(json.loads(done.stdout)))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        return Answer(told=f"not understood: {type(error).__name__}")
    return Answer(findings=findings, told=f"asked offline, {len(findings)} finding{'s' * (len(findings) != 1)}")


def _findings(said: Any) -> Iterator[Finding]:
    for one in said:
        if one.get("ignored"):
            continue
        where = [place for place in one["locations"] if place["symbolic"].get("kind") == "Primary"] or one["locations"]
        symbolic, start = where[0]["symbolic"], where[0]["concrete"]["location"]["start_point"]
        local = symbolic["key"]["Local"]
        path = str(local.get("verbatim_path") or local["given_path"]).removeprefix("./")
        ident = str(one["ident"])
        yield Finding(
            rule=f"zizmor/{ident}",
            name=ident,
            severity=_SEVERITY.get(one["determinations"]["severity"], Severity.NOTE),
            place=Place(path=path, line=int(start["row"]) + 1, column=int(start["column"]) + 1),
            message=f"{one['desc']}: {symbolic.get('annotation', '')}".rstrip(": ") + ".",
            fix="See the page.",
            url=str(one["url"]),
        )


def new_to(ours: Iterable[Finding], theirs: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return those of zizmor's findings that no rule here made near the same place."""
    places = {(found.rule, found.place.path, found.place.line) for found in ours}

    def known(one: Finding) -> bool:
        near = range(one.place.line - 3, one.place.line + 4)
        return any((rule, one.place.path, line) in places for rule in _SAME.get(one.name, ()) for line in near)

    return tuple(one for one in theirs if not known(one))
