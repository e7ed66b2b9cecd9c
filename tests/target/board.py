"""A board for tests: a real sshd on the loopback in namespaces of its own, with an unprivileged user and old Pythons.

Its /tmp, /home and processes are its own, so that a test can say that nothing was left there.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import lacking, python_of

USER = "jpboard"
_UID = 23456
_CONFIG = """
Port {port}
ListenAddress 127.0.0.1
HostKey /mnt/etc/host_key
AuthorizedKeysFile /mnt/etc/authorized_keys
StrictModes no
PasswordAuthentication no
UsePAM no
PidFile none
MaxStartups 100
MaxSessions 100
SetEnv PYTHONPATH=/mnt/site
"""
_START = """
set -eu
mount -t tmpfs tmpfs /mnt
cp -a "$JP_FILES" /mnt/etc
cp -a "$JP_SITE" /mnt/site
number=0
for prefix in $JP_PYTHONS; do
  number=$((number + 1)); mkdir -p /mnt/p$number; mount --bind "$prefix" /mnt/p$number
done
mount -t tmpfs -o mode=755 tmpfs "$JP_HOME"
number=0
for prefix in $JP_PYTHONS; do
  number=$((number + 1)); mkdir -p "$prefix"; mount --bind /mnt/p$number "$prefix"
done
if [ -n "$JP_VENDOR" ]; then
  cp -a "$JP_VENDOR" /mnt/vendor; chmod -R a+rX /mnt/vendor
  for prefix in $JP_PYTHONS; do
    for place in "$prefix"/lib/python3*/site-packages; do mount --bind /mnt/vendor "$place"; done
  done
fi
mount --bind /mnt/etc/passwd /etc/passwd
mount --bind /mnt/etc/group /etc/group
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=755 tmpfs /home
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/sshd /home/jpboard; chown 23456:23456 /home/jpboard; chmod 700 /home/jpboard
exec /usr/sbin/sshd -D -e -f /mnt/etc/sshd_config
"""


class Board:
    """One running sshd and what it started."""

    def __init__(self, port: int, process: subprocess.Popen[bytes], ssh: Path, pythons: dict[str, str]) -> None:
        self.port = port
        self.target = f"ssh://{USER}@127.0.0.1:{port}"
        self.ssh = ssh
        """A program `ssh` that uses the board's keys and nothing of the user's."""
        self.pythons = pythons
        self._process = process
        self._sshd: int | None = None

    @property
    def sshd(self) -> int:
        """Process id of the listening server, as seen from outside."""
        if self._sshd is None:
            children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
            self._sshd = int(children[0])
        return self._sshd

    def path(self, place: str) -> Path:
        """Return a place of the board as seen from outside."""
        return Path(f"/proc/{self.sshd}/root{place}")

    def processes(self) -> dict[int, str]:
        """Return what runs on the board beside the listening server: process id to command line."""
        own = Path(f"/proc/{self.sshd}/ns/pid").readlink()
        found = {}
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and (entry / "ns/pid").readlink() == own and int(entry.name) != self.sshd:
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                    if command:  # a zombie has none
                        found[int(entry.name)] = command
        return found

    def cut(self) -> int:
        """Kill the server's side of all connections; return how many processes that were."""
        sessions = [pid for pid, command in self.processes().items() if command.startswith("sshd:")]
        for pid in sessions:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return len(sessions)

    def left(self, seconds: float = 120.0) -> list[str]:
        """Return files in the board's /tmp and processes that are still there after at most so many seconds."""
        until = time.monotonic() + seconds
        while True:
            left = [f"/tmp/{entry.name}" for entry in self.path("/tmp").iterdir()]
            left += [entry.name for entry in self.path(f"/home/{USER}").iterdir()]
            left += [command for command in self.processes().values() if not command.startswith("sshd:")]
            if not left or time.monotonic() > until:
                return left
            time.sleep(0.05)


@contextlib.contextmanager
def board(
    folder: Path,
    site: Path,
    releases: tuple[str, ...] = ("3.8", "3.10"),
    *,
    vendor: Path | None = None,
    etc: Path | None = None,
) -> Iterator[Board]:
    """Start a board; `site` is put on the module path of its Pythons, and `vendor` is what is installed in them.

    Skips, with the reason, where that cannot be.
    """
    if os.geteuid() != 0 or not Path("/usr/sbin/sshd").exists() or shutil.which("ssh") is None:
        lacking("root, ssh and sshd (apt install openssh-server openssh-client)")
    pythons = {release: python_of(release) for release in releases}
    files = folder / "etc"
    files.mkdir(parents=True)
    for name in ("host_key", "client_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", files / name], check=True)
    (files / "client_key").rename(folder / "client_key")
    shutil.copy(files / "client_key.pub", files / "authorized_keys")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    (files / "sshd_config").write_text(_CONFIG.format(port=port))
    for name, line in (("passwd", f"{USER}:*:{_UID}:{_UID}::/home/{USER}:/bin/sh\n"), ("group", f"{USER}:x:{_UID}:\n")):
        (files / name).write_text(Path("/etc", name).read_text() + line)
    host_key = (files / "host_key.pub").read_text()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}")
    # what an account's own folder in the environment would say is nobody's business here
    (folder / "config").write_text(
        f"Host *\n  IdentityFile {folder}/client_key\n  IdentitiesOnly yes\n  UserKnownHostsFile {folder}/known_hosts\n"
        "  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n"
    )
    programs = folder / "bin"
    programs.mkdir()
    (programs / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/config "$@"\n')
    (programs / "ssh").chmod(0o755)
    prefixes = {str(Path(os.path.realpath(python)).parent.parent) for python in pythons.values()}
    environment = {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "JP_FILES": str(files),
        "JP_SITE": str(site),
        "JP_VENDOR": "" if vendor is None else str(vendor),
        "JP_PYTHONS": " ".join(sorted(prefixes)),
        "JP_HOME": os.path.realpath(pwd.getpwuid(os.geteuid()).pw_dir),
    }
    words = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [*words, "sh", "-c", _START], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        _wait(port, server, folder / "log")
        yield Board(port, server, programs / "ssh", {name: os.path.realpath(path) for name, path in pythons.items()})
    finally:
        server.kill()
        server.wait()


def _wait(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10):
            return
        if server.poll() is not None:
            lacking(f"namespaces for a test sshd: {log.read_text()[-300:]}")
        time.sleep(0.05)
    raise AssertionError(log.read_text())
