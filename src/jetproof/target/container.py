"""A container of an image that is pinned by its digest: the worker is mounted into it, and it ends with the run."""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from jetproof.errors import Undecided
from jetproof.target.interface import CollectRequest, OnRecord
from jetproof.target.parcel import rewritten, side_folder
from jetproof_worker import frames
from jetproof_worker.process import Completed

if TYPE_CHECKING:
    from collections.abc import Callable

    from jetproof.target.snapshot import Snapshot

COLLECT_LIMIT = 900.0
WORK = "/jetproof"
"""Where the worker and the request lie in the container."""
PROJECT = f"{WORK}/project"
SIDE = f"{WORK}/side"


@dataclass(frozen=True, kw_only=True)
class Mount:
    """A file or folder of this machine that the container sees, read-only."""

    source: Path
    target: str


@dataclass(frozen=True, kw_only=True)
class Job:
    """One container: what runs in it and what it sees."""

    argv: Sequence[str]
    mounts: tuple[Mount, ...]
    timeout: float
    environment: Mapping[str, str]


class Engine(Protocol):
    """What starts containers of one image; docker and podman are told apart above."""

    def run(self, job: Job, on_stdout: Callable[[bytes], None]) -> Completed:
        """Run one container without network and remove it, however it ends. Raises `JetproofError` if none starts."""
        ...

    def told(self, python: str) -> dict[str, Any]:
        """Return image digest, engine, runtime and what was mounted from the host, for the record."""
        ...


class ContainerTarget:
    """An image, in containers of which the worker runs."""

    def __init__(self, engine: Engine, python: str | None = None) -> None:
        self._engine = engine
        self._python = python or "python3"

    def collect(self, request: CollectRequest) -> Snapshot:
        """Read the board as it is seen from inside. Raises `Undecided` when the container tells nothing."""
        nonce = secrets.token_hex(16)
        body: dict[str, object] = {
            "nonce": nonce,
            "own": True,
            "asked": "--python" if self._python != "python3" else "PATH",
            "trials": request.trials,
            "patience": request.patience,
            "progress": False,
        }
        answers: list[dict[str, object]] = []
        done = self._work("collect", body, answers.append, COLLECT_LIMIT * request.patience)
        answer = next((record for record in answers if record.get("record") == "snapshot"), None)
        if answer is None:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise Undecided(
                f"the container could not be read: {self._python} {done.status}"
                f"{'' if done.code is None else f' {done.code}'} without an answer: {lines[-1][:300] if lines else ''}",
                hint="--python names another interpreter of the image",
                reason="worker-" + done.status,
            )
        from jetproof.target.snapshot import parse

        return parse(answer["snapshot"], what="the worker's snapshot", origin="live")

    def serve(self, request: Mapping[str, object], on_record: OnRecord, timeout: float) -> Completed:
        """Run the request's items inside; the project that it names is mounted read-only."""
        body = {**request, "nonce": str(request.get("nonce") or secrets.token_hex(16))}
        return self._work("serve", body, on_record, timeout)

    def told(self) -> dict[str, Any]:
        """Return what the record says of the image and its surroundings."""
        return self._engine.told(self._python)

    def _work(self, mode: str, body: Mapping[str, object], on_record: OnRecord, timeout: float) -> Completed:
        from jetproof.target.pack import worker

        packed = worker()
        reader = frames.Reader()
        nonce = body["nonce"]
        project, side = body.get("project_root"), side_folder(body)

        def arrived(chunk: bytes) -> None:
            for record in reader.feed(chunk):
                if record.get("nonce") == nonce:
                    on_record(record)

        asked = rewritten(body, {str(project): PROJECT, str(side): SIDE})
        if mode == "collect":
            asked["sha256"] = packed.sha256
        with tempfile.TemporaryDirectory(prefix="jetproof-") as folder:
            work = Path(folder)
            work.chmod(0o755)  # the image may run as another account
            _write(work / "worker.pyz", packed.content)
            _write(work / "request.json", json.dumps(asked).encode())
            mounts = [
                Mount(source=work / "worker.pyz", target=f"{WORK}/worker.pyz"),
                Mount(source=work / "request.json", target=f"{WORK}/request.json"),
            ]
            if isinstance(project, str):
                mounts.append(Mount(source=Path(project).resolve(), target=PROJECT))
            if side is not None:
                mounts.append(Mount(source=Path(side).resolve(), target=SIDE))
            flags = ("-B", "-E", "-S") if mode == "collect" else ("-B",)
            job = Job(
                argv=(self._python, *flags, f"{WORK}/worker.pyz", mode, f"{WORK}/request.json"),
                mounts=tuple(mounts),
                timeout=timeout,
                environment={"PYTHONDONTWRITEBYTECODE": "1"},
            )
            return self._engine.run(job, arrived)


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    path.chmod(0o444)
