from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from jetproof_worker import frames, loader, steps


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


def received(end: int) -> list[dict[str, object]]:
    return frames.Reader().feed(os.read(end, 1 << 20))


def test_a_step_is_told_before_and_after(pipe: tuple[int, int]) -> None:
    recorder = steps.Recorder(pipe[1])
    assert recorder.step("good", 5, lambda: {"x": 1})
    begun, ended = received(pipe[0])
    assert begun == {"step": "good", "limit": 5}
    assert (ended["end"], ended["outcome"], ended["data"]) == ("good", "ok", {"x": 1})


def test_what_a_step_raises_is_its_outcome(pipe: tuple[int, int]) -> None:
    def raising(error: BaseException) -> object:
        raise error

    recorder = steps.Recorder(pipe[1])
    for error, outcome, message in (
        (steps.NotRun("why"), "not-run", "why"),
        (ValueError("x" * 9000), "failed", "ValueError: " + "x" * (steps.MESSAGE - 12)),
        (SystemExit(3), "failed", "SystemExit: 3"),
    ):
        assert not recorder.step("bad", 5, lambda error=error: raising(error))  # type: ignore[misc,return-value]
        _, ended = received(pipe[0])
        assert (ended["outcome"], ended["message"]) == (outcome, message)


def test_a_skipped_step_is_told_whole(pipe: tuple[int, int]) -> None:
    steps.Recorder(pipe[1]).skip("matmul", "import torch did not succeed")
    begun, ended = received(pipe[0])
    assert begun["step"] == ended["end"] == "matmul"
    assert ended["outcome"] == "not-run"


def test_the_loaders_child(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "take_stdout", lambda: pipe[1])
    assert loader.loads(["libc.so.6", "libjetproof-nowhere.so.9", "cuDriverGetVersion"]) == 0
    ends = [record for record in received(pipe[0]) if "end" in record]
    assert ends[0]["outcome"] == "ok"
    assert str(ends[0]["data"]).count("libc.so.6")
    assert "cannot open shared object file" in str(ends[1]["message"])
    assert ends[2]["outcome"] in ("ok", "failed")
