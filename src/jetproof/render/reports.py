"""Every file that follows from a journal: the record and the reports. One function, for a run and for its replay."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jetproof.errors import EvidenceInvalid
from jetproof.qualify import folder as files_of
from jetproof.qualify.folder import Folder
from jetproof.qualify.journal import LARGEST_JOURNAL, Journal
from jetproof.qualify.judge import plan_of, verdict
from jetproof.qualify.record import record, to_bytes
from jetproof.render.gate_markdown import gate_markdown, tested
from jetproof.render.gate_notices import gate_annotations, gate_notices
from jetproof.render.junit import junit
from jetproof.render.sarif import as_sarif
from jetproof.render.tap import tap
from jetproof.target.read import plain_bytes

RECORD = "record"


def reports(journal: Journal) -> dict[str, bytes]:
    """Return each file's bytes by its name; `record` stands for the record. The same journal gives the same bytes."""
    judged = verdict(journal)
    told: dict[str, Any] = record(journal)
    plan = plan_of(journal)
    policy, release = (plan.policy_path, plan.tool.release) if plan is not None else ("unknown", "unknown")
    notices = gate_notices(judged, policy)
    properties = {f"jetproof.{name.lower()}": value for name, value in tested(told).items()}
    return {
        RECORD: to_bytes(told),
        "junit.xml": junit(judged, properties).encode("utf-8"),
        "report.tap": tap(judged).encode("utf-8", "backslashreplace"),
        "report.sarif": as_sarif(notices, release=release, command="run").encode("utf-8"),
        "annotations.txt": gate_annotations(judged, policy).encode("utf-8", "backslashreplace"),
        "summary.md": gate_markdown(judged, told).encode("utf-8", "backslashreplace"),
    }


def write(files: Mapping[str, bytes], folder: Folder) -> None:
    """Write every file into its place, each whole or not at all. Raises `JournalUnwritable`."""
    for name, data in files.items():
        files_of.write(_place(folder, name), data)


def compare(files: Mapping[str, bytes], folder: Folder, *, mend: bool) -> None:
    """Compare what lies there with what the journal gives; with `mend`, write what is missing.

    Raises `EvidenceInvalid` that names each file that differs (or, without `mend`, is missing).
    """
    differing = []
    for name, data in files.items():
        place = _place(folder, name)
        found = _bytes(place)
        if found is None and mend:
            files_of.write(place, data)
        elif found != data:
            differing.append(f"{place}{' is missing' if found is None else ''}")
    if differing:
        raise EvidenceInvalid(
            f"not what the journal gives: {', '.join(differing)}",
            hint="the journal decides; remove these files and replay again, and ask who changed them",
            reason="replay-differs",
        )


def _place(folder: Folder, name: str) -> Path:
    return folder.record if name == RECORD else folder.side / name


def _bytes(path: Path) -> bytes | None:
    """Return a file's bytes, None when it is not there; a link counts as something else."""
    try:
        return plain_bytes(path, LARGEST_JOURNAL)
    except FileNotFoundError:
        return None
    except OSError:
        return b""
