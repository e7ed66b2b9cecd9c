"""What runs on a board at the other end of a link, started here without any link."""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import secrets
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest

from jetproof.target.pack import worker
from jetproof.target.parcel import parcel
from jetproof_worker import frames, link_boot, link_keeper, link_reader

# as over a link, but from the sources, so that what is tested is what is measured
FAKE_TORCH = Path(__file__).parent.parent / "probes" / "fake_torch"
START = "import sys; from jetproof_worker import link_boot; sys.exit(link_boot.main(open(0, 'rb', closefd=False)))"


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


class Board:
    """This machine in a board's place: its temporary folder and lock are the test's own."""

    def __init__(self, folder: Path) -> None:
        self.tmp = folder / "tmp"
        self.tmp.mkdir()
        self.token = secrets.token_hex(16)
        self.environment = {
            **os.environ,
            "TMPDIR": str(self.tmp),
            "JETPROOF_GPU_LOCK": str(folder / "gpu.lock"),
            "PYTHONPATH": f"{Path(link_boot.__file__).parent.parent}:{FAKE_TORCH}",
            "HOME": str(folder),
        }

    def ask(self, do: str, body: dict[str, Any] | None = None, **header: Any) -> tuple[int, list[dict[str, Any]], str]:
        sent = parcel(worker(), body) if body is not None else None
        told = {
            "do": do,
            "token": self.token,
            "mode": "serve",
            "grace": 30,
            "timeout": 60,
            "size": len(sent.content) if sent else 0,
            "sha256": sent.sha256 if sent else hashlib.sha256().hexdigest(),
            **header,
        }
        message = json.dumps(told).encode() + b"\n" + (sent.content if sent else b"")
        ran = subprocess.run(
            [sys.executable, "-c", START],
            input=message,
            env=self.environment,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return ran.returncode, frames.Reader().feed(ran.stdout), ran.stderr.decode()

    def left(self) -> list[str]:
        for _ in range(200):
            if not names(self.tmp):
                break
            time.sleep(0.05)
        return names(self.tmp)


@pytest.fixture
def here(tmp_path: Path) -> Board:
    return Board(tmp_path)


def body(root: Path, resolver: str = "return 'cpu'") -> dict[str, Any]:
    package = root / "src" / "hostproject"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "device.py").write_text(f"import time\n\ndef resolve(name):\n    {resolver}\n")
    item = {"id": "probe::device-resolver", "probe": "device-resolver", "params": {"expected": "cpu"}, "timeout": 60}
    return {
        "nonce": "n" * 32,
        "items": [item],
        "resolver": "hostproject.device:resolve",
        "project_root": str(root),
    }


@pytest.mark.process
def test_a_run_is_told_whole_read_on_and_released(here: Board, tmp_path: Path) -> None:
    code, records, stderr = here.ask("start", body(tmp_path / "p"))
    assert code == 0, stderr
    kinds = [record["record"] for record in records if record["record"] != "beat"]
    assert kinds[0] == "link-hello"
    assert kinds[-2:] == ["finish", "link-end"]
    assert records[-1]["code"] == 0
    assert [record["outcome"] for record in records if record["record"] == "end"] == ["PASS"]
    # the same again, as after a cut before the last two
    code, rest, _ = here.ask("attach", skip=len(records) - 2)
    assert (code, rest) == (0, records[-2:])
    # a start whose answer was lost on the way does not run a second time
    code, again, _ = here.ask("start", body(tmp_path / "q"))
    assert again == records
    assert here.ask("release")[0] == 0
    assert names(here.tmp) == []
    assert here.ask("attach")[0] == link_boot.ABSENT
    assert here.ask("release")[0] == link_boot.ABSENT
    assert not (tmp_path / "gpu.lock").exists()


@pytest.mark.process
def test_what_nobody_attends_ends_after_the_grace_time(here: Board, tmp_path: Path) -> None:
    code, records, _ = here.ask("start", body(tmp_path / "p"), grace=0.5)
    assert (code, records[-1]["record"]) == (0, "link-end")
    assert here.left() == []


@pytest.mark.process
def test_a_machine_is_read(here: Board) -> None:
    asked = {"nonce": "n" * 32, "own": True, "asked": "PATH", "trials": False, "progress": True}
    code, records, stderr = here.ask("start", asked, mode="collect")
    assert code == 0, stderr
    kinds = [record["record"] for record in records]
    assert "link-said" in kinds
    (snapshot,) = [record["snapshot"] for record in records if record["record"] == "snapshot"]
    assert snapshot["python"]["asked"] == "PATH"
    here.ask("release")
    assert here.left() == []


@pytest.mark.process
def test_what_changes_the_project_is_told(here: Board, tmp_path: Path) -> None:
    _, records, _ = here.ask("start", body(tmp_path / "p", "open(__file__, 'a').write('#') and None; return 'cpu'"))
    assert records[-1]["status"] == "failed"
    assert "src/hostproject/device.py" in records[-1]["detail"]
    here.ask("release")


@pytest.mark.process
def test_another_run_has_the_gpu(here: Board, tmp_path: Path) -> None:
    with (tmp_path / "gpu.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _, records, _ = here.ask("start", body(tmp_path / "p"))
        assert [record["record"] for record in records] == ["link-hello", "link-end"]
        assert records[-1]["status"] == "busy"
        here.ask("release")
    assert here.left() == []


@pytest.mark.process
def test_a_parcel_that_came_in_part_leaves_no_trace(here: Board, tmp_path: Path) -> None:
    assert here.ask("start", body(tmp_path / "p"), sha256="0" * 64)[0] == link_boot.ABSENT
    assert names(here.tmp) == []


@pytest.mark.process
def test_what_cannot_be_unpacked_is_refused(here: Board, tmp_path: Path) -> None:
    hostile = io.BytesIO()
    with tarfile.open(fileobj=hostile, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("../outside"))
    content = hostile.getvalue()
    header = {"do": "start", "token": here.token, "mode": "serve", "grace": 5, "timeout": 5, "size": len(content)}
    header["sha256"] = hashlib.sha256(content).hexdigest()
    ran = subprocess.run(
        [sys.executable, "-c", START],
        input=json.dumps(header).encode() + b"\n" + content,
        env=here.environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == link_boot.REFUSED
    assert b"leads out" in ran.stderr
    assert here.left() == []
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "a//x"])
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        entry = tarfile.TarInfo("x")
        entry.name = name
        archive.addfile(entry)
    with pytest.raises(ValueError, match="leads out"):
        link_boot.unpack(buffer.getvalue(), str(tmp_path))


def test_devices_and_hard_links_are_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        entry = tarfile.TarInfo("x")
        entry.type = tarfile.FIFOTYPE
        archive.addfile(entry)
    with pytest.raises(ValueError, match="neither"):
        link_boot.unpack(buffer.getvalue(), str(tmp_path))


def test_a_link_or_a_file_in_a_runs_place_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").write_text("")
    assert [link_boot.is_ours(str(tmp_path / name)) for name in ("real", "link", "file", "none")] == [
        True,
        False,
        False,
        False,
    ]


def test_what_is_unwritable_is_removed_too(tmp_path: Path) -> None:
    inside = tmp_path / "run" / "a"
    inside.mkdir(parents=True)
    (inside / "file").write_text("")
    inside.chmod(0o500)
    link_boot.remove(str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_leftovers_of_dead_keepers_are_swept_and_the_living_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JETPROOF_GPU_LOCK", str(tmp_path / "lock"))
    for name in ("dead", "alive", "young", "forgotten", "foreign"):
        folder = tmp_path / (name if name == "foreign" else link_boot.PREFIX + name)
        folder.mkdir()
        if name in ("dead", "alive"):
            (folder / link_keeper.KEPT).write_text("1\n")
    os.utime(tmp_path / (link_boot.PREFIX + "forgotten"), (1, 1))
    with (tmp_path / (link_boot.PREFIX + "alive") / link_keeper.KEPT).open() as kept:
        fcntl.flock(kept, fcntl.LOCK_EX)
        gone = link_keeper.sweep(str(tmp_path))
    assert sorted(Path(path).name for path in gone) == [link_boot.PREFIX + "dead", link_boot.PREFIX + "forgotten"]
    assert (tmp_path / "foreign").is_dir()
    # and what a release finds without its keeper goes as well
    (tmp_path / (link_boot.PREFIX + "alive") / link_keeper.KEPT).write_text("1\n")
    assert link_reader.release(str(tmp_path / (link_boot.PREFIX + "alive"))) == 0


def test_the_spool_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_keeper, "MOST_SPOOLED", 100)
    spool = link_keeper.Spool(str(tmp_path / "spool"), "t")
    with pytest.raises(link_keeper.TooMuch):
        spool.tell({"record": "x", "text": "y" * 200})
    spool.tell({"record": "link-end"})


def test_places_in_a_request() -> None:
    asked = {"a": "@jetproof@/project", "b": ["@jetproof@", "x@jetproof@"], "c": 1}
    assert link_keeper.here(asked, "/tmp/r") == {"a": "/tmp/r/project", "b": ["/tmp/r", "x@jetproof@"], "c": 1}


def test_what_a_project_holds(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").write_text("x")
    (tmp_path / "c").symlink_to("a/b")
    found = link_keeper.digests(str(tmp_path))
    assert found["c"] == "-> a/b"
    assert found["a/b"] == hashlib.sha256(b"x").hexdigest()


@pytest.mark.process
def test_a_reader_whose_link_is_gone_ends_and_a_killed_keeper_is_told(here: Board, tmp_path: Path) -> None:
    sent = parcel(worker(), body(tmp_path / "p", "time.sleep(600)"))
    header = {"do": "start", "token": here.token, "mode": "serve", "grace": 60, "timeout": 60}
    header.update(size=len(sent.content), sha256=sent.sha256)
    with subprocess.Popen(
        [sys.executable, "-c", START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=here.environment
    ) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        first.stdin.write(json.dumps(header).encode() + b"\n" + sent.content)
        first.stdin.close()
        assert frames.Reader().feed(first.stdout.readline() + first.stdout.readline())[0]["record"] == "link-hello"
        first.stdout.close()  # the link is cut
        first.wait(60)
    folder = here.tmp / (link_boot.PREFIX + here.token)
    assert folder.is_dir()
    with subprocess.Popen(
        [sys.executable, "-c", START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=here.environment
    ) as second:
        assert second.stdin is not None
        assert second.stdout is not None
        second.stdin.write(json.dumps({**header, "do": "attach", "skip": 0}).encode() + b"\n")
        second.stdin.close()
        second.stdout.readline()
        os.kill(int((folder / link_keeper.KEPT).read_text()), 9)
        records = frames.Reader().feed(second.stdout.read())
        assert second.wait(60) == 0
    assert records[-1] == {"record": "link-lost", "link": here.token}
    assert here.ask("release")[0] == 0
    assert here.left() == []
    assert not (tmp_path / "gpu.lock").exists()
