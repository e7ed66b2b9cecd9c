"""Read what the allow-list names into one snapshot; what cannot be read is told as such, and the rest still comes.

Python >= 3.6. The slow parts (the interpreter's trials, programs, the loader) run side by side in threads.
"""

import ctypes
import json
import os
import re
import sys
import threading
import time
from functools import partial
from typing import Any, Callable, Dict, Optional, Tuple

from jetproof_worker import commands, emulation, environments, files, loader, memory_groups, places, redact, trying

SCHEMA = "jetproof/snapshot/1"

Progress = Callable[[str], None]


def told(line: str) -> None:
    """Write one line of progress to standard error."""
    sys.stderr.write("jetproof: %s\n" % line)
    sys.stderr.flush()


def silent(line: str) -> None:
    """Say nothing."""
    del line


class Job(threading.Thread):
    """A part of the snapshot that is made beside the others; an error in it becomes its own entry."""

    def __init__(self, name: str, work: Callable[[], Any], progress: Progress) -> None:
        threading.Thread.__init__(self, name=name, daemon=True)
        self._work = work
        self._progress = progress
        self.answer: Any = None

    def run(self) -> None:
        """Do the work; called by the thread."""
        started = time.monotonic()
        try:
            self.answer = self._work()
        except Exception as error:  # one part's fault must not take the other parts away
            self.answer = files.unknown("failed", "%s: %s" % (type(error).__name__, error))
        self._progress("%s: %.1f s" % (self.name, time.monotonic() - started))

    def result(self) -> Any:
        """Wait for the answer."""
        self.join()
        return self.answer


def collect(
    python: Optional[str],
    asked: str,
    with_trials: bool = True,
    patience: float = 1.0,
    digest: Optional[str] = None,
    progress: Progress = silent,
) -> Dict[str, Any]:
    """Return the snapshot of this machine, redacted, for the interpreter `python` that was chosen by rule `asked`."""
    jobs: Dict[str, Job] = {}

    def begin(name: str, work: Callable[[], Any]) -> None:
        jobs[name] = Job(name, work, progress)
        jobs[name].start()

    if python is not None:
        begin("interpreter", partial(trying.run, python, asked, with_trials, patience))
    found = {name: commands.find(name) for name in places.PROGRAMS}
    tree = files.strings(places.DEVICE_TREE + "/compatible")
    is_tegra = _is_tegra(tree)
    asked_commands = commands.questions(is_tegra)
    for name, ask in asked_commands:
        program = found[name.split()[0]]
        if program is not None:
            begin(name, partial(ask, program))
    if is_tegra:
        begin("eeprom", files.eeprom_part_number)
    read = _files()
    if is_tegra:
        read["eeprom/699-part-number"] = jobs["eeprom"].result()
    said: Dict[str, Any] = dict(commands.kernel())
    said.update({name: jobs[name].result() if name in jobs else None for name, _ in asked_commands})
    libraries, driver = _loaded(said.get("ldconfig -p"))
    emulated = emulation.here(read.get("/proc/cpuinfo"))
    snapshot: Dict[str, Any] = {
        "schema": SCHEMA,
        "origin": "emulated" if emulated["emulated"] else "live",
        "collected_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "worker": {"release": _release(), "python": sys.version.split()[0], "sha256": digest},
        "emulation": emulated,
        "files": read,
        "commands": said,
        "listings": {path: files.listing(path, pattern) for path, pattern in places.LISTINGS},
        "nodes": {path: files.node(path) for pattern in places.NODES for path in files.expand(pattern)},
        "user": files.user(),
        "programs": found,
        "libraries": libraries,
        "driver": driver,
        "disk": _disk(),
        "clock": _clock(),
        "environment": _environment(),
    }
    snapshot["python"], snapshot["trials"] = _python(jobs.get("interpreter"), asked)
    snapshot["python"]["others"] = environments.others(snapshot["python"]["interpreter"])
    redacted: Dict[str, Any] = redact.here(files.user_name()).value(snapshot)
    return redacted


def _release() -> str:
    from jetproof_worker import RELEASE

    return RELEASE


def _is_tegra(compatible: Any) -> bool:
    if isinstance(compatible, list) and any(entry.startswith("nvidia,tegra") for entry in compatible):
        return True
    return os.path.exists("/etc/nv_tegra_release")


def _files() -> Dict[str, Any]:
    read: Dict[str, Any] = {}
    for pattern in places.TEXTS:
        for path in files.expand(pattern):
            read[path] = files.text(path)
    for path in places.STRINGS:
        read[path] = files.strings(path)
    for path in places.MARKERS:
        read[path] = "" if os.path.exists(path) else None
    for pattern, wanted in places.LINES:
        for path in files.expand(pattern):
            read[path] = files.chosen_lines(path, re.compile(wanted).search)
    read["/proc/cpuinfo"] = _first_processor(files.text("/proc/cpuinfo", 4 << 20))
    read["/etc/docker/daemon.json"] = _docker_runtimes(files.text("/etc/docker/daemon.json"))
    read["cgroup/memory.max"] = _cgroup_limit()
    return read


def _first_processor(content: Any) -> Any:
    """Keep the first processor's entry, without flags' long tail and without the serial number some boards print."""
    if not isinstance(content, str):
        return content
    kept = ("processor", "vendor_id", "model name", "CPU ", "Hardware", "Model", "machine", "uarch", "isa", "Processor")
    first, _, rest = content.partition("\n\n")
    last = rest.rpartition("\n\n")[2] if "Hardware" in rest or "Model" in rest else ""
    lines = [line for line in (first + "\n" + last).splitlines() if line.startswith(kept)]
    return "".join(line[:300] + "\n" for line in lines)


def _docker_runtimes(content: Any) -> Any:
    """Keep the default runtime and the runtimes' names; the rest of the daemon's settings is nobody's business."""
    if not isinstance(content, str):
        return content
    try:
        settings = json.loads(content)
        runtimes = settings.get("runtimes") or {}
        kept: Dict[str, Any] = {"runtimes": {name: {"path": runtimes[name].get("path")} for name in runtimes}}
        for key in ("default-runtime", "features"):
            if key in settings:
                kept[key] = settings[key] if key == "default-runtime" else {"cdi": settings[key].get("cdi")}
    except (ValueError, AttributeError, TypeError, RecursionError):
        return files.unknown("not-understood", "not a JSON object as the Docker daemon reads it")
    return json.dumps(kept, sort_keys=True)


def _cgroup_limit() -> Any:
    """Return the lowest memory limit on the way up from this process's own group, as text; "max" when there is none."""
    names = ("memory.max", "memory.limit_in_bytes")
    own = files.text("/proc/self/cgroup", 65536)
    folders = memory_groups.folders(own) if isinstance(own, str) else []
    texts = [files.text(os.path.join(folder, name)) for folder in folders for name in names]
    limits = [content.strip() for content in texts if isinstance(content, str)]
    numbers = [int(limit) for limit in limits if limit.isdigit() and int(limit) < 1 << 60]
    if numbers:
        return str(min(numbers))
    return "max" if limits else None


def _loaded(cache: Any) -> Any:
    try:
        return loader.read(cache)
    except Exception as error:  # as in Job: the rest must come
        trouble = "%s: %s" % (type(error).__name__, error)
        return {}, {"cuda": None, "status": "failed", "detail": trouble}


def _disk() -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for path in ("/", "/tmp", "/var/lib/docker", os.path.expanduser("~"), os.getcwd()):  # noqa: S108 - only measured
        try:
            usage = os.statvfs(path)
        except OSError:
            continue
        sizes = {"total": usage.f_blocks * usage.f_frsize, "free": usage.f_bavail * usage.f_frsize}
        found.setdefault("." if path == os.getcwd() else path, sizes)
    return found


def _clock() -> Dict[str, Any]:
    """Return whether the kernel says that its clock follows a time server. Nothing is set."""
    try:
        # struct timex is below 256 bytes everywhere; `modes` 0 only asks, 5 is TIME_ERROR: not synchronised
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(1024))
    except (OSError, AttributeError):
        return {"synchronized": None, "read_from": "adjtimex"}
    return {"synchronized": None if state < 0 else state != 5, "read_from": "adjtimex"}


def _environment() -> Dict[str, Any]:
    names: Dict[str, Any] = {name: os.environ[name] for name in places.ENVIRONMENT_TEXTS if name in os.environ}
    names.update({name: True for name in places.ENVIRONMENT_NAMES if os.environ.get(name)})
    return names


def _python(job: Optional[Job], asked: str) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    status, detail = "missing", "no Python was found"
    if job is not None:
        answer = job.result()
        if isinstance(answer, tuple):
            return answer
        status, detail = "failed", answer["detail"]
    about = {"asked": asked, "path": None, "interpreter": None, "status": status, "detail": detail}
    return about, trying.not_run(detail)
