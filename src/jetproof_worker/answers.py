"""Whether what an interpreter answered has the shape that it must have: it may be anything that calls itself Python.

Python >= 3.6.
"""

import re
from typing import Any, Dict, Tuple

Data = Dict[str, Any]

OUTCOMES = ("ok", "failed", "not-run", "crashed", "timed-out")
_TEXTS = ("implementation", "abi", "prefix", "base_prefix", "user_site", "machine", "glibc")
_FLAGS = ("is_venv", "is_conda", "system_site_packages", "user_site_enabled", "externally_managed")
_ROWS: Dict[str, Tuple[str, ...]] = {"distributions": ("name", "release", "location"), "modules": ("name", "file")}


def fault(answer: Any) -> str:
    """Return what is wrong with an interpreter's description of itself, "" for nothing."""
    if not isinstance(answer, dict):
        return "it describes itself with no object"
    if not isinstance(answer.get("executable"), str) or not answer["executable"]:
        return "it names no executable"
    if not isinstance(answer.get("version"), str) or not re.match(r"\d+\.\d+", answer["version"]):
        return "it names no version of Python"
    for names, kind in ((_TEXTS, str), (_FLAGS, bool)):
        for name in names:
            if answer.get(name) is not None and not isinstance(answer[name], kind):
                return "its %s is of a wrong kind" % name
    paths = answer.get("site_paths")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        return "its site_paths are no list of paths"
    for name, members in _ROWS.items():
        rows = answer.get(name)
        if not isinstance(rows, list) or not all(_is_row(row, members) for row in rows):
            return "its %s are of a wrong kind" % name
    return ""


def _is_row(row: Any, members: Tuple[str, ...]) -> bool:
    if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in members):
        return False
    lists = [value for value in row.values() if isinstance(value, list)]
    plain = all(value is None or isinstance(value, (str, bool, list)) for value in row.values())
    return plain and all(isinstance(entry, str) for value in lists for entry in value)


def sound(step: Data) -> Data:
    """Return a step as it was told, or as failed where what was told of it has a wrong shape."""
    data, seconds = step.get("data", {}), step.get("seconds", 0.0)
    right = (
        step["outcome"] in OUTCOMES
        and isinstance(data, dict)
        and isinstance(seconds, (int, float))
        and all(isinstance(step.get(name, ""), str) for name in ("message", "traceback"))
    )
    return step if right else {"name": step["name"], "outcome": "failed", "message": "its answer is not understood"}
