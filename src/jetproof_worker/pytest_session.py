"""One session of a host's pytest, inside the fresh interpreter: found safely, run with our journal, ended openly."""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import sys
from typing import Any, Dict, List, Mapping

from jetproof_worker import fresh_source, item_process, journal_pipe, pytest_surroundings, start

NEVER = ("cacheprovider", "faulthandler", "rerunfailures", "flaky", "xdist", "randomly", "stepwise")
"""Plugins that must not take part: they order, repeat or distribute tests, or remember former runs."""

EXIT_NO_PYTEST = 97


def main() -> int:
    """Read the settings from standard input, run pytest, write the finish record, and return pytest's exit status."""
    settings = json.loads(os.fdopen(0, "rb", closefd=False).read().decode("utf-8"))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for name in ("journal", "dump"):
        os.set_inheritable(settings[name], False)
    faulthandler.register(item_process.DUMP_SIGNAL, file=settings["dump"], all_threads=True, chain=False)
    writer = journal_pipe.Writer(settings["journal"])
    root = os.path.realpath(settings["root"])
    sys.path[:] = [entry for entry in sys.path if entry and os.path.realpath(entry) != root]
    try:
        pytest = importlib.import_module("pytest")
    except ModuleNotFoundError as error:
        if error.name != "pytest" or not settings["side_folder"]:
            writer.write({"record": "no-pytest", "message": str(error)})
            return EXIT_NO_PYTEST
        sys.path.append(settings["side_folder"])
        importlib.invalidate_caches()
        try:
            pytest = importlib.import_module("pytest")
        except ImportError as second:
            writer.write({"record": "no-pytest", "message": str(second)})
            return EXIT_NO_PYTEST
    given = dict(os.environ)
    pytest_journal = importlib.import_module("jetproof_worker.pytest_journal")
    start.leave_path()
    fresh_source.use(root)
    fresh_source.use_in_pytest()
    os.chdir(root)
    sys.argv[:] = ["pytest"]
    journal = pytest_journal.Journal(writer, root)
    writer.write(
        {
            "record": "session",
            "pytest": str(pytest.__version__),
            "file": pytest.__file__,
            "scrubbed": settings["scrubbed"],
            "python": sys.version.split()[0],
        }
    )
    plugins: List[Any] = [journal]
    status = int(pytest.main(arguments(settings, root), plugins=plugins))
    writer.write(dict(_finish(journal, settings, status, given), record="pytest-finish"))
    return status


def arguments(settings: Mapping[str, Any], root: str) -> List[str]:
    """Return pytest's command line; the project's own `addopts` still come before it, and are judged by what ran."""
    words = [
        "--rootdir",
        root,
        "--color=no",
        "-q",
        "--tb=short",
        "-o",
        "xfail_strict=true",
        "--continue-on-collection-errors",
        "-W",
        "always:coroutine:RuntimeWarning",
    ]
    if hasattr(sys.modules.get("pytest"), "PytestUnhandledThreadExceptionWarning"):
        words += ["-W", "error::pytest.PytestUnhandledThreadExceptionWarning"]
    for name in NEVER:
        words += ["-p", "no:" + name]
    for name in settings["allow_plugins"]:
        words += ["-p", name]
    if settings["collect_only"]:
        words.append("--collect-only")
    return [*words, *settings["args"]]


def _finish(journal: Any, settings: Mapping[str, Any], status: int, given: Mapping[str, str]) -> Dict[str, Any]:
    unclean = pytest_surroundings.unclean(journal.hooks, journal.root, settings["allow_plugins"], given)
    return {
        "status": status,
        "counts": journal.counts,
        "unawaited": journal.unawaited,
        "hooks": journal.hooks,
        "modules": journal.modules(),
        "outside": pytest_surroundings.code_from_elsewhere(journal.root, dict(sys.modules)),
        "environment": {"scrubbed": settings["scrubbed"], "unclean": unclean},
    }
