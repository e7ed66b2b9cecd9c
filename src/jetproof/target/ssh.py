"""A board at the other end of SSH: the worker travels there, runs under a keeper, and nothing of it stays.

The keeper (`jetproof_worker.link_keeper`) has nothing to do with the connection: when that is cut, the run goes on, and
what it tells is read on from where the reading stopped. Nobody's result is ever half: a record is whole or not there.
"""

from __future__ import annotations

import json
import secrets
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jetproof_worker
from jetproof.errors import JetproofError, Undecided, UsageError
from jetproof.target.interface import CollectRequest, OnRecord
from jetproof.target.ssh_address import parse as parse_address
from jetproof.target.ssh_link import Link
from jetproof_worker import frames, link_boot, process
from jetproof_worker.redact import Redactor

if TYPE_CHECKING:
    from jetproof.target.snapshot import Snapshot

COLLECT_LIMIT = 900.0
GRACE = 120.0
"""Seconds that a cut link may stay cut: so long the board keeps what was told, and so long we try to get there."""
_RELEASE_LIMIT = 40.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_START = 'import sys;f=open(0,"rb",closefd=False);exec(compile(f.read(int(f.readline())),"jetproof-link","exec"))'


class SshTarget:
    """A board and one of its interpreters."""

    def __init__(self, target: str, python: str | None = None, *, grace: float = GRACE, ssh: str = "ssh") -> None:
        if python is not None and (not python or python.startswith("-") or not python.isprintable()):
            raise UsageError(
                f"--python {python!r} is not the path of an interpreter",
                hint="name it as it is called on the board, like /usr/bin/python3",
                reason="no-python",
            )
        self.address = parse_address(target)
        self.python = python
        self.grace = grace
        self.device_id: str | None = None
        """The id that jetproof keeps on the board, if it ever ran there by itself; known after `collect`."""
        self.cuts = 0
        """How often a connection was lost while something ran."""
        self.link = Link(self.address, ssh)

    def __str__(self) -> str:
        return f"ssh://{self.address}"

    def collect(self, request: CollectRequest) -> Snapshot:
        """Read the board. Raises `Undecided` that says what is wrong with the connection or the interpreter."""
        nonce = secrets.token_hex(16)
        body: dict[str, object] = {
            "nonce": nonce,
            "own": True,
            "asked": "PATH" if self.python is None else "--python",
            "trials": request.trials,
            "patience": request.patience,
            "progress": request.progress is not None,
        }
        answers: list[dict[str, object]] = []
        done = self._work("collect", body, answers.append, COLLECT_LIMIT * request.patience, request.progress)
        answer = next((record for record in answers if record.get("record") == "snapshot"), None)
        if answer is None:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            said = lines[-1][:300] if lines else done.detail
            raise Undecided(
                f"the board {self.address} could not be read: the worker {done.status} without an answer: {said}",
                hint="--python names another interpreter of the board",
                reason="worker-" + done.status,
            )
        from jetproof.target.snapshot import parse

        return parse(answer["snapshot"], what="the worker's snapshot", origin="live")

    def serve(self, request: Mapping[str, object], on_record: OnRecord, timeout: float) -> process.Completed:
        """Run the request's items on the board; the project that it names is sent there for the time of the run."""
        body = {**request, "nonce": str(request.get("nonce") or secrets.token_hex(16))}
        return self._work("serve", body, on_record, timeout, None)

    def install(
        self, request: Mapping[str, object], on_record: OnRecord, timeout: float, files: Sequence[Path] = ()
    ) -> process.Completed:
        """Look at an interpreter, or install into the account from `files`, as `board_environment` reads the request.

        What is told is not redacted: places are needed as they are.
        """
        body = {**request, "nonce": secrets.token_hex(16)}
        return self._work("install", body, on_record, timeout, None, files)

    def close(self) -> None:
        """End the connection."""
        self.link.close()

    def _work(
        self,
        mode: str,
        body: Mapping[str, object],
        on_record: OnRecord,
        timeout: float,
        progress: Callable[[str], None] | None,
        files: Sequence[Path] = (),
    ) -> process.Completed:
        from jetproof.target.pack import worker
        from jetproof.target.parcel import parcel

        packed = worker()
        sent = parcel(packed, {**body, "sha256": packed.sha256} if mode == "collect" else body, files)
        header: dict[str, object] = {
            "token": secrets.token_hex(16),
            "mode": mode,
            "grace": self.grace,
            "timeout": timeout,
            "size": len(sent.content),
            "sha256": sent.sha256,
        }
        talk = _Talk(str(header["token"]), str(body["nonce"]), on_record, progress, private=mode != "install")
        started = time.monotonic()
        try:
            self._read(header, sent.content, talk, started + timeout + 2 * self.grace)
        finally:
            if talk.begun:
                with suppress(JetproofError):
                    self._release(header)
        self.device_id = talk.device_id
        end = talk.end or {}
        if end.get("status") == "busy":
            raise Undecided(
                f"another jetproof run has the GPU of {self.address} (lock {end.get('detail')})",
                hint="wait until it has ended, then run again",
                reason="busy",
            )
        code = end.get("code")
        return process.Completed(
            ["ssh", str(self.address), mode],
            str(end.get("status", "failed")),
            code if isinstance(code, int) else None,
            b"",
            str(talk.clean(end.get("stderr", ""))).encode(),
            time.monotonic() - started,
            detail=str(end.get("detail", "")) if talk.end else f"the link to {self.address} was lost: {talk.lost}",
        )

    def _read(self, header: Mapping[str, object], parcel: bytes, talk: _Talk, deadline: float) -> None:
        """Read until the worker's end, over as many connections as it takes."""
        pause = _FIRST_PAUSE
        heard_at = time.monotonic()
        connected = False
        while talk.end is None and not talk.lost:
            before = talk.seen
            try:
                self.link.open()
            except Undecided as error:
                if not connected:
                    raise
                why = error.message
            else:
                connected = True
                sending = {**header, "do": "attach" if talk.begun else "start", "skip": talk.seen}
                talk.reconnected()
                done = self.link.ask(
                    self._command(),
                    stdin=_message(sending, b"" if talk.begun else parcel),
                    timeout=max(1.0, deadline - time.monotonic()),
                    on_stdout=talk.arrived,
                )
                self._check(done, talk)
                why = "the connection was cut"
            if talk.end is not None or talk.lost:
                return
            now = time.monotonic()
            if talk.seen > before:
                heard_at, pause = now, _FIRST_PAUSE
            self.cuts += 1
            if now - heard_at > self.grace or now > deadline:
                talk.lost = f"{why}, and for {now - heard_at:.0f} s there was no way back"
                return
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _check(self, done: process.Completed, talk: _Talk) -> None:
        """Raise `Undecided` when the board's answer says that nothing will come of it."""
        stderr = done.stderr.decode("utf-8", "replace").strip()
        if done.status != "exited":
            return
        if done.code in (126, 127) and not talk.begun:
            name = self.python or "python3"
            raise Undecided(
                f"the board {self.address} cannot start {name}: {stderr[-300:] or 'it is not there'}",
                hint="--python names an interpreter of the board by its full path",
                reason="no-python",
            )
        if done.code == link_boot.REFUSED:
            raise Undecided(
                f"the board {self.address} cannot take the run: {stderr.removeprefix('jetproof-link: ')[-300:]}",
                hint="free some space in the board's /tmp, or set TMPDIR there (~/.ssh/environment, ~/.profile)",
                reason="board-refused",
            )
        if done.code == link_boot.ABSENT and talk.begun:
            talk.lost = "the board no longer has the run (was it started anew?)"
        if done.code == 1 and not talk.begun and "Error" in stderr:
            raise Undecided(
                f"{self.python or 'python3'} of the board {self.address} fails: {stderr.splitlines()[-1][:300]}",
                hint="--python names another interpreter of the board; Python 3.8 or later runs gates",
                reason="python-fails",
            )

    def _release(self, header: Mapping[str, object]) -> None:
        """Have the board end what is left of the run; what cannot be reached ends by itself after the grace time."""
        message = _message({**header, "do": "release"}, b"")
        for _ in range(3):
            self.link.open()
            done = self.link.ask(self._command(), stdin=message, timeout=_RELEASE_LIMIT, on_stdout=lambda _: None)
            if done.status == "exited" and done.code in (0, link_boot.ABSENT):
                return

    def _command(self) -> str:
        return f"exec {shlex.quote(self.python or 'python3')} -B -c {shlex.quote(_START)}"


class _Talk:
    """What has been heard of one run, over all its connections."""

    def __init__(
        self, token: str, nonce: str, on_record: OnRecord, progress: Callable[[str], None] | None, *, private: bool
    ) -> None:
        self._private = private
        self._token = token
        self._nonce = nonce
        self._on_record = on_record
        self._progress = progress
        self._reader = frames.Reader()
        self._redactor = Redactor("", "")
        self._folder: str | None = None
        self.seen = 0
        self.device_id: str | None = None
        self.end: dict[str, object] | None = None
        self.lost = ""

    @property
    def begun(self) -> bool:
        """Whether the board has said that the run is there."""
        return self.seen > 0

    def reconnected(self) -> None:
        """Forget half a record: it comes again, whole."""
        self._reader = frames.Reader()

    def arrived(self, chunk: bytes) -> None:
        """Take what came over the connection."""
        for record in self._reader.feed(chunk):
            if record.get("link") == self._token:
                self.seen += 1
                self._own(record)
            elif record.get("nonce") == self._nonce:
                self.seen += 1
                self._on_record(self.clean(record))

    def clean(self, value: Any) -> Any:
        """Return what the board told without the names of its places and people, where these are private."""
        if not self._private:
            return value
        if isinstance(value, str):
            text = value if self._folder is None else value.replace(self._folder + "/project", "<project>")
            return self._redactor.text(text)
        if isinstance(value, list):
            return [self.clean(member) for member in value]
        if isinstance(value, dict):
            return {self.clean(name): self.clean(member) for name, member in value.items()}
        return value

    def _own(self, record: Mapping[str, object]) -> None:
        kind = record.get("record")
        if kind == "link-hello":
            self._folder = str(record.get("folder"))
            self._redactor = Redactor(str(record.get("home") or ""), str(record.get("account") or ""))
            self.device_id = str(record["device_id"]) if record.get("device_id") else None
        elif kind == "link-said" and self._progress is not None:
            self._progress(str(record.get("text")).removeprefix("jetproof: "))
        elif kind == "link-end":
            self.end = dict(record)
        elif kind == "link-lost":
            self.lost = "the board ended the run from outside (killed, or out of memory)"


def _message(header: Mapping[str, object], parcel: bytes) -> bytes:
    """Return all that goes to the board's Python: the text that reads it, its header, and the parcel."""
    text = (Path(jetproof_worker.__file__).parent / "link_boot.py").read_bytes() + b"\nsys.exit(main(f))\n"
    return b"%d\n%s%s\n%s" % (len(text), text, json.dumps(dict(header)).encode(), parcel)
