"""A real engine: builds that keep the vendor's torch or fail, a gate inside, a hang that is ended, refusals."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import ROOT, lacking
from tests.image.engines import TORCH, arm64_image, base_image, built, engine, torch_files, wheel

from jetproof.cli.main import main
from jetproof.errors import ExitCode, Refused, Undecided
from jetproof.image.build import Built, build
from jetproof.image.dockerfile import Recipe
from jetproof.image.engine import Containers, Gpu, Program
from jetproof.image.reference import Reference
from jetproof.tables import load
from jetproof.target.container import ContainerTarget
from jetproof.target.interface import CollectRequest

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("docker")]

BACKEND = """
import zipfile, pathlib

def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "hostproject-1.0-py3-none-any.whl"
    info = "hostproject-1.0.dist-info"
    requires = pathlib.Path("requires.txt").read_text().split("\\n")
    metadata = "Metadata-Version: 2.1\\nName: hostproject\\nVersion: 1.0\\n"
    metadata += "".join(f"Requires-Dist: {line}\\n" for line in requires if line)
    with zipfile.ZipFile(pathlib.Path(folder, name), "w") as archive:
        for path in pathlib.Path("src").rglob("*.py"):
            archive.write(path, path.relative_to("src").as_posix())
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        archive.writestr(f"{info}/RECORD", "")
    return name
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with engine(tmp_path_factory.mktemp("engine") / "d") as one:
        yield one


@pytest.fixture(scope="module")
def base(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Reference:
    return Reference(name="jetproof-test/vendor", digest=base_image(program, tmp_path_factory.mktemp("base")))


def project(folder: Path, requires: str, resolver: str = "return 'cpu'") -> Path:
    """Return a project that is built without any other package, and what it requires."""
    package = folder / "src" / "hostproject"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "device.py").write_text(f"import time\n\ndef resolve(name):\n    {resolver}\n")
    (folder / "pyproject.toml").write_text(
        "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
    )
    (folder / "backend.py").write_text(BACKEND)
    (folder / "requires.txt").write_text(requires)
    return folder


def wheels(folder: Path) -> Path:
    wheel(folder, "torch", "2.9.1", torch_files("2.9.1"))
    wheel(folder, "plain-thing", "1.0", {"plain_thing.py": "x = 1\n"})
    wheel(folder, "held-by-image", "1.0", {"held_by_image.py": "x = 1\n"})
    wheel(folder, "held-by-image", "2.0", {"held_by_image.py": "x = 2\n"})
    wheel(folder, "overwriter", "1.0", {"torch/__init__.py": "__version__ = 'other'\n"})
    return folder


def make(program: Program, base: Reference, root: Path, found: Path) -> tuple[Built, str]:
    said: list[bytes] = []
    image = build(
        program,
        Recipe(base=base, wheels=True),
        root,
        name="jetproof-test/project:1",
        wheels=found,
        timeout=900,
        tables=load(),
        on_output=said.append,
    )
    return image, b"".join(said).decode()


def request(root: Path, **item: Any) -> dict[str, Any]:
    one = {"id": "probe::device-resolver", "probe": "device-resolver", "params": {"expected": "cpu"}, "timeout": 600}
    return {"items": [{**one, **item}], "resolver": "hostproject.device:resolve", "project_root": str(root)}


def containers(program: Program) -> str:
    return program.ask("ps", "--all", "--quiet").stdout.decode().strip()


def test_a_build_keeps_the_torch_of_its_base_and_the_constraints_of_the_image(
    program: Program, base: Reference, tmp_path: Path
) -> None:
    root = project(tmp_path / "p", "torch>=2.4\nplain-thing\nheld-by-image\n")
    image, said = make(program, base, root, wheels(tmp_path / "w"))
    assert f"unchanged: torch {TORCH}" in said
    code = "import torch, plain_thing, held_by_image, hostproject.device; print(torch.__version__, held_by_image.x)"
    ran = program.ask("run", "--rm", "--pull=never", "--network=none", image.id, "python3", "-c", code)
    assert ran.stdout.decode().split() == [TORCH, "1"]
    assert "jetproof-base" not in program.ask("images", "--format", "{{.Repository}}").stdout.decode()


@pytest.mark.parametrize(
    ("requires", "said"),
    [
        ("torch==2.9.1\n", "cannot be installed without replacing torch"),
        ("overwriter\n", "torch was replaced: torch"),
    ],
)
def test_a_project_that_would_replace_torch_fails_the_build_with_our_message(
    program: Program, base: Reference, tmp_path: Path, requires: str, said: str
) -> None:
    with pytest.raises(Refused) as caught:
        make(program, base, project(tmp_path / "p", requires), wheels(tmp_path / "w"))
    assert said in caught.value.message
    assert TORCH in caught.value.message
    assert caught.value.hint
    assert caught.value.reason == "torch-would-be-replaced"
    assert containers(program) == ""


def test_a_gate_runs_inside_and_its_record_names_the_image(
    program: Program,
    base: Reference,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = project(tmp_path / "p", "")
    (root / "ci").mkdir()
    (root / "ci/conditional-test-policy.json").write_text(json.dumps(policy()))
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(root), *identity, *words], check=True, capture_output=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv("JETPROOF_GPU_LOCK", str(tmp_path / "gpu.lock"))
    monkeypatch.setenv("DOCKER_HOST", environment(program)["DOCKER_HOST"])
    monkeypatch.setenv("PATH", environment(program)["PATH"])
    assert main(["image", "run", str(base), "box-gate", "--json"]) == ExitCode.OK
    record = json.loads(capsys.readouterr().out)
    assert record["green"] is True
    assert record["torch"]["data"]["torch"] == TORCH
    assert record["image_digest"] == base.digest
    assert record["image"]["runtime"] == "default"
    assert record["image"]["engine"].startswith("docker ")
    assert record["image"]["mounted"] == []
    where = ["--target", f"container:{base}"]
    assert main(["inspect", "--json", *where]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["schema"] == "jetproof/facts/1"
    assert main(["doctor", "--json", *where]) in (ExitCode.OK, ExitCode.NO)
    assert containers(program) == ""


def policy() -> dict[str, Any]:
    return {
        "schema_version": 1,
        "owner": "t",
        "cadence": "weekly",
        "evidence_retention_days": 31,
        "host": {"name": "hostproject", "device_resolver": "hostproject.device:resolve"},
        "gates": [
            {
                "id": "box-gate",
                "description": "d",
                "job": "j",
                "tracking_issue": "#1",
                "runner": {"labels": ["linux"]},
                "platform": "any",
                "items": [
                    {"probe": "architecture", "params": {"machine": os.uname().machine}},
                    {"probe": "device-resolver", "params": {"expected": "cpu"}},
                    {"probe": "torch-import", "params": {"cuda": False}},
                ],
                "expected_cost": {"minutes": 1},
            }
        ],
    }


def test_the_project_cannot_be_changed_from_inside_and_there_is_no_network(
    program: Program, base: Reference, tmp_path: Path
) -> None:
    body = "open(__file__, 'a')"
    root = project(tmp_path / "p", "", body)
    records: list[dict[str, object]] = []
    target = ContainerTarget(Containers(program, base))
    target.serve(request(root), records.append, 600)
    (end,) = [record for record in records if record["record"] == "end"]
    assert "Read-only file system" in json.dumps(end)
    body = "import socket; socket.create_connection(('192.0.2.1', 80), 2)"
    records.clear()
    target.serve(request(project(tmp_path / "q", "", body)), records.append, 600)
    (end,) = [record for record in records if record["record"] == "end"]
    assert "unreachable" in json.dumps(end)


def test_a_hang_is_ended_and_the_container_is_gone(program: Program, base: Reference, tmp_path: Path) -> None:
    root = project(tmp_path / "p", "", "time.sleep(3600)")
    seen: list[str] = []

    def look(record: dict[str, object]) -> None:
        if record["record"] == "start":
            seen.append(containers(program))

    for limit in (12, 60, 300):  # a busy machine may need longer to begin at all
        done = ContainerTarget(Containers(program, base)).serve(request(root, timeout=1000), look, limit)
        if seen:
            break
    assert done.status == "timed-out"
    assert seen[0] != ""
    assert containers(program) == ""
    # and the item's own limit is told by the worker, with the container's end after it
    records: list[dict[str, object]] = []
    done = ContainerTarget(Containers(program, base)).serve(request(root, timeout=1), records.append, 600)
    assert [record["reason"] for record in records if record["record"] == "end"] == ["timeout"]
    assert (done.status, done.code) == ("exited", 0)
    assert containers(program) == ""


def test_an_interrupted_controller_ends_its_container(program: Program, base: Reference, tmp_path: Path) -> None:
    def interrupt(record: dict[str, object]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ContainerTarget(Containers(program, base)).serve(request(project(tmp_path / "p", "")), interrupt, 600)
    assert containers(program) == ""


@pytest.mark.parametrize(
    ("gpu", "python", "reason"),
    [
        (Gpu.RUNTIME, None, "engine-unknown-runtime"),
        (Gpu.NONE, "/no/such/python3", "engine-no-such-program"),
    ],
)
def test_what_the_engine_refuses_is_told(
    program: Program, base: Reference, gpu: Gpu, python: str | None, reason: str
) -> None:
    with pytest.raises(Undecided) as caught:
        ContainerTarget(Containers(program, base, gpu), python).collect(CollectRequest(trials=False))
    assert caught.value.reason == reason
    assert caught.value.hint
    assert containers(program) == ""


def test_gpus_all_without_a_driver_is_told(program: Program, base: Reference) -> None:
    from jetproof.image import engine_errors

    done = program.ask("run", "--rm", "--pull=never", "--network=none", "--gpus=all", base.digest, "python3", "-V")
    assert engine_errors.told(done.stderr.decode(), load()).reason == "engine-no-device-driver"


def test_an_image_of_another_architecture_is_told(program: Program, tmp_path: Path) -> None:
    # a header of an aarch64 program and nothing else: no kernel here runs it, unless an emulator is registered
    header = bytes.fromhex("7f454c46020101000000000000000000") + (2).to_bytes(2, "little") + (183).to_bytes(2, "little")
    (tmp_path / "python3").write_bytes(header + bytes(100))
    (tmp_path / "python3").chmod(0o755)
    (tmp_path / "Dockerfile").write_text("FROM scratch\nCOPY python3 /usr/bin/python3\nENV PATH=/usr/bin\n")
    image = Reference(name="jetproof-test/foreign", digest=built(program, tmp_path, "jetproof-test/foreign:1"))
    with pytest.raises(Undecided) as caught:
        ContainerTarget(Containers(program, image)).collect(CollectRequest(trials=False))
    emulated = Path("/proc/sys/fs/binfmt_misc/qemu-aarch64").exists()
    assert caught.value.reason == "engine-exec-format" or emulated


def test_an_image_that_is_not_here_is_never_pulled(program: Program) -> None:
    with pytest.raises(Undecided) as caught:
        Containers(program, Reference(name="jetproof-test/vendor", digest="sha256:" + "0" * 64))
    assert caught.value.reason == "engine-no-such-image"


@pytest.mark.soak
def test_an_arm64_image_keeps_its_torch_and_is_told_as_emulated(program: Program, tmp_path: Path) -> None:
    named = Path(os.environ.get("JETPROOF_TEST_ARM64_ROOT") or ROOT / ".arm64-lane" / "root")
    if not (named / "usr/bin/python3").exists() or not Path("/proc/sys/fs/binfmt_misc/qemu-aarch64").exists():
        lacking("an arm64 userland (scripts/arm64-lane, JETPROOF_TEST_ARM64_ROOT) and qemu-user in binfmt_misc")
    (tmp_path / "b").mkdir()
    base = Reference(name="jetproof-test/vendor-arm64", digest=arm64_image(program, named, tmp_path / "b"))
    found = wheels(tmp_path / "w")
    root = project(tmp_path / "p", "torch>=2.4\nplain-thing\n")
    image, said = make(program, base, root, found)
    assert f"unchanged: torch {TORCH}" in said
    with pytest.raises(Refused) as caught:
        make(program, base, project(tmp_path / "q", "torch==2.9.1\n"), found)
    assert caught.value.reason == "torch-would-be-replaced"
    target = ContainerTarget(Containers(program, Reference(name=image.name.partition(":")[0], digest=image.id)))
    snapshot = target.collect(CollectRequest(trials=False))
    assert snapshot.origin == "emulated"
    records: list[dict[str, object]] = []
    done = target.serve(request(root), records.append, 600)
    assert (done.status, done.code) == ("exited", 0)
    assert [record["outcome"] for record in records if record["record"] == "end"] == ["PASS"]
    assert containers(program) == ""


def environment(program: Program) -> dict[str, str]:
    assert program.environment is not None
    return dict(program.environment)
