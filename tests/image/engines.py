"""A real engine for tests, and images that are made here: a Python, a stand-in for a vendor's torch, no registry."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.conftest import ROOT, lacking, python_of

from jetproof.image.engine import Program

TORCH = "2.5.0a0+vendor24.8"
FAKE_TORCH = ROOT / "tests" / "probes" / "fake_torch" / "torch" / "__init__.py"
_LEFT_OUT = {"test", "tests", "__pycache__", "idlelib", "tkinter", "lib2to3", "turtledemo", "share", "include"}


@contextlib.contextmanager
def engine(folder: Path) -> Iterator[Program]:
    """Start an engine of its own; skips, with the reason, where that cannot be."""
    docker = "/usr/bin/docker" if Path("/usr/bin/docker").exists() else shutil.which("docker")
    if docker is None or os.geteuid() != 0:
        lacking("root and a Docker engine (apt install docker.io)")
    environment = {**os.environ, "PATH": f"{Path(str(docker)).parent}:/usr/sbin:{os.environ['PATH']}"}
    started = subprocess.run(
        [ROOT / "scripts" / "start-docker-for-tests", folder],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if started.returncode != 0:
        lacking(f"a Docker engine: {started.stderr[-300:]}")
    try:
        yield Program(str(docker), {**environment, "DOCKER_HOST": started.stdout.strip()})
    finally:
        _end(folder)


def _end(folder: Path) -> None:
    pid = int((folder / "pid").read_text())
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
        for _ in range(1200):
            os.kill(pid, 0)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)  # it may have come down to us
            time.sleep(0.1)
    for place in sorted(folder.glob("exec/netns/*")):
        subprocess.run(["umount", "-l", place], check=False, capture_output=True)
    shutil.rmtree(folder, ignore_errors=True)


def wheel(folder: Path, name: str, release: str, files: Mapping[str, str], requires: tuple[str, ...] = ()) -> Path:
    """Write a pure wheel."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name.replace('-', '_')}-{release}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {release}\n"
    metadata += "".join(f"Requires-Dist: {one}\n" for one in requires)
    members = {
        **files,
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    members[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*members, f"{info}/RECORD"])
    path = folder / f"{name.replace('-', '_')}-{release}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in members.items():
            archive.writestr(member, text)
    return path


def torch_files(release: str) -> dict[str, str]:
    text = FAKE_TORCH.read_text().replace('__version__ = "0.0+fake"', f'__version__ = "{release}"')
    return {"torch/__init__.py": text, "torch/version.py": f"__version__ = {release!r}\ncuda = '12.6'\n"}


def base_image(program: Program, folder: Path) -> str:
    """Make the base image and return its id: a CPython with pip and the stand-in torch, and a constraint file."""
    root = folder / "root"
    executable = Path(os.path.realpath(python_of("3.10")))
    prefix = executable.parent.parent
    _copy_python(prefix, root / prefix.relative_to("/"))
    for binary in [executable, *prefix.glob("lib/python3.10/lib-dynload/*.so"), Path("/bin/sh")]:
        _copy_libraries(binary, root)
    for program_file in ("/bin/sh", "/lib64/ld-linux-x86-64.so.2"):
        target = root / Path(program_file).relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            shutil.copy2(os.path.realpath(program_file), target)
    for place in ("usr/bin", "etc/pip", "tmp", "proc", "sys", "dev", "opt", "root"):
        (root / place).mkdir(parents=True, exist_ok=True)
    (root / "usr/bin/python3").symlink_to(executable)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/pip/constraint.txt").write_text("held-by-image==1.0\n")
    site = root / prefix.relative_to("/") / "lib/python3.10/site-packages"
    torch = wheel(folder / "made", "torch", TORCH, torch_files(TORCH))
    with zipfile.ZipFile(torch) as archive:
        archive.extractall(site)
    subprocess.run(["tar", "-C", root, "-cf", folder / "root.tar", "."], check=True)
    (folder / "Dockerfile").write_text(
        "FROM scratch\nADD root.tar /\nENV PATH=/usr/bin:/bin PIP_CONSTRAINT=/etc/pip/constraint.txt\n"
    )
    shutil.rmtree(root)
    shutil.rmtree(folder / "made")
    return built(program, folder, "jetproof-test/vendor:1")


def arm64_image(program: Program, root: Path, folder: Path) -> str:
    """Make the same of an arm64 userland, as scripts/arm64-lane leaves one; pip is a pure package from here."""
    left_out = [f"--exclude=./{name}" for name in ("proc/*", "sys/*", "dev/*", "opt/*", "lab", "usr/local/lib/*")]
    subprocess.run(["tar", "-C", root, *left_out, "-cf", folder / "root.tar", "."], check=True)
    site = folder / "site"
    with zipfile.ZipFile(wheel(folder / "made", "torch", TORCH, torch_files(TORCH))) as archive:
        archive.extractall(site)
    prefix = Path(os.path.realpath(python_of("3.10"))).parent.parent
    for entry in prefix.glob("lib/python3.10/site-packages/pip*"):
        shutil.copytree(entry, site / entry.name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "Dockerfile").write_text(
        "FROM scratch\nADD root.tar /\nCOPY site /usr/local/lib/python3.11/dist-packages/\nENV PATH=/usr/bin:/bin\n"
    )
    return built(program, folder, "jetproof-test/vendor-arm64:1", "linux/arm64")


def built(program: Program, context: Path, name: str, platform: str = "linux/amd64") -> str:
    words = ("build", "--quiet", "--network=none", f"--platform={platform}", f"--tag={name}")
    done = program.ask(*words, str(context), timeout=900)
    assert done.ok, done.stderr.decode()
    return program.ask("image", "inspect", "--format", "{{.Id}}", name).stdout.decode().strip()


def _copy_python(prefix: Path, target: Path) -> None:
    def left_out(place: str, names: list[str]) -> set[str]:
        out = {
            name for name in names if name in _LEFT_OUT or name.endswith((".a", ".pyc")) or name.startswith("config-")
        }
        return out | ({name for name in names if "pip" not in name} if place.endswith("site-packages") else set())

    shutil.copytree(prefix, target, symlinks=True, ignore=left_out)


def _copy_libraries(binary: Path, root: Path) -> None:
    said = subprocess.run(["ldd", binary], capture_output=True, text=True, check=False).stdout
    for line in said.splitlines():
        path = next((word for word in line.split() if word.startswith("/")), None)
        if path is not None:
            target = root / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                shutil.copy2(os.path.realpath(path), target)


@contextlib.contextmanager
def podman(folder: Path) -> Iterator[Program]:
    """Give a podman with a store of its own, and with what `folder/cdi` holds for its CDI specifications.

    Skips, with the reason, where that cannot be.
    """
    real, runc = shutil.which("podman"), shutil.which("runc", path=f"/usr/sbin:{os.environ['PATH']}")
    if real is None or runc is None or os.geteuid() != 0:
        lacking("root, podman and runc (apt install podman runc)")
    for name in ("bin", "cdi"):
        (folder / name).mkdir(parents=True)
    (folder / "storage.conf").write_text(
        f'[storage]\ndriver = "overlay"\ngraphroot = "{folder}/graph"\nrunroot = "{folder}/run"\n'
    )
    # in a container podman may not raise limits, and crun knows no cgroups of both kinds at once
    (folder / "containers.conf").write_text(
        '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n[engine]\nruntime = "runc"\n'
        f'cgroup_manager = "cgroupfs"\nevents_logger = "file"\ntmp_dir = "{folder}/tmp"\n'
        f'[engine.runtimes]\nrunc = ["{runc}"]\n'
    )
    script = f'mkdir -p /run/cdi && mount --bind {folder}/cdi /run/cdi && exec {real} "$@"'
    (folder / "bin" / "podman").write_text(f"#!/bin/sh\nexec unshare --mount sh -c '{script}' podman \"$@\"\n")
    (folder / "bin" / "podman").chmod(0o755)
    settings = {"CONTAINERS_STORAGE_CONF": f"{folder}/storage.conf", "CONTAINERS_CONF": f"{folder}/containers.conf"}
    program = Program(str(folder / "bin" / "podman"), {**os.environ, **settings})
    try:
        tried = program.ask("info", timeout=120)
        if not tried.ok:
            lacking(f"a podman that works: {tried.stderr.decode()[-300:]}")
        yield program
    finally:
        program.ask("rm", "--all", "--force", timeout=120)
        shutil.rmtree(folder, ignore_errors=True)
