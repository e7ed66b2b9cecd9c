"""A host's own tests: each hidden way of not running one is found, and none of them is a pass."""

from __future__ import annotations

import os
import re
import signal
import time
import venv
from collections.abc import Mapping
from hashlib import sha256
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


def _cases() -> dict[str, tuple[dict[str, str], str, str]]:
    """Read the file of cases: name to files, outcome, reason."""
    cases: dict[str, tuple[dict[str, str], str, str]] = {}
    text = Path(__file__).with_name("host_cases.txt").read_text()
    for case in text.split("\n=== ")[1:]:
        head, _, rest = case.partition("\n")
        name, outcome, reason = head.split(" : ")
        files = {}
        for part in ("\n" + rest).split("\n--- ")[1:]:
            file, _, content = part.partition("\n")
            files[file] = content + "\n"
        assert name not in cases
        cases[name] = (files, outcome, reason)
    return cases


CASES = _cases()


@pytest.fixture(scope="module")
def all_cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Run all cases by one worker, side by side: what one does must not touch the others."""
    items = []
    for number, (name, (files, _, _)) in enumerate(CASES.items()):
        root = tmp_path_factory.mktemp(f"case{number}")
        expected = files.get("expected", f"{A}\n{B}").split()
        for file, content in files.items():
            (root / file).write_text(content)
        wanted = {"root": str(root), "args": [], "expected": expected}
        items.append({"id": name, "pytest": wanted, "timeout": 60, "memory": 1 << 20})
    served = serve_with({"items": items}, timeout=300)
    assert served.completed.ok
    assert served.one("finish")["items"] == len(CASES)
    return served.ends


@pytest.mark.xdist_group("host-cases")  # one run of all of them serves each
@pytest.mark.parametrize("name", CASES)
def test_each_case_has_its_reason(name: str, all_cases: dict[str, dict[str, Any]]) -> None:
    _, outcome, reason = CASES[name]
    end = all_cases[name]
    assert re.fullmatch(outcome, end["outcome"]), end
    assert re.fullmatch(reason, end["reason"]), end
    assert (end["outcome"] == "PASS") == (name == "all pass")


def test_a_pass_says_what_ran_and_with_what(serve: Serve, tmp_path: Path) -> None:
    served = served_tests(
        serve, tmp_path, {"test_it.py": GOOD, "conftest.py": "def pytest_runtest_setup(item): pass\n"}
    )
    assert served.one("collected")["ids"] == [A, B]
    tests = [(record["id"], record["phase"], record["outcome"]) for record in served.all("test")]
    assert tests == [(id_, phase, "PASS") for id_ in (A, B) for phase in ("setup", "call", "teardown")]
    finish = served.one("pytest-finish")
    hook = next(hook for hook in finish["hooks"] if hook["file"] == str(tmp_path / "conftest.py"))
    assert hook["hooks"] == ["pytest_runtest_setup"]
    assert len(hook["sha256"]) == 64
    files = {module["file"] for module in finish["modules"]}
    assert {"test_it.py", "conftest.py"} <= files
    assert finish["outside"] == []
    assert finish["environment"]["unclean"] == []
    detail = served.one("end")["detail"]
    assert [test["outcome"] for test in detail["tests"]] == ["PASS", "PASS"]
    assert detail["floor"] is False


def test_code_and_plugins_from_elsewhere_are_told(serve: Serve, tmp_path: Path) -> None:
    other = tmp_path / "other"
    for file, content in (("host/__init__.py", "SAID = 2"), ("foreign.py", "def pytest_runtest_setup(item): pass")):
        (other / file).parent.mkdir(parents=True, exist_ok=True)
        (other / file).write_text(content + "\n")
    root = tmp_path / "project"
    files = {
        "src/host/__init__.py": "SAID = 1\n",
        "conftest.py": f"import sys\nsys.path.insert(0, {str(other)!r})\npytest_plugins = ['foreign']\n",
        "test_it.py": "import host\n" + GOOD,
    }
    served = served_tests(serve, root, files)
    assert served.verdict == ("PASS", "ok")
    finish = served.one("pytest-finish")
    assert [one["module"] for one in finish["outside"]] == ["host"]
    assert finish["environment"]["unclean"] == ["the plugin foreign"]


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
    names = (
        "pytest",
        "_pytest",
        "pluggy",
        "jetproof_worker",
        "json",
        "faulthandler",
        "torch",
        "sitecustomize",
        "hashlib",
    )
    files = {f"{name}.py": trap for name in names}
    served = served_tests(serve, tmp_path, {"test_it.py": GOOD, **files})
    assert served.verdict == ("PASS", "ok")


def test_plugins_take_part_only_by_name(serve: Serve, tmp_path: Path) -> None:
    served = served_tests(serve, tmp_path, {"test_it.py": "def test_a(mocker): pass\ndef test_b(): pass\n"})
    assert served.verdict == ("ERROR", "setup-error"), "no plugin is loaded by itself"
    plugin = {"own_plugin.py": "import pytest\n@pytest.fixture\ndef mocker(): return 1\n"}
    (tmp_path / "conftest.py").write_text("")
    served = served_tests(
        serve,
        tmp_path,
        {**plugin, "test_it.py": "def test_a(mocker): pass\ndef test_b(): pass\n"},
        allow_plugins=["own_plugin"],
    )
    assert served.verdict[0] != "PASS", "a plugin must be installed, not lie in the project"


HONEST = """
import functools, unittest
import pytest

def test_plain(): assert True

@pytest.mark.parametrize("n", [1, 2])
def test_many(n): assert n

class TestIt:
    @pytest.fixture(autouse=True)
    def made(self): self.value = 3
    def setup_method(self): self.other = 4
    def test_method(self): assert (self.value, self.other) == (3, 4)
    @staticmethod
    def test_static(): assert True

class T(unittest.TestCase):
    def setUp(self): self.value = 5
    def test_case(self):
        with self.subTest(n=1): self.assertEqual(self.value, 5)

class A(unittest.IsolatedAsyncioTestCase):
    async def test_async(self): self.assertTrue(True)

def twice(work):
    @functools.wraps(work)
    def doubled(*args): work(*args); work(*args)
    return doubled

@twice
def test_decorated(): assert True
"""
HONEST_IDS = [
    "test_plain", "test_many[1]", "test_many[2]", "TestIt::test_method", "TestIt::test_static", "T::test_case",
    "A::test_async", "test_decorated",
]  # fmt: skip


def test_honest_tests_of_every_kind_are_a_pass(serve: Serve, tmp_path: Path) -> None:
    ids = [f"test_it.py::{name}" for name in HONEST_IDS]

    served = served_tests(serve, tmp_path, {"test_it.py": HONEST}, expected=ids)

    assert served.verdict == ("PASS", "ok"), served.one("end")


SWAP = """
import pathlib
place = pathlib.Path(__file__).with_name("test_it.py")
meant = place.read_text()
place.write_text("def test_a(): pass\\ndef test_b(): pass\\n")
def pytest_sessionfinish(): place.write_text(meant)
"""


def test_a_file_that_is_other_while_it_is_imported_is_told_as_it_was_then(serve: Serve, tmp_path: Path) -> None:
    """The tree is the same before and after; the controller holds what is told here against the commit."""
    bad = "def test_a(): assert 0\ndef test_b(): pass\n"

    served = served_tests(serve, tmp_path, {"test_it.py": bad, "conftest.py": SWAP})

    assert (tmp_path / "test_it.py").read_text() == bad
    told = {module["file"]: module["sha256"] for module in served.one("pytest-finish")["modules"]}
    assert told["test_it.py"] == sha256(b"def test_a(): pass\ndef test_b(): pass\n").hexdigest()
    assert told["conftest.py"] == sha256((tmp_path / "conftest.py").read_bytes()).hexdigest()


def test_a_session_that_never_ends(serve: Serve, tmp_path: Path) -> None:
    served = served_tests(
        serve, tmp_path, {"test_it.py": "import time\ndef test_a(): time.sleep(600)\ndef test_b(): pass\n"}, timeout=3
    )
    end = served.one("end")
    assert (end["outcome"], end["reason"]) == ("ERROR", "timeout")
    assert "test_it.py" in end["traceback"]
    assert [record["id"] for record in served.all("test")] == [A], "what had come until then was passed on"


def test_a_session_that_hangs_in_atexit(serve: Serve, tmp_path: Path) -> None:
    files = {"test_it.py": "import atexit, time\natexit.register(time.sleep, 600)\n" + GOOD}
    assert served_tests(serve, tmp_path, files, timeout=4).verdict == ("ERROR", "timeout")


def test_processes_that_tests_leave_behind_are_ended(serve: Serve, tmp_path: Path) -> None:
    marker = f"86{os.getpid()}"
    body = f"    subprocess.Popen(['sleep', '{marker}'], start_new_session=True)\n"
    files = {"test_it.py": "import subprocess\ndef test_a():\n" + body + "def test_b(): pass\n"}
    assert served_tests(serve, tmp_path, files).verdict == ("PASS", "ok")
    for _ in range(20):
        alive = [path for path in Path("/proc").glob("[0-9]*") if _line(path) == f"sleep\0{marker}\0"]
        if not alive:
            break
        time.sleep(0.05)
    assert alive == []


def _line(process: Path) -> str:
    try:
        return (process / "cmdline").read_text()
    except OSError:
        return ""


def test_a_fork_of_the_session_writes_no_journal(serve: Serve, tmp_path: Path) -> None:
    files = {
        "test_it.py": "import os\ndef test_a():\n    if os.fork() == 0: return\n    os.wait()\ndef test_b(): pass\n"
    }
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
    assert served_tests(serve, tmp_path, {"test_it.py": "1 / 0"}, collect_only=True).verdict == (
        "ERROR",
        "collection-error",
    )


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
