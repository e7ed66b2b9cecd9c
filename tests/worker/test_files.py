from __future__ import annotations

import errno
import fcntl
import os
import pwd
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from jetproof_worker import files


def reason(entry: object) -> str:
    assert isinstance(entry, dict)
    return str(entry["reason"])


def test_text_absent_and_unknown(tmp_path: Path) -> None:
    path = tmp_path / "f"
    assert files.text(str(path)) is None
    assert files.text(str(path / "below")) is None
    path.write_bytes(b"NVIDIA Jetson\0")
    assert files.text(str(path)) == "NVIDIA Jetson"
    assert files.text(str(path / "below")) is None
    path.write_bytes(b"a\0b")
    assert reason(files.text(str(path))) == "not-text"
    path.write_bytes(b"caf\xe9")
    assert files.text(str(path)) == {"reason": "not-text", "detail": "not UTF-8 at byte 3"}
    path.write_bytes(b"x" * 11)
    assert reason(files.text(str(path), 10)) == "too-large"
    assert files.text(str(path), 11) == "x" * 11


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("pipe", "zero", "."):
        assert reason(files.text(str(tmp_path / name))) == "not-understood"
    assert reason(files.text(str(tmp_path / "loop"))) == "failed"
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to("real")
    assert files.text(str(tmp_path / "link")) == "x"


@pytest.fixture
def nobody() -> Iterator[None]:
    """Act as an account that may read nothing here; root may read everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


def test_no_permission(nobody: None) -> None:
    tmp = Path(tempfile.mkdtemp())
    (tmp / "f").touch(mode=0)
    (tmp / "d").mkdir(mode=0)
    assert files.text(str(tmp / "f")) == {"reason": "no-permission", "detail": "Permission denied"}
    assert reason(files.listing(str(tmp / "d"))) == "no-permission"
    (tmp / "d").rmdir()
    (tmp / "f").unlink()
    tmp.rmdir()


def test_strings_and_chosen_lines(tmp_path: Path) -> None:
    path = tmp_path / "compatible"
    path.write_bytes(b"nvidia,p3737-0000+p3701-0005\0nvidia,tegra234\0")
    assert files.strings(str(path)) == ["nvidia,p3737-0000+p3701-0005", "nvidia,tegra234"]
    path.write_bytes(b"\xff\0")
    assert reason(files.strings(str(path))) == "not-text"
    assert files.strings(str(tmp_path / "gone")) is None
    path.write_text("a = 1\nserial = 5\n")
    assert files.chosen_lines(str(path), lambda line: line.startswith("a")) == "a = 1\n"
    assert files.chosen_lines(str(tmp_path / "gone"), bool) is None


def test_listing(tmp_path: Path) -> None:
    for name in ("devices.csv", "drivers.csv", "notes.txt"):
        (tmp_path / name).touch()
    assert files.listing(str(tmp_path), r"\.csv$") == ["devices.csv", "drivers.csv"]
    assert files.listing(str(tmp_path / "gone")) is None
    assert files.listing(str(tmp_path / "notes.txt")) is None
    assert reason(files.listing(str(tmp_path), most=2)) == "too-large"
    assert files.expand(str(tmp_path / "d*.csv"), 1) == [str(tmp_path / "devices.csv")]
    assert files.expand("/no/pattern") == ["/no/pattern"]


def test_nodes() -> None:
    node = files.node("/dev/null")
    assert node is not None
    assert (node["type"], node["mode"], node["owner"], node["usable"]) == ("c", "crw-rw-rw-", "root", True)
    assert files.node("/dev/nowhere") is None
    looping = files.node("/proc/self/fd/99999/x")
    assert looping is None


def test_people_are_numbers() -> None:
    assert files.owner_name(0) == "root"
    assert files.owner_name(54321) == "54321"
    assert files.group_name(987654) == "987654"
    assert files.group_name(0) == "root"
    assert isinstance(files.user()["is_root"], bool)


def test_groups_that_a_new_login_would_have() -> None:
    content = "root:x:0:\nvideo:x:44:alice,bob\nrender:x:104:bob\nbroken line\n"
    assert "video" in files._groups_on_file(content, "bob")
    assert "render" in files._groups_on_file(content, "bob")
    assert "render" not in files._groups_on_file(content, "alice")


def test_part_number_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"\1\0" + b"\0" * 18 + b"699-13701-0005-500 R.0" + b"\0" * 30 + b"1425021012345" + b"\0" * 150
    eeprom = tmp_path / "0-0050" / "eeprom"
    eeprom.parent.mkdir()
    eeprom.write_bytes(content)
    monkeypatch.setattr(files, "expand", lambda pattern, most: [str(eeprom)])
    monkeypatch.setattr(files, "_i2c", lambda path: None)
    assert files.eeprom_part_number() == "699-13701-0005-500"
    eeprom.write_bytes(b"\xff" * 256)
    assert reason(files.eeprom_part_number()) == "not-understood"
    monkeypatch.setattr(files, "expand", lambda pattern, most: [])
    assert files.eeprom_part_number() is None


def test_a_bus_is_only_spoken_to_when_it_is_a_device(tmp_path: Path) -> None:
    plain = tmp_path / "i2c-0"
    plain.write_bytes(b"x" * 40)
    assert reason(files._i2c(str(plain))) == "not-understood"
    assert plain.read_bytes() == b"x" * 40
    assert files._i2c(str(tmp_path / "gone")) is None
    assert reason(files._i2c("/dev/null")) == "failed"  # a device, and no I2C bus


class Bus:
    """A device whose answer to the EEPROM's address is known."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
        self.asked: list[object] = []
        monkeypatch.setattr(fcntl, "ioctl", lambda fd, *words: self.asked.append(words))
        monkeypatch.setattr(os, "write", lambda fd, data: self.asked.append(data))
        monkeypatch.setattr(os, "read", lambda fd, size: answer[:size])


@pytest.mark.parametrize(("answer", "told"), [(b"699-13767-0005-300 S.1425021012345", True), (b"\xff" * 40, False)])
def test_a_bus_is_asked_for_twenty_bytes_of_the_eeprom(
    monkeypatch: pytest.MonkeyPatch, answer: bytes, told: bool
) -> None:
    with monkeypatch.context() as patch:
        bus = Bus(patch, answer)
        said = files._i2c("/dev/null")
    assert bus.asked == [(0x0703, 0x50), b"\x14"]
    assert said == "699-13767-0005-300" if told else reason(said) == "not-understood"


def test_buses_are_asked_in_turn_and_the_refusal_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: dict[str, files.Entry] = {"/dev/i2c-1": files.unknown("no-permission", "/dev/i2c-1: Permission denied")}
    monkeypatch.setattr(files, "expand", lambda pattern, most: ["/gone/0-0050/eeprom", "/proc/self"])
    monkeypatch.setattr(files, "_i2c", answers.get)
    assert files.eeprom_part_number() == answers["/dev/i2c-1"]
    answers["/dev/i2c-7"] = "699-13767-0005-300"
    assert files.eeprom_part_number() == "699-13767-0005-300"


def test_numbers_without_names(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(number: int) -> object:
        raise KeyError(number)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert files.owner_name(999) == "999"
    assert files.user_name() == ""
    assert files._groups_on_file("video:x:44:\n", "") == [files.group_name(os.getgid())]
    assert files.user()["groups_on_file"] is not None


def test_what_cannot_be_read_after_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_text("x")

    def broken(fd: int, size: int) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "read", broken)
        assert files.raw(str(path)) == {"reason": "failed", "detail": "Input/output error"}


def test_a_node_that_may_not_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: str) -> object:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", refused)
        node = files.node("/dev/nvmap")
    assert node == {"reason": "no-permission", "detail": "Permission denied", "usable": None}
