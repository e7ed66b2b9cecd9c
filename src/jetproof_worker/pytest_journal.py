"""The pytest plugin that writes down what really happened to each test, from the call itself and not from its report.

Imported only where pytest has been found. It runs inside the host's pytest, where other hooks may rewrite reports, hold
tests back or run them twice; so it records each step, and the judging is done elsewhere (`pytest_verdict`). Works with
pytest 6 and later, Python 3.8 and later. What it cannot withstand is a project that means to deceive from inside the
same process; the modules and hooks in play are recorded by path and digest so that such a thing can be found.
"""

from __future__ import annotations

import inspect
import os
import sys
import time
from typing import Any, Dict, Generator, List, Optional, Tuple

import pytest

from jetproof_worker import fresh_source
from jetproof_worker.journal_pipe import Writer
from jetproof_worker.pytest_body import Bodies
from jetproof_worker.pytest_surroundings import digest_of, within

_MESSAGE = 4000
_MODULES = 2000


_OUTERMOST = pytest.hookimpl(hookwrapper=True, tryfirst=True)
_INNERMOST = pytest.hookimpl(hookwrapper=True, trylast=True)


class Journal:
    """The plugin: registered as an object under a name of its own, so that `-p no:` cannot name it."""

    def __init__(self, writer: Writer, root: str) -> None:
        self.root = root
        self.counts: Dict[str, int] = {}
        self.hooks: List[Dict[str, Any]] = []
        self._writer = writer
        self._raised: Dict[str, Optional[BaseException]] = {}
        self.unawaited: List[str] = []
        self._inside: Optional[str] = None
        self._parts: Dict[str, BaseException] = {}
        self._bodies = Bodies(root)

    # collecting

    @_OUTERMOST
    def pytest_collectreport(self, report: Any) -> Generator[None, Any, None]:
        """Write down each module that could not be collected, or was skipped as a whole."""
        if report.outcome != "passed":
            text = _text(report.longrepr)
            self._writer.write(
                {"record": "collect-problem", "id": report.nodeid, "outcome": report.outcome, "message": text}
            )
        yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_deselected(self, items: Any) -> None:
        """Write down what a hook or an option took out of the selection."""
        self._writer.write_ids("deselected", [item.nodeid for item in items])

    @_INNERMOST
    def pytest_collection_finish(self, session: Any) -> Generator[None, Any, None]:
        """Write down what is left to run after every hook, and which hooks there are."""
        yield
        self.hooks = hooks_in_play(session.config.pluginmanager, self)
        self._writer.write_ids("collected", [item.nodeid for item in session.items])

    # running

    @_OUTERMOST
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, None]:
        """Write down that a test begins."""
        self._bodies.begin(item)
        self._writer.write({"record": "begin", "id": item.nodeid})
        yield

    @_INNERMOST
    def pytest_runtest_setup(self, item: Any) -> Generator[None, Any, None]:
        """Keep what the setup raised, before any other hook can swallow it."""
        outcome = yield
        self._keep(item, "setup", outcome)

    @_INNERMOST
    def pytest_runtest_call(self, item: Any) -> Generator[None, Any, None]:
        """Keep what the test raised, before any other hook can swallow it, and count the calls of its function."""
        body = self._bodies.put(item)
        self._parts.pop(item.nodeid, None)
        self._inside = item.nodeid
        outcome = yield
        self._inside = None
        if body is not None:
            item.obj = body
        self._keep(item, "call", outcome)

    @_INNERMOST
    def pytest_runtest_teardown(self, item: Any) -> Generator[None, Any, None]:
        """Keep what the teardown raised, before any other hook can swallow it."""
        outcome = yield
        self._keep(item, "teardown", outcome)

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: Any, nodeid: str) -> None:
        """Keep which tests began asynchronous work that nobody waited for: its assertions were never reached."""
        if "was never awaited" in str(warning_message.message) and nodeid not in self.unawaited:
            self.unawaited.append(nodeid)

    @_OUTERMOST
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
        """Write down one phase: from what was raised, and from the report only where it says something worse."""
        if call.when == "call" and self._inside == item.nodeid:  # a part of a test that is still running
            if call.excinfo is not None:
                self._parts.setdefault(item.nodeid, call.excinfo.value)
            yield
            return
        phase = "%s %s" % (call.when, item.nodeid)
        seen = phase in self._raised
        raised = [self._raised.pop(phase, None)]
        raised.append(call.excinfo.value if call.excinfo is not None else None)
        raised.append(self._parts.pop(item.nodeid, None) if call.when == "call" else None)
        # unittest's own outcomes are kept on the item until the report is made
        for info in list(getattr(item, "_excinfo", None) or []):
            raised.append(getattr(info, "value", None))
        result = yield
        report = result.get_result()
        if call.excinfo is not None:
            raised.append(call.excinfo.value)
        one = next((one for one in raised if one is not None), None)
        self._writer.write(self._phase(item, call, report, one, seen))

    def modules(self) -> List[Dict[str, Any]]:
        """Return the modules in play, as they are now."""
        return modules_in_play(self.root)

    # details

    def _keep(self, item: Any, phase: str, outcome: Any) -> None:
        try:
            info = outcome.excinfo
        except AttributeError:
            info = None
        self._raised["%s %s" % (phase, item.nodeid)] = info[1] if info else None

    def _phase(self, item: Any, call: Any, report: Any, raised: Optional[BaseException], seen: bool) -> Dict[str, Any]:
        outcome, reason, message = judged(item, call.when, raised, report)
        fault = self._bodies.fault(item) if call.when == "call" else None
        if outcome == "PASS" and not seen:
            outcome, reason, message = "ERROR", "phase-not-run", "nothing was asked to run the test's %s" % call.when
        elif outcome == "PASS" and fault is not None:
            outcome, (reason, message) = "ERROR", fault
        if call.when == "call" or outcome != "PASS":
            self.counts[outcome] = self.counts.get(outcome, 0) + 1
        return {
            "record": "test",
            "id": item.nodeid,
            "phase": call.when,
            "outcome": outcome,
            "reason": reason,
            "message": message[:_MESSAGE],
            "seconds": call.stop - call.start,
            "at": time.time(),
        }


def judged(item: Any, phase: str, raised: Optional[BaseException], report: Any) -> Tuple[str, str, str]:
    """Say what one phase came to: outcome, reason, message. PASS only where nothing at all speaks against it."""
    told = str(getattr(report, "outcome", "none"))
    xfail = getattr(report, "wasxfail", None)
    if raised is not None:
        kind = type(raised).__name__
        message = "%s: %s" % (kind, raised)
        if _is_skip(raised):
            return "MISS", skip_reason(item, phase, str(raised)), str(raised)
        if kind == "XFailed" or (xfail is not None and told == "skipped"):
            return "MISS", "xfail", str(xfail or raised)
        if told not in ("failed", "skipped"):
            return "ERROR", "outcome-differs", "it raised %s, and the report says %s" % (message, told)
        if phase != "call":
            return "ERROR", phase + "-error", message
        if isinstance(raised, AssertionError) or kind == "Failed":
            return "FAIL", "test-failed", message
        return "ERROR", "test-error", message
    if xfail is not None or (told == "failed" and "XPASS" in _text(getattr(report, "longrepr", ""))):
        return "FAIL", "xpass", "passed although marked xfail: %s" % (xfail or "strict")
    if phase == "call" and _expected_to_fail(item):
        return "FAIL", "xpass", "passed although marked xfail"
    if told == "skipped":
        return "MISS", skip_reason(item, phase, _text(report.longrepr)), _text(report.longrepr)
    if told != "passed":
        return "ERROR", "outcome-differs", "nothing was raised, and the report says %s" % told
    return "PASS", "ok", ""


def skip_reason(item: Any, phase: str, message: str) -> str:
    """Name the way in which a test was skipped."""
    if "got empty parameter set" in message:
        return "empty-parametrize"
    if "could not import" in message:
        return "importorskip"
    names = {mark.name for mark in item.iter_markers()} if hasattr(item, "iter_markers") else set()
    if phase == "setup":
        for name in ("skip", "skipif"):
            if name in names:
                return name
        return "skip-in-setup"
    return "skip"


def hooks_in_play(manager: Any, own: object) -> List[Dict[str, Any]]:
    """Return each plugin that is not pytest's own, with its file, the file's digest and the hooks it implements."""
    found = []
    for plugin in manager.get_plugins():
        module = plugin if inspect.ismodule(plugin) else inspect.getmodule(type(plugin))
        name = getattr(module, "__name__", "")
        if plugin is own or name.partition(".")[0] in ("_pytest", "pytest", "pluggy"):
            continue
        callers = manager.get_hookcallers(plugin) or []
        file = getattr(module, "__file__", None)
        hooks = sorted({caller.name for caller in callers})
        if hooks or file:
            found.append(
                {
                    "plugin": str(manager.get_name(plugin)),
                    "module": name,
                    "file": file,
                    "sha256": digest_of(file),
                    "hooks": hooks,
                }
            )
    return found


def modules_in_play(root: str) -> List[Dict[str, Any]]:
    """Return the imported modules whose files lie in the project, and pytest's own, with their digests."""
    found: Dict[str, Dict[str, Any]] = {}
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str):
            continue
        real = os.path.realpath(file)
        if within(real, root):
            digest = fresh_source.as_loaded(real) or digest_of(real)
            found[real] = {"module": name, "file": os.path.relpath(real, root), "sha256": digest}
        elif name in ("pytest", "pluggy", "_pytest.runner", "_pytest.skipping", "_pytest.python", "_pytest.unittest"):
            found[real] = {"module": name, "file": file, "sha256": digest_of(real)}
        if len(found) >= _MODULES:
            break
    return list(found.values())


def _is_skip(raised: BaseException) -> bool:
    return type(raised).__name__ in ("Skipped", "SkipTest")


def _expected_to_fail(item: Any) -> bool:
    """Whether an xfail mark applies to the test, as pytest itself works it out."""
    marks = list(item.iter_markers("xfail")) if hasattr(item, "iter_markers") else []
    if not marks:
        return False
    try:  # pytest has no public way to ask
        from _pytest import skipping

        return skipping.evaluate_xfail_marks(item) is not None
    except Exception:
        return True  # it cannot be worked out: a mark that stands there counts


def _text(longrepr: Any) -> str:
    if isinstance(longrepr, tuple):
        return str(longrepr[-1])[:_MESSAGE]
    return str(longrepr if longrepr is not None else "")[-_MESSAGE:]
