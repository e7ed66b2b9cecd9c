"""Find other interpreters that hold a torch, without starting any.

Python >= 3.6.
"""

import glob
import os
import re
from typing import Any, Dict, List, Optional

from jetproof_worker import ask

_MOST_PREFIXES = 40


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
        user_torch = ask.torch_in(packages)
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
