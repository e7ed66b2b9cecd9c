"""The journal keeps what was written, refuses what was changed, and says clearly when it cannot be written."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from tests.qualify.runs import journal_of, ran, ticking
from tests.qualify.streams import Scripted, good_stream

from jetproof.errors import ExitCode, UsageError
from jetproof.qualify.clock import Instant, jump, now
from jetproof.qualify.journal import JournalUnwritable, Writer, load, read


def test_what_is_written_is_read(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "j", ticking())
    writer.append("begin", {"text": "ümlaut \udcff \x1b[31m", "number": 1.5})
    writer.append("finish", {"complete": True})
    writer.close()

    journal = read(load(tmp_path / "j"))

    assert journal.finished
    assert journal.entries[0].body == {"text": "ümlaut \udcff \x1b[31m", "number": 1.5}


def test_a_cut_is_told_from_a_change(tmp_path: Path) -> None:
    data = ran(Scripted(good_stream()), tmp_path)

    assert journal_of(data[:-5]).cut
    assert journal_of(data[:-5]).broken is None
    assert journal_of(data.replace(b"numerics", b"nuMerics", 1)).broken is not None
    assert journal_of(data + b"{}\n").broken is not None


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "j").write_text("earlier")

    with pytest.raises(JournalUnwritable):
        Writer(tmp_path / "j", ticking())
    assert (tmp_path / "j").read_text() == "earlier"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "j").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(JournalUnwritable):
        Writer(tmp_path / "j", ticking())
    with pytest.raises(UsageError):
        load(tmp_path / "j")


def test_a_full_disk_is_a_clear_error_and_keeps_what_was_written(tmp_path: Path) -> None:
    syncs = 0

    def sync(file: int) -> None:
        nonlocal syncs
        syncs += 1
        if syncs > 6:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    writer = Writer(tmp_path / "j", ticking(), sync=sync)
    for number in range(5):
        writer.append("record", {"number": number})
    with pytest.raises(JournalUnwritable) as caught:
        writer.append("record", {"number": 5})

    assert caught.value.exit_code is ExitCode.INTERNAL
    assert "No space left" in caught.value.message
    assert "--output" in (caught.value.hint or "")
    assert len(read(load(tmp_path / "j")).entries) >= 5


def test_the_device_full_is_a_clear_error() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    writer = Writer.__new__(Writer)
    writer.path = Path("/dev/full")
    writer._now, writer._sync, writer._number, writer._previous = now, os.fsync, 0, ""
    writer._file = os.open("/dev/full", os.O_WRONLY)

    with pytest.raises(JournalUnwritable, match="No space left"):
        writer.append("begin", {})
    writer.close()


def test_a_missing_journal_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load(tmp_path / "none")
    assert caught.value.exit_code is ExitCode.USAGE


@pytest.mark.parametrize(("seconds", "moved"), [(0.0, None), (1.9, None), (3600.0, 3600.0), (-86400.0, -86400.0)])
def test_jumps_of_the_wall_clock(seconds: float, moved: float | None) -> None:
    before = Instant(utc="2026-11-30T12:00:00.000000Z", monotonic=10.0, boot="a")
    clock = ticking(step=1.0, jump_at=1, jump=seconds)
    after = clock()
    after = Instant(utc=after.utc, monotonic=11.0, boot="a")

    assert jump(before, after) == moved


def test_a_restart_is_no_jump() -> None:
    before = Instant(utc="2026-11-30T12:00:00.000000Z", monotonic=1000.0, boot="a")

    assert jump(before, Instant(utc="2026-11-30T13:00:00.000000Z", monotonic=5.0, boot="b")) is None
    assert jump(before, Instant(utc="nonsense", monotonic=5.0, boot="a")) is None


def test_both_clocks_are_read() -> None:
    moment = now()

    assert moment.wall.tzinfo is not None
    assert len(moment.boot) in (7, 16)
