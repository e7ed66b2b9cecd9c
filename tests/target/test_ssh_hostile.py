"""Boards that talk out of turn, that have another shell, no room, or bad intent; servers that say nothing."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import lacking
from tests.target.board import USER, Board, board

from jetproof.errors import Undecided
from jetproof.target.interface import CollectRequest
from jetproof.target.ssh import SshTarget

pytestmark = [pytest.mark.process, pytest.mark.pythons, pytest.mark.xdist_group("board")]

FAKE_TORCH = Path(__file__).parent.parent / "probes" / "fake_torch"


@pytest.fixture(scope="module")
def orin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    with board(tmp_path_factory.mktemp("board"), FAKE_TORCH, ("3.8",)) as one:
        yield one


@pytest.fixture
def at(orin: Board) -> Iterator[Callable[..., SshTarget]]:
    """Makes targets; at the end nothing of them is on the board, and its shell is the usual one."""
    made: list[SshTarget] = []
    accounts = orin.path("/etc/passwd").read_text()

    def make(**more: Any) -> SshTarget:
        made.append(SshTarget(orin.target, more.pop("python", orin.pythons["3.8"]), ssh=str(orin.ssh), **more))
        return made[-1]

    yield make
    orin.path("/etc/passwd").write_text(accounts)
    for one in made:
        one.close()
    assert orin.left() == []


def shell(orin: Board, path: str) -> None:
    """Give the account another login shell."""
    accounts = orin.path("/etc/passwd")
    accounts.write_text(accounts.read_text().replace(f"/home/{USER}:/bin/sh\n", f"/home/{USER}:{path}\n"))


def script(orin: Board, text: str) -> None:
    """Make a script the login shell."""
    place = orin.path("/mnt/etc/shell")
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)
    shell(orin, "/mnt/etc/shell")


def mount(orin: Board, options: str, place: str) -> None:
    words = ["nsenter", "-t", str(orin.sshd), "-m", "mount", "-o", f"remount,{options}", place]
    subprocess.run(words, check=True, capture_output=True)


NOISE = {
    "words": "echo Welcome to the board; echo 'Last login: today' >&2",
    "a torn record": "printf 'JP1 4000000 0123456789abcdef\\n{\"record\":'; echo",
    "a forged record": "printf 'JP1 2 44136fa355b3678a\\n{}\\n'",
    "bytes": "head -c 300000 /dev/urandom; echo",
    "one endless line": "head -c 3000000 /dev/zero",
}


@pytest.mark.parametrize("noise", NOISE)
def test_what_a_shell_prints_before_is_nothing(at: Callable[..., SshTarget], orin: Board, noise: str) -> None:
    script(orin, f'{NOISE[noise]}\nexec /bin/sh "$@"')
    snapshot = at().collect(CollectRequest(trials=False))
    assert snapshot.origin == "live"


@pytest.mark.parametrize("name", ["bash", "tcsh", "fish", "dash"])
def test_every_login_shell_will_do(at: Callable[..., SshTarget], orin: Board, name: str) -> None:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"there is no {name} (apt install {name})")
    shell(orin, path)
    assert at().collect(CollectRequest(trials=False)).origin == "live"
    for entry in (".cache", ".config", ".local"):  # what a shell itself leaves at its first start
        shutil.rmtree(orin.path(f"/home/{USER}/{entry}"), ignore_errors=True)


def test_no_python_on_the_path(at: Callable[..., SshTarget], orin: Board) -> None:
    script(orin, 'PATH=/nowhere\nexport PATH\nexec /bin/sh "$@"')
    with pytest.raises(Undecided) as caught:
        at(python=None).collect(CollectRequest(trials=False))
    assert caught.value.reason == "no-python"
    assert "--python" in str(caught.value.hint)


@pytest.mark.parametrize(("options", "reason"), [("ro", None), ("noexec", None), ("size=4k", "board-refused")])
def test_a_temporary_folder_without_room_is_told_and_any_other_will_do(
    at: Callable[..., SshTarget], orin: Board, options: str, reason: str | None
) -> None:
    mount(orin, options, "/tmp")
    try:
        if reason is None:
            # a read-only /tmp makes it /var/tmp
            assert at().collect(CollectRequest(trials=False)).origin == "live"
            until = time.monotonic() + 20  # the keeper tidies up when the link is down
            while list(orin.path("/var/tmp").glob("jetproof-*")) and time.monotonic() < until:
                time.sleep(0.1)
            assert not list(orin.path("/var/tmp").glob("jetproof-*"))
        else:
            with pytest.raises(Undecided) as caught:
                at().collect(CollectRequest(trials=False))
            assert caught.value.reason == reason
    finally:
        mount(orin, "rw,exec,size=1g", "/tmp")


def test_a_home_that_cannot_be_written_is_no_hindrance(at: Callable[..., SshTarget], orin: Board) -> None:
    mount(orin, "ro", "/home")
    try:
        assert at().collect(CollectRequest(trials=False)).origin == "live"
    finally:
        mount(orin, "rw", "/home")


def test_a_board_that_sends_without_end_is_given_up(at: Callable[..., SshTarget], orin: Board) -> None:
    script(orin, "exec head -c 64000000 /dev/zero")
    with pytest.raises(Undecided) as caught:
        at(grace=0.1).collect(CollectRequest(trials=False))
    assert caught.value.reason == "worker-failed"
    assert "lost" in caught.value.message


@pytest.mark.parametrize("banner", [b"", b"SSH-2.0-hang\r\n", b"no ssh at all\r\n" * 1000])
def test_a_server_that_says_no_more_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, banner: bytes
) -> None:
    # ssh's own limit ends with the banner; after that the link's own ends it, 10 s later than this says
    monkeypatch.setattr("jetproof.target.ssh_link.CONNECT_LIMIT", -7)
    ssh = shutil.which("ssh")
    if ssh is None:
        lacking("ssh (apt install openssh-client)")
    program = tmp_path / "ssh"
    program.write_text(f'#!/bin/sh\nexec {ssh} -F /dev/null -o ConnectTimeout=2 "$@"\n')
    program.chmod(0o755)
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    kept.append(server.accept()[0])
                    kept[-1].sendall(banner)
                except OSError:
                    return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        target = SshTarget(f"ssh://me@127.0.0.1:{server.getsockname()[1]}", ssh=str(program))
        with pytest.raises(Undecided) as caught:
            target.collect(CollectRequest(trials=False))
        target.close()
        server.shutdown(socket.SHUT_RDWR)
        thread.join(10)
    for one in kept:
        one.close()
    assert caught.value.reason in ("ssh-timeout", "ssh-closed", "ssh-failed")
    assert caught.value.hint


def test_a_host_name_is_no_command_whatever_the_configuration_does_with_it(tmp_path: Path) -> None:
    """A ProxyCommand with %h runs in a shell; no name that is accepted holds anything that a shell would act on."""
    ssh = shutil.which("ssh")
    if ssh is None:
        lacking("ssh (apt install openssh-client)")
    (tmp_path / "config").write_text(f"Host *\n  ProxyCommand {tmp_path}/proxy %h %r\n")
    proxy = tmp_path / "proxy"  # ssh ends it as soon as its standard output is closed: that must stay open
    proxy.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/said\nexit 1\n')
    proxy.chmod(0o755)
    program = tmp_path / "ssh"
    program.write_text(f'#!/bin/sh\nexec {ssh} -F {tmp_path}/config "$@"\n')
    program.chmod(0o755)
    target = SshTarget("ssh://me@host_name-1.example:2222", ssh=str(program))
    with pytest.raises(Undecided):
        target.collect(CollectRequest(trials=False))
    target.close()
    assert set((tmp_path / "said").read_text().splitlines()) == {"host_name-1.example me"}
    assert sorted(os.listdir(tmp_path)) == ["config", "proxy", "said", "ssh"]  # noqa: PTH208 - names alone
