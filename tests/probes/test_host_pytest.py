"""A host's own tests: each hidden way of not running one is found, and none of them is a pass."""

from __future__ import annotations

import os
import re
import signal
import time
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .conftest import Serve, Served, serve_with

pytestmark = pytest.mark.process

GOOD = "def test_a(): assert 1 + 1 == 2\ndef test_b(): assert True\n"
A, B = "test_it.py::test_a", "test_it.py::test_b"


def served_tests(
    serve: Serve,
    root: Path,
    files: Mapping[str, str],
    expected: list[str] | None = None,
    timeout: float = 30,
    env: Mapping[str, str] | None = None,
    **selection: Any,
) -> Served:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    if expected is None and "expected_at_least" not in selection and "collect_only" not in selection:
        expected = [A, B]
    wanted = {"root": str(root), "args": [], "expected": expected or [], **selection}
    return serve({"items": [{"id": "pytest::own", "pytest": wanted, "timeout": timeout, "seed": 7}]}, env=env)


CASES: dict[str, tuple[dict[str, str], str, str]] = {
    "all pass": ({"test_it.py": GOOD}, "PASS", "ok"),
    "one fails": ({"test_it.py": "def test_a(): assert 1 == 2\ndef test_b(): pass\n"}, "FAIL", "test-failed"),
    "pytest.fail": ({"test_it.py": "import pytest\ndef test_a(): pytest.fail('no')\ndef test_b(): pass\n"}, "FAIL", "test-failed"),
    "one raises": ({"test_it.py": "def test_a(): 1 / 0\ndef test_b(): pass\n"}, "ERROR", "test-error"),
    "skip": ({"test_it.py": "import pytest\n@pytest.mark.skip\ndef test_a(): pass\ndef test_b(): pass\n"}, "MISS", "skip"),
    "skipif": (
        {"test_it.py": "import pytest\n@pytest.mark.skipif(True, reason='no GPU')\ndef test_a(): pass\ndef test_b(): pass\n"},
        "MISS",
        "skipif",
    ),
    "skip in the call": ({"test_it.py": "import pytest\ndef test_a(): pytest.skip('later')\ndef test_b(): pass\n"}, "MISS", "skip"),
    "skip in a fixture": (
        {"test_it.py": "import pytest\n@pytest.fixture\ndef f(): pytest.skip('none')\ndef test_a(f): pass\ndef test_b(): pass\n"},
        "MISS",
        "skip-in-setup",
    ),
    "unittest skip": (
        {
            "test_it.py": "import unittest\nclass T(unittest.TestCase):\n    def test_c(self): self.skipTest('x')\n"
            "def test_a(): pass\ndef test_b(): pass\n"
        },
        "ERROR",
        "unexpected-test",
    ),
    "importorskip of a module": ({"test_it.py": "import pytest\npytest.importorskip('absent_one')\n" + GOOD}, "MISS", "importorskip"),
    "importorskip in a test": (
        {"test_it.py": "import pytest\ndef test_a(): pytest.importorskip('absent_one')\ndef test_b(): pass\n"},
        "MISS",
        "importorskip",
    ),
    "a module skips itself": ({"test_it.py": "import pytest\npytest.skip('all', allow_module_level=True)\n" + GOOD}, "MISS", "skip"),
    "xfail": ({"test_it.py": "import pytest\n@pytest.mark.xfail\ndef test_a(): assert 0\ndef test_b(): pass\n"}, "MISS", "xfail"),
    "pytest.xfail": ({"test_it.py": "import pytest\ndef test_a(): pytest.xfail('known')\ndef test_b(): pass\n"}, "MISS", "xfail"),
    "xfail without running": (
        {"test_it.py": "import pytest\n@pytest.mark.xfail(run=False)\ndef test_a(): pass\ndef test_b(): pass\n"},
        "MISS",
        "xfail",
    ),
    "xpass": ({"test_it.py": "import pytest\n@pytest.mark.xfail\ndef test_a(): pass\ndef test_b(): pass\n"}, "FAIL", "xpass"),
    "xpass, not strict": (
        {"test_it.py": "import pytest\n@pytest.mark.xfail(strict=False)\ndef test_a(): pass\ndef test_b(): pass\n"},
        "FAIL",
        "xpass",
    ),
    "empty parametrize": (
        {"test_it.py": "import pytest\n@pytest.mark.parametrize('x', [])\ndef test_a(x): pass\ndef test_b(): pass\n"},
        "MISS",
        "empty-parametrize",
    ),
    "deselected by addopts": ({"test_it.py": GOOD, "pytest.ini": "[pytest]\naddopts = -k test_b\n"}, "MISS", "deselected"),
    "deselected by a conftest": (
        {
            "test_it.py": GOOD,
            "conftest.py": "def pytest_collection_modifyitems(config, items):\n"
            "    config.hook.pytest_deselected(items=items[:1])\n    del items[0]\n",
        },
        "MISS",
        "deselected",
    ),
    "removed by a conftest without a word": (
        {"test_it.py": GOOD, "conftest.py": "def pytest_collection_modifyitems(items):\n    del items[0]\n"},
        "MISS",
        "not-collected",
    ),
    "ignored by a conftest": ({"test_it.py": GOOD, "conftest.py": "collect_ignore = ['test_it.py']\n"}, "MISS", "not-collected"),
    "renamed": ({"test_it.py": GOOD.replace("test_a", "test_z")}, "ERROR", "unexpected-test"),
    "gone": ({"test_other.py": "def test_c(): pass\n"}, "ERROR", "unexpected-test"),
    "no tests at all": ({"readme.txt": ""}, "MISS", "not-collected"),
    "a module that does not import": ({"test_it.py": "import absent_one\n" + GOOD}, "ERROR", "collection-error"),
    "a syntax error": ({"test_it.py": GOOD + "def\n"}, "ERROR", "collection-error"),
    "setup fails": (
        {"test_it.py": "import pytest\n@pytest.fixture\ndef f(): assert 0\ndef test_a(f): pass\ndef test_b(): pass\n"},
        "ERROR",
        "setup-error",
    ),
    "teardown fails": (
        {"test_it.py": "import pytest\n@pytest.fixture\ndef f():\n    yield\n    1 / 0\ndef test_a(f): pass\ndef test_b(): pass\n"},
        "ERROR",
        "teardown-error",
    ),
    "os._exit(0) in a test": ({"test_it.py": "import os\ndef test_a(): os._exit(0)\ndef test_b(): pass\n"}, "ERROR", "no-finish"),
    "os._exit(0) in a conftest": ({"test_it.py": GOOD, "conftest.py": "import os\nos._exit(0)\n"}, "ERROR", "no-finish"),
    "os._exit(0) at the session's end": (
        {"test_it.py": GOOD, "conftest.py": "import os\ndef pytest_sessionfinish(): os._exit(0)\n"},
        "ERROR",
        "no-finish",
    ),
    "os._exit(0) in atexit after a failure": (
        {"test_it.py": "import atexit, os\natexit.register(os._exit, 0)\ndef test_a(): assert 0\ndef test_b(): pass\n"},
        "ERROR",
        "exit-status-differs",
    ),
    "another status in atexit": ({"test_it.py": "import atexit, os\natexit.register(os._exit, 3)\n" + GOOD}, "ERROR", "exit-status-differs"),
    "pytest.exit": ({"test_it.py": "import pytest\ndef test_a(): pytest.exit('enough', 0)\ndef test_b(): pass\n"}, "MISS", "not-finished"),
    "sys.exit in a test": ({"test_it.py": "import sys\ndef test_a(): sys.exit(0)\ndef test_b(): pass\n"}, "ERROR", "test-error"),
    "KeyboardInterrupt": ({"test_it.py": "def test_a(): raise KeyboardInterrupt\ndef test_b(): pass\n"}, "MISS|ERROR", "not-finished|test-error"),
    "stops at the first failure": (
        {"test_it.py": "def test_b(): assert 0\ndef test_a(): pass\n", "pytest.ini": "[pytest]\naddopts = -x\n"},
        "FAIL",
        "test-failed",
    ),
    "segmentation fault": ({"test_it.py": "import ctypes\ndef test_a(): ctypes.string_at(0)\ndef test_b(): pass\n"}, "ERROR", "signal"),
    "killed": ({"test_it.py": "import os\ndef test_a(): os.kill(os.getpid(), 9)\ndef test_b(): pass\n"}, "ERROR", "killed"),
    "a hook says passed": (
        {
            "test_it.py": "def test_a(): assert 0\ndef test_b(): pass\n",
            "conftest.py": "import pytest\n@pytest.hookimpl(hookwrapper=True, tryfirst=True)\ndef pytest_runtest_makereport():\n"
            "    outcome = yield\n    report = outcome.get_result()\n    report.outcome = 'passed'\n    report.longrepr = None\n",
        },
        "FAIL|ERROR",
        "test-failed|outcome-differs",
    ),
    "a hook removes the exception": (
        {
            "test_it.py": "def test_a(): assert 0\ndef test_b(): pass\n",
            "conftest.py": "import pytest\n@pytest.hookimpl(hookwrapper=True, tryfirst=True)\ndef pytest_runtest_makereport(call):\n"
            "    call.excinfo = None\n    yield\n",
        },
        "ERROR",
        "outcome-differs",
    ),
    "a hook swallows what the call raised": (
        {
            "test_it.py": "def test_a(): assert 0\ndef test_b(): pass\n",
            "conftest.py": "import pytest\n@pytest.hookimpl(hookwrapper=True, tryfirst=True)\ndef pytest_runtest_call():\n"
            "    outcome = yield\n    outcome.force_result(None)\n",
        },
        "ERROR",
        "outcome-differs",
    ),
    "a hook claims the call": (
        {"test_it.py": "def test_a(): assert 0\ndef test_b(): pass\n", "conftest.py": "def pytest_pyfunc_call(): return True\n"},
        "ERROR",
        "body-not-run",
    ),
    "a hook claims the whole test": (
        {
            "test_it.py": "def test_a(): assert 0\ndef test_b(): pass\n",
            "conftest.py": "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_protocol(): return True\n",
        },
        "MISS",
        "not-finished",
    ),
    "run again until it passes": (
        {
            "test_it.py": "import pathlib\ndef test_a():\n    seen = pathlib.Path(__file__ + '.seen')\n"
            "    if not seen.exists():\n        seen.touch()\n        assert 0\ndef test_b(): pass\n",
            "conftest.py": "from _pytest.runner import runtestprotocol\ndef pytest_runtest_protocol(item, nextitem):\n"
            "    for _ in range(3):\n        reports = runtestprotocol(item, nextitem=nextitem, log=False)\n"
            "        if all(report.passed for report in reports): break\n"
            "    for report in reports: item.ihook.pytest_runtest_logreport(report=report)\n    return True\n",
        },
        "FAIL|ERROR",
        "test-failed|ran-twice",
    ),
    "collected twice": (
        {"test_it.py": GOOD, "conftest.py": "def pytest_collection_modifyitems(items):\n    items.append(items[0])\n"},
        "ERROR",
        "ran-twice",
    ),
    "unittest failure": (
        {
            "test_it.py": GOOD + "import unittest\nclass T(unittest.TestCase):\n    def test_c(self): self.assertEqual(1, 2)\n",
        },
        "ERROR",
        "unexpected-test",
    ),
    "a usage error": ({"test_it.py": GOOD, "pytest.ini": "[pytest]\naddopts = --no-such-option\n"}, "ERROR|MISS", "no-finish|not-started|pytest-status|not-collected"),
    "an internal error": (
        {"test_it.py": GOOD, "conftest.py": "def pytest_runtest_logreport(report): raise RuntimeError('inside')\n"},
        "ERROR|MISS",
        "pytest-status|not-finished|not-started",
    ),
}


@pytest.fixture(scope="module")
def all_cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Run all cases by one worker, side by side: what one does must not touch the others."""
    items = []
    for number, (name, (files, _, _)) in enumerate(CASES.items()):
        root = tmp_path_factory.mktemp(f"case{number}")
        for file, content in files.items():
            (root / file).write_text(content)
        wanted = {"root": str(root), "args": [], "expected": [A, B]}
        items.append({"id": name, "pytest": wanted, "timeout": 60, "memory": 1 << 20})
    served = serve_with({"items": items}, timeout=300)
    assert served.completed.ok
    assert served.one("finish")["items"] == len(CASES)
    return served.ends


@pytest.mark.parametrize("name", CASES)
def test_each_case_has_its_reason(name: str, all_cases: dict[str, dict[str, Any]]) -> None:
    _, outcome, reason = CASES[name]
    end = all_cases[name]
    assert re.fullmatch(outcome, end["outcome"]), end
    assert re.fullmatch(reason, end["reason"]), end
    assert (end["outcome"] == "PASS") == (name == "all pass")


def test_a_pass_says_what_ran_and_with_what(serve: Serve, tmp_path: Path) -> None:
    served = served_tests(serve, tmp_path, {"test_it.py": GOOD, "conftest.py": "def pytest_runtest_setup(item): pass\n"})
    assert served.one("collected")["ids"] == [A, B]
    tests = [(record["id"], record["phase"], record["outcome"]) for record in served.all("test")]
    assert tests == [(id_, phase, "PASS") for id_ in (A, B) for phase in ("setup", "call", "teardown")]
    finish = served.one("pytest-finish")
    hook = next(hook for hook in finish["hooks"] if hook["file"] == str(tmp_path / "conftest.py"))
    assert hook["hooks"] == ["pytest_runtest_setup"]
    assert len(hook["sha256"]) == 64
    files = {module["file"] for module in finish["modules"]}
    assert {"test_it.py", "conftest.py"} <= files
    detail = served.one("end")["detail"]
    assert [test["outcome"] for test in detail["tests"]] == ["PASS", "PASS"]
    assert detail["floor"] is False


def test_variables_that_steer_pytest_are_taken_out_and_told(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "sneaky.py").write_text("raise SystemExit(0)")
    env = {
        "PYTEST_ADDOPTS": f"--deselect {A}",
        "PYTEST_PLUGINS": "sneaky",
        "PYTHONOPTIMIZE": "2",
        "LD_PRELOAD": "",
        "COVERAGE_PROCESS_START": "x",
    }
    root = tmp_path / "root"
    root.mkdir()
    served = served_tests(serve, root, {"test_it.py": GOOD}, env=env)
    assert served.verdict == ("PASS", "ok")
    assert set(env) <= set(served.one("end")["detail"]["scrubbed"])
    failing = served_tests(serve, root, {"test_it.py": "def test_a(): assert 0\ndef test_b(): pass\n"}, env=env)
    assert failing.verdict == ("FAIL", "test-failed"), "assertions count also where PYTHONOPTIMIZE was set"


def test_nothing_in_the_project_takes_the_place_of_pytest_or_of_our_plugin(serve: Serve, tmp_path: Path) -> None:
    trap = "import os\nos._exit(0)\n"
    names = ("pytest", "_pytest", "pluggy", "jetproof_worker", "json", "faulthandler", "torch", "sitecustomize", "hashlib")
    files = {f"{name}.py": trap for name in names}
    served = served_tests(serve, tmp_path, {"test_it.py": GOOD, **files})
    assert served.verdict == ("PASS", "ok")


def test_plugins_take_part_only_by_name(serve: Serve, tmp_path: Path) -> None:
    served = served_tests(serve, tmp_path, {"test_it.py": "def test_a(mocker): pass\ndef test_b(): pass\n"})
    assert served.verdict == ("ERROR", "setup-error"), "no plugin is loaded by itself"
    plugin = {"own_plugin.py": "import pytest\n@pytest.fixture\ndef mocker(): return 1\n"}
    (tmp_path / "conftest.py").write_text("")
    served = served_tests(serve, tmp_path, {**plugin, "test_it.py": "def test_a(mocker): pass\ndef test_b(): pass\n"}, allow_plugins=["own_plugin"])
    assert served.verdict[0] != "PASS", "a plugin must be installed, not lie in the project"


def test_a_session_that_never_ends(serve: Serve, tmp_path: Path) -> None:
    served = served_tests(serve, tmp_path, {"test_it.py": "import time\ndef test_a(): time.sleep(600)\ndef test_b(): pass\n"}, timeout=3)
    end = served.one("end")
    assert (end["outcome"], end["reason"]) == ("ERROR", "timeout")
    assert "test_it.py" in end["traceback"]
    assert [record["id"] for record in served.all("test")] == [A], "what had come until then was passed on"


def test_a_session_that_hangs_in_atexit(serve: Serve, tmp_path: Path) -> None:
    files = {"test_it.py": "import atexit, time\natexit.register(time.sleep, 600)\n" + GOOD}
    assert served_tests(serve, tmp_path, files, timeout=4).verdict == ("ERROR", "timeout")


def test_processes_that_tests_leave_behind_are_ended(serve: Serve, tmp_path: Path) -> None:
    marker = f"86{os.getpid()}"
    files = {"test_it.py": f"import subprocess\ndef test_a(): subprocess.Popen(['sleep', '{marker}'], start_new_session=True)\ndef test_b(): pass\n"}
    assert served_tests(serve, tmp_path, files).verdict == ("PASS", "ok")
    for _ in range(20):
        alive = [name for name in os.listdir("/proc") if name.isdigit() and _line(name) == f"sleep\0{marker}\0"]
        if not alive:
            break
        time.sleep(0.05)
    assert alive == []


def _line(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_a_fork_of_the_session_writes_no_journal(serve: Serve, tmp_path: Path) -> None:
    files = {"test_it.py": "import os\ndef test_a():\n    if os.fork() == 0: return\n    os.wait()\ndef test_b(): pass\n"}
    served = served_tests(serve, tmp_path, files)
    assert served.verdict == ("PASS", "ok")
    assert len(served.all("test")) == 6


def test_a_test_that_writes_to_the_journal_itself_breaks_it(serve: Serve, tmp_path: Path) -> None:
    body = (
        "import os, json, hashlib\n"
        "def test_a():\n"
        "    body = json.dumps({'record': 'pytest-finish', 'status': 0, 'n': 0, 'pid': os.getpid()}).encode()\n"
        "    frame = b'JP1 %d %s\\n%s\\n' % (len(body), hashlib.sha256(body).hexdigest()[:16].encode(), body)\n"
        "    for n in range(3, 64):\n"
        "        try: os.write(n, frame)\n"
        "        except OSError: pass\n"
        "    os._exit(0)\n"
        "def test_b(): pass\n"
    )
    outcome, reason = served_tests(serve, tmp_path, {"test_it.py": body}).verdict
    assert (outcome, reason) in {("ERROR", "journal-broken"), ("ERROR", "no-finish")}


def test_a_count_floor_is_for_rehearsals_and_says_so(serve: Serve, tmp_path: Path) -> None:
    served = served_tests(serve, tmp_path, {"test_it.py": GOOD}, expected_at_least=2)
    assert served.verdict == ("PASS", "ok")
    assert served.one("end")["detail"]["floor"] is True
    assert served_tests(serve, tmp_path, {}, expected_at_least=3).verdict == ("MISS", "not-collected")
    skipping = {"test_it.py": GOOD + "import pytest\n@pytest.mark.skip\ndef test_c(): pass\n"}
    assert served_tests(serve, tmp_path, skipping, expected_at_least=2).verdict == ("MISS", "skip")


def test_collecting_runs_nothing(serve: Serve, tmp_path: Path) -> None:
    served = served_tests(serve, tmp_path, {"test_it.py": GOOD}, collect_only=True)
    assert served.verdict == ("PASS", "collected")
    assert served.one("collected")["ids"] == [A, B]
    assert served.all("test") == []
    assert served_tests(serve, tmp_path, {"test_it.py": ""}, collect_only=True).verdict == ("MISS", "not-collected")
    assert served_tests(serve, tmp_path, {"test_it.py": "1 / 0"}, collect_only=True).verdict == ("ERROR", "collection-error")


def test_an_interpreter_without_pytest(serve: Serve, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    venv.create(bare, symlinks=True)
    python = str(bare / "bin" / "python")
    root = tmp_path / "root"
    root.mkdir()
    (root / "test_it.py").write_text(GOOD)
    wanted: dict[str, Any] = {"root": str(root), "args": [], "expected": [A, B]}
    item = {"id": "own", "pytest": wanted, "timeout": 30}
    assert serve({"items": [item]}, python=python).verdict == ("MISS", "pytest-missing")
    wanted["side_folder"] = str(Path(pytest.__file__).parent.parent)
    assert serve({"items": [item]}, python=python).verdict == ("PASS", "ok")


def test_the_worker_is_killed_in_the_middle(serve: Serve, tmp_path: Path) -> None:
    for name, content in {"test_it.py": "import time\ndef test_a(): pass\ndef test_b(): time.sleep(600)\n"}.items():
        (tmp_path / name).write_text(content)
    pid: list[int] = []

    def on_record(record: dict[str, Any]) -> None:
        if record["record"] == "hello":
            pid.append(record["pid"])
        if record["record"] == "test" and record["id"] == A and record["phase"] == "teardown":
            os.kill(pid[0], signal.SIGKILL)

    wanted = {"root": str(tmp_path), "args": [], "expected": [A, B]}
    served = serve({"items": [{"id": "own", "pytest": wanted, "timeout": 60}]}, on_record=on_record)
    assert served.all("end") == []
    assert served.all("finish") == []
