"""One running item as the supervisor sees it: its process, its pipes, its limits, and its end."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Dict, List, Mapping, Optional

from jetproof_worker import frames, process, pytest_verdict, verdict, zygote
from jetproof_worker.request import Item

_STDERR_LIMIT = 16384
_CHUNK = 1 << 16
_JOURNAL_LIMIT = 200_000


class ItemRun:
    """A started item. `ends` are the write ends of its pipes, to be handed to its process and closed here."""

    def __init__(self, item: Item, kills_before: int) -> None:
        self.item = item
        self.pid: Optional[int] = None
        self.holder: Optional[zygote.Zygote] = None
        """The zygote that its process is forked from."""
        self.started = time.monotonic()
        self.deadline = self.started + item.timeout
        self.kill_at: Optional[float] = None
        self.give_up_at: Optional[float] = None
        self.killed_for: Optional[str] = None
        self.lost = False
        self.ended = False
        self.kills_before = kills_before
        self.status: Optional[int] = None
        self.peak: Optional[int] = None
        self.results: List[Dict[str, Any]] = []
        self.journal: List[Dict[str, Any]] = []
        self.journal_overflow = False
        self._stderr = process.HeadTail(_STDERR_LIMIT)
        self._dump = process.HeadTail(_STDERR_LIMIT)
        self._readers = {"result": frames.Reader(), "journal": frames.Reader()}
        self.fds: Dict[str, int] = {}
        self.ends: List[int] = []
        for name in zygote.PIPES:
            here, there = os.pipe()
            os.set_blocking(here, False)
            self.fds[name] = here
            self.ends.append(there)

    def close_ends(self) -> None:
        """Close this side's copies of the write ends."""
        for number in self.ends:
            os.close(number)
        self.ends = []

    def read(self, name: str, on_journal: Callable[[Mapping[str, Any]], None], most: int = _CHUNK) -> bool:
        """Take what one pipe holds, at most `most` bytes; False when it has been closed at the other end."""
        number = self.fds.get(name)
        taken = 0
        while number is not None and taken < most:
            try:
                data = os.read(number, _CHUNK)
            except (BlockingIOError, InterruptedError):
                return True
            except OSError:
                data = b""
            if not data:
                os.close(number)
                del self.fds[name]
                return False
            taken += len(data)
            if name == "stderr":
                self._stderr.feed(data)
            elif name == "dump":
                self._dump.feed(data)
            else:
                for record in self._readers[name].feed(data):
                    self._take(name, record, on_journal)
        return number is not None

    def _take(self, name: str, record: Dict[str, Any], on_journal: Callable[[Mapping[str, Any]], None]) -> None:
        if name == "result":
            self.results.append(record)
            del self.results[2:]
        elif len(self.journal) >= _JOURNAL_LIMIT:
            self.journal_overflow = True
        else:
            self.journal.append(record)
            on_journal(record)

    def close(self) -> None:
        """Let go of all pipes."""
        self.close_ends()
        for number in self.fds.values():
            os.close(number)
        self.fds.clear()

    def end_record(self, out_of_memory: bool, kernel_log: str) -> Dict[str, Any]:
        """Judge it and return its end record, without the nonce."""
        found = verdict.judge(
            verdict.Ended(
                status=self.status,
                results=self.results,
                stray_bytes=self._readers["result"].skipped,
                killed_for=self.killed_for,
                limit=self.item.timeout,
                out_of_memory=out_of_memory,
                lost=self.lost,
            )
        )
        result = self.results[0] if len(self.results) == 1 else {}
        detail = result.get("detail") if isinstance(result.get("detail"), dict) else {}
        if self.item.pytest is not None:
            judged = pytest_verdict.judge(
                self.item.pytest,
                self.journal,
                result,
                found,
                broken=self.journal_overflow or self._readers["journal"].skipped > 0,
                out_of_memory=out_of_memory,
            )
            found, detail = judged.verdict, judged.detail
        measurements = result.get("measurements")
        trace = result.get("traceback") or self._dump.value().decode("utf-8", "replace")
        stderr = self._stderr.value().decode("utf-8", "replace")
        return {
            "record": "end",
            "item": self.item.id,
            "outcome": found.outcome,
            "reason": found.reason,
            "message": found.message,
            "measurements": measurements if isinstance(measurements, list) else [],
            "seconds": time.monotonic() - self.started,
            "peak_memory_bytes": self.peak,
            "signal": found.signal,
            "stderr": stderr,
            "traceback": trace,
            "kernel": kernel_log if found.outcome == "ERROR" else "",
            "detail": dict(detail or {}, seed=self.item.seed, stderr_bytes=self._stderr.total),
        }
