"""What runs in an interpreter before anything that it was asked for: it could change every module that is imported.

Path files with code are usual (setuptools and editable installs have some), so they are told and not judged.
"""

from __future__ import annotations

import os
import site
import sys
from typing import Dict, List, Optional

from jetproof_worker.pytest_surroundings import digest_of

_LISTED = 100
_LIMIT = 1 << 16


def here() -> List[Dict[str, Optional[str]]]:
    """Return this interpreter's path files that run code, and its customisation modules, each with its SHA-256."""
    folders = list(site.getsitepackages()) if hasattr(site, "getsitepackages") else []
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    found = [path for folder in dict.fromkeys(folders) for path in _path_files(folder)]
    for name in ("sitecustomize", "usercustomize"):
        file = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(file, str):
            found.append(file)
    return [{"file": path, "sha256": digest_of(path)} for path in found[:_LISTED]]


def _path_files(folder: str) -> List[str]:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".pth"))
    except OSError:
        return []
    return [path for path in (os.path.join(folder, name) for name in names) if _runs_code(path)]


def _runs_code(path: str) -> bool:
    """Return whether a line of it begins with import: such lines are executed. One that cannot be read counts."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LIMIT + 1)
    except OSError:
        return True
    return len(data) > _LIMIT or any(line.startswith((b"import ", b"import\t")) for line in data.splitlines())
