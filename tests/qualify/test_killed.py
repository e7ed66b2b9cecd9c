"""A controller that is killed at any moment leaves a journal that is never green and replays to the same bytes."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.qualify.runs import judged
from tests.qualify.streams import CLEAN, Scripted, a_plan, good_stream

from jetproof.cli.main import main
from jetproof.errors import ExitCode
from jetproof.qualify import clock
from jetproof.qualify.code import Code
from jetproof.qualify.folder import Folder
from jetproof.qualify.journal import Writer, read
from jetproof.qualify.run import After, Surroundings, run
from jetproof_worker.process import Completed


class Slow(Scripted):
    """A worker that takes its time between two records."""

    def serve(
        self, request: Mapping[str, object], on_record: Callable[[dict[str, object]], None], timeout: float
    ) -> Completed:
        def slowly(record: dict[str, object]) -> None:
            time.sleep(0.002)
            on_record(record)

        return super().serve(request, slowly, timeout)


def _control(folder: Folder) -> None:
    """Be the controller of one run; called in a child."""
    writer = Writer(folder.journal, clock.now)
    run(
        Slow(good_stream()),
        a_plan(),
        writer,
        context={"facts": {}, "state": {}},
        surroundings=Surroundings(project_root=None),
        after=lambda _: After(source=CLEAN, state={}, code=Code().as_json()),
    )


def _kill_one(folder: Folder, seconds: float) -> None:
    folder.prepare()
    folder.open()
    child = os.fork()
    if child == 0:
        try:
            _control(folder)
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _kills(tmp_path: Path, count: int) -> tuple[int, int]:
    green = cut = 0
    for number in range(count):
        folder = Folder(out=tmp_path / str(number), gate="jetson-cuda-runtime")
        _kill_one(folder, random.uniform(0.0, 0.12))
        if not folder.journal.exists():
            continue  # killed before its first line: nothing was run
        data = folder.journal.read_bytes()
        verdict = judged(data)
        assert verdict.green == read(data).finished
        green += verdict.green
        cut += not verdict.green
        code = main(["replay", str(folder.side)])
        first = _everything(folder)
        assert main(["replay", str(folder.side), "--check"]) == code
        assert _everything(folder) == first
        for file in (folder.record, *folder.side.glob("report.*")):
            file.unlink()
        assert main(["replay", str(folder.side)]) == code
        assert _everything(folder) == first
        assert code == (ExitCode.OK if verdict.green else ExitCode.INTERNAL)
    return green, cut


def _everything(folder: Folder) -> dict[str, bytes]:
    files = [folder.record, *sorted(folder.side.iterdir())]
    return {file.name: file.read_bytes() for file in files}


@pytest.mark.process
def test_twenty_kills(tmp_path: Path) -> None:
    green, cut = _kills(tmp_path, 20)

    assert cut > 0
    assert green + cut <= 20


@pytest.mark.soak
def test_two_hundred_kills(tmp_path: Path) -> None:
    _, cut = _kills(tmp_path, 200)

    assert cut > 20
