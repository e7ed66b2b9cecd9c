"""Each way in which a probe can die or leave without an answer: none passes, each is told by its own reason."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jetproof_worker import frames

from .conftest import Serve, Served

pytestmark = pytest.mark.process

Host = Callable[..., dict[str, Any]]


def own_pids() -> set[int]:
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            stat = (path / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        if int(stat[1]) == os.getpid() and stat[0] != b"Z":
            found.add(int(path.name))
    return found


CASES = {
    "passes": ("return 'cpu'", "PASS", "ok"),
    "wrong answer": ("return 'cuda'", "FAIL", "wrong-device"),
    "raises": ("raise ValueError('no such device')", "FAIL", "resolver-raised"),
    "SystemExit 0": ("sys.exit(0)", "ERROR", "exit-called"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "ERROR", "exception"),
    "os._exit(0)": ("os._exit(0)", "ERROR", "no-result"),
    "os._exit(3)": ("os._exit(3)", "ERROR", "exit-status"),
    "exit of the C library": ("ctypes.CDLL(None).exit(0)", "ERROR", "no-result"),
    "exit in atexit": ("import atexit; atexit.register(os._exit, 0); sys.exit(1)", "ERROR", "exit-called"),
    "segmentation fault": ("ctypes.string_at(0)", "ERROR", "signal"),
    "abort": ("os.abort()", "ERROR", "signal"),
    "illegal instruction": ("os.kill(os.getpid(), signal.SIGILL)", "ERROR", "signal"),
    "terminated": ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)", "ERROR", "signal"),
    "killed by somebody": ("os.kill(os.getpid(), signal.SIGKILL)", "ERROR", "killed"),
    "stack overflow": (
        ("sys.setrecursionlimit(1 << 30)\nf = []\nfor _ in range(200000): f = [f]\nrepr(f)"),
        "ERROR|FAIL",
        "signal|resolver-raised|exception|memory-error",
    ),
    "memory limit": (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28)); bytearray(1 << 30)",
        "FAIL|ERROR",
        "resolver-raised|memory-error",
    ),
    "the parent is killed": ("os.kill(os.getppid(), signal.SIGKILL); time.sleep(9)", "ERROR", "import-lost"),
    "only a fork of it answers": ("if os.fork() != 0: os._exit(0)\nreturn 'cpu'", "ERROR", "no-result"),
    "writes nonsense to all descriptors": (
        "for n in range(3, 64):\n    try: os.write(n, b'JP1 nonsense')\n    except OSError: pass\nreturn 'cpu'",
        "ERROR",
        "bad-result",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_way_of_dying_has_its_reason(name: str, host: Host, serve: Serve) -> None:
    body, outcome, reason = CASES[name]
    served = serve(host(body))
    assert served.completed.ok, served.completed.stderr
    found = served.verdict
    assert re.fullmatch(outcome, found[0]), served.records
    assert re.fullmatch(reason, found[1]), served.records
    assert served.one("finish")["items"] == 1
    assert own_pids() == set()


def test_the_signal_is_named_and_the_stack_is_told(host: Host, serve: Serve) -> None:
    end = serve(host("ctypes.string_at(0)")).one("end")
    assert end["signal"] == "SIGSEGV"
    assert "device.py" in end["traceback"]
    assert "resolve" in end["traceback"]


HANGS = {
    "python": "time.sleep(600)",
    "native": "ctypes.CDLL(None).sleep(600)",
    "native, holding the interpreter": "ctypes.PyDLL(None).sleep(600)",
    "deaf to SIGTERM": "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
    "busy": "while True: pass",
    "stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
    "a child that left the group": (
        "subprocess.Popen(['setsid', 'sleep', '600'])\n"
        "subprocess.Popen(['sleep', '600'], start_new_session=True)\ntime.sleep(600)"
    ),
}


@pytest.mark.parametrize("name", HANGS)
def test_a_hang_ends_at_its_limit_with_all_that_it_started(name: str, host: Host, serve: Serve) -> None:
    served = serve(host(HANGS[name], timeout=0.8))
    end = served.one("end")
    assert (end["outcome"], end["reason"]) == ("ERROR", "timeout")
    assert own_pids() == set()
    if name not in ("stopped",):
        assert "device.py" in end["traceback"], "the traceback says where it hung"


LEFTOVERS = {
    "a daemon": "subprocess.Popen(['sleep', '600'], start_new_session=True)",
    "a double fork without exec": (
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(600)\n    os._exit(0)\ntime.sleep(0.1)"
    ),
    "a child that holds the pipes": (
        "for n in os.listdir('/proc/self/fd'):\n"
        "    if os.path.exists('/proc/self/fd/' + n): os.set_inheritable(int(n), True)\n"
        "subprocess.Popen(['sleep', '600'], close_fds=False)"
    ),
    "a fork that returns as well": "os.fork()",
    "a fork bomb": (
        "def bomb(depth):\n"
        "    for _ in range(3):\n"
        "        if os.fork() == 0:\n"
        "            if depth: bomb(depth - 1)\n"
        "            else: os.setsid()\n"
        "            time.sleep(600)\n"
        "if os.fork() == 0:\n    bomb(3)\n    time.sleep(600)\n"
        "time.sleep(0.3)"
    ),
}


@pytest.mark.parametrize("name", LEFTOVERS)
@pytest.mark.parametrize("ending", ["return 'cpu'", "os._exit(0)"])
def test_what_an_item_leaves_running_is_ended_with_it(name: str, ending: str, host: Host, serve: Serve) -> None:
    served = serve(host(LEFTOVERS[name] + "\n" + ending))
    assert served.verdict == (("PASS", "ok") if ending.startswith("return") else ("ERROR", "no-result"))
    assert own_pids() == set()


def test_a_flood_on_standard_error_costs_bounded_memory(host: Host, serve: Serve) -> None:
    body = (
        "line = b'x' * 1023 + b'\\n'\n"
        "for _ in range(300 * 16):\n    os.write(2, line * 64)\n"
        "os.write(2, b'the last line\\n')\nreturn 'cpu'"
    )
    peak = []

    def watch(record: dict[str, Any]) -> None:
        if record["record"] == "end":
            status = Path(f"/proc/{hello[0]}/status").read_text()
            peak.append(int(status.partition("VmHWM:")[2].split()[0]))

    hello: list[int] = []
    served = serve(
        host(body, timeout=60),
        on_record=lambda record: hello.append(record["pid"]) if record["record"] == "hello" else watch(record),
    )
    end = served.one("end")
    assert (end["outcome"], end["reason"]) == ("PASS", "ok")
    assert end["detail"]["stderr_bytes"] > 300 << 20
    assert len(end["stderr"]) < 20000
    assert end["stderr"].endswith("the last line\n")
    assert peak[0] < 100_000, "kB of the supervisor"


def test_a_crash_beside_others_leaves_them_alone(host: Host, serve: Serve) -> None:
    request = host("time.sleep(0.2) if name != 'crash' else ctypes.string_at(0)\nreturn 'cpu'")
    item = request["items"][0]
    request["items"] = [
        {
            **item,
            "id": f"item {number}",
            "params": {**item["params"], "argument": "crash" if number % 3 == 0 else "auto"},
        }
        for number in range(9)
    ]
    served = serve({**request, "parallel": 4})
    assert {id_: end["reason"] for id_, end in served.ends.items()} == {
        f"item {number}": "signal" if number % 3 == 0 else "ok" for number in range(9)
    }


def test_an_exclusive_item_runs_alone(host: Host, serve: Serve) -> None:
    request = host("time.sleep(0.1); return 'cpu'")
    item = request["items"][0]
    request["items"] = [{**item, "id": str(number), "exclusive": number == 0} for number in range(4)]
    served = serve({**request, "parallel": 4})
    order = [(record["record"], record["item"]) for record in served.records if record["record"] in ("start", "end")]
    assert order[-2:] == [("start", "0"), ("end", "0")]


def test_an_out_of_memory_kill_is_recognised(host: Host, serve: Serve) -> None:
    cgroup = Path("/sys/fs/cgroup/memory")
    if not (cgroup / "cgroup.procs").exists() or not os.access(cgroup, os.W_OK):
        pytest.skip("no writable memory cgroup (version 1) here")
    group = cgroup / f"jetproof-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no cgroup can be made here: {error}")
    try:
        (group / "memory.limit_in_bytes").write_text(str(64 << 20))
        body = (
            f"open('{group}/cgroup.procs', 'w').write(str(os.getpid()))\n"
            "kept = [bytearray(os.urandom(1 << 20)) for _ in range(500)]"
        )
        served = serve(host(body))
        end = served.one("end")
        assert (end["outcome"], end["reason"], end["signal"]) == ("ERROR", "killed-out-of-memory", "SIGKILL")
    finally:
        for _ in range(50):
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.02)


IMPORTS = {
    "raise": ("ERROR", "torch-import-failed", "libcudart"),
    "illegal": ("ERROR", "torch-import-failed", "SIGILL"),
    "hang": ("ERROR", "torch-import-failed", "still running"),
    "exit": ("ERROR", "torch-import-failed", "ended the process"),
}


@pytest.mark.parametrize("how", IMPORTS)
def test_an_import_of_torch_that_fails_is_one_record_and_no_pass(how: str, host: Host, serve: Serve) -> None:
    request = host("return 'cpu'")
    request["items"].append({"id": "other", "probe": "architecture", "params": {"machine": [os.uname().machine]}})
    served = serve({**request, "import_timeout": 1}, env={"FAKE_TORCH": how})
    torch = served.one("torch")
    outcome, reason, word = IMPORTS[how]
    assert (torch["outcome"], torch["reason"]) == (outcome, reason)
    assert word in torch["message"]
    assert served.ends["probe::device-resolver"]["reason"] == "torch-import-failed"
    assert served.ends["probe::device-resolver"]["outcome"] == "MISS"
    assert served.ends["other"]["outcome"] == "PASS", "what needs no torch is run all the same"
    assert served.one("finish")["items"] == 2
    if how == "hang":
        assert "fake_torch" in torch["data"]["traceback"]


def test_an_interpreter_without_torch(host: Host, serve: Serve) -> None:
    served = serve(host("return 'cpu'"), env={"PYTHONPATH": ""})
    assert served.one("torch")["reason"] == "no-torch"
    assert served.verdict == ("MISS", "no-torch")


@pytest.mark.parametrize(("how", "word"), [("threads", "2 threads"), ("cuda", "initialised CUDA")])
def test_where_forking_is_unsafe_each_item_imports_torch_itself(how: str, word: str, host: Host, serve: Serve) -> None:
    served = serve(host("return 'cpu'"), env={"FAKE_TORCH": how})
    torch = served.one("torch")
    assert torch["data"]["mode"] == "spawn"
    assert word in torch["data"]["why"][0]
    assert served.verdict == ("PASS", "ok")


def test_spawn_mode_on_request(host: Host, serve: Serve) -> None:
    served = serve({**host("return 'cpu'"), "mode": "spawn"}, env={"FAKE_TORCH": "print"})
    assert served.one("torch")["reason"] == "not-imported"
    assert served.verdict == ("PASS", "ok")
    assert "a library greets" in served.one("end")["stderr"], "what prints to standard output cannot break the records"


def test_a_resolver_from_elsewhere_does_not_count(host: Host, serve: Serve, tmp_path: Path) -> None:
    request = host("return 'cpu'")
    served = serve({**request, "resolver": "os.path:basename"})
    assert served.verdict == ("FAIL", "resolver-not-from-project")
    served = serve({**request, "resolver": "hostproject.device:absent"})
    assert served.verdict == ("FAIL", "resolver-missing")
    (tmp_path / "src" / "json.py").write_text("raise SystemExit('shadowed')")
    (tmp_path / "src" / "torch.py").write_text("raise SystemExit('shadowed')")
    assert serve(request).verdict == ("PASS", "ok")


def started(records: list[dict[str, Any]]) -> bool:
    return any(record["record"] == "start" for record in records)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_worker_that_is_ended_leaves_nothing_and_no_finish(number: int, host: Host, serve: Serve) -> None:
    request = host("subprocess.Popen(['sleep', '600'], start_new_session=True); time.sleep(600)")
    pid: list[int] = []

    def on_record(record: dict[str, Any]) -> None:
        if record["record"] == "hello":
            pid.append(record["pid"])
        if record["record"] == "start":
            time.sleep(0.2)
            os.kill(pid[0], number)

    served = serve(request, on_record=on_record)
    assert served.all("finish") == []
    if number == signal.SIGKILL:
        assert served.all("end") == []
    else:
        assert served.verdict == ("ERROR", "worker-stopped")
        assert served.completed.code == 128 + number
    assert own_pids() == set()


def test_bad_requests_are_refused_by_name_of_the_field(serve: Serve) -> None:
    good = {"id": "a", "probe": "architecture"}
    for change, word in (
        ({"items": []}, "items"),
        ({"items": [good, good]}, "twice"),
        ({"items": [{**good, "probe": "nothing"}]}, "no probe 'nothing'"),
        ({"items": [{**good, "params": {"size": 1}}]}, "takes no 'size'"),
        ({"items": [{**good, "timeout": "long"}]}, "items[0].timeout"),
        ({"items": [{**good, "seed": -1}]}, "items[0].seed"),
        ({"items": [good], "resolver": "os.system('x')"}, "resolver"),
        ({"items": [good], "python_env": {"LD_PRELOAD": "x"}}, "python_env.LD_PRELOAD"),
        ({"items": [{"id": "t", "pytest": {"root": "/x", "args": ["-p", "evil"], "expected": ["a"]}}]}, "args"),
        ({"items": [{"id": "t", "pytest": {"root": "/x", "args": ["../y"], "expected": ["a"]}}]}, "args"),
        ({"items": [{"id": "t", "pytest": {"root": "/x", "args": ["y"], "expected": []}}]}, "expected"),
    ):
        served = serve(change)
        assert served.completed.code == 2
        assert word in served.one("refused")["message"], change
        assert len(served.records) == 1


def test_records_are_whole(host: Host, serve: Serve) -> None:
    served: Served = serve(host("print('JP1 3 0000000000000000\\n{}'); sys.stdout.flush(); return 'cpu'"))
    assert frames.frame(served.one("end"))
    assert served.verdict == ("PASS", "ok")
