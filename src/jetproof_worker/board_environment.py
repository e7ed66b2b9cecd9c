"""Makes an environment over the vendor's torch on a board, from wheels that were sent, and proves that torch stayed.

What is to be installed was planned elsewhere, for this very interpreter. Here it is built where nothing uses it yet,
looked at, and only then put in the place of what was there before. Standard library only, Python 3.8 and later.
"""

import errno
import glob
import json
import os
import sys
from typing import Any, Callable, Dict, List, Optional

from jetproof_worker import distributions, frames, kernel, process, trying, vendor_files, wheel_files
from jetproof_worker.board_place import Place, Refusal

Data = Dict[str, Any]

STAMP = "jetproof-install.json"
"""Lies in each environment and tells what it was made of."""
_VENV_LIMIT = 300.0
_NOT_TORCH = ("import cv2",)
"""Trials about packages that are not the vendor's torch."""
_NEEDED = ("import torch", "matmul")
_REASONS = {
    errno.ENOSPC: "disk-full",
    errno.EDQUOT: "disk-full",
    errno.EFBIG: "disk-full",
    errno.EROFS: "read-only",
    errno.EACCES: "no-permission",
    errno.EPERM: "no-permission",
}


def main(request: Data, out: int) -> int:
    """Look, or install, as the request says; tell what became of it in one last record."""
    kernel.die_with_parent(os.getppid())

    def tell(record: str, body: Data) -> None:
        frames.write(out, dict(body, record=record, nonce=request["nonce"]))

    try:
        if request["do"] == "look":
            tell("looked", look(request))
        else:
            tell("installed", _Work(request, lambda text: tell("step", {"text": text})).done())
    except Refusal as error:
        tell("refused", {"reason": error.reason, "message": error.message, "hint": error.hint})
    except OSError as error:
        named = " (%s)" % error.filename if error.filename else ""
        message = "%s%s; nothing was changed" % (error.strerror or error, named)
        reason = _REASONS.get(error.errno or 0, "os-error")
        tell("refused", {"reason": reason, "message": message, "hint": "Mend that on the board, then try again."})
    return 0


def look(request: Data) -> Data:
    """Describe an interpreter and try its torch; so too the environment at the place, if there is one."""
    patience = float(request.get("patience", 1.0))
    found = described(request.get("python") or sys.executable, str(request.get("asked", "")), patience)
    found.update(link=None, stamp=None, environment=None)
    if request.get("venv"):
        place = Place(str(request["venv"]))
        place.check()
        found["link"] = place.link
        stamp = _stamp(place.current)
        if stamp is not None and place.current is not None:
            found["stamp"] = stamp
            found["environment"] = described(os.path.join(place.current, "bin", "python"), place.link, patience)
    return found


def described(python: str, asked: str, patience: float) -> Data:
    """Return what an interpreter says of itself, what became of its torch, and its distributions."""
    told, tried = trying.run(python, asked, patience=patience)
    about = told["interpreter"]
    listed = distributions.installed(about["site_paths"]) if isinstance(about, dict) else []
    return {"python": told, "tried": tried, "distributions": listed}


def lost(before: Data, after: Data) -> List[str]:
    """Return in words in what the torch of after falls short of the one of before; both are what trials gave."""
    old = {step["name"]: step for step in before["steps"]}
    new = {step["name"]: step for step in after["steps"]}
    found = []
    for name in sorted(set(old) | set(_NEEDED)):
        worked = name in _NEEDED or old[name]["outcome"] == "ok"
        now = new.get(name, {"outcome": "not run"})
        if worked and name not in _NOT_TORCH and now["outcome"] != "ok":
            why = "%s: %s" % (now["outcome"], (now.get("message") or "no message").splitlines()[0])
            found.append("%s worked before and now ends with: %s" % (name, why))
    told_old, told_new = ((steps.get("import torch") or {}).get("data") or {} for steps in (old, new))
    for name, what in (("torch", "torch was %s and is now %s"), ("cuda", "torch was built for CUDA %s, now %s")):
        if told_new and told_old.get(name) != told_new.get(name):
            found.append(what % (told_old.get(name), told_new.get(name)))
    files = [os.path.realpath(str(told.get("file"))) for told in (told_old, told_new)]
    if told_new and files[0] != files[1]:
        found.append("torch was imported from %s and is now imported from %s" % (files[0], files[1]))
    return found


class _Work:
    """One installation."""

    def __init__(self, request: Data, say: Callable[[str], None]) -> None:
        self._request = request
        self._say = say
        self._place = Place(str(request["venv"]))

    def done(self) -> Data:
        """Install; return what was compared, and whether the environment is in its place now."""
        self._place.check()
        with self._place.held():
            try:
                recovered = self._place.tidy()
                old = _stamp(self._place.current) or {}
                if old.get("project") not in (None, self._request["stamp"]["project"]):
                    raise Refusal(
                        "target-other-project",
                        "%s holds the environment of %s; nothing was changed" % (self._place.link, old["project"]),
                        "Give this project a place of its own: --venv DIR",
                    )
                return dict(self._made(self._place.new()), recovered=recovered)
            finally:
                self._place.tidy()

    def _made(self, environment: str) -> Data:
        request = self._request
        deep = bool(request.get("deep"))
        self._say("looking at the vendor's files")
        marks = vendor_files.marks([(name, site) for name, site in request["held"]], deep)
        self._say("building %s" % environment)
        home = self._empty(environment)
        for wheel in request["wheels"]:
            self._unpack(wheel, home)
        with open(os.path.join(environment, STAMP), "w", encoding="utf-8") as file:
            json.dump(request["stamp"], file, indent=1, sort_keys=True)
        self._say("checking that the vendor's torch is what it was")
        after = described(home.python, self._place.link, float(request.get("patience", 1.0)))
        broken = lost(request["before"], after["tried"])
        changed = vendor_files.differences(marks, deep)
        holds = not broken and not changed
        if holds:
            os.sync()  # what the link is to lead to must outlive a power cut before the link does
            self._place.lead_to(environment)
        return {
            "holds": holds,
            "link": self._place.link,
            "files": len(marks),
            "differences": changed,
            "broken": broken,
            "after": after,
        }

    def _empty(self, environment: str) -> wheel_files.Home:
        """Make an environment without packages over the base interpreter, whose packages it sees."""
        worker = os.getpid()

        def end_with_worker() -> None:
            kernel.die_with_parent(worker)

        done = process.run(
            [self._request["base"], "-B", "-m", "venv", "--without-pip", "--system-site-packages", environment],
            _VENV_LIMIT,
            preexec=end_with_worker,
        )
        sites = glob.glob(os.path.join(glob.escape(environment), "lib", "python3*", "site-packages"))
        if not done.ok or len(sites) != 1:
            said = (done.stderr or done.stdout).decode("utf-8", "replace").strip() or done.detail or done.status
            if "No space left" in said:
                raise OSError(errno.ENOSPC, "No space left on the board's disk", environment)
            raise Refusal(
                "no-venv",
                "%s makes no environment: %s" % (self._request["base"], said.splitlines()[-1][:300]),
                "On the board: sudo apt install python3-venv",
            )
        return wheel_files.Home(environment, sites[0])

    def _unpack(self, wheel: Data, home: wheel_files.Home) -> None:
        path = os.path.join(self._request["wheelhouse"], wheel["file"])
        if vendor_files.digest(path) != wheel["sha256"]:
            raise Refusal("wrong-hash", "%s arrived as something else" % wheel["file"], "Try again.")
        self._say("installing %s" % wheel["file"])
        try:
            wheel_files.unpack(path, home)
        except wheel_files.BadWheel as error:
            raise Refusal("bad-wheel", "%s: %s" % (wheel["file"], error), "Tell those who publish it.") from None
        os.unlink(path)  # the board's /tmp may lie in its memory


def _stamp(environment: Optional[str]) -> Optional[Data]:
    """Return what an environment was made of; None when it does not tell."""
    if environment is None:
        return None
    try:
        with open(os.path.join(environment, STAMP), "rb") as file:
            told = json.loads(file.read(1 << 20).decode("utf-8"))
    except (OSError, ValueError):
        return None
    return told if isinstance(told, dict) else None
