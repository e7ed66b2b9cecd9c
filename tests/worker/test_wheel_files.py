"""Unpacking wheels into an environment: what the format says, and wheels that mean harm."""

from __future__ import annotations

import csv
import os
import random
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from jetproof_worker import wheel_files
from jetproof_worker.wheel_files import BadWheel, Home, unpack

META = {"METADATA": "Name: some-thing\nVersion: 1\n", "WHEEL": "Wheel-Version: 1.0\n", "RECORD": "old,,\n"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    root = tmp_path / "environment"
    site = root / "lib/python3.8/site-packages"
    site.mkdir(parents=True)
    (root / "bin").mkdir()
    (root / "lib64").symlink_to("lib")
    (root / "bin/python").symlink_to(sys.executable)
    (root / "pyvenv.cfg").write_text("home = /usr/bin\n")
    return Home(str(root), str(site))


def wheel(folder: Path, files: Mapping[str, str], meta: Mapping[str, str] = META) -> str:
    path = folder / "some_thing-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**{f"some_thing-1.dist-info/{name}": text for name, text in meta.items()}, **files}.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o755 if name.endswith(".run") else 0o644) << 16
            archive.writestr(entry, text)
    return str(path)


@pytest.mark.process
def test_every_kind_of_file_finds_its_place(home: Home, tmp_path: Path) -> None:
    data = "some_thing-1.data"
    files = {
        "some_thing/__init__.py": "def main(): print('ran')\n",
        "some_thing/tool.run": "x",
        "folder/": "",
        f"{data}/purelib/pure.py": "P = 1\n",
        f"{data}/platlib/plat.so": "so",
        f"{data}/scripts/old-style": "#!pythonw -x\nimport sys; print(sys.executable)\n",
        f"{data}/scripts/shell": "#!/bin/sh\necho shell\n",
        f"{data}/data/share/doc.txt": "doc",
        f"{data}/headers/some.h": "h",
    }
    points = (
        "[console_scripts]\nSome-Tool = some_thing:main [extra]\n[gui_scripts]\nwindow=some_thing:main\n[other]\na=b\n"
    )
    unpack(wheel(tmp_path, files, {**META, "entry_points.txt": points}), home)
    root, site = Path(home.root), Path(home.site)
    for path in ("pure.py", "plat.so", "some_thing/__init__.py", "some_thing-1.dist-info/METADATA"):
        assert (site / path).is_file()
    assert (root / "share/doc.txt").read_text() == "doc"
    assert (root / "include/site/some_thing/some.h").is_file()
    assert os.access(site / "some_thing/tool.run", os.X_OK)
    assert not os.access(site / "pure.py", os.X_OK)
    assert (root / "bin/shell").read_text().startswith("#!/bin/sh\n")
    assert (root / "bin/old-style").read_text().startswith(f"#!{home.python}\nimport sys")
    said = subprocess.run(
        [root / "bin/Some-Tool"], capture_output=True, env={"PYTHONPATH": home.site}, text=True, check=True
    )
    assert said.stdout == "ran\n"
    assert (root / "bin/window").is_file()
    rows = {row[0]: row for row in csv.reader((site / "some_thing-1.dist-info/RECORD").read_text().splitlines())}
    assert rows["some_thing-1.dist-info/RECORD"][1:] == ["", ""]
    assert "../../../bin/Some-Tool" in rows
    assert all((site / name).is_file() for name in rows)
    assert (site / "some_thing-1.dist-info/INSTALLER").read_text() == "jetproof\n"


@pytest.mark.parametrize(
    "name",
    [
        "../outside.py",
        "/etc/outside",
        "some_thing/../../../../../outside",
        "a//b",
        "./a",
        "a\\b",
        "some_thing-1.data/other/x",
        "some_thing-1.data/scripts",
        "some_thing-1.data",
        "some_thing-1.data/data/pyvenv.cfg",
        "some_thing-1.data/scripts/python",
        "second-1.dist-info/METADATA",
    ],
)
def test_names_that_lead_elsewhere_are_refused(home: Home, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadWheel):
        unpack(wheel(tmp_path, {name: "x"}), home)
    assert (Path(home.root) / "pyvenv.cfg").read_text() == "home = /usr/bin\n"
    assert not list(tmp_path.glob("outside*"))


@pytest.mark.parametrize(
    "meta",
    [
        {"METADATA": "x"},
        {**META, "WHEEL": "Wheel-Version: 2.0\n"},
        {**META, "entry_points.txt": "no section = here\n"},
        {**META, "entry_points.txt": "[console_scripts]\n../up = a:b\n"},
        {**META, "entry_points.txt": "[console_scripts]\nup = a:b; import os\n"},
        {},
    ],
)
def test_what_is_no_sound_wheel_is_refused(home: Home, tmp_path: Path, meta: Mapping[str, str]) -> None:
    with pytest.raises(BadWheel):
        unpack(wheel(tmp_path, {"x.py": ""}, meta), home)


def test_no_archive_and_a_bomb(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.whl").write_text("no archive")
    with pytest.raises(BadWheel, match="no archive that can be read"):
        unpack(str(tmp_path / "x.whl"), home)
    monkeypatch.setattr(wheel_files, "MOST", 10)
    with pytest.raises(BadWheel, match="more than"):
        unpack(wheel(tmp_path, {"x.py": "0" * 11}), home)


def test_two_wheels_may_hold_the_same_file(home: Home, tmp_path: Path) -> None:
    unpack(wheel(tmp_path, {"shared/__init__.py": "longer than the second\n"}), home)
    unpack(wheel(tmp_path, {"shared/__init__.py": "second\n"}), home)
    assert (Path(home.site) / "shared/__init__.py").read_text() == "second\n"


@pytest.mark.process
def test_a_long_path_or_one_with_blanks_still_starts(home: Home, tmp_path: Path) -> None:
    spaced = tmp_path / "with blank"
    Path(home.root).rename(spaced)
    moved = Home(str(spaced), str(spaced / "lib/python3.8/site-packages"))
    points = {**META, "entry_points.txt": "[console_scripts]\ntool = some_thing:main\n"}
    unpack(wheel(tmp_path, {"some_thing.py": "def main(): print('ran')\n"}, points), moved)
    said = subprocess.run(
        [spaced / "bin/tool"], capture_output=True, env={"PYTHONPATH": moved.site}, text=True, check=True
    )
    assert said.stdout == "ran\n"


@pytest.mark.parametrize(
    ("at", "change"),
    [("some_thing/x.py", b"\xff" * 8), ("flags", b"\x01"), ("method", b"\x63")],
    ids=["damaged", "encrypted", "packed by a method that nobody knows"],
)
def test_a_file_that_cannot_be_unpacked_is_told(home: Home, tmp_path: Path, at: str, change: bytes) -> None:
    path = tmp_path / "some_thing-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in META.items():
            archive.writestr(f"some_thing-1.dist-info/{name}", text, zipfile.ZIP_STORED)
        archive.writestr("some_thing/x.py", "value = 1\n" * 50)
    data = bytearray(path.read_bytes())
    if at == "some_thing/x.py":
        place = data.index(at.encode()) + len(at)
    else:
        place = data.rindex(b"PK\x01\x02") + {"flags": 8, "method": 10}[at]
    data[place : place + len(change)] = change
    path.write_bytes(data)
    with pytest.raises(BadWheel):
        unpack(str(path), home)


@pytest.mark.parametrize(
    "name",
    [
        "torch-9.9.DIST-INFO/METADATA",
        "torch-9.9.egg-info/PKG-INFO",
        "torch.egg-link",
        "some_thing-1.data/purelib/torch-9.9.dist-info/METADATA",
        "some_thing-1.data/platlib/torch-9.9.Egg-Info",
        "some_thing-1.data/data/lib/python3.8/site-packages/torch-9.9.dist-info/METADATA",
        "some_thing-1.data/data/lib64/python3.8/site-packages/torch-9.9.dist-info/METADATA",
        "some_thing-1.data/purelib/some_thing-2.dist-info/METADATA",
    ],
)
def test_a_wheel_brings_no_other_distributions_metadata(home: Home, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadWheel, match="another distribution"):
        unpack(wheel(tmp_path, {name: "Name: torch\nVersion: 9.9\n"}), home)
    assert not list(Path(home.site).glob("torch*"))


def test_a_wheel_may_hold_its_own_old_metadata(home: Home, tmp_path: Path) -> None:
    unpack(
        wheel(tmp_path, {"some_thing.egg-info/PKG-INFO": "x", "some_thing/_vendor/a-1.dist-info/METADATA": "x"}), home
    )
    assert (Path(home.site) / "some_thing.egg-info/PKG-INFO").is_file()


def test_a_wheel_is_what_its_name_says(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "torch-1-py3-none-any.whl"
    Path(wheel(tmp_path, {"a.py": ""})).rename(path)
    with pytest.raises(BadWheel, match="it is called torch and says that it is some_thing-1"):
        unpack(str(path), home)


@pytest.mark.parametrize("name", ["python", "python3.99", "Python3", "activate", "activate.fish", "Activate.ps1"])
def test_the_environments_own_programs_are_not_a_wheels(home: Home, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadWheel, match="overwrite"):
        unpack(wheel(tmp_path, {f"some_thing-1.data/scripts/{name}": "#!/bin/sh\n"}), home)
    with pytest.raises(BadWheel, match="overwrite"):
        unpack(wheel(tmp_path, {f"some_thing-1.data/data/bin/{name}": "#!/bin/sh\n"}), home)
    with pytest.raises(BadWheel, match="overwrite"):
        unpack(wheel(tmp_path, {}, {**META, "entry_points.txt": f"[console_scripts]\n{name} = a:b\n"}), home)


@pytest.mark.parametrize("name", ["WHEEL", "entry_points.txt"])
def test_metadata_does_not_fill_the_memory(home: Home, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadWheel, match="larger than"):
        unpack(wheel(tmp_path, {}, {**META, name: "Wheel-Version: 1.0\n" + " " * (5 << 20)}), home)


@pytest.mark.parametrize(
    "files",
    [
        {"a": "x", "a/b": "y"},
        {"a/b": "y", "a": "x"},
        {"a" * 300: "x"},
    ],
    ids=["a file as a folder", "a folder as a file", "a long name"],
)
def test_names_that_cannot_be_are_the_wheels_fault(home: Home, tmp_path: Path, files: Mapping[str, str]) -> None:
    with pytest.raises(BadWheel, match="cannot be written"):
        unpack(wheel(tmp_path, files), home)


def test_damaged_wheels_end_in_words(home: Home, tmp_path: Path) -> None:
    """2,000 changes of single bytes, in each way of packing: a wheel is unpacked or refused."""
    chance = random.Random(7)
    bodies = []
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(tmp_path / "some_thing-1-py3-none-any.whl", "w", method) as archive:
            archive.writestr("some_thing/ü.py", "x = 1\n" * 50)
            for name, text in {**META, "entry_points.txt": "[console_scripts]\nb = a:main\n"}.items():
                archive.writestr(f"some_thing-1.dist-info/{name}", text)
        bodies.append((tmp_path / "some_thing-1-py3-none-any.whl").read_bytes())
    refused = 0
    for _ in range(2000):
        body = bytearray(chance.choice(bodies))
        for _ in range(chance.randint(1, 3)):
            body[chance.randrange(len(body))] = chance.randrange(256)
        (tmp_path / "some_thing-1-py3-none-any.whl").write_bytes(body)
        try:
            unpack(str(tmp_path / "some_thing-1-py3-none-any.whl"), home)
        except BadWheel:
            refused += 1
    assert refused > 500
