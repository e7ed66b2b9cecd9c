"""Holds all of one run: what waits, what runs, every limit, and the end of each item.

One loop over all pipes. It never imports torch and starts no thread; what it decides is judged by pure modules
(`schedule`, `verdict`, `torch_import`). Python 3.8 and later.
"""

from __future__ import annotations

import os
import platform
import selectors
import signal
import sys
import time
from typing import Any, Dict, List, Mapping, Optional, Set, Tuple

from jetproof_worker import (
    boot,
    item_process,
    kernel,
    process,
    schedule,
    start,
    startup_code,
    strays,
    torch_import,
    verdict,
    watch,
    zygote,
)
from jetproof_worker.controller_link import ControllerLink, Stopped
from jetproof_worker.item_run import ItemRun
from jetproof_worker.request import Item, Request

_BEAT_SECONDS = 2.0
_TICK = 0.25
_UNKILLABLE_AFTER = 15.0
_DRAIN = 64 << 20


class Supervisor:
    """The state of one run, from the first zygote to the finish record."""

    def __init__(self, wanted: Request, link: ControllerLink) -> None:
        self.wanted = wanted
        self.link = link
        self.emit = link.emit
        self.started = time.monotonic()
        self.waiting: List[Item] = schedule.order(wanted.items)
        self.running: Dict[str, ItemRun] = {}
        self.by_pid: Dict[int, ItemRun] = {}
        self.ended = 0
        self.zygotes: Dict[bool, zygote.Zygote] = {}
        self.spawn = wanted.mode == "spawn"
        self.torch_lost: Optional[Tuple[str, str]] = None
        self.selector = selectors.DefaultSelector()
        self.log = kernel.Log()
        self.cores = len(os.sched_getaffinity(0))
        self.parallel = schedule.parallelism(wanted.parallel, len(wanted.items), self.cores)
        self.available = kernel.available_memory()
        self.reserve = schedule.reserve(self.available or 0)
        self._signal = 0
        self._next_beat = self.started + _BEAT_SECONDS
        self._import_late = False
        self._restarts = 1
        self._to_clear: List[Tuple[zygote.Zygote, ItemRun]] = []
        os.environ.setdefault(process.COOKIE, "serve-%d-%s" % (os.getpid(), os.urandom(8).hex()))
        process.adopt_orphans()
        self._watch = watch.start(os.environ[process.COOKIE])
        self._woken, self._wake = os.pipe()
        for number in (self._woken, self._wake):
            os.set_blocking(number, False)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        self.selector.register(self._woken, selectors.EVENT_READ, ("wake", None, None))
        kernel.die_with_parent(link.parent, signal.SIGTERM)

    def _on_signal(self, number: int, _frame: Any) -> None:
        self._signal = number

    def run(self) -> int:
        """Run all items to their ends; return 0 after the finish record. Raises `Stopped`."""
        self.emit(
            {
                "record": "hello",
                "worker": "packed" if os.path.isfile(start.HOME) else "unpacked",
                "python": platform.python_version(),
                "executable": sys.executable,
                "pid": os.getpid(),
                "cpus": self.cores,
                "boot_id": boot.boot_hash(),
                "startup": startup_code.here(),
            }
        )
        self._start_zygote(False)
        if self.spawn or not any(item.needs_torch for item in self.wanted.items):
            self.emit(torch_import.not_imported(self.spawn))
        else:
            self._start_zygote(True)
        self.emit(
            {
                "record": "plan",
                "order": [item.id for item in self.waiting],
                "parallel": self.parallel,
                "available_memory_bytes": self.available,
                "reserve_bytes": self.reserve,
                "items": {item.id: {"memory": item.memory, "exclusive": item.exclusive} for item in self.waiting},
            }
        )
        while self.waiting or self.running:
            self._start_items()
            self._wait()
            self._check_limits()
            self.link.check()
            self._beat()
        self.emit({"record": "finish", "items": self.ended, "seconds": time.monotonic() - self.started})
        return 0

    # starting

    def _ready(self) -> Set[bool]:
        plain = self.zygotes.get(False)
        ready = {False} if plain is not None and plain.ready else set()
        holder = plain if self.spawn else self.zygotes.get(True)
        if holder is not None and holder.ready:
            ready.add(True)
        return ready

    def _start_items(self) -> None:
        if self.torch_lost is not None:
            for item in [item for item in self.waiting if item.needs_torch]:
                self.waiting.remove(item)
                self._end_unstarted(item, *self.torch_lost)
        running = [run.item for run in self.running.values()]
        available = kernel.available_memory()
        free = None if available is None else available - self.reserve
        budget = None if self.available is None else self.available - self.reserve
        for item in schedule.startable(self.waiting, running, self._ready(), self.parallel, free, budget):
            self.waiting.remove(item)
            self._start_item(item)

    def _start_item(self, item: Item) -> None:
        run = ItemRun(item, kernel.out_of_memory_kills())
        self.running[item.id] = run
        for name, number in run.fds.items():
            self.selector.register(number, selectors.EVENT_READ, ("pipe", run, name))
        job = {
            "id": item.id,
            "probe": item.probe,
            "params": dict(item.params) if item.probe else {},
            "pytest": None if item.pytest is None else dict(item.pytest.__dict__),
            "seed": item.seed,
            "timeout": item.timeout,
            "environment": dict(self.wanted.environment),
            "resolver": self.wanted.resolver,
            "project_root": self.wanted.project_root,
            "project_paths": list(self.wanted.project_paths),
            "threads": self.cores if item.exclusive else max(1, self.cores // self.parallel),
        }
        # that a zygote is gone is told by its socket's end, and its items are dealt with there
        run.holder = self.zygotes[item.needs_torch and not self.spawn]
        run.holder.say({"do": "fork", "job": job}, run.ends)
        run.close_ends()

    # waiting

    def _wait(self) -> None:
        limits = [self._next_beat, time.monotonic() + _TICK]
        limits += [run.kill_at or run.deadline for run in self.running.values()]
        for key, _ in self.selector.select(max(0.0, min(limits) - time.monotonic())):
            now_there = self.selector.get_map().get(key.fd)
            if now_there is None or now_there.data is not key.data:
                continue  # closed by an event before it
            kind, subject, name = key.data
            if kind == "wake":
                try:
                    os.read(self._woken, 4096)
                except BlockingIOError:
                    pass
            elif kind == "pipe":
                self._read(subject, name)
            elif kind == "zygote":
                self._hear(subject)
            elif kind == "chatter" and not subject.listen(key.fd):
                self.selector.unregister(key.fd)
        if self._signal:
            raise Stopped(128 + self._signal, "told to end by signal %d" % self._signal)

    def _read(self, run: ItemRun, name: str, most: int = 1 << 16) -> None:
        number = run.fds[name]
        if not run.read(name, lambda record: self._journal(run, record), most):
            self.selector.unregister(number)

    def _drain(self, run: ItemRun) -> None:
        for name in list(run.fds):
            self._read(run, name, _DRAIN)

    def _journal(self, run: ItemRun, record: Mapping[str, Any]) -> None:
        """Pass on what a host's pytest reports, in records of these kinds only and under the item's own name."""
        if record.get("record") in ("collected", "test", "pytest-finish"):
            self.emit(dict(record, item=run.item.id))

    def _beat(self) -> None:
        now = time.monotonic()
        if now >= self._next_beat:
            self._next_beat = now + _BEAT_SECONDS
            memory = kernel.available_memory()
            self.emit({"record": "beat", "running": sorted(self.running), "mem_available_bytes": memory})

    def _check_limits(self) -> None:
        now = time.monotonic()
        for run in list(self.running.values()):
            if run.give_up_at is not None:
                if now >= run.give_up_at:
                    self._end(run)  # it hangs inside the kernel and cannot be killed
            elif run.kill_at is not None:
                if now >= run.kill_at:
                    run.give_up_at = now + _UNKILLABLE_AFTER
                    self._kill(run)
            elif now >= run.deadline and not run.ended:
                run.killed_for = "timeout"
                run.kill_at = now + self.wanted.grace
                self._ask_for_traceback(run)
        holder = self.zygotes.get(True)
        if holder is not None and not holder.ready:
            late = now - holder.started - self.wanted.import_timeout
            if late >= 0 and not self._import_late:
                self._import_late = True
                strays.send(holder.pid, item_process.DUMP_SIGNAL)
            if late >= self.wanted.grace:
                self._drop_zygote(holder)

    def _ask_for_traceback(self, run: ItemRun) -> None:
        if run.pid is None:
            return
        # pytest runs below its keeper, which itself has nothing to tell
        below = set(process.descendants(run.pid)) - {run.pid} if run.item.pytest is not None else {run.pid}
        for pid in below:
            strays.send(pid, item_process.DUMP_SIGNAL)

    def _kill(self, run: ItemRun) -> None:
        if run.pid is not None and not run.ended:
            process.kill_tree(run.pid)

    # zygotes

    def _start_zygote(self, with_torch: bool) -> None:
        holder = zygote.start(with_torch, with_torch and sum(item.compiler for item in self.wanted.items) > 1)
        self.zygotes[with_torch] = holder
        self.selector.register(holder.link, selectors.EVENT_READ, ("zygote", holder, None))
        for number in holder.said:
            self.selector.register(number, selectors.EVENT_READ, ("chatter", holder, None))

    def _hear(self, holder: zygote.Zygote) -> None:
        messages = holder.heard()
        for message in messages or ():
            if "ready" in message:
                holder.ready = True
                if holder.with_torch:
                    self._imported(holder, message)
            elif "forked" in message:
                run = self.running[message["item"]]
                run.pid = message["forked"]
                self.by_pid[message["forked"]] = run
                self.emit({"record": "start", "item": run.item.id, "pid": run.pid})
            elif "unforked" in message:
                run = self.running[message["unforked"]]
                run.killed_for = "fork-failed"
                self._end(run)
            elif "ended" in message:
                run = self.by_pid[message["ended"]]
                run.ended = True
                self._to_clear.append((holder, run))
            elif "reaped" in message:
                run = self.by_pid.pop(message["reaped"])
                run.status, run.peak = message["status"], message.get("peak")
                if run.item.id in self.running:
                    self._end(run)
        if messages is None:
            self._drop_zygote(holder)
        else:
            self._clear()

    def _clear(self) -> None:
        """End what ended items left running and have them reaped, as soon as every process below is known by name."""
        if any(run.pid is None for run in self.running.values()):
            return  # a process without a name might be an item that has just been forked
        for holder, run in self._to_clear:
            assert run.pid is not None  # noqa: S101 - it was told with the fork
            items = [one for one in self.by_pid.values() if one.holder is holder and one is not run and one.pid]
            strays.clear(
                holder.pid,
                run.pid,
                live=[one.pid for one in items if one.pid and not one.ended],
                keep=[one.pid for one in items if one.pid and one.ended],
                forget=lambda pids, holder=holder: holder.say({"do": "forget", "pids": pids}),  # type: ignore[misc]
            )
            self._drain(run)
            holder.say({"do": "reap", "pid": run.pid})
        self._to_clear = []

    def _imported(self, holder: zygote.Zygote, told: Mapping[str, Any]) -> None:
        record = torch_import.imported(told, holder.text())
        self.emit(record)
        if record["outcome"] != "PASS":
            self.torch_lost = (record["reason"], record["message"])
        elif record["data"]["mode"] == "spawn":
            self.spawn = True
            self._close_zygote(holder)

    def _drop_zygote(self, holder: zygote.Zygote) -> None:
        """A zygote is gone: what it ran is lost, and what needs it is told so, or it is tried once more."""
        lost = [run for run in self.running.values() if run.holder is holder]
        self._to_clear = [(one, run) for one, run in self._to_clear if one is not holder]
        process.kill_tree(holder.pid)
        for run in lost:
            if run.pid is not None:
                process.kill_tree(run.pid)
                zygote.reap(run.pid)  # it came down to us
                self.by_pid.pop(run.pid, None)
            run.lost = True
            self._drain(run)
            self._end(run)
        status = zygote.reap(holder.pid)
        for number in holder.said:
            holder.listen(number)
        was_ready, stderr, trace = holder.ready, holder.text(), holder.trace()
        self._close_zygote(holder)
        if holder.with_torch and not was_ready:
            late = self.wanted.import_timeout if self._import_late else None
            record = torch_import.lost(verdict.signal_name(status), late, stderr, trace)
            self.torch_lost = ("torch-import-failed", record["message"])
            self.emit(record)
        elif self._restarts > 0:
            self._restarts -= 1
            self._start_zygote(holder.with_torch)
        elif holder.with_torch:
            self.torch_lost = ("not-run", "the process that held the import of torch died twice")
        else:
            raise Stopped(3, "the process that items are forked from died twice")

    def _close_zygote(self, holder: zygote.Zygote) -> None:
        """Let go of a zygote that runs nothing any more; it ends by itself."""
        del self.zygotes[holder.with_torch]
        for number in (holder.link.fileno(), *holder.said):
            try:
                self.selector.unregister(number)
            except KeyError:
                pass
        holder.close()

    # ends

    def _end(self, run: ItemRun) -> None:
        for number in run.fds.values():
            self.selector.unregister(number)
        run.close()
        del self.running[run.item.id]
        log = self.log.news()
        counted = kernel.out_of_memory_kills() > run.kills_before
        logged = run.pid is not None and "Killed process %d " % run.pid in log
        self.ended += 1
        self.emit(run.end_record(counted or logged, log))

    def _end_unstarted(self, item: Item, reason: str, message: str) -> None:
        run = ItemRun(item, 0)
        run.close()
        self.ended += 1
        self.emit(dict(run.end_record(False, ""), outcome="MISS", reason=reason, message=message, seconds=0.0))

    def stop(self) -> None:
        """End everything now and, as far as somebody still reads, say what did not come to its end."""
        for run in list(self.running.values()):
            run.killed_for = run.killed_for or "worker-stopped"
            self._kill(run)
        try:
            for run in list(self.running.values()):
                self._drain(run)
                self._end(run)
            for item in self.waiting:
                self._end_unstarted(item, "not-run", "the worker was told to end first")
        except Stopped:
            pass

    def close(self) -> None:
        """Leave nothing behind: no process, no descriptor."""
        signal.set_wakeup_fd(-1)
        strays.clear_all([self._watch.pid])
        for holder in self.zygotes.values():
            holder.close()
        for run in self.running.values():
            run.close()
        self.selector.close()
        for number in (self._woken, self._wake):
            os.close(number)
        self._watch.stop()
