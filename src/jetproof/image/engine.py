"""docker or podman: what it is, what images it has, and containers of one pinned image."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from jetproof.errors import Refused, Undecided, UsageError
from jetproof.image import engine_errors
from jetproof.image.mounts import driver_mounts
from jetproof.image.reference import Reference
from jetproof.tables import Tables, load
from jetproof.target.container import Job, Mount
from jetproof_worker.process import Completed, run

_ASK = 30.0
_END = 30.0
_CSV = Path("/etc/nvidia-container-runtime/host-files-for-container.d")
_CDI = (Path("/etc/cdi"), Path("/var/run/cdi"))
_MOUNTS = "import sys; sys.stdout.write(open('/proc/self/mountinfo').read())"
_NOT_STARTED = (125, 126, 127)


class Gpu(Enum):
    """How a container gets at the GPU."""

    AUTO = "auto"
    """The NVIDIA runtime where the engine has it, else CDI where it is set up, else no GPU."""
    RUNTIME = "runtime"
    CDI = "cdi"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Local:
    """An image as the engine has it."""

    id: str
    digests: tuple[str, ...]
    architecture: str
    environment: tuple[str, ...]


class Program:
    """The engine's command line."""

    def __init__(self, path: str, environment: Mapping[str, str] | None = None) -> None:
        self.path = path
        self.name = "podman" if "podman" in Path(path).name else "docker"
        self.environment = environment

    def ask(self, *words: str, timeout: float = _ASK) -> Completed:
        """Run one command of the engine."""
        return run([self.path, *words], timeout, env=self.environment, limit=8 << 20)

    def stream(self, words: Sequence[str], timeout: float, on_stdout: Callable[[bytes], None]) -> Completed:
        """Run one command and see its output as it comes."""
        return run([self.path, *words], timeout, env=self.environment, limit=1 << 16, on_stdout=on_stdout)

    def release(self) -> str:
        """Return the engine's release. Raises `Undecided` when it cannot be reached."""
        done = self.ask(
            "version", "--format", "{{.Server.Version}}" if self.name == "docker" else "{{.Client.Version}}"
        )
        if not done.ok:
            raise engine_errors.told(done.stderr.decode("utf-8", "replace") or done.detail, load())
        return done.stdout.decode("utf-8", "replace").strip()

    def has_nvidia_runtime(self) -> bool:
        """Whether a runtime of the name nvidia is configured."""
        if self.name != "docker":
            return False
        done = self.ask("info", "--format", "{{json .Runtimes}}")
        with suppress(ValueError):
            return done.ok and "nvidia" in json.loads(done.stdout)
        return False

    def local(self, reference: Reference) -> Local:
        """Return the image of that digest. Raises `Undecided` when it is not here: nothing is ever pulled by a run."""
        for name in (str(reference), reference.digest, reference.name):
            done = self.ask("image", "inspect", name)
            if not done.ok:
                continue
            for told in json.loads(done.stdout):
                found = Local(
                    id=_digest(told.get("Id", "")),
                    digests=tuple(entry.rpartition("@")[2] for entry in told.get("RepoDigests") or ()),
                    architecture=str(told.get("Architecture", "")),
                    environment=tuple((told.get("Config") or {}).get("Env") or ()),
                )
                if reference.digest in (found.id, *found.digests):
                    return found
        self.release()  # an engine that cannot be reached has no images either, and says so better
        raise Undecided(
            f"the image {reference} is not on this machine",
            hint=f"{self.name} pull {reference}",
            reason="engine-no-such-image",
        )


def find(environment: Mapping[str, str] = os.environ) -> Program:
    """Return the engine: $JETPROOF_ENGINE, else docker, else podman. Raises `Undecided` when there is none."""
    for name in (environment.get("JETPROOF_ENGINE"), "docker", "podman"):
        path = shutil.which(name, path=environment.get("PATH")) if name else None
        if path is not None:
            return Program(path)
    raise Undecided(
        "there is neither docker nor podman on this machine",
        hint="sudo apt install docker.io; on a Jetson also nvidia-container-toolkit",
        reason="engine-missing",
    )


class Containers:
    """Containers of one pinned image; implements what `jetproof.target.container` needs."""

    def __init__(
        self, program: Program, reference: Reference, gpu: Gpu = Gpu.AUTO, *, tables: Tables | None = None
    ) -> None:
        self.program = program
        self.reference = reference
        self.image = program.local(reference)
        self.gpu = _decided(program) if gpu is Gpu.AUTO else gpu
        self._tables = tables or load()
        self._told: dict[str, Any] | None = None

    def run(self, job: Job, on_stdout: Callable[[bytes], None]) -> Completed:
        """Run one container without network and remove it, however it ends. Raises `Undecided` if none starts."""
        name = f"jetproof-{secrets.token_hex(8)}"
        try:
            done = self.program.stream(self.words(job, name), job.timeout, on_stdout)
        finally:
            self._remove(name)
        stderr = done.stderr.decode("utf-8", "replace")
        if done.status == "exited" and (
            done.code in _NOT_STARTED or (done.code != 0 and engine_errors.kind(stderr) == "engine-exec-format")
        ):
            raise engine_errors.told(stderr, self._tables)
        return done

    def words(self, job: Job, name: str) -> list[str]:
        """Return the engine's words for one container. Nothing of it comes from a shell, and the image by its id."""
        words = ["run", "--rm", "--name", name, "--pull=never", "--network=none", "--security-opt=no-new-privileges"]
        words += ["--label=io.jetproof=run", "--shm-size=1g"]
        match self.gpu:
            case Gpu.RUNTIME:
                words += [
                    "--runtime=nvidia",
                    "--env=NVIDIA_VISIBLE_DEVICES=all",
                    "--env=NVIDIA_DRIVER_CAPABILITIES=all",
                ]
            case Gpu.CDI:
                words += ["--device=nvidia.com/gpu=all"]
            case Gpu.NONE | Gpu.AUTO:
                pass
        words += [f"--env={key}={value}" for key, value in job.environment.items()]
        words += [f"--mount={_mount(mount)}" for mount in job.mounts]
        return [*words, f"--entrypoint={job.argv[0]}", self.image.id, *job.argv[1:]]

    def told(self, python: str) -> dict[str, Any]:
        """Return what the record says: digest, engine, runtime, what was mounted from the host and by which lists."""
        if self._told is None:
            chunks: list[bytes] = []
            job = Job(argv=(python, "-c", _MOUNTS), mounts=(), timeout=_ASK, environment={})
            done = self.run(job, chunks.append)
            self._told = {
                "reference": str(self.reference),
                "digest": self.reference.digest,
                "id": self.image.id,
                "architecture": self.image.architecture,
                "engine": f"{self.program.name} {self.program.release()}",
                "runtime": {Gpu.RUNTIME: "nvidia", Gpu.CDI: "cdi"}.get(self.gpu, "default"),
                "mounted": list(driver_mounts(b"".join(chunks).decode("utf-8", "replace"))) if done.ok else None,
                "csv": csv_lists(_CSV),
            }
        return self._told

    def _remove(self, name: str) -> None:
        """End the container by its name and wait until it is gone: the client's end is not the container's."""
        until = time.monotonic() + _END
        while time.monotonic() < until:
            self.program.ask("rm", "--force", name)
            gone = self.program.ask("container", "inspect", name)
            if gone.status == "exited" and gone.code != 0:
                return
            time.sleep(0.1)
        raise Refused(
            f"the container {name} cannot be ended",
            hint=f"{self.program.name} rm --force {name}",
            reason="container-stays",
        )


def csv_lists(folder: Path) -> list[dict[str, str]]:
    """Return the lists by which NVIDIA's runtime mounts host files on L4T, each with the digest of its text."""
    return [
        {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        for path in sorted(folder.glob("*.csv"))
        if path.is_file()
    ]


def _decided(program: Program) -> Gpu:
    if program.has_nvidia_runtime():
        return Gpu.RUNTIME
    specs = [path for folder in _CDI if folder.is_dir() for path in folder.iterdir()]
    if any("nvidia" in path.name and path.suffix in (".yaml", ".json") for path in specs):
        return Gpu.CDI
    return Gpu.NONE


def _mount(mount: Mount) -> str:
    """Return a mount in the engine's own form, which is one line of CSV."""
    for path in (str(mount.source), mount.target):
        if not path.startswith("/") or not path.isprintable():
            raise UsageError(
                f"{path!r} cannot be mounted into a container", hint="move it to a path without control characters"
            )
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(
        ["type=bind", f"source={mount.source}", f"target={mount.target}", "readonly"]
    )
    return line.getvalue()


def _digest(told: str) -> str:
    return told if told.startswith("sha256:") else f"sha256:{told}"
