"""A real podman, and CDI that really injects: builds that keep torch or fail, a gate inside, a hang, refusals."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.image.engines import TORCH, base_image, podman
from tests.image.test_in_docker import make, policy, project, request, wheels

from jetproof.cli.main import main
from jetproof.errors import ExitCode, Refused, Undecided
from jetproof.image.engine import Containers, Gpu, Program
from jetproof.image.reference import Reference
from jetproof.target.container import ContainerTarget
from jetproof.target.interface import CollectRequest

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("docker")]

MARKER = "/usr/lib/aarch64-linux-gnu/libcuda.so.1"


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    # a short name: podman waits 20 s for each container where the path of its socket is longer than a socket's may be
    with tempfile.TemporaryDirectory(prefix="jp-") as folder, podman(Path(folder) / "d") as one:
        yield one


@pytest.fixture(scope="module")
def base(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Reference:
    identity = base_image(program, tmp_path_factory.mktemp("base"))
    return Reference(name="localhost/jetproof-test/vendor", digest=f"sha256:{identity.removeprefix('sha256:')}")


@pytest.fixture
def gpu(program: Program) -> Iterator[Path]:
    """A stand-in for what nvidia-ctk writes: a device node and the driver's library, put into each container."""
    cdi = Path(program.path).parent.parent / "cdi"
    library = cdi.parent / "libcuda.so"
    library.write_text("the host's own")
    edits = {
        "deviceNodes": [{"path": "/dev/nvhost-gpu", "hostPath": "/dev/null"}],
        "mounts": [{"hostPath": str(library), "containerPath": MARKER, "options": ["ro", "nosuid", "nodev", "bind"]}],
    }
    specification = {
        "cdiVersion": "0.5.0",
        "kind": "nvidia.com/gpu",
        "devices": [{"name": "all", "containerEdits": edits}],
    }
    (cdi / "nvidia.json").write_text(json.dumps(specification))
    yield library
    (cdi / "nvidia.json").unlink()


def left(program: Program) -> str:
    return program.ask("ps", "--all", "--quiet").stdout.decode().strip()


def test_a_build_keeps_the_torch_of_its_base(program: Program, base: Reference, tmp_path: Path) -> None:
    root = project(tmp_path / "p", "torch>=2.4\nplain-thing\nheld-by-image\n")
    image, said = make(program, base, root, wheels(tmp_path / "w"))
    assert f"unchanged: torch {TORCH}" in said
    code = "import torch, plain_thing, held_by_image, hostproject.device; print(torch.__version__, held_by_image.x)"
    ran = program.ask("run", "--rm", "--pull=never", "--network=none", image.id, "python3", "-c", code)
    assert ran.stdout.decode().split() == [TORCH, "1"], ran.stderr.decode()
    assert "jetproof-base" not in program.ask("images", "--format", "{{.Repository}}").stdout.decode()


@pytest.mark.parametrize(
    ("requires", "said"),
    [("torch==2.9.1\n", "cannot be installed without replacing torch"), ("overwriter\n", "torch was replaced: torch")],
)
def test_a_project_that_would_replace_torch_fails_the_build(
    program: Program, base: Reference, tmp_path: Path, requires: str, said: str
) -> None:
    with pytest.raises(Refused) as caught:
        make(program, base, project(tmp_path / "p", requires), wheels(tmp_path / "w"))
    assert said in caught.value.message
    assert caught.value.reason == "torch-would-be-replaced"
    assert left(program) == ""


def test_a_gate_runs_inside_with_cdi_and_its_record_names_what_was_injected(
    program: Program,
    base: Reference,
    gpu: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    del gpu
    root = project(tmp_path / "p", "")
    (root / "ci").mkdir()
    (root / "ci/conditional-test-policy.json").write_text(json.dumps(policy()))
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(root), *identity, *words], check=True, capture_output=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv("JETPROOF_GPU_LOCK", str(tmp_path / "gpu.lock"))
    monkeypatch.setenv("JETPROOF_ENGINE", program.path)
    for name, value in (program.environment or {}).items():
        if name.startswith("CONTAINERS_"):
            monkeypatch.setenv(name, value)
    assert main(["image", "run", str(base), "box-gate", "--gpu", "cdi", "--json"]) == ExitCode.OK
    record = json.loads(capsys.readouterr().out)
    assert record["green"] is True
    assert record["torch"]["data"]["torch"] == TORCH
    assert record["image_digest"] == base.digest
    assert record["image"]["engine"].startswith("podman ")
    assert record["image"]["runtime"] == "cdi"
    assert record["image"]["mounted"] == [MARKER]
    assert main(["inspect", "--json", "--target", f"container:{base}"]) == ExitCode.OK
    assert left(program) == ""


def test_what_cdi_names_is_seen_inside(program: Program, base: Reference, gpu: Path, tmp_path: Path) -> None:
    resolver = f"import os; assert os.path.exists('/dev/nvhost-gpu'); return open({MARKER!r}).read()"
    root = project(tmp_path / "p", "", resolver)
    records: list[dict[str, object]] = []
    wanted = request(root, params={"expected": gpu.read_text()})
    ContainerTarget(Containers(program, base, Gpu.CDI)).serve(wanted, records.append, 600)
    (end,) = [record for record in records if record["record"] == "end"]
    assert gpu.read_text() in json.dumps(end)


def test_a_hang_is_ended_and_the_container_is_gone(program: Program, base: Reference, tmp_path: Path) -> None:
    root = project(tmp_path / "p", "", "time.sleep(3600)")
    seen: list[str] = []

    def look(record: dict[str, object]) -> None:
        if record["record"] == "start":
            seen.append(left(program))

    for limit in (12, 60, 300):  # a busy machine may need longer to begin at all
        done = ContainerTarget(Containers(program, base)).serve(request(root, timeout=1000), look, limit)
        if seen:
            break
    assert done.status == "timed-out"
    assert seen[0] != ""
    assert left(program) == ""


def test_an_interrupted_controller_ends_its_container(program: Program, base: Reference, tmp_path: Path) -> None:
    def interrupt(record: dict[str, object]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ContainerTarget(Containers(program, base)).serve(request(project(tmp_path / "p", "")), interrupt, 600)
    assert left(program) == ""


@pytest.mark.parametrize(
    ("gpu", "python", "reason"),
    [
        (Gpu.RUNTIME, None, "engine-unknown-runtime"),
        (Gpu.CDI, None, "engine-no-cdi-device"),
        (Gpu.NONE, "/no/such/python3", "engine-no-such-program"),
    ],
)
def test_what_podman_refuses_is_told(
    program: Program, base: Reference, gpu: Gpu, python: str | None, reason: str
) -> None:
    with pytest.raises(Undecided) as caught:
        ContainerTarget(Containers(program, base, gpu), python).collect(CollectRequest(trials=False))
    assert caught.value.reason == reason, caught.value.message
    assert caught.value.hint
    assert left(program) == ""


def test_a_program_of_another_architecture_is_told(program: Program, base: Reference, tmp_path: Path) -> None:
    # a header of a RISC-V program and nothing else: no kernel here runs it, unless an emulator is registered
    header = bytes.fromhex("7f454c46020101000000000000000000") + (2).to_bytes(2, "little") + (243).to_bytes(2, "little")
    (tmp_path / "python3").write_bytes(header + bytes(100))
    (tmp_path / "python3").chmod(0o755)
    (tmp_path / "Dockerfile").write_text("FROM scratch\nCOPY python3 /usr/bin/python3\nENV PATH=/usr/bin\n")
    built = program.ask("build", "--quiet", "--network=none", "--tag=jetproof-test/foreign:1", str(tmp_path))
    image = Reference(name="localhost/jetproof-test/foreign", digest=f"sha256:{built.stdout.decode().strip()}")
    with pytest.raises(Undecided) as caught:
        ContainerTarget(Containers(program, image)).collect(CollectRequest(trials=False))
    emulated = Path("/proc/sys/fs/binfmt_misc/qemu-riscv64").exists()
    assert caught.value.reason == "engine-exec-format" or emulated


def test_an_image_that_is_not_here_is_never_pulled(program: Program) -> None:
    with pytest.raises(Undecided) as caught:
        Containers(program, Reference(name="localhost/jetproof-test/vendor", digest="sha256:" + "0" * 64))
    assert caught.value.reason == "engine-no-such-image"
    assert "podman pull" in str(caught.value.hint)
