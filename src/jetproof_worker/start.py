"""How to start another interpreter with this very worker: the packed file, or the source tree.

Python >= 3.6.
"""

import os
import sys
from typing import List, Sequence

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""The packed file that this code runs from, or the folder that holds the package."""

_FROM_FOLDER = "import sys; sys.path[0] = sys.argv.pop(1); from jetproof_worker.__main__ import main; sys.exit(main())"
_packed: List[str] = []


def use_packed(path: str) -> None:
    """Start children from this packed file, though this process runs from the folder that it was packed from."""
    _packed[:] = [path]


def command(python: str, mode: str) -> List[str]:
    """Return the argument list that runs `mode` of this worker in `python`.

    The working directory is not put on the module path: a stray `json.py` there must not break the worker.
    """
    return _command(python, (), _packed[0] if _packed else HOME, mode)


def own_command(mode: str) -> List[str]:
    """Return the argument list that runs `mode` in the Python that runs this, from where this runs, with no site."""
    return _command(sys.executable, ("-ES",), HOME, mode)


def _command(python: str, flags: Sequence[str], home: str, mode: str) -> List[str]:
    if os.path.isdir(home):
        return [python, "-B", *flags, "-c", _FROM_FOLDER, home, mode]
    return [python, "-B", *flags, home, mode]


def leave_path() -> None:
    """Take the worker's own place off the module path, so that what is imported from now on is the user's."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != HOME]
