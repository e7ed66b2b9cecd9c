"""Ask the interpreter that is meant about itself, in a child, and find others that hold a torch.

Python >= 3.6.
"""

import glob
import os
import re
from typing import Any, Dict, List, Optional

from jetproof_worker import ask, frames, process, start

ASK_LIMIT = 30.0
"""Seconds in which an interpreter must describe itself; a cold SD card is slow."""

_MOST_PREFIXES = 40


def identify(python: str, asked: str, timeout: float = ASK_LIMIT) -> Dict[str, Any]:
    """Return the snapshot's `python` object: the interpreter's own answer, or how it failed to give one."""
    reader = frames.Reader()
    records: List[Dict[str, Any]] = []
    # never -I and never -s: the vendor's torch often lies in the user's own site folder
    completed = process.run(
        start.command(python, "ask"), timeout, limit=65536, on_stdout=lambda chunk: records.extend(reader.feed(chunk))
    )
    answer = next((record["interpreter"] for record in records if isinstance(record.get("interpreter"), dict)), None)
    if answer is not None:
        status, detail = "ok", ""
    else:
        status = {"signalled": "crashed", "timed-out": "timed-out", "missing": "missing"}.get(
            completed.status, "failed"
        )
        detail = _detail(completed)
    return {"asked": asked, "path": python, "interpreter": answer, "status": status, "detail": detail}


def _detail(completed: process.Completed) -> str:
    stderr = completed.stderr.decode("utf-8", "replace").strip()
    told = {
        "signalled": "it died of signal %s" % completed.code,
        "timed-out": "it did not answer in time",
        "exited": "it ended with exit status %s without an answer" % completed.code,
    }.get(completed.status, completed.detail)
    return (told + (": " + stderr[-1000:] if stderr else "")).strip()


def others(chosen: Optional[Dict[str, Any]]) -> List[Dict[str, str]]:
    """Return the other interpreters that hold a torch: PATH, the system, the folder's own, conda's. None is started."""
    mine = set()
    if chosen:
        mine = {os.path.realpath(copy["location"]) for copy in chosen["distributions"] if copy["name"] == "torch"}
    found: List[Dict[str, str]] = []
    for executable, python, torch in ask.holders(_prefixes()):
        places = [
            os.path.realpath(
                os.path.join(os.path.dirname(os.path.dirname(executable)), library, "python" + python, kind)
            )
            for library in ("lib", "lib64", "local/lib")
            for kind in ("site-packages", "dist-packages")
        ]
        if not mine.intersection(places):
            found.append({"executable": executable, "version": python, "torch": torch})
    for packages in sorted(glob.glob(os.path.expanduser("~/.local/lib/python3*/site-packages"))):
        python = os.path.basename(os.path.dirname(packages))
        user_torch = ask._torch_in(packages)
        executable = os.path.join("/usr/bin", python)
        if user_torch and os.path.realpath(packages) not in mine and os.path.exists(executable):
            found.append({"executable": executable, "version": python[len("python") :], "torch": user_torch})
    return found


def _prefixes() -> List[str]:
    """Return the prefixes that interpreters may have, links resolved only where two names are one folder."""
    candidates = ["/usr", "/usr/local"]
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder) and re.search(r"/bin/?$", folder) and os.path.exists(os.path.join(folder, "python3")):
            candidates.append(os.path.dirname(folder.rstrip("/")))
    candidates += [os.environ.get(name, "") for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    candidates += [os.path.abspath(".venv"), os.path.abspath("venv")]
    for root in ("~/miniconda3", "~/miniforge3", "~/mambaforge", "~/anaconda3", "~/archiconda3", "/opt/conda"):
        base = os.path.expanduser(root)
        candidates += [base, *sorted(glob.glob(os.path.join(base, "envs", "*")))]
    found: Dict[str, str] = {}
    for prefix in candidates:
        if prefix and os.path.isdir(prefix):
            found.setdefault(os.path.realpath(prefix), prefix)
    return list(found.values())[:_MOST_PREFIXES]
