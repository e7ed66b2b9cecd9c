"""A compiled file that lies in the checkout never runs in the place of its source."""

from __future__ import annotations

import marshal
import py_compile
import struct
import sys
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import pytest

from .conftest import Serve
from .test_host_pytest import served_tests

pytestmark = pytest.mark.process

TESTS = "import lib\ndef test_a(): assert lib.answer() == 42\n"
WRONG, RIGHT = "def answer(): return 41\n", "def answer(): return 42\n"


def compiled(path: Path, text: str, to: Path, mode: py_compile.PycInvalidationMode) -> None:
    source = path.with_name("other.py")
    source.write_text(text)
    to.parent.mkdir(exist_ok=True)
    py_compile.compile(str(source), cfile=str(to), invalidation_mode=mode)
    source.unlink()


def outcome(serve: Serve, root: Path, files: dict[str, str]) -> str:
    ended = served_tests(serve, root, {"test_it.py": TESTS, **files}, ["test_it.py::test_a"])
    return str(ended.one("end")["outcome"])


def test_a_forged_cache(serve: Serve, tmp_path: Path) -> None:
    cached = tmp_path / "__pycache__" / f"lib.{sys.implementation.cache_tag}.pyc"
    compiled(tmp_path / "lib.py", RIGHT, cached, py_compile.PycInvalidationMode.UNCHECKED_HASH)
    assert outcome(serve, tmp_path, {"lib.py": WRONG}) == "FAIL"


def test_a_package_without_its_source(serve: Serve, tmp_path: Path) -> None:
    package = tmp_path / "lib" / "__init__.pyc"
    compiled(tmp_path / "lib.py", RIGHT, package, py_compile.PycInvalidationMode.UNCHECKED_HASH)
    assert outcome(serve, tmp_path, {"lib.py": WRONG}) == "FAIL"


def test_the_sources_themselves(serve: Serve, tmp_path: Path) -> None:
    assert outcome(serve, tmp_path, {"lib.py": RIGHT}) == "PASS"


def test_pytests_own_cache(serve: Serve, tmp_path: Path) -> None:
    from _pytest.assertion.rewrite import PYC_TAIL, _read_pyc

    test = tmp_path / "test_it.py"
    test.write_text(TESTS)
    status = test.stat()
    forged = tmp_path / "__pycache__" / f"test_it{PYC_TAIL}"
    forged.parent.mkdir()
    head = MAGIC_NUMBER + bytes(4) + struct.pack("<LL", int(status.st_mtime), status.st_size)
    forged.write_bytes(head + marshal.dumps(compile("def test_a(): pass\n", str(test), "exec")))
    assert outcome(serve, tmp_path, {"lib.py": WRONG}) == "FAIL"
    assert callable(_read_pyc)  # the name that is taken over in the session
