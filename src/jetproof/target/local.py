"""This machine: the packed worker is started here, with nothing but a request on its standard input."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.errors import Undecided, UsageError
from jetproof.target.choice import Choice, choose
from jetproof.target.interface import CollectRequest, OnRecord
from jetproof_worker import frames, process, start

if TYPE_CHECKING:
    from jetproof.target.snapshot import Snapshot

COLLECT_LIMIT = 900.0
"""Seconds for reading a machine; every step of the worker has its own, much shorter limit."""

# The collector runs from the folder that the packed file was made of, where it is compiled already; its children, which
# are other interpreters, run from the packed file. No site folders and no PYTHONPATH for the collector itself.
_FROM_FOLDER = (
    "import sys; sys.path[0:1] = []; sys.path.append(sys.argv.pop(1));"
    " from jetproof_worker.__main__ import main; sys.exit(main())"
)
_COLLECTOR = [sys.executable, "-ES", "-c", _FROM_FOLDER, start.HOME, "collect"]


class LocalTarget:
    """This machine and one of its interpreters."""

    def __init__(
        self, python: str | None = None, *, environment: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> None:
        self._environment = dict(os.environ if environment is None else environment)
        self._folder = Path.cwd() if folder is None else folder
        self.choice: Choice = choose(python, environment=self._environment, folder=self._folder)

    def collect(self, request: CollectRequest) -> Snapshot:
        """Read this machine. The collector runs in jetproof's own Python, so that a broken one can be told as such."""
        with _packed() as (path, sha256):
            body: dict[str, object] = {
                "nonce": os.urandom(16).hex(),
                "python": self.choice.path,
                "asked": self.choice.asked,
                "trials": request.trials,
                "patience": request.patience,
                "progress": request.progress is not None,
                "sha256": sha256,
                "packed": path,
            }
            run = _Run(
                _COLLECTOR,
                body,
                timeout=COLLECT_LIMIT * request.patience,
                environment=self._environment,
                folder=self._folder,
                progress=request,
            )
            run.start()
            completed, records = run.wait(request.meanwhile)
        answer = next((record for record in records if record.get("record") == "snapshot"), None)
        if answer is None:
            raise _no_answer(completed)
        from jetproof.target.snapshot import parse

        return parse(answer["snapshot"], what="the worker's snapshot", origin="live")

    def serve(self, request: Mapping[str, object], on_record: OnRecord, timeout: float) -> process.Completed:
        """Run the request's items in the chosen interpreter and hand on each record that bears its nonce."""
        if self.choice.path is None:
            raise UsageError(
                "there is no python3 on PATH", hint="name an interpreter with --python", reason="no-python"
            )
        nonce = str(request.get("nonce") or os.urandom(16).hex())
        body = {**request, "nonce": nonce}
        reader = frames.Reader()

        def arrived(chunk: bytes) -> None:
            for record in reader.feed(chunk):
                if record.get("nonce") == nonce:
                    on_record(record)

        with _packed() as (path, _):
            return process.run(
                [self.choice.path, "-B", path, "serve"],
                timeout,
                stdin=json.dumps(body).encode("utf-8"),
                env=self._environment,
                cwd=self._folder,
                on_stdout=arrived,
            )


class _Run:
    """One run of the worker in a thread, so that this process can get ready for its answer meanwhile."""

    def __init__(
        self,
        argv: list[str],
        body: dict[str, object],
        *,
        timeout: float,
        environment: Mapping[str, str],
        folder: Path,
        progress: CollectRequest,
    ) -> None:
        self._records: list[dict[str, object]] = []
        self._nonce = body["nonce"]
        self._reader = frames.Reader()
        self._progress = progress.progress
        self._completed: process.Completed | None = None
        self._error: BaseException | None = None

        def work() -> None:
            try:
                self._completed = process.run(
                    argv,
                    timeout,
                    stdin=json.dumps(body).encode("utf-8"),
                    env=environment,
                    cwd=folder,
                    limit=1 << 16,
                    on_stdout=self._arrived,
                    on_stderr=self._said,
                )
            except BaseException as error:  # handed to whoever waits
                self._error = error

        self._thread = threading.Thread(target=work, name="jetproof-collect", daemon=True)

    def start(self) -> None:
        """Start the worker."""
        self._thread.start()

    def wait(self, meanwhile: Callable[[], None] | None) -> tuple[process.Completed, list[dict[str, object]]]:
        """Get ready, then wait for the worker's end. On Ctrl-C everything that it started is ended first."""
        try:
            import jetproof.target.snapshot  # noqa: F401 - the answer's; imported while the worker is at work

            if meanwhile is not None:
                meanwhile()
            self._thread.join()
        except BaseException:
            process.kill_descendants()
            raise
        if self._error is not None:
            raise self._error
        if self._completed is None:
            raise Undecided("the worker's run left nothing")
        return self._completed, self._records

    def _arrived(self, chunk: bytes) -> None:
        self._records += [one for one in self._reader.feed(chunk) if one.get("nonce") == self._nonce]

    def _said(self, chunk: bytes) -> None:
        if self._progress is not None:
            for line in chunk.decode("utf-8", "replace").splitlines():
                if line.startswith("jetproof: "):
                    self._progress(line[len("jetproof: ") :])


@contextmanager
def _packed() -> Iterator[tuple[str, str]]:
    """Write the packed worker where only this user can write, for the time of one run: what is recorded is what ran."""
    from jetproof.target.pack import worker

    packed = worker()
    try:
        folder = tempfile.mkdtemp(prefix="jetproof-")
    except OSError as error:
        raise _no_space(error) from None
    # Ctrl-C may end the process while this waits in a thread that is no longer scheduled
    remove = atexit.register(partial(shutil.rmtree, folder, ignore_errors=True))
    try:
        path = Path(folder) / "jetproof-worker.pyz"
        try:
            path.write_bytes(packed.content)
        except OSError as error:
            raise _no_space(error) from None
        yield str(path), packed.sha256
    finally:
        remove()
        atexit.unregister(remove)


def _no_space(error: OSError) -> Undecided:
    return Undecided(
        f"the worker could not be written to a temporary folder: {os.strerror(error.errno or 0)}",
        hint="free some space, or set TMPDIR to a folder that has some",
        reason="no-temporary-folder",
    )


def _no_answer(completed: process.Completed) -> Undecided:
    stderr = completed.stderr.decode("utf-8", "replace").strip().splitlines()
    last = f": {stderr[-1][:300]}" if stderr else f": {completed.detail}" if completed.detail else ""
    number = "" if completed.code is None else f" {completed.code}"
    return Undecided(
        f"this machine could not be read: the worker {completed.status}{number} without an answer{last}",
        hint="report it with this message if it stays; --python names another interpreter",
        reason="worker-" + completed.status,
    )
