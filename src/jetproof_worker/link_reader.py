"""Sends what a keeper has spooled over the link of this moment, from where the last link was cut.

Standard library only, Python 3.6 and later.
"""

import fcntl
import os
import select
import signal
import time
from typing import Any, Dict

from jetproof_worker import frames, link_boot, link_keeper

_LOOK = 0.03
_BEGIN_LIMIT = 30.0
_END_LIMIT = 30.0
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL


def main(folder: str, header: Dict[str, Any]) -> int:
    """Send the records after the first `skip`, or end the run; return the exit status."""
    attended = os.open(os.path.join(folder, link_keeper.ATTENDED), os.O_RDWR | os.O_CREAT, 0o600)
    if header["do"] == "release":
        return release(folder)
    fcntl.flock(attended, fcntl.LOCK_SH)
    return _send(folder, header["token"], int(header.get("skip", 0)))


def _send(folder: str, token: str, skip: int) -> int:
    turn = _next_turn(folder)
    out = frames.take_stdout()
    link = select.poll()
    link.register(out, 0)
    kept = os.open(os.path.join(folder, link_keeper.KEPT), os.O_RDWR | os.O_CREAT, 0o600)
    spool = _spool(folder)
    if spool is None:
        return link_boot.ABSENT
    reader = frames.Reader()
    seen = 0
    while True:
        # asked before the read: what a keeper wrote before it ended is still read
        ended = link_keeper.alone(kept)
        chunk = os.read(spool, 1 << 16)
        for record in reader.feed(chunk):
            seen += 1
            if seen > skip:
                frames.write(out, record)
            if record.get("record") == "link-end" and record.get("link") == token:
                return 0
        if chunk:
            continue
        if ended:
            frames.write(out, {"record": "link-lost", "link": token})
            return 0
        if any(event & _GONE for _, event in link.poll(_LOOK * 1000)) or _turn(folder) != turn:
            return 0


def _spool(folder: str) -> Any:
    """Open the spool, once it is there; None when the run was over before."""
    until = time.monotonic() + _BEGIN_LIMIT
    while time.monotonic() < until and os.path.isdir(folder):
        try:
            return os.open(os.path.join(folder, link_keeper.SPOOL), os.O_RDONLY)
        except OSError:
            time.sleep(_LOOK)
    return None


def _turn(folder: str) -> int:
    try:
        return os.stat(os.path.join(folder, "turn")).st_size
    except OSError:
        return 0


def _next_turn(folder: str) -> int:
    """Have an earlier reader, whose link is dead and does not know it yet, end itself."""
    descriptor = os.open(os.path.join(folder, "turn"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(descriptor, b".")
    os.close(descriptor)
    return _turn(folder)


def release(folder: str) -> int:
    """End the run and wait until nothing is left of it."""
    until = time.monotonic() + _END_LIMIT
    while os.path.isdir(folder) and time.monotonic() < until:
        try:
            kept = os.open(os.path.join(folder, link_keeper.KEPT), os.O_RDWR)
        except OSError:
            time.sleep(_LOOK)
            continue
        told = os.read(kept, 32).strip()
        if told and link_keeper.alone(kept):
            link_keeper.clear(folder)  # its keeper was killed
        elif told:
            try:
                os.kill(int(told), signal.SIGTERM)
            except OSError:
                pass
        os.close(kept)
        time.sleep(_LOOK)
    return 1 if os.path.isdir(folder) else 0
