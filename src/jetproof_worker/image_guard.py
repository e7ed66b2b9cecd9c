"""Keeps the torch of a base image while a project is installed over it: notes it, holds it, and looks again.

Runs in the image while it is built, with the image's own Python. Standard library only, Python 3.6 and later.
"""

import glob
import hashlib
import json
import os
import re
import sys
import sysconfig
from typing import Any, Dict, List, NoReturn

from jetproof_worker import process
from jetproof_worker.names import normalised

NOTE = "/opt/jetproof/torch.json"
_FAMILY = re.compile(r"^(torch|torchvision|torchaudio|triton|pytorch-triton|nvidia-.*)$")
_SACRED = ("torch", "torchvision", "torchaudio")
_LIMIT = 4 * 3600.0
_REFUSAL = re.compile(r"ResolutionImpossible|conflicting dependencies|No matching distribution|cannot be satisfied")

Held = Dict[str, Dict[str, Any]]


def main(words: List[str]) -> int:
    """Do one step of the build: `note`, `install PIP-WORDS`, or `check`; exit with 1 to fail the build."""
    if words == ["note"]:
        _note()
    elif words[:1] == ["install"] and len(words) > 1:
        _install(words[1:])
    elif words == ["check"]:
        _check()
    else:
        sys.stderr.write("usage: guard note | install PIP-WORDS | check\n")
        return 2
    return 0


def installed(path: List[str]) -> Held:
    """Return what is installed of torch's family: name to release, place and a digest over what was installed."""
    found: Held = {}
    for place in path:
        for folder in sorted(glob.glob(os.path.join(glob.escape(place or "."), "*.dist-info"))):
            name, _, release = os.path.basename(folder)[: -len(".dist-info")].rpartition("-")
            name = normalised(name)
            if _FAMILY.match(name) and name not in found:
                found[name] = {"release": release, "place": place, "digest": _digest(folder, place)}
    for place in path:
        module = os.path.join(place or ".", "torch", "__init__.py")
        if "torch" not in found and os.path.exists(module):  # a build without metadata, as some vendors ship
            found["torch"] = {"release": None, "place": place, "digest": _tree(os.path.dirname(module))}
    return found


def _digest(folder: str, place: str) -> str:
    """Return one digest over the distribution's list of files, and over the sizes that these have on the disk."""
    told = hashlib.sha256()
    try:
        with open(os.path.join(folder, "RECORD"), "rb") as file:
            record = file.read()
    except OSError:
        return _tree(folder)
    # what an installer writes beside the files differs from one installation to the next, and the files do not
    for line in sorted(line for line in record.splitlines() if b".dist-info/" not in line and b".pyc" not in line):
        told.update(line + b"\n")
        name = line.rsplit(b",", 2)[0].decode("utf-8", "replace").strip('"')
        try:
            told.update(b"%d\n" % os.stat(os.path.join(place or ".", name)).st_size)
        except OSError:
            told.update(b"missing\n")
    return told.hexdigest()


def _tree(folder: str) -> str:
    """Return one digest over the names and sizes of a folder's files."""
    told = hashlib.sha256()
    for place, folders, names in os.walk(folder):
        folders.sort()
        for path in (os.path.join(place, name) for name in sorted(names) if not name.endswith(".pyc")):
            if os.path.exists(path):
                told.update(("%s %d\n" % (os.path.relpath(path, folder), os.stat(path).st_size)).encode("utf-8"))
    return told.hexdigest()


def differences(held: Held, now: Held) -> List[str]:
    """Return in words what has changed; something new that merely came beside it is no change."""
    changed = []
    for name in sorted(set(held) | set(now)):
        before, after = held.get(name), now.get(name)
        if before == after or (before is None and name not in _SACRED):
            continue
        was = before["release"] if before else "that was not there"
        current = after["release"] if after else "nothing"
        if before and after and was == current:
            changed.append("%s %s (other files, in %s)" % (name, was, after["place"]))
        else:
            changed.append("%s %s became %s" % (name, was, current))
    return changed


def _note() -> None:
    held = installed(_path())
    if "torch" not in held:
        _fail(
            "this base image holds no torch for %s" % sys.executable,
            "choose one that does (jetproof image choose), or name its interpreter with --python",
        )
    os.makedirs(os.path.dirname(NOTE), exist_ok=True)
    with open(NOTE, "w") as file:
        json.dump(held, file, indent=1, sort_keys=True)
    _say("the base image's own: %s" % _told(held))


def _install(words: List[str]) -> None:
    """Run pip with the image's torch held in its place, beside the constraints that the image has itself."""
    held = _noted()
    ours = os.path.join(os.path.dirname(NOTE), "constraints.txt")
    with open(ours, "w") as file:
        file.write(
            "".join("%s==%s\n" % (name, held[name]["release"]) for name in sorted(held) if held[name]["release"])
        )
    environment = dict(os.environ, PIP_NO_INPUT="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    # pip takes several, separated by blanks; the image's own come first and stay in force
    environment["PIP_CONSTRAINT"] = " ".join(part for part in (os.environ.get("PIP_CONSTRAINT", ""), ours) if part)
    if os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")):
        environment["PIP_BREAK_SYSTEM_PACKAGES"] = "1"  # the container is ours alone
    done = process.run(
        [sys.executable, "-m", "pip", "install", *words],
        _LIMIT,
        env=environment,
        on_stdout=lambda chunk: _pass(1, chunk),
        on_stderr=lambda chunk: _pass(2, chunk),
    )
    if done.ok:
        return
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    blamed = [name for name in sorted(held) if re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(name), said)]
    if blamed and _REFUSAL.search(said):
        _fail(
            "the project cannot be installed without replacing %s (the base image brings: %s)"
            % (", ".join(blamed), _told(held)),
            "loosen what the project asks for, or take a base image that holds it: jetproof image choose",
        )
    _fail("pip could not install the project (%s %s)" % (done.status, done.code), "its own words are above")


def _check() -> None:
    held, now = _noted(), installed(_path())
    changed = differences(held, now)
    if changed:
        _fail(
            "the base image's torch was replaced: %s" % "; ".join(changed),
            "jetproof audit names what asks for it",
        )
    _say("unchanged: %s" % _told(held))


def _path() -> List[str]:
    from jetproof_worker import start

    start.leave_path()
    return sys.path


def _noted() -> Held:
    with open(NOTE) as file:
        noted: Held = json.load(file)
    return noted


def _told(held: Held) -> str:
    return ", ".join("%s %s" % (name, held[name]["release"] or "(no metadata)") for name in sorted(held))


def _say(text: str) -> None:
    sys.stdout.write("jetproof: %s\n" % text)
    sys.stdout.flush()


def _pass(descriptor: int, chunk: bytes) -> None:
    view = memoryview(chunk)
    while view:
        view = view[os.write(descriptor, view) :]


def _fail(message: str, hint: str) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.write("jetproof: %s\njetproof: %s\n" % (message, hint))
    sys.exit(1)
