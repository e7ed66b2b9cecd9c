"""Code that the commit does not hold, found beside it where the resolver imports from."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from tests.qualify.runs import journal_of, ran
from tests.qualify.streams import Scripted, good_stream
from tests.qualify.test_checkout import git

from jetproof.qualify.code import code
from jetproof.qualify.journal import Journal
from jetproof.qualify.sessions import MOST_MODULES

pytestmark = pytest.mark.process
RESOLVER = "lab.device:get"


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """Return a run whose tests told no modules."""
    return journal_of(ran(Scripted(good_stream()), tmp_path))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a committed project, below the top of its checkout, in which git ignores everything new."""
    top = tmp_path / "top"
    folder = top / "project"
    (folder / "src" / "lab").mkdir(parents=True)
    (folder / "src" / "lab" / "__init__.py").write_text("")
    (folder / "src" / "lab" / "device.py").write_text("")
    (folder / "run.py").write_text("")
    git(top, "init")
    git(top, "add", ".")
    git(top, "commit", "-m", "first")
    (top / ".git" / "info" / "exclude").write_text("*\n")
    return folder


def test_a_clean_project_has_none(project: Path, journal: Journal) -> None:
    found = code(project, journal, RESOLVER)

    assert found.not_in_commit == ()
    assert found.unchecked is None


@pytest.mark.parametrize(
    ("path", "resolver", "counts"),
    [
        ("src/lab/device/__init__.py", None, True),
        ("src/lab/device.cpython-310-aarch64-linux-gnu.so", None, True),
        ("src/lab/new.py", RESOLVER, True),
        ("src/lab/new.py", None, False),
        ("lab/__init__.py", RESOLVER, True),
        ("run/__init__.py", None, True),
        ("src/lab/notes.txt", RESOLVER, False),
        ("src/lab/__pycache__/device.cpython-311.pyc", RESOLVER, False),
        ("build/lib/lab/device.py", RESOLVER, False),
    ],
)
def test_what_may_be_imported_in_its_place_counts(
    path: str, resolver: str | None, counts: bool, project: Path, journal: Journal
) -> None:
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / path).write_text("")

    assert code(project, journal, resolver).not_in_commit == ((path,) if counts else ())


def test_modules_that_torch_makes_without_a_file_are_none(project: Path, tmp_path: Path) -> None:
    stream = good_stream()
    end = next(record for record in stream if record["record"] == "pytest-finish")
    end["modules"] = [
        {"module": "torch.ops", "file": "_ops.py", "sha256": None},
        {"module": "helper", "file": "helper.py", "sha256": None},
        {"module": "lab", "file": "src/lab/__init__.py", "sha256": sha256(b"").hexdigest()},
        {"module": "lab.device", "file": "src/lab/device.py", "sha256": sha256(b"other").hexdigest()},
        {"module": "pytest", "file": "/usr/lib/pytest.py", "sha256": "0" * 64},
    ]

    found = code(project, journal_of(ran(Scripted(stream), tmp_path)), RESOLVER)

    assert found.not_in_commit == ("helper.py", "src/lab/device.py")


def test_too_many_modules_cannot_be_checked(project: Path, tmp_path: Path) -> None:
    stream = good_stream()
    end = next(record for record in stream if record["record"] == "pytest-finish")
    end["modules"] = [{"module": "m", "file": "run.py", "sha256": None}] * MOST_MODULES

    assert code(project, journal_of(ran(Scripted(stream), tmp_path)), RESOLVER).unchecked


def test_a_link_to_a_folder_counts(project: Path, journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project / "lab").symlink_to(tmp_path / "elsewhere")

    assert code(project, journal, RESOLVER).not_in_commit == ("lab",)


def test_without_a_commit_nothing_is_said_twice(tmp_path: Path, journal: Journal) -> None:
    assert code(tmp_path, journal, RESOLVER).not_in_commit == ()
