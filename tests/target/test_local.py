from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jetproof.errors import Undecided, UsageError
from jetproof.target import local, pack
from jetproof.target.interface import CollectRequest
from jetproof.target.local import LocalTarget
from jetproof.target.snapshot import parse
from jetproof_worker import frames

pytestmark = pytest.mark.process
SOURCE = Path(local.__file__).parents[2]


def script(path: Path, text: str) -> str:
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def test_this_machine_is_read_live(own_home: Path) -> None:
    lines: list[str] = []
    snapshot = LocalTarget(sys.executable).collect(CollectRequest(progress=lines.append))
    assert snapshot.origin == "live"
    assert snapshot.command("uname -m").text == os.uname().machine
    assert snapshot.worker is not None
    assert snapshot.worker.sha256 == pack.worker().sha256
    assert snapshot.python is not None
    assert (snapshot.python.asked, snapshot.python.status) == ("--python", "ok")
    assert any(line.startswith("interpreter: ") for line in lines)
    assert not any(line.startswith("jetproof") for line in lines)
    assert parse(json.loads(snapshot.dumps()), what="it", origin="live") == snapshot


def test_an_interpreter_that_dies_leaves_the_rest(tmp_path: Path) -> None:
    snapshot = LocalTarget(script(tmp_path / "python", "kill -SEGV $$")).collect(CollectRequest())
    assert snapshot.python is not None
    assert snapshot.python.status == "crashed"
    assert snapshot.command("uname -r").text


def test_whoever_asks_gets_ready_meanwhile(tmp_path: Path) -> None:
    ready: list[str] = []
    LocalTarget(script(tmp_path / "python", "exit 1")).collect(CollectRequest(meanwhile=lambda: ready.append("now")))
    assert ready == ["now"]


def test_no_python_at_all(tmp_path: Path) -> None:
    target = LocalTarget(environment={"PATH": str(tmp_path)}, folder=tmp_path)
    snapshot = target.collect(CollectRequest(trials=False))
    assert snapshot.python is not None
    assert snapshot.python.status == "missing"
    with pytest.raises(UsageError, match="no python3 on PATH"):
        target.serve({}, lambda record: None, 5)


def test_no_packed_file_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local.tempfile, "tempdir", str(tmp_path))
    LocalTarget(sys.executable).collect(CollectRequest(trials=False))
    assert list(tmp_path.iterdir()) == []


def test_no_temporary_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local.tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(Undecided, match="No such file") as raised:
        LocalTarget(sys.executable).collect(CollectRequest())
    assert "TMPDIR" in str(raised.value.hint)
    full = tmp_path / "full"
    (full / "jetproof-worker.pyz").mkdir(parents=True)
    monkeypatch.setattr(local.tempfile, "mkdtemp", lambda prefix: str(full))
    with pytest.raises(Undecided, match="Is a directory"):
        LocalTarget(sys.executable).collect(CollectRequest())


def test_a_worker_without_an_answer_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_COLLECTOR", [sys.executable, "-c", "import sys; sys.exit('out of memory')"])
    with pytest.raises(Undecided) as raised:
        LocalTarget(sys.executable).collect(CollectRequest())
    assert "exited 1 without an answer: out of memory" in raised.value.message
    assert raised.value.reason == "worker-exited"


def test_an_answer_to_another_question_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = tmp_path / "answer"
    answer.write_bytes(frames.frame({"record": "snapshot", "nonce": "old", "snapshot": {"files": {}}}))
    monkeypatch.setattr(local, "_COLLECTOR", ["/bin/cat", str(answer)])
    with pytest.raises(Undecided):
        LocalTarget(sys.executable).collect(CollectRequest())


def test_records_of_the_right_nonce_are_handed_on(tmp_path: Path) -> None:
    wire = (
        b"noise\n"
        + frames.frame({"record": "hello", "nonce": "n1"})
        + frames.frame({"record": "end", "nonce": "other"})
    )
    (tmp_path / "wire").write_bytes(wire + frames.frame({"record": "finish", "nonce": "n1"}))
    python = script(
        tmp_path / "python", f"cat > {tmp_path}/request; echo $1 $3 > {tmp_path}/words; cat {tmp_path}/wire"
    )
    seen: list[dict[str, object]] = []
    completed = LocalTarget(python, folder=tmp_path).serve({"nonce": "n1", "items": []}, seen.append, 20)
    assert completed.ok
    assert [record["record"] for record in seen] == ["hello", "finish"]
    assert json.loads((tmp_path / "request").read_text()) == {"nonce": "n1", "items": []}
    assert (tmp_path / "words").read_text() == "-B serve\n"


def test_a_fresh_nonce_is_given_where_none_is(tmp_path: Path) -> None:
    python = script(tmp_path / "python", f"cat > {tmp_path}/request")
    target = LocalTarget(python, folder=tmp_path)
    nonces = []
    for _ in range(2):
        target.serve({}, lambda record: None, 20)
        nonces.append(json.loads((tmp_path / "request").read_text())["nonce"])
    assert nonces[0] != nonces[1]
    assert len(nonces[0]) == 32


@pytest.mark.parametrize("meanwhile", ["None", "lambda: time.sleep(600)"])
def test_ctrl_c_leaves_nothing_running(tmp_path: Path, meanwhile: str) -> None:
    python = script(tmp_path / "python", f"echo $$ > {tmp_path}/pid; exec sleep 600")
    code = (
        "import sys, time\nfrom jetproof.target.local import LocalTarget\n"
        "from jetproof.target.interface import CollectRequest\n"
        "try: LocalTarget(sys.argv[1]).collect(CollectRequest(meanwhile=" + meanwhile + "))\n"
        "except KeyboardInterrupt: sys.exit(130)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code, python], env=environment) as controller:
        pid = tmp_path / "pid"
        for _ in range(2000):
            if pid.exists() and pid.read_text().strip():
                break
            time.sleep(0.01)
        controller.send_signal(signal.SIGINT)
        assert controller.wait(30) == 130
    hanging = Path(f"/proc/{pid.read_text().strip()}/stat")
    assert not hanging.exists() or hanging.read_text().rpartition(")")[2].split()[0] == "Z"
    assert not list(tmp_path.glob("jetproof-*"))
