"""Stand-ins: a small importable torch under a vendor's number, wheels of small projects, an index on the loopback."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import threading
import time
import zipfile
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

NUMBER = "2.8.0a0+5228986c39.nv25.06"

TORCH = '''
"""Enough of torch for one operation."""
from torch import cuda, version
__version__ = version.__version__
float32 = "float32"

class Tensor:
    def __init__(self, rows):
        self.rows = rows
    def reshape(self, high, wide):
        flat = [value for row in self.rows for value in row]
        return Tensor([flat[at * wide:(at + 1) * wide] for at in range(high)])
    def _each(self, work):
        return Tensor([[work(value) for value in row] for row in self.rows])
    def __mod__(self, number):
        return self._each(lambda value: value % number)
    def __sub__(self, other):
        if isinstance(other, Tensor):
            return Tensor([[a - b for a, b in zip(*rows)] for rows in zip(self.rows, other.rows)])
        return self._each(lambda value: value - other)
    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Tensor([[sum(a * b for a, b in zip(row, column)) for column in columns] for row in self.rows])
    def to(self, device):
        return self
    def cpu(self):
        return self
    def abs(self):
        return self._each(abs)
    def max(self):
        return max(value for row in self.rows for value in row)

def arange(count, dtype=None):
    return Tensor([[float(value) for value in range(count)]])

def linspace(first, last, count, device=None):
    return Tensor([[first + (last - first) * at / (count - 1) for at in range(count)]])
'''

CUDA = """
from torch import version
def is_available():
    return version.cuda is not None
def device_count():
    return int(is_available())
class _Properties:
    name, total_memory, multi_processor_count = "Stand-in", 8 << 30, 8
def get_device_properties(number):
    return _Properties
def get_device_capability(number):
    return (8, 7)
"""


def wheel(
    folder: Path, name: str, release: str, files: Mapping[str, str] | None = None, requires: Sequence[str] = ()
) -> Path:
    """Write a wheel that fits every Python; without files it holds one module that imports nothing."""
    plain = name.replace("-", "_")
    path = folder / f"{plain}-{release}-py3-none-any.whl"
    info = f"{plain}-{release}.dist-info"
    content = {f"{plain}/__init__.py": f"__version__ = {release!r}\n"} if files is None else dict(files)
    content[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {release}\n" + "".join(
        f"Requires-Dist: {one}\n" for one in requires
    )
    content[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    rows = [f"{at},sha256={_urlsafe(text)},{len(text.encode())}" for at, text in content.items()]
    content[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""])
    with zipfile.ZipFile(path, "w") as archive:
        for at, text in content.items():
            archive.writestr(at, text)
    return path


def torch_wheel(folder: Path, release: str = NUMBER, cuda: str | None = "12.6", requires: Sequence[str] = ()) -> Path:
    """Write a wheel of the small torch, built for that CUDA in name."""
    said = f"__version__ = {release!r}\ncuda = {cuda!r}\n"
    files = {"torch/__init__.py": TORCH, "torch/cuda.py": CUDA, "torch/version.py": said}
    files |= {f"torch/lib/part{number}.py": f"PART = {number}\n" for number in range(20)}
    return wheel(folder, "torch", release, files, requires)


BACKEND = """
import base64, hashlib, pathlib, zipfile
{top}
def _wheel(folder, name, release, files):
    info = f"{{name}}-{{release}}.dist-info"
    files = dict(files)
    files[f"{{info}}/METADATA"] = f"Metadata-Version: 2.1\\nName: {{name}}\\nVersion: {{release}}\\n"
    files[f"{{info}}/WHEEL"] = "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files[f"{{info}}/RECORD"] = ""
    path = f"{{name}}-{{release}}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / path, "w") as archive:
        for at, text in files.items():
            archive.writestr(at, text)
    return path
def build_wheel(folder, config_settings=None, metadata_directory=None):
    return _wheel(folder, "{name}", "{release}", {{"{name}.py": {body}}})
def build_editable(folder, config_settings=None, metadata_directory=None):
    return _wheel(folder, "{name}", "{release}", {{"{name}_editable.pth": str(pathlib.Path(__file__).parent / "src")}})
"""


def source(
    folder: Path, name: str, release: str, build_requires: Sequence[str], top: str = "", body: str = "''"
) -> Path:
    """Write a source archive that brings its own build backend."""
    path = folder / f"{name}-{release}.tar.gz"
    quoted = ", ".join(f'"{one}"' for one in build_requires)
    files = {
        "pyproject.toml": f'[build-system]\nrequires = [{quoted}]\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        f'[project]\nname = "{name}"\nversion = "{release}"\n',
        "backend.py": BACKEND.format(name=name, release=release, top=top, body=body),
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {release}\n",
    }
    with tarfile.open(path, "w:gz") as archive:
        for at, text in files.items():
            entry = tarfile.TarInfo(f"{name}-{release}/{at}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return path


class Index:
    """A simple index on the loopback. `trouble` is None, "500" or "hang"."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trouble: str | None = None
        self.changed: set[str] = set()
        """Files that are served with one byte more than what their hash was made of."""
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index.answer(self)

            def do_HEAD(self) -> None:
                index.answer(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/simple"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        if self.trouble == "500":
            return self._send(request, 500, b"broken")
        if self.trouble == "hang":
            time.sleep(60)
            return None
        words = request.path.strip("/").split("/")
        if words[0] == "files":
            path = self.folder / words[1]
            data = path.read_bytes() + (b"\0" if words[1] in self.changed else b"")
            return self._send(request, 200, data)
        name = words[-1]
        found = [path for path in sorted(self.folder.iterdir()) if _normal(path.name.split("-")[0]) == name]
        if not found:
            return self._send(request, 404, b"")
        lines = "".join(
            f'<a href="/files/{path.name.replace("+", "%2B")}#sha256={hashlib.sha256(path.read_bytes()).hexdigest()}">'
            f"{path.name}</a>"
            for path in found
        )
        return self._send(request, 200, f"<!DOCTYPE html><html><body>{lines}</body></html>".encode(), "text/html")

    @staticmethod
    def _send(
        request: BaseHTTPRequestHandler, status: int, data: bytes, kind: str = "application/octet-stream"
    ) -> None:
        request.send_response(status)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        if request.command == "GET":
            request.wfile.write(data)


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _urlsafe(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
