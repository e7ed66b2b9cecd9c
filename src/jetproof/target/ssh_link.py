"""One OpenSSH connection to a board, shared by all that is asked there, and made anew when it was cut."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from jetproof.errors import Undecided
from jetproof.target import ssh_errors
from jetproof.target.ssh_address import Address
from jetproof_worker import process

CONNECT_LIMIT = 20
"""Seconds that a connection may take to come up."""
_SETTINGS = (
    "BatchMode=yes",  # nobody is there to answer a question
    f"ConnectTimeout={CONNECT_LIMIT}",
    "ServerAliveInterval=10",
    "ServerAliveCountMax=3",
    "ClearAllForwardings=yes",
    "ForwardAgent=no",
    "ForwardX11=no",
    "PermitLocalCommand=no",
    "RequestTTY=no",
    "RemoteCommand=none",
    "ControlPersist=no",
    "LogLevel=ERROR",
)
_LIFE = 30 * 24 * 3600.0
_LONGEST_SOCKET = 60
"""A socket's path has room for 108 bytes, and ssh adds some while it connects."""


class Link:
    """A connection that comes up when it is first needed. `close` it; a second `open` makes another."""

    def __init__(self, address: Address, ssh: str = "ssh") -> None:
        self.address = address
        self._ssh = ssh
        self._folder: Path | None = None
        self._master: threading.Thread | None = None
        self._ended: process.Completed | None = None

    def open(self) -> None:
        """See that a connection is there. Raises `Undecided` that says why there is none."""
        if self._master is not None and self._master.is_alive() and self._socket().exists():
            return
        self._end_master()
        socket = self._socket()
        socket.unlink(missing_ok=True)
        self._ended = None
        argv = [self._ssh, "-M", "-N", "-T", *self._options("auto"), *self.address.words]
        self._master = threading.Thread(target=self._hold, args=(argv,), name="jetproof-ssh", daemon=True)
        self._master.start()
        until = time.monotonic() + CONNECT_LIMIT + 10
        while self._master.is_alive() and not socket.exists():
            if time.monotonic() > until:
                self._end_master()
                raise ssh_errors.told("Connection timed out", self.address)
            time.sleep(0.01)
        if not socket.exists():
            raise self._why_not()

    def ask(
        self,
        command: str,
        *,
        stdin: bytes,
        timeout: float,
        on_stdout: Callable[[bytes], None],
    ) -> process.Completed:
        """Run a command line of the board's shell over the connection; exit status 255 is ssh's own trouble."""
        argv = [self._ssh, "-T", *self._options("no"), *self.address.words, command]
        return process.run(argv, timeout, stdin=stdin, limit=1 << 16, on_stdout=on_stdout)

    def close(self) -> None:
        """End the connection and leave nothing of it here."""
        self._end_master()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
        atexit.unregister(self.close)

    def _hold(self, argv: Sequence[str]) -> None:
        self._ended = process.run(argv, _LIFE, limit=1 << 14)

    def _socket(self) -> Path:
        if self._folder is None:
            folder = tempfile.gettempdir()
            self._folder = Path(tempfile.mkdtemp(prefix="jp-", dir=folder if len(folder) < _LONGEST_SOCKET else "/tmp"))  # noqa: S108 - a private folder in it
            atexit.register(self.close)
        return self._folder / "s"

    def _options(self, master: str) -> list[str]:
        settings = (f"ControlMaster={master}", f"ControlPath={self._socket()}", *_SETTINGS)
        return [word for setting in settings for word in ("-o", setting)]

    def _end_master(self) -> None:
        if self._master is None:
            return
        if self._master.is_alive():
            argv = [self._ssh, "-O", "exit", *self._options("no"), *self.address.words]
            process.run(argv, 5.0)
            self._master.join(2.0)
        if self._master.is_alive() and self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)  # another socket for the next; this one ends by itself
            self._folder = None
        self._master = None

    def _why_not(self) -> Undecided:
        if self._master is not None:
            self._master.join(5.0)
        ended = self._ended
        if ended is not None and ended.status == "missing":
            return Undecided(
                "there is no program ssh on this machine",
                hint="install the OpenSSH client: apt install openssh-client",
                reason="ssh-missing",
            )
        return ssh_errors.told("" if ended is None else ended.stderr.decode("utf-8", "replace"), self.address)
