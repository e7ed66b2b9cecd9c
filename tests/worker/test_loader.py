from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from unittest.mock import Mock

import pytest

from jetproof_worker import frames, loader, places, steps

pytestmark = pytest.mark.process

DRIVER = """
int cuDriverGetVersion(int *number) { %s }
"""


def build(folder: Path, name: str, source: str) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    folder.mkdir(exist_ok=True)
    (folder / "x.c").write_text(source)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(folder / name), str(folder / "x.c")], check=True)


def test_nothing_on_the_loaders_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    monkeypatch.setattr(places, "LIBRARIES", ("libcuda.so.1", "libjetproof-nowhere.so.9"))
    libraries, driver = loader.read("")
    assert libraries["libjetproof-nowhere.so.9"] is None
    assert driver["cuda"] is None
    unknown, _ = loader.read({"status": "failed"})  # without the cache the loader itself is asked
    assert unknown["libjetproof-nowhere.so.9"] is None


def test_the_drivers_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path, "libcuda.so.1", DRIVER % "*number = 12060; return 0;")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    libraries, driver = loader.read("")
    assert driver == {"cuda": 12060, "status": "ok", "detail": ""}
    assert libraries["libcuda.so.1"]["loads"] is True
    assert libraries["libcuda.so.1"]["path"] == str(tmp_path / "libcuda.so.1")


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ("return 3;", "failed", "returned 3"),
        ("*(volatile int *)0 = 1; return 0;", "crashed", "signal 11"),
        ("for (;;) {}", "timed-out", "did not end"),
    ],
)
def test_a_driver_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, status: str, told: str
) -> None:
    build(tmp_path, "libcuda.so.1", DRIVER % body)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    monkeypatch.setattr(loader, "STEP_LIMIT", 0.3 if status == "timed-out" else 10)
    _, driver = loader.read("")
    assert (driver["cuda"], driver["status"]) == (None, status)
    assert told in driver["detail"]


def test_an_empty_file_and_one_that_kills_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path, "libcudnn.so.9", "__attribute__((constructor)) static void f(void) { *(volatile int *)0 = 1; }")
    (tmp_path / "libcublas.so.12").touch()
    build(tmp_path, "libgomp.so.1", "int x;")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    libraries, _ = loader.read("")
    assert libraries["libcublas.so.12"]["size"] == 0
    assert libraries["libcublas.so.12"]["loads"] is False
    assert "file too short" in libraries["libcublas.so.12"]["error"]
    assert "signal 11" in libraries["libcudnn.so.9"]["error"]
    assert libraries["libgomp.so.1"]["loads"] is True  # a new child went on


def test_the_cache_names_places(tmp_path: Path) -> None:
    there = tmp_path / "libcudart.so.12"
    there.touch()
    cache = f"\tlibcudart.so.12 (libc6,AArch64) => {there}\n\tlibcudart.so.120 (libc6) => /gone\n"
    assert loader._candidates("libcudart.so.12", cache)[0] == str(there)


def test_what_killed_every_child_leaves_the_rest_untold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("libcudart.so.11.0", "libcudart.so.12"):
        build(tmp_path, name, "__attribute__((constructor)) static void f(void) { *(volatile int *)0 = 1; }")
    build(tmp_path, "libgomp.so.1", "int x;")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    monkeypatch.setattr(places, "LIBRARIES", ("libcudart.so.11.0", "libcudart.so.12", "libgomp.so.1"))
    monkeypatch.setattr(loader, "RESTARTS", 1)
    libraries, _ = loader.read("")
    assert [libraries[name]["loads"] for name in places.LIBRARIES] == [False, False, None]
    assert libraries["libgomp.so.1"]["error"] == "the child ended early"


def test_a_library_that_is_gone_since_has_no_size() -> None:
    told = loader._library("libx.so", {"outcome": "ok", "data": {"path": "/gone/libx.so"}}, [])
    assert told == {"path": "/gone/libx.so", "size": None, "loads": True, "error": ""}


def test_the_place_of_what_is_loaded_comes_from_the_own_memory_map() -> None:
    assert (loader._mapped("libc.so.6") or "").startswith("/")
    assert loader._mapped("libjetproof-nowhere.so.1") is None


def test_the_child_tells_of_each_library_and_of_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    told, tell = os.pipe()
    monkeypatch.setattr(frames, "take_stdout", lambda: tell)
    monkeypatch.setattr(steps, "faulthandler", Mock())  # the tests' own watchdog must not end this process
    assert loader.loads(["libc.so.6", "libjetproof-nowhere.so.1", "cuDriverGetVersion"]) == 0
    os.close(tell)
    with os.fdopen(told, "rb") as pipe:
        records = frames.Reader().feed(pipe.read())
    ends = {record["end"]: record for record in records if "end" in record}
    assert ends["libc.so.6"]["outcome"] == "ok"
    assert ends["libc.so.6"]["data"]["path"].startswith("/")
    assert "cannot open shared object file" in ends["libjetproof-nowhere.so.1"]["message"]
    assert "cuDriverGetVersion" in ends  # what it answers is this machine's
