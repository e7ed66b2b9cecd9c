"""The one door for programs: bounded memory, bounded time, nothing left behind."""

from __future__ import annotations

import resource
import signal
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetproof_worker import process
from jetproof_worker.process import HeadTail


@given(st.integers(2, 64), st.lists(st.binary(max_size=40), max_size=12))
def test_head_and_tail_are_kept_whatever_the_cuts(limit: int, pieces: list[bytes]) -> None:
    keeper = HeadTail(limit)
    for piece in pieces:
        keeper.feed(piece)
    whole = b"".join(pieces)
    assert keeper.total == len(whole)
    assert keeper.truncated == (len(whole) > limit)
    if not keeper.truncated:
        assert keeper.value() == whole
        return
    head, tail = whole[: limit // 2], whole[-(limit - limit // 2) :]
    lost = len(whole) - len(head) - len(tail)
    assert keeper.value() == head + b"\n[... %d bytes left out ...]\n" % lost + tail
    assert len(keeper._head) + len(keeper._tail) <= 2 * limit


def python(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


@pytest.mark.process
def test_output_status_and_input() -> None:
    ran = process.run(
        python("import sys; d = sys.stdin.read(); print(len(d)); print('e', file=sys.stderr); sys.exit(3)"),
        timeout=20,
        stdin=b"x" * 300_000,
    )
    assert (ran.status, ran.code, ran.ok) == ("exited", 3, False)
    assert (ran.stdout, ran.stderr, ran.truncated) == (b"300000\n", b"e\n", False)


@pytest.mark.process
def test_a_signal_is_told() -> None:
    ran = process.run(python("import os; os.kill(os.getpid(), 11)"), timeout=20)
    assert (ran.status, ran.code) == ("signalled", signal.SIGSEGV)


@pytest.mark.process
def test_missing_denied_and_failed(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("not a program")
    assert process.run(["/nowhere/program"], timeout=5).status == "missing"
    assert process.run([plain], timeout=5).status == "denied"
    plain.chmod(0o755)
    assert process.run([plain], timeout=5).status == "failed"  # no interpreter line, and it is no binary
    assert process.run([sys.executable], timeout=5, cwd=tmp_path / "gone").status == "failed"
    assert process.run(["a\0b"], timeout=5).status == "failed"
    told = process.run(["/nowhere/program"], timeout=5)
    assert told.code is None
    assert "nowhere" in told.detail


@pytest.mark.process
def test_a_program_that_refuses_its_input_does_not_hold_us_up() -> None:
    ran = process.run(python("import os; os.close(0); print('done')"), timeout=20, stdin=b"x" * (8 << 20))
    assert (ran.status, ran.stdout) == ("exited", b"done\n")


@pytest.mark.process
def test_a_hanging_program_is_ended_and_what_it_said_is_kept() -> None:
    ran = process.run(python("import sys, time; print('here', flush=True); time.sleep(600)"), timeout=1)
    assert (ran.status, ran.code, ran.stdout) == ("timed-out", None, b"here\n")


@pytest.mark.process
def test_300_megabytes_of_stderr_cost_little_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    code = "import os; b = b'x' * 1048576\nfor _ in range(300): os.write(2, b)\nprint('end')"
    ran = process.run(python(code), timeout=60, limit=65536)
    assert ran.ok
    assert ran.truncated
    assert ran.stdout == b"end\n"
    assert len(ran.stderr) < 70_000
    assert b"[... %d bytes left out ...]" % ((300 << 20) - 65536) in ran.stderr
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10  # KiB


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


LEAVES_ITS_GROUP = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        print(os.getpid(), flush=True)
        time.sleep(600)
    os._exit(0)
os.wait()
"""


@pytest.mark.process
@pytest.mark.parametrize("rest", ["time.sleep(600)", "sys.exit(0)", "os.kill(os.getpid(), 9)"])
def test_descendants_that_left_the_group_are_ended(rest: str) -> None:
    ran = process.run(python(LEAVES_ITS_GROUP + "time.sleep(0.2)\n" + rest), timeout=2)
    orphan = int(ran.stdout)
    assert not alive(orphan)


@pytest.mark.process
def test_a_daemon_that_keeps_the_pipes_open_does_not_hold_us_up() -> None:
    code = "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(600)\nprint('parent', flush=True)"
    ran = process.run(python(code), timeout=300)
    assert (ran.status, ran.stdout) == ("exited", b"parent\n")  # and not "timed-out"


@pytest.mark.process
def test_a_daemon_that_goes_on_talking_does_not_hold_us_up() -> None:
    code = "import os\nif os.fork() == 0:\n    os.setsid()\n    while True: os.write(1, b'x' * 65536)\nos._exit(3)"
    patient_until = time.monotonic() + 60

    def listen(_: bytes) -> None:
        assert time.monotonic() < patient_until, "it is still listened to"

    ran = process.run(python(code), timeout=300, on_stdout=listen)
    assert (ran.status, ran.code) == ("exited", 3)


@pytest.mark.process
def test_an_exception_of_a_listener_ends_everything() -> None:
    seen: list[bytes] = []

    def listen(chunk: bytes) -> None:
        seen.append(chunk)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        process.run(python("import os, time; print(os.getpid(), flush=True); time.sleep(600)"), 60, on_stdout=listen)
    assert not alive(int(seen[0]))


@pytest.mark.process
def test_the_environment_is_replaced_and_bears_the_cookie() -> None:
    ran = process.run(python("import os; print(sorted(os.environ))"), 20, env={"A": "b"})
    assert "HOME" not in ran.stdout.decode()
    assert "'A'" in ran.stdout.decode()
    assert process.COOKIE in ran.stdout.decode()


@pytest.mark.process
def test_all_that_this_process_started_can_be_ended(tmp_path: Path) -> None:
    script = (
        "import sys, threading, time\n"
        "from jetproof_worker import process\n"
        "threading.Thread(target=process.run, args=([sys.executable, '-S', '-c', 'import time; time.sleep(600)'], 500),"
        " daemon=True).start()\n"
        "import os\n"
        "while len(process.descendants(os.getpid())) < 1: time.sleep(0.01)\n"
        "pids = list(process.descendants(os.getpid()))\n"
        "process.kill_descendants()\n"
        "print(pids[0], flush=True)\n"
        "os._exit(0)\n"
    )
    source = Path(process.__file__).parents[1]
    ran = process.run([sys.executable, "-S", "-c", script], 60, env={"PYTHONPATH": str(source)})
    assert ran.ok, ran.stderr
    assert not alive(int(ran.stdout))
