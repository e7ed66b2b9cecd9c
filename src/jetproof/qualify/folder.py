"""Where a run's files lie: `OUT/<gate>.json`, and beside it the folder `OUT/<gate>` with everything it follows from."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.qualify import journal
from jetproof.target.write import put

DEFAULT = "conditional-evidence"

SIDE_FILES = frozenset(
    {
        "journal.jsonl",
        "plan.json",
        "snapshot.json",
        "junit.xml",
        "report.tap",
        "report.sarif",
        "annotations.txt",
        "summary.md",
        "record.json",
    }
)
_GATE = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_RUN = rf"{_GATE}(?:\.[0-9a-f]{{12}})?"
_OURS = re.compile(
    rf"\.lock|{_GATE}(?:\.intoto)?\.json|{_RUN}/(?:{'|'.join(sorted(re.escape(name) for name in SIDE_FILES))})"
)


@dataclass(frozen=True, kw_only=True)
class Folder:
    """The places of one gate's files."""

    out: Path
    gate: str

    @property
    def record(self) -> Path:
        """The record, which stands beside the folder; that of an earlier run lies in it."""
        return self.side / "record.json" if "." in self.gate else self.out / f"{self.gate}.json"

    @property
    def side(self) -> Path:
        """The folder of the side files."""
        return self.out / self.gate

    @property
    def journal(self) -> Path:
        """The journal that all other files follow from."""
        return self.side / "journal.jsonl"

    @property
    def lock(self) -> Path:
        """The file that is locked while a run writes here."""
        return self.out / ".lock"

    def prepare(self) -> None:
        """Make the output folder, so that it can be locked. Raises `JournalUnwritable`."""
        try:
            self.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise journal.unwritable(self.out, error) from error

    def open(self) -> None:
        """Put an earlier run aside under its own name and make an empty folder. Raises `JournalUnwritable`.

        Call with the lock held. Nothing of an earlier run is ever overwritten or removed.
        """
        try:
            if os.path.lexists(self.side):
                aside = self.out / f"{self.gate}.{self._earlier()}"
                self.side.rename(aside)
                if os.path.lexists(self.record):
                    self.record.rename(aside / "record.json")
            self.side.mkdir()
        except OSError as error:
            raise journal.unwritable(self.side, error) from error

    def write(self, name: str, data: bytes) -> None:
        """Write one side file whole or not at all. Raises `JournalUnwritable`."""
        write(self.side / name, data)

    def _earlier(self) -> str:
        """Return twelve hex digits that name the earlier run: its own, or random ones if it cannot be read."""
        try:
            entries = journal.read(journal.load(self.journal)).entries
            run = str(entries[0].body["plan"]["run"])[:12]
        except Exception:  # whatever lies there, it is put aside and kept
            run = ""
        if not re.fullmatch(r"[0-9a-f]{12}", run) or os.path.lexists(self.out / f"{self.gate}.{run}"):
            run = secrets.token_hex(6)
        return run


def run_folder(path: Path) -> Folder:
    """Return the places of a run, given its folder, its journal or its record. Raises `UsageError` when it is none."""
    found = path
    if path.name == "journal.jsonl":
        found = path.parent
    elif path.suffix == ".json" and not path.is_dir():
        found = path.with_suffix("")
    if not (found / "journal.jsonl").exists():
        runs = (
            sorted(child.name for child in found.glob("*/") if (child / "journal.jsonl").is_file())
            if found.is_dir()
            else []
        )
        raise UsageError(
            f"{path} holds no journal.jsonl",
            hint=f"name one run: {', '.join(str(found / run) for run in runs[:5])}"
            if runs
            else "jetproof run writes one",
            reason="journal-missing",
        )
    # a folder like `.` has no name of its own; one that a link names lies where the link does
    whole = found.resolve() if found.name in ("", "..") else found
    return Folder(out=whole.parent, gate=whole.name)


def write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, also when the power fails. Raises `JournalUnwritable`."""
    try:
        put(path, data)
    except OSError as error:
        raise journal.unwritable(path, error) from error


def is_ours(out: Path, path: Path) -> bool:
    """Return whether a run into folder `out` left that file there, so that it is no change of the project.

    Only exact names count: another file in that folder is a change like any other.
    """
    try:
        inside = path.relative_to(out.resolve()).as_posix()
    except ValueError:
        return False
    return _OURS.fullmatch(inside) is not None
