"""Writes packages named like torch that misbehave in one chosen way."""

from __future__ import annotations

from pathlib import Path

CRASH = "import ctypes; ctypes.string_at(0)\n"
HANG = "import time; time.sleep(600)\n"
NATIVE_HANG = "import ctypes; ctypes.PyDLL(None).sleep(600)  # holds the interpreter's lock\n"
LEAVE = "import os; os._exit(7)\n"
SYSTEM_EXIT = "raise SystemExit(0)\n"
CHATTER = "import os\nfor _ in range(160): os.write(2, b'x' * 65536); os.write(1, b'y' * 65536)\n"
MISSING_LIBRARY = "raise ImportError('libcudnn.so.8: cannot open shared object file: No such file or directory')\n"
FORKS = "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(600)\n"

GOOD = """
import types, warnings
__version__ = "9.9.9a0+fake"
version = types.SimpleNamespace(cuda="12.6", hip=None)
float32 = "float32"
class _C:
    _GLIBCXX_USE_CXX11_ABI = True
    @staticmethod
    def _cuda_getArchFlags(): return "sm_87 compute_87"
    class _cudnn:
        @staticmethod
        def getCompileVersion(): return (9, 3, 0)
class cuda:
    @staticmethod
    def is_available():
        warnings.warn("CUDA initialization: The NVIDIA driver on your system is too old")
        return False
    @staticmethod
    def device_count(): return 0
    @staticmethod
    def init(): raise RuntimeError("no NVIDIA driver")
def arange(*a, **k): raise RuntimeError("Illegal arguments")
"""


def write(folder: Path, torch: str | None = GOOD, **packages: str) -> Path:
    """Return a folder for PYTHONPATH that holds `torch` and other packages with the given source."""
    if torch is not None:
        packages["torch"] = torch
    for name, source in packages.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(source)
    return folder
