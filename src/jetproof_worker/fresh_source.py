"""The checkout's modules are compiled from their sources: a cached `.pyc` is no part of any commit.

git ignores such files nearly everywhere, and Python believes what they say of themselves: one that calls itself
unchecked, or carries the source's time and size, is run in the place of the source beside it.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from importlib import machinery
from typing import Any, Dict, Optional

from jetproof_worker.pytest_surroundings import within

_loaded: Dict[str, str] = {}


def as_loaded(path: str) -> Optional[str]:
    """Return the SHA-256 of what a source file held when it was first compiled here; None for one that was not.

    A test may change a file, have it imported, and change it back.
    """
    return _loaded.get(path)


def _note(path: str, data: bytes) -> None:
    _loaded.setdefault(os.path.realpath(path), hashlib.sha256(data).hexdigest())


class _FromSource(machinery.SourceFileLoader):
    """Loads a module as if it had never been compiled."""

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        data = self.get_data(path)
        _note(path, data)
        return self.source_to_code(data, path)


def use(root: str) -> None:
    """Read no compiled file of the checkout from now on. Environments that lie in it, and all else, are as before."""
    real_root = os.path.realpath(root)

    def finder(path: str) -> machinery.FileFinder:
        real = os.path.realpath(path or os.getcwd())
        if not os.path.isdir(real) or not (real == real_root or within(real, real_root)):
            raise ImportError("not of the checkout", path=path)
        return machinery.FileFinder(
            path,
            (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES),
            (_FromSource, machinery.SOURCE_SUFFIXES),
        )

    sys.path_hooks.insert(0, finder)
    sys.path_importer_cache.clear()


def use_in_pytest() -> None:
    """Have pytest rewrite each test module anew: it keeps compiled files of its own."""
    rewrite: Any = importlib.import_module("_pytest.assertion.rewrite")
    if hasattr(rewrite, "_read_pyc"):
        rewrite._read_pyc = lambda *_args, **_named: None
    if hasattr(rewrite, "_rewrite_test"):
        rewritten = rewrite._rewrite_test

        def noted(file: Any, *rest: Any) -> Any:
            with open(file, "rb") as source:
                _note(str(file), source.read())
            return rewritten(file, *rest)

        rewrite._rewrite_test = noted
