"""A machine to install on: a system Python that holds the vendor's torch, and an index on the loopback."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SHORT = f"{sys.version_info.major}.{sys.version_info.minor}"


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def stand_in() -> ModuleType:
    """The module that makes wheels and the index."""
    return _load("vendor_wheel")


@pytest.fixture(scope="session")
def shelf(stand_in: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the index: small projects, and the torch that must never come from there."""
    folder = tmp_path_factory.mktemp("shelf")
    wheel = stand_in.wheel
    wheel(folder, "helper", "1.0")
    wheel(folder, "helper", "2.0")
    wheel(folder, "small-lib", "1.0", requires=["torch>=2.0", "helper"])
    wheel(folder, "vision-app", "1.0", requires=["torch", "torchvision>=0.15", "helper"])
    wheel(folder, "newest", "1.0", requires=["torch>=2.8"])
    wheel(folder, "pinned", "1.0", requires=["torch==2.9.*"])
    wheel(folder, "quantizer", "1.0", requires=["bitsandbytes>=0.43"])
    shadow = {"shadow/__init__.py": "", "torch/__init__.py": "__version__ = '0'\n"}
    wheel(folder, "shadow", "1.0", shadow, requires=["torch"])
    wheel(folder, "breaker", "1.0", {"breaker.py": "", "breaker.pth": "import os; os.environ['BROKEN'] = '1'\n"})
    big = {"big/__init__.py": "", "big/data.txt": "".join(f"{number:08d}" for number in range(1_000_000))}
    wheel(folder, "big", "1.0", big, requires=["torch"])
    for number in range(12):
        many = {f"many{number}/m{at}.py": f"V = {at}\n" for at in range(60)} | {f"many{number}/__init__.py": ""}
        wheel(folder, f"many{number}", "1.0", many)
    wheel(folder, "many", "1.0", requires=["torch", *(f"many{number}" for number in range(12))])
    stand_in.torch_wheel(folder, "2.14.1", "13.0", requires=["nvidia-cublas", "triton"])
    for name in ("nvidia-cublas", "triton", "torchvision", "bitsandbytes", "nvidia-unlisted"):
        wheel(folder, name, "9.9")
    wheel(folder, "server-app", "1.0", requires=["torch", "nvidia-unlisted", "helper"])
    stand_in.source(folder, "compiled", "1.0", ["torch"], top="import torch", body="f'BUILT = {torch.__version__!r}'")
    return folder


@pytest.fixture
def index(stand_in: ModuleType, shelf: Path) -> Iterator[Any]:
    """The index, without trouble so far."""
    made = stand_in.Index(shelf)
    yield made
    made.server.shutdown()
    made.server.server_close()


@dataclass
class Machine:
    """A system Python with the vendor's torch, and a project's folder."""

    root: Path
    python: Path
    site: Path
    project: Path
    index: Any
    variables: dict[str, str]
    index_option: Sequence[str] | None = None
    """What names the index on the command line; None for the index that is there."""

    def wants(self, *requirements: str) -> None:
        """Write the project's requirements."""
        (self.project / "requirements.txt").write_text("".join(f"{one}\n" for one in requirements))

    def argv(self, *words: str) -> list[str]:
        """Return the command that installs the project."""
        index = ["--index-url", self.index.url] if self.index_option is None else self.index_option
        place = [*index, "--python", str(self.python)]
        return [sys.executable, "-m", "jetproof", "install", str(self.project), *place, *words]

    def install(self, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Install the project."""
        return subprocess.run(
            self.argv(*words), capture_output=True, text=True, timeout=120, env=self.variables, check=False, **options
        )

    def result(self, *words: str) -> Mapping[str, Any]:
        """Install the project, which must go well, and return the JSON."""
        done = self.install("--json", *words)
        assert done.returncode == 0, done.stderr
        body: Mapping[str, Any] = json.loads(done.stdout)
        return body

    def error(self, *words: str, **options: Any) -> Mapping[str, Any]:
        """Install the project, which must fail with a message, and return the error."""
        done = self.install("--json", *words, **options)
        assert done.returncode != 0, done.stdout
        assert "Traceback" not in done.stderr
        body: Mapping[str, Any] = json.loads(done.stderr.strip().splitlines()[-1])
        return body

    def vendor(self, site: Path | None = None) -> dict[str, tuple[str, int]]:
        """Return content and inode of each of the vendor's files."""
        top = site or self.site
        return {
            str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_ino)
            for folder in ("torch", *(entry.name for entry in top.glob("torch-*.dist-info")))
            for path in sorted((top / folder).rglob("*"))
            if path.is_file() and path.suffix != ".pyc"
        }

    def says(self, code: str, venv: Path | None = None) -> str:
        """Run a line in the environment that was made."""
        python = (venv or self.project / ".venv-jetson") / "bin" / "python"
        done = subprocess.run(
            [str(python), "-c", code], capture_output=True, text=True, env=self.variables, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def _unpack(wheel: Path, site: Path) -> None:
    import zipfile

    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)


@pytest.fixture(scope="session")
def unpack() -> Callable[[Path, Path], None]:
    """What puts a wheel's files into a site directory."""
    return _unpack


@pytest.fixture(scope="session")
def vendor_torch(stand_in: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vendor's wheel."""
    wheel: Path = stand_in.torch_wheel(tmp_path_factory.mktemp("vendor"))
    return wheel


@pytest.fixture
def machine(system: Callable[..., Machine]) -> Machine:
    """A machine whose system Python, of the tests' own release, holds the vendor's torch."""
    return system()


@pytest.fixture
def system(tmp_path: Path, own_home: Path, index: Any, vendor_torch: Path) -> Callable[..., Machine]:
    """Make a machine whose system Python, with the standard library of a base, holds the vendor's torch."""

    def made(base: Path = Path(sys.base_prefix), short: str = SHORT) -> Machine:
        return _system(tmp_path, own_home, index, vendor_torch, base, short)

    return made


def _system(tmp_path: Path, own_home: Path, index: Any, vendor_torch: Path, base: Path, short: str) -> Machine:
    root = tmp_path / "system"
    library = root / "lib" / f"python{short}"
    library.mkdir(parents=True)
    (root / "bin").mkdir()
    shutil.copy2(base / "bin" / f"python{short}", root / "bin" / f"python{short}")
    (root / "bin" / "python3").symlink_to(f"python{short}")
    (root / "include").symlink_to(base / "include")
    for entry in (base / "lib" / f"python{short}").iterdir():
        if entry.name not in ("site-packages", "dist-packages", "__pycache__", "EXTERNALLY-MANAGED"):
            (library / entry.name).symlink_to(entry)
    for entry in (base / "lib").glob("libpython*"):
        (root / "lib" / entry.name).symlink_to(entry)
    # Debian's own Python looks into dist-packages, as that of a board does
    ask = [root / "bin" / f"python{short}", "-c", "import site; print(site.getsitepackages()[0])"]
    site = Path(subprocess.run(ask, check=True, capture_output=True, text=True, timeout=60).stdout.strip())
    assert site.is_relative_to(root)
    site.mkdir(parents=True, exist_ok=True)
    _unpack(vendor_torch, site)
    project = tmp_path / "project"
    project.mkdir()
    kept = ("PATH", "LANG", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG", "COVERAGE_FILE", "LD_LIBRARY_PATH")
    variables = {name: os.environ[name] for name in kept if name in os.environ}
    variables |= {"HOME": str(own_home), "PYTHONDONTWRITEBYTECODE": "1", "UV_HTTP_RETRIES": "0"}
    return Machine(
        root=root,
        python=root / "bin" / f"python{short}",
        site=site,
        project=project,
        index=index,
        variables=variables,
    )


@pytest.fixture
def venv_with_torch(machine: Machine, vendor_torch: Path) -> Callable[[], Path]:
    """Make a virtual environment that holds the vendor's torch itself."""

    def made() -> Path:
        path = machine.root.parent / "own"
        subprocess.run(
            [str(machine.python), "-m", "venv", "--without-pip", str(path)], check=True, env=machine.variables
        )
        _unpack(vendor_torch, path / "lib" / f"python{SHORT}" / "site-packages")
        machine.python = path / "bin" / "python"
        machine.site = path / "lib" / f"python{SHORT}" / "site-packages"
        return path

    return made
