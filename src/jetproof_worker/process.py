"""Run one program: an argument list, a time limit, both pipes drained, head and tail kept, nothing left behind.

The only place that starts programs, in the worker and in the controller alike. Python 3.6 and later.
"""

import ctypes
import errno
import os
import selectors
import signal
import subprocess
import time
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

COOKIE = "JETPROOF_RUN"
"""Name of an environment variable by which descendants that left the process group are found again."""

_PR_SET_CHILD_SUBREAPER = 36
_CHUNK = 65536


class HeadTail:
    """Keeps the first and the last half of a stream, so that a chatty program costs bounded memory."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.total = 0
        self._head = bytearray()
        self._tail = bytearray()

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self.total += len(data)
        room = self.limit // 2 - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data
            keep = self.limit - self.limit // 2
            if len(self._tail) > 2 * keep:
                del self._tail[:-keep]

    @property
    def truncated(self) -> bool:
        """Whether bytes were dropped."""
        return self.total > self.limit

    def value(self) -> bytes:
        """Return what was kept, with a line that says how much was left out."""
        if not self.truncated:
            return bytes(self._head + self._tail)
        keep = self.limit - self.limit // 2
        tail = bytes(self._tail[-keep:])
        lost = self.total - len(self._head) - len(tail)
        return bytes(self._head) + b"\n[... %d bytes left out ...]\n" % lost + tail


_Stream = Tuple[HeadTail, Optional[Callable[[bytes], None]]]


class Completed:
    """What became of a program.

    `status` is one of "exited" (`code` is its exit status), "signalled" (`code` is the signal number),
    "timed-out", "missing" (no such program), "denied" (not allowed to start it), "failed" (could not be
    started for another reason, told in `detail`).
    """

    def __init__(
        self,
        argv: List[str],
        status: str,
        code: Optional[int],
        stdout: bytes,
        stderr: bytes,
        seconds: float,
        truncated: bool = False,
        detail: str = "",
    ) -> None:
        self.argv = argv
        self.status = status
        self.code = code
        self.stdout = stdout
        self.stderr = stderr
        self.seconds = seconds
        self.truncated = truncated
        self.detail = detail

    @property
    def ok(self) -> bool:
        """Whether it ran and exited with 0."""
        return self.status == "exited" and self.code == 0


def adopt_orphans() -> bool:
    """Make this process the parent of descendants whose own parent ends first. Linux only; False where not."""
    try:
        return bool(ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _parents() -> Dict[int, Tuple[int, int]]:
    """Map each visible process id to (parent id, start time)."""
    found: Dict[int, Tuple[int, int]] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return found
    for name in names:
        if not name.isdigit():
            continue
        try:
            with open("/proc/%s/stat" % name, "rb") as stat:
                # the command name may hold blanks and parentheses: fields follow the last ')'
                fields = stat.read().rpartition(b")")[2].split()
            found[int(name)] = (int(fields[1]), int(fields[19]))
        except (OSError, IndexError, ValueError):
            continue
    return found


def _has_cookie(pid: int, cookie: str) -> bool:
    try:
        with open("/proc/%d/environ" % pid, "rb") as environ:
            entries = environ.read(1 << 20).split(b"\0")
    except OSError:
        return False
    mark = ("%s=%s" % (COOKIE, cookie)).encode()
    # a run inside a run carries the outer one's cookie in front of its own
    return any(entry == mark or entry.startswith(mark + b"/") for entry in entries)


def descendants(root: int, cookie: Optional[str] = None) -> Dict[int, int]:
    """Processes that stem from `root`, also those that left its group: process id to start time.

    Found by parent links, and by the run's cookie in the environment where the link is cut.
    """
    parents = _parents()
    mine = {root}
    grew = True
    while grew:
        grew = False
        for pid, (parent, _) in parents.items():
            if pid not in mine and parent in mine:
                mine.add(pid)
                grew = True
    if cookie is not None:
        # what was there before `root` cannot stem from it, and reading every environment takes long
        since = parents[root][1] if root in parents else 0
        for pid, (_, started) in parents.items():
            if started >= since and pid not in mine and pid != os.getpid() and _has_cookie(pid, cookie):
                mine.add(pid)
    mine.discard(os.getpid())
    return {pid: parents[pid][1] for pid in mine if pid in parents}


def kill_tree(root: int, cookie: Optional[str] = None, rounds: int = 20) -> None:
    """End `root`, its group and all its descendants, again and again until none is left (fork bombs too)."""
    for turn in range(rounds):
        # looked for before and after: what left the group loses its link to `root` as soon as `root` dies
        alive = descendants(root, cookie)
        try:
            os.killpg(root, signal.SIGKILL)
        except OSError:
            pass
        alive.update(descendants(root, cookie))
        for pid in alive:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        for pid in alive:
            if pid == root:
                continue  # the caller waits for its own child
            try:
                os.waitpid(pid, os.WNOHANG)
            except OSError:
                pass
        if not [pid for pid in alive if pid != root]:
            return
        time.sleep(min(0.002 * (turn + 1), 0.05))


def kill_descendants() -> None:
    """End everything that this process started, directly or not; for Ctrl-C while runs are under way in threads."""
    for pid in descendants(os.getpid()):
        kill_tree(pid)


def run(
    argv: Sequence[Union[str, "os.PathLike[str]"]],
    timeout: Union[float, Callable[[], float]],
    stdin: bytes = b"",
    env: Optional[Mapping[str, str]] = None,
    cwd: Optional[Union[str, "os.PathLike[str]"]] = None,
    limit: int = 1 << 20,
    on_stdout: Optional[Callable[[bytes], None]] = None,
    on_stderr: Optional[Callable[[bytes], None]] = None,
    pass_fds: Sequence[int] = (),
    preexec: Optional[Callable[[], None]] = None,
) -> Completed:
    """Run `argv` for at most `timeout` seconds and return what became of it; never raises for the program's sake.

    A `timeout` that is a function is asked again and again while the program runs: what it has said so far may give
    it more time.
    `stdin` is written to it and closed. `env` replaces the environment. Of each pipe `limit` bytes are kept.
    `on_stdout` and `on_stderr` see each chunk as it comes (and may raise to end the run). Whatever ends the
    run, also an exception or Ctrl-C in the caller, every descendant is ended before this returns.
    """
    started = time.monotonic()
    words = [os.fspath(part) for part in argv]
    outer = os.environ.get(COOKIE)
    cookie = "%s%d-%s" % (outer + "/" if outer else "", os.getpid(), os.urandom(8).hex())
    environment = dict(os.environ if env is None else env)
    environment[COOKIE] = cookie
    adopt_orphans()

    def ended(status: str, detail: str) -> Completed:
        return Completed(words, status, None, b"", b"", time.monotonic() - started, detail=detail)

    try:
        child = subprocess.Popen(  # noqa: S603 - an argument list, and nowhere else is a program started
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=cwd,
            start_new_session=True,
            pass_fds=pass_fds,
            preexec_fn=preexec,  # noqa: PLW1509 - only the single-threaded worker passes one
        )
    except FileNotFoundError as error:
        return ended("missing" if cwd is None or os.path.isdir(cwd) else "failed", str(error))
    except PermissionError as error:
        return ended("denied", str(error))
    except (OSError, ValueError) as error:
        return ended("failed", str(error))

    out, err = HeadTail(limit), HeadTail(limit)
    try:
        timed_out = _pump(child, stdin, _deadline(started, timeout), (out, on_stdout), (err, on_stderr))
    except BaseException:
        kill_tree(child.pid, cookie)
        child.wait()
        raise
    finally:
        for pipe in (child.stdin, child.stdout, child.stderr):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass
    kill_tree(child.pid, cookie)
    code = child.wait()
    number: Optional[int]
    if timed_out:
        status, number = "timed-out", None
    elif code < 0:
        status, number = "signalled", -code
    else:
        status, number = "exited", code
    return Completed(
        words,
        status,
        number,
        out.value(),
        err.value(),
        time.monotonic() - started,
        out.truncated or err.truncated,
    )


def _deadline(started: float, timeout: Union[float, Callable[[], float]]) -> Callable[[], float]:
    return lambda: started + (timeout() if callable(timeout) else timeout)


def _pump(
    child: "subprocess.Popen[bytes]", stdin: bytes, deadline: Callable[[], float], out: _Stream, err: _Stream
) -> bool:
    """Feed and drain a child until it has ended; True if the deadline came first.

    A descendant that keeps a pipe open after the child has ended must not hold us up: once the child is
    gone, what is in the pipes is read and the rest is given up.
    """
    view = memoryview(stdin)
    assert child.stdin is not None  # noqa: S101 - all three pipes were asked for
    with selectors.DefaultSelector() as selector:
        for pipe, stream in ((child.stdout, out), (child.stderr, err)):
            assert pipe is not None  # noqa: S101 - all three were asked for
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ, stream)
        if view:
            os.set_blocking(child.stdin.fileno(), False)
            selector.register(child.stdin, selectors.EVENT_WRITE, None)
        else:
            child.stdin.close()
        open_pipes = 2
        pause = 0.0005
        while True:
            gone = _has_ended(child)
            left = deadline() - time.monotonic()
            if left <= 0 and not gone:
                return True
            idle = True
            wait = 0 if gone else min(left, 0.05 if open_pipes else pause)
            for key, _ in selector.select(wait) if selector.get_map() else ():
                idle = False
                if key.data is None:
                    view = _write(selector, child, view)
                    continue
                keep, listener = key.data
                try:
                    data = os.read(key.fd, _CHUNK)
                except (BlockingIOError, InterruptedError):
                    continue
                if not data:
                    selector.unregister(key.fileobj)
                    open_pipes -= 1
                    continue
                keep.feed(data)
                if listener is not None:
                    listener(data)
            if gone and (idle or not open_pipes or left <= -1):
                return False
            if not selector.get_map() and not gone:
                time.sleep(min(max(left, 0), pause))
                pause = min(pause * 2, 0.05)


def _has_ended(child: "subprocess.Popen[bytes]") -> bool:
    """Whether the child has ended, without reaping it: its group number must stay ours until the group is killed."""
    try:
        result = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except OSError as error:
        return error.errno == errno.ECHILD
    return result is not None


def _write(selector: selectors.BaseSelector, child: "subprocess.Popen[bytes]", view: memoryview) -> memoryview:
    assert child.stdin is not None  # noqa: S101 - registered by _pump
    try:
        sent = os.write(child.stdin.fileno(), view[:_CHUNK])
        view = view[sent:]
    except (BlockingIOError, InterruptedError):
        return view
    except OSError:
        view = view[len(view) :]  # the program does not want its input
    if not len(view):
        selector.unregister(child.stdin)
        child.stdin.close()
    return view
