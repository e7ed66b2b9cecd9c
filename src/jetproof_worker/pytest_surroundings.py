"""What a host's pytest session had around it that the commit does not hold: code from elsewhere, foreign plugins.

Runs inside the session, after the last test. Standard library only, Python 3.8 and later.
"""

from __future__ import annotations

import hashlib
import os
import sys
import sysconfig
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Set

SCRUBBED = ("PYTEST_", "PYTHON", "LD_PRELOAD", "LD_AUDIT", "LD_DEBUG", "COVERAGE_", "COV_CORE_", "TOX_", "NOSE_")
"""Beginnings of names that could change which tests run, with what code, or whether assertions count."""

OURS = ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTHONHASHSEED", "PYTHONFAULTHANDLER")
"""Names that the session is given in their place."""

_FILE_LIMIT = 8 << 20
_LISTED = 100


def code_from_elsewhere(root: str, modules: Mapping[str, Any]) -> List[Dict[str, str]]:
    """Return the project's modules that were imported from a file whose content is not the tree's.

    A copy that was installed from this very tree has the same content, and is none.
    """
    bases = [base for base in (root, os.path.join(root, "src")) if os.path.isdir(base)]
    own = _top_names(bases)
    found = []
    for name, module in sorted(modules.items()):
        file = getattr(module, "__file__", None)
        if name == "__main__" or name.partition(".")[0] not in own or not isinstance(file, str):
            continue
        real = os.path.realpath(file)
        if not real.endswith(".py") or within(real, root) or _standard(real) or _in_tree(name, real, root, bases):
            continue
        found.append({"module": name, "file": real})
    return found[:_LISTED]


def within(file: str, root: str) -> bool:
    """Whether a file is the project's own: below its root, and not in an environment that lies there."""
    return file.startswith(root + os.sep) and not holds_packages(file[len(root) :])


def holds_packages(path: str) -> bool:
    """Whether a path leads through a folder that packages are installed into."""
    return bool({"site-packages", "dist-packages"}.intersection(path.split(os.sep)))


def unclean(
    hooks: Iterable[Mapping[str, Any]], root: str, allowed: Sequence[str], environ: Mapping[str, str]
) -> List[str]:
    """Return what could hide or change tests: variables that are set, foreign plugins, code run at every start."""
    names = [name for name in sorted(environ) if name.startswith(SCRUBBED) and name not in OURS]
    if sys.flags.optimize:
        names.append("python -O, which leaves assertions out")
    for name in ("sitecustomize", "usercustomize"):
        file = getattr(sys.modules.get(name), "__file__", None)
        # Debian and Ubuntu put a link into the standard library that leads to /etc: it is the interpreter's own
        if isinstance(file, str) and not (_standard(os.path.realpath(file)) or _standard(os.path.abspath(file))):
            names.append("the module %s" % name)
    tops = {name.partition(".")[0] for name in allowed}
    for hook in hooks:
        file = hook.get("file")
        foreign = not isinstance(file, str) or not within(os.path.realpath(file), root)
        if hook.get("hooks") and foreign and str(hook.get("module")).partition(".")[0] not in tops:
            names.append("the plugin %s" % hook.get("module"))
    return list(dict.fromkeys(names))[:_LISTED]


def _top_names(bases: Iterable[str]) -> Set[str]:
    """Return the names that the tree's own packages and modules are imported by."""
    names = set()
    for base in bases:
        for entry in os.scandir(base):
            if entry.name.endswith(".py"):
                names.add(entry.name[: -len(".py")])
            elif entry.is_dir() and os.path.isfile(os.path.join(entry.path, "__init__.py")):
                names.add(entry.name)
    return names


def _in_tree(name: str, file: str, root: str, bases: Iterable[str]) -> bool:
    """Whether the tree has this very content in the module's place; a link that leads out of the tree has none."""
    digest = digest_of(file)
    path = name.replace(".", os.sep)
    places = [os.path.realpath(os.path.join(base, path + end)) for base in bases for end in (".py", "/__init__.py")]
    return digest is not None and any(within(place, root) and digest == digest_of(place) for place in places)


def _standard(file: str) -> bool:
    folders = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    return any(within(file, os.path.realpath(folder)) for folder in folders if folder)


def digest_of(file: Optional[str]) -> Optional[str]:
    """Return the SHA-256 of a file in hex; None for one that cannot be read or is larger than 8 MiB."""
    if not file:
        return None
    try:
        with open(file, "rb") as opened:
            data = opened.read(_FILE_LIMIT + 1)
    except OSError:
        return None
    return hashlib.sha256(data).hexdigest() if len(data) <= _FILE_LIMIT else None
