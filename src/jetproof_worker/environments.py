"""Find other interpreters that hold a torch, without starting any.

Python >= 3.6.
"""

import glob
import os
import re
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from jetproof_worker import ask

_MOST_PREFIXES = 40


class Holder(NamedTuple):
    """An interpreter and the torch in one of its folders; the folder of the metadata names both numbers."""

    executable: str
    python: str
    torch: str
    packages: str


def others(chosen: Optional[Dict[str, Any]]) -> List[Dict[str, str]]:
    """Return the other interpreters that hold a torch: PATH, the system, the folder's own, conda's. None is started."""
    mine = set()
    if chosen:
        mine = {os.path.realpath(copy["location"]) for copy in chosen["distributions"] if copy["name"] == "torch"}
    every = [*holders(_prefixes()), *_of_the_user()]
    own = {one.executable for one in every if os.path.realpath(one.packages) in mine}
    found: List[Dict[str, str]] = []
    for one in every:
        row = {"executable": one.executable, "version": one.python, "torch": one.torch}
        if one.executable not in own and row not in found:
            found.append(row)
    return found


def holders(prefixes: List[str]) -> Iterator[Holder]:
    """Yield the interpreters below the prefixes whose own folders hold a torch."""
    for prefix in prefixes:
        for library in ("lib", "lib64", os.path.join("local", "lib")):
            for folder in ask.names(os.path.join(prefix, library)):
                if re.match(r"python3(\.[0-9]+)?$", folder):
                    for kind in ("site-packages", "dist-packages"):
                        packages = os.path.join(prefix, library, folder, kind)
                        yield from _holder(os.path.join(prefix, "bin", folder), packages)


def _of_the_user() -> Iterator[Holder]:
    """Torches in the account's own site folders, which the system's interpreters see."""
    for packages in sorted(glob.glob(os.path.expanduser("~/.local/lib/python3*/site-packages"))):
        yield from _holder(os.path.join("/usr/bin", os.path.basename(os.path.dirname(packages))), packages)


def _holder(executable: str, packages: str) -> Iterator[Holder]:
    for entry in ask.names(packages):
        match = ask.FOLDER.match(entry)
        if match and match.group("name") == "torch" and os.path.exists(executable):
            yield Holder(executable, os.path.basename(executable)[len("python") :], match.group("release"), packages)
            return


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
