"""The engine's words, what it says, and a target on top of it; no engine is started."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from jetproof.errors import Refused, Undecided, UsageError
from jetproof.image import engine_errors
from jetproof.image.engine import Containers, Gpu, Program, csv_lists, find
from jetproof.image.mounts import driver_mounts
from jetproof.image.reference import Reference
from jetproof.tables import load
from jetproof.target.container import ContainerTarget, Job, Mount
from jetproof.target.interface import CollectRequest
from jetproof_worker import frames
from jetproof_worker.process import Completed

TABLES = load()
ID = "sha256:" + "c" * 64
IMAGE = Reference(name="x/y", digest=ID)
RUNTIME = "docker: Error response from daemon: unknown or invalid runtime name: nvidia.\nSee 'docker run --help'."
DRIVER = 'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'
CSV = (
    "docker: Error response from daemon: OCI runtime create failed: runc create failed: unable to start container"
    " process: error during container init: error running hook #0: exit status 1, stderr: Using requested mode 'csv'\n"
    "invoking the NVIDIA Container Runtime Hook directly (e.g. specifying the docker --gpus flag) is not supported."
    " Please use the NVIDIA Container Runtime (e.g. specify the --runtime=nvidia flag) instead.: unknown."
)
FORMAT = "standard_init_linux.go:228: exec user process caused: exec format error"
MISMATCH = (
    "docker: Error response from daemon: OCI runtime create failed: error running hook #0: exit status 1, stderr:"
    " nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer"
    " version, or use an earlier cuda container: unknown."
)
PODMAN = (  # as podman 4.3.1 with runc said it
    ('Error: default OCI runtime "nvidia" not found: invalid argument', "engine-unknown-runtime", "JD050"),
    ("Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all", "engine-no-cdi-device", "JD050"),
    ("exec /usr/bin/python3: exec format error", "engine-exec-format", "JD054"),
)
NO_PROGRAM = (
    'Error: runc: runc create failed: unable to start container process: exec: "/no/such": stat /no/such: no'
    " such file or directory: OCI runtime attempted to invoke a command that was not found"
)


class FakeProgram(Program):
    """Answers as an engine would, and remembers what it was asked."""

    def __init__(self, run: Completed | None = None, runtimes: Sequence[str] = ("runc",), stays: bool = False) -> None:
        super().__init__("/usr/bin/docker")
        self.asked: list[tuple[str, ...]] = []
        self._run = run or done()
        self._runtimes = runtimes
        self._stays = stays
        self.out = b""

    def ask(self, *words: str, timeout: float = 1.0) -> Completed:
        self.asked.append(words)
        if words[:2] == ("image", "inspect"):
            told = [
                {"Id": ID, "RepoDigests": ["x/y@sha256:" + "d" * 64], "Architecture": "arm64", "Config": {"Env": []}}
            ]
            return done(json.dumps(told).encode())
        if words[:1] == ("info",):
            return done(json.dumps({name: {} for name in self._runtimes}).encode())
        if words[:1] == ("version",):
            return done(b"20.10.24\n")
        if words[:2] == ("container", "inspect"):
            return done(code=0 if self._stays else 1)
        return done()

    def stream(self, words: Sequence[str], timeout: float, on_stdout: Callable[[bytes], None]) -> Completed:
        self.asked.append(tuple(words))
        on_stdout(self.out)
        return self._run


def done(stdout: bytes = b"", stderr: str = "", code: int | None = 0, status: str = "exited") -> Completed:
    return Completed([], status, code, stdout, stderr.encode(), 0.1)


@pytest.mark.parametrize(
    ("words", "reason", "rule"),
    [
        (RUNTIME, "engine-unknown-runtime", "JD050"),
        (DRIVER, "engine-no-device-driver", "JD050"),
        (CSV, "engine-csv-refused", "JD050"),
        (FORMAT, "engine-exec-format", "JD054"),
        (MISMATCH, "engine-l4t-mismatch", "JD051"),
        *PODMAN,
    ],
)
def test_each_refusal_has_its_own_reason_and_finding(words: str, reason: str, rule: str) -> None:
    error = engine_errors.told(words, TABLES)
    assert error.reason == reason
    assert rule in error.message
    assert error.hint
    code = 1 if reason == "engine-exec-format" else 125
    program = FakeProgram(done(stderr=words, code=code))
    with pytest.raises(Undecided) as caught:
        Containers(program, IMAGE, Gpu.NONE).run(job(), lambda _: None)
    assert caught.value.reason == reason
    assert program.asked[-2][:2] == ("rm", "--force")


@pytest.mark.parametrize(
    ("words", "reason", "hint"),
    [
        (PODMAN[0][0], "engine-unknown-runtime", "--gpu cdi"),
        (PODMAN[1][0], "engine-no-cdi-device", "nvidia-ctk cdi generate"),
        ("Error: x/y@sha256:00: image not known", "engine-no-such-image", "pull"),
        (
            NO_PROGRAM,
            "engine-no-such-program",
            "--python",
        ),
    ],
)
def test_podmans_words_are_mended_in_its_own_way(words: str, reason: str, hint: str) -> None:
    error = engine_errors.told(words, TABLES)
    assert error.reason == reason
    assert hint in str(error.hint)


def test_words_nobody_knows_are_told_as_they_are() -> None:
    error = engine_errors.told("docker: something new\nSee 'docker run --help'.", TABLES)
    assert error.reason == "engine-failed"
    assert "something new" in error.message
    assert engine_errors.told("", TABLES).message.endswith("it said nothing")


def job(**more: Any) -> Job:
    given: dict[str, Any] = {"argv": ("python3", "-V"), "mounts": (), "timeout": 5.0, "environment": {}, **more}
    return Job(**given)


@pytest.mark.parametrize(
    ("gpu", "runtimes", "word"),
    [
        (Gpu.RUNTIME, (), "--runtime=nvidia"),
        (Gpu.AUTO, ("runc", "nvidia"), "--runtime=nvidia"),
        (Gpu.CDI, (), "--device=nvidia.com/gpu=all"),
    ],
)
def test_how_the_gpu_is_reached(gpu: Gpu, runtimes: Sequence[str], word: str) -> None:
    assert word in Containers(FakeProgram(runtimes=runtimes), IMAGE, gpu).words(job(), "n")


def test_a_container_has_no_network_and_sees_only_what_is_mounted_read_only() -> None:
    mounts = (Mount(source=Path('/a,b "c"'), target="/jetproof/project"),)
    words = Containers(FakeProgram(), IMAGE, Gpu.NONE).words(job(mounts=mounts), "jetproof-1")
    assert "--network=none" in words
    assert "--pull=never" in words
    assert words[words.index("--name") + 1] == "jetproof-1"
    assert '--mount=type=bind,"source=/a,b ""c""",target=/jetproof/project,readonly' in words
    assert words[-3:] == ["--entrypoint=python3", ID, "-V"]
    assert not any("privileged" in word or word == "latest" for word in words)
    with pytest.raises(UsageError):
        Containers(FakeProgram(), IMAGE).words(job(mounts=(Mount(source=Path("/a\nb"), target="/x"),)), "n")


def test_a_container_that_stays_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jetproof.image.engine._END", 0.2)
    with pytest.raises(Refused, match="cannot be ended"):
        Containers(FakeProgram(stays=True), IMAGE).run(job(), lambda _: None)


def test_the_record_names_digest_runtime_mounts_and_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "drivers.csv").write_text("lib, /usr/lib/libcuda.so\n")
    monkeypatch.setattr("jetproof.image.engine._CSV", tmp_path)
    program = FakeProgram(runtimes=("nvidia",))
    program.out = (
        b"1 2 0:1 / / rw - overlay overlay rw\n"
        b"3 2 8:1 /usr/lib/libcuda.so.1.1 /usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1.1 ro - ext4 /dev/mmc ro\n"
        b"4 2 0:5 /nvhost-gpu /dev/nvhost-gpu rw - devtmpfs udev rw\n"
        b"5 2 8:1 /x /jetproof/worker.pyz ro - ext4 /dev/mmcblk0p1 ro\n"
    )
    told = Containers(program, IMAGE).told("python3")
    assert told["digest"] == ID
    assert told["runtime"] == "nvidia"
    assert told["engine"] == "docker 20.10.24"
    assert told["mounted"] == ["/dev/nvhost-gpu", "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1.1"]
    assert [entry["file"] for entry in told["csv"]] == ["drivers.csv"]
    assert csv_lists(tmp_path / "none") == []
    assert driver_mounts("garbage\n") == ()


def test_a_registrys_digest_names_the_image_too() -> None:
    program = FakeProgram()
    assert Containers(program, Reference(name="x/y", digest="sha256:" + "d" * 64)).image.id == ID
    with pytest.raises(Undecided) as caught:
        Containers(program, Reference(name="x/y", digest="sha256:" + "e" * 64))
    assert caught.value.reason == "engine-no-such-image"


def test_without_an_engine_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(Undecided) as caught:
        find({"PATH": str(tmp_path)})
    assert caught.value.reason == "engine-missing"


class FakeEngine:
    """Reads the request that it is given, as the worker would, and answers."""

    def __init__(self, answer: dict[str, object] | None) -> None:
        self.jobs: list[Job] = []
        self.request: dict[str, Any] = {}
        self._answer = answer

    def run(self, job: Job, on_stdout: Callable[[bytes], None]) -> Completed:
        self.jobs.append(job)
        files = {mount.target: mount.source for mount in job.mounts}
        self.request = json.loads(files["/jetproof/request.json"].read_text())
        on_stdout(frames.frame({"record": "foreign", "nonce": "another"}))
        if self._answer is not None:
            on_stdout(frames.frame({**self._answer, "nonce": self.request["nonce"]}))
        return done(stderr="a line\nthe last line", code=0 if self._answer else 3)

    def told(self, python: str) -> dict[str, Any]:
        return {"digest": ID, "python": python}


def test_the_worker_and_the_plan_are_mounted_and_the_project_is_named_as_inside(tmp_path: Path) -> None:
    engine = FakeEngine({"record": "hello"})
    records: list[dict[str, object]] = []
    body = {
        "items": [{"id": "pytest::own", "pytest": {"root": str(tmp_path), "side_folder": str(tmp_path / "side")}}],
        "project_root": str(tmp_path),
    }
    ContainerTarget(engine, "/opt/venv/bin/python").serve(body, records.append, 30)
    assert [record["record"] for record in records] == ["hello"]
    assert engine.request["project_root"] == "/jetproof/project"
    assert engine.request["items"][0]["pytest"] == {"root": "/jetproof/project", "side_folder": "/jetproof/side"}
    (ran,) = engine.jobs
    assert list(ran.argv) == ["/opt/venv/bin/python", "-B", "/jetproof/worker.pyz", "serve", "/jetproof/request.json"]
    assert {mount.target for mount in ran.mounts} == {
        "/jetproof/worker.pyz",
        "/jetproof/request.json",
        "/jetproof/project",
        "/jetproof/side",
    }
    assert not any(mount.source.exists() for mount in ran.mounts if mount.target.endswith((".pyz", ".json")))


def test_a_container_is_read_or_says_why_not() -> None:
    snapshot = {"schema": "jetproof/snapshot/1", "files": {}}
    target = ContainerTarget(FakeEngine({"record": "snapshot", "snapshot": snapshot}))
    assert target.collect(CollectRequest()).origin == "live"
    assert target.told()["digest"] == ID
    with pytest.raises(Undecided, match="the last line"):
        ContainerTarget(FakeEngine(None)).collect(CollectRequest())
