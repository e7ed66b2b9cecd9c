"""Fetching wheels for a board, and what is told of a board that cannot be installed on: no board needed."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jetproof.errors import Refused, Undecided
from jetproof.facts.model import Outcome
from jetproof.install import on_board
from jetproof.install.interpreter import Installed, Interpreter, Torch
from jetproof.install.on_board import BoardAsker
from jetproof.install.plan import Item, Plan
from jetproof.install.uv import Sources, Uv
from jetproof.install.wheelhouse import Wheel, Wheelhouse, contents, refuse_builds
from jetproof_worker.process import Completed

NOTHING = {"link": None, "stamp": None, "environment": None}
PYTHON = Interpreter(
    executable=Path("/usr/bin/python3"),
    release="3.10.12",
    prefix=Path("/usr"),
    base_prefix=Path("/usr"),
    is_venv=False,
    is_conda=False,
    user_site=None,
    machine="aarch64",
    glibc="2.35",
    distributions=(Installed(name="torch", release="2.8.0", location=Path("/usr/lib"), active=True),),
    torch=Torch(outcome=Outcome.OK, release="2.8.0"),
)


@pytest.fixture
def house(tmp_path: Path) -> Wheelhouse:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    return Wheelhouse(uv=Uv(program=Path("/no/uv")), interpreter=PYTHON, sources=Sources(), scratch=scratch)


def item(address: str, content: bytes | None) -> Item:
    hashes = () if content is None else (f"sha256:{hashlib.sha256(content).hexdigest()}",)
    return Item(name="thing", release=None, address=address, hashes=hashes)


def test_a_wheel_by_its_address_is_fetched_and_checked(house: Wheelhouse, tmp_path: Path) -> None:
    file = tmp_path / "thing-1-py3-none-any.whl"
    file.write_bytes(b"wheel")
    (found,) = house.gather(Plan(items=(item(file.as_uri(), b"wheel"),)))
    assert found.path.read_bytes() == b"wheel"
    assert found.path.parent == house.scratch / "wheels"


@pytest.mark.parametrize(
    ("place", "content", "reason"),
    [
        ("{file}", b"another", "wrong-hash"),
        ("{file}", None, "no-hash"),
        ("ftp://index.example/thing-1-py3-none-any.whl", b"x", "no-network"),
        ("http://me:secret@127.0.0.1:9/thing-1-py3-none-any.whl", b"x", "no-network"),
    ],
)
def test_what_cannot_be_checked_or_fetched_is_refused(
    house: Wheelhouse, tmp_path: Path, place: str, content: bytes | None, reason: str
) -> None:
    file = tmp_path / "thing-1-py3-none-any.whl"
    file.write_bytes(b"wheel")
    with pytest.raises(Refused) as caught:
        house.gather(Plan(items=(item(place.format(file=file.as_uri()), content),)))
    assert caught.value.reason == reason
    assert "secret" not in caught.value.message


@pytest.mark.parametrize(
    "one",
    [
        Item(name="thing", release="1", build=True),
        Item(name="thing", release=None, address="/src/thing", editable=True),
        Item(name="thing", release=None, address="git+https://index.example/thing"),
    ],
)
def test_what_has_to_be_built_is_refused(one: Item) -> None:
    with pytest.raises(Refused, match="no wheel for this board of thing"):
        refuse_builds(Plan(items=(one,)))


def test_the_times_in_a_wheel_do_not_count(tmp_path: Path, stand_in: Any) -> None:
    found = []
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        files = {"m.py": "A = 1\n" if name != "three" else "A = 2\n"}
        path = stand_in.wheel(tmp_path / name, "thing", "1", files)
        found.append(contents([Wheel(path=path, sha256="")]))
    assert found[0] == found[1] != found[2]


class FakeBoard:
    """Answers with the records it was given, and ends as it was told to."""

    def __init__(self, *records: dict[str, Any], detail: str = "", stderr: bytes = b"") -> None:
        self.records, self.detail, self.stderr = records, detail, stderr
        self.asked: list[Mapping[str, object]] = []

    def install(self, request: Any, on_record: Any, timeout: float, files: Any = ()) -> Completed:
        self.asked.append(request)
        for record in self.records:
            on_record(record)
        return Completed([], "failed", None, b"", self.stderr, 0.1, detail=self.detail)

    def __str__(self) -> str:
        return "ssh://board"


def asker(board: FakeBoard) -> BoardAsker:
    return BoardAsker(board=board, venv=".venv-jetson", asked="PATH")


@pytest.mark.parametrize(
    ("board", "said"),
    [
        (FakeBoard(detail="the link was lost"), "the link was lost"),
        (FakeBoard(stderr=b"one\nImportError: x\n"), "ImportError: x"),
        (FakeBoard({"record": "step", "text": "going"}), "failed"),
    ],
)
def test_a_board_that_was_lost_is_told_as_such(board: FakeBoard, said: str) -> None:
    with pytest.raises(Undecided, match=said) as caught:
        asker(board).ask(None)
    assert caught.value.reason == "board-lost"


def test_what_the_board_refuses_is_told_in_its_words() -> None:
    refused = {"record": "refused", "reason": "disk-full", "message": "no room", "hint": "make some"}
    with pytest.raises(Refused, match="no room") as caught:
        asker(FakeBoard(refused)).ask(None)
    assert (caught.value.reason, caught.value.hint) == ("disk-full", "make some")


def test_an_interpreter_that_does_not_answer() -> None:
    about = {"path": "/x/python3", "asked": "a", "status": "timed-out", "detail": "", "interpreter": None}
    with pytest.raises(Undecided, match="does not answer: timed-out"):
        asker(
            FakeBoard({"record": "looked", "python": about, "tried": {"steps": []}, "distributions": [], **NOTHING})
        ).ask("/x/python3")


def test_platforms_that_wheels_are_known_for() -> None:
    assert on_board._platform(PYTHON) == "aarch64-manylinux_2_35"
    assert on_board._platform(replace(PYTHON, machine="x86_64", glibc="2.31")) == "x86_64-manylinux_2_31"
    for other in (
        replace(PYTHON, machine="riscv64"),
        replace(PYTHON, glibc=None),
        replace(PYTHON, glibc="odd"),
        replace(PYTHON, glibc="2.5"),
    ):
        with pytest.raises(Undecided) as caught:
            on_board._platform(other)
        assert caught.value.reason == "no-platform"


def test_torch_inside_an_environment_is_not_changed_over_a_link() -> None:
    prefix = Path("/opt/venv")
    inside = replace(
        PYTHON,
        is_venv=True,
        prefix=prefix,
        distributions=(Installed(name="torch", release="2.8.0", location=prefix / "lib", active=True),),
    )
    with pytest.raises(Refused) as caught:
        on_board._refuse_inside(inside)
    assert caught.value.reason == "torch-inside"


@pytest.mark.parametrize(
    "name", ["..%2F..%2Fout.whl", "%2Fout.whl", "..", "", "a%00-1.whl", "a%1b[31m.whl", "a" * 300 + ".whl", "a.sh"]
)
def test_an_index_does_not_choose_where_a_file_goes(house: Wheelhouse, tmp_path: Path, name: str) -> None:
    place = f"{tmp_path.as_uri()}/{name}"
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(Refused) as refused:
        house._fetched(item(place, b"wheel"), place)
    assert refused.value.reason == "wheel-name"
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n",
    ],
    ids=["closed", "garbage", "broken chunk", "too many headers"],
)
def test_a_server_that_answers_oddly_is_told_as_such(house: Wheelhouse, answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answered() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        thread = threading.Thread(target=answered)
        thread.start()
        place = f"http://127.0.0.1:{server.getsockname()[1]}/thing-1-py3-none-any.whl"
        with pytest.raises(Refused, match="cannot be fetched"):
            house._fetched(item(place, b"wheel"), place)
        thread.join(10)


def test_a_file_that_is_not_there_or_no_archive_is_refused(house: Wheelhouse, tmp_path: Path) -> None:
    place = (tmp_path / "thing-1-py3-none-any.whl").as_uri()
    with pytest.raises(Refused, match="cannot be fetched"):
        house._fetched(item(place, b"wheel"), place)
    (tmp_path / "thing-1-py3-none-any.whl").write_bytes(b"no archive")
    with pytest.raises(Refused, match="no archive"):
        contents([Wheel(path=tmp_path / "thing-1-py3-none-any.whl", sha256="")])
