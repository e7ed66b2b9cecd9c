"""The host project's checkout: how its packages are imported from it, and whether a file belongs to it."""

from __future__ import annotations

import os
import sys

from jetproof_worker import fresh_source
from jetproof_worker.probe import Broken, Context
from jetproof_worker.pytest_surroundings import holds_packages, within


def use(context: Context) -> None:
    """Have imports look into the checkout, after the standard library and before installed packages.

    So a file there cannot take the place of a module of Python's own, and an installed copy of the project cannot take
    the checkout's place.
    """
    if context.project_root is None:
        raise Broken("no-project", "the request names no project_root")
    if not os.path.isdir(context.project_root):
        raise Broken("no-project", "%s is not a folder" % context.project_root)
    fresh_source.use(context.project_root)
    folders = [os.path.join(context.project_root, path) for path in context.project_paths]
    folders = [os.path.realpath(folder) for folder in folders if os.path.isdir(folder)]
    rest = [entry for entry in sys.path if entry and os.path.realpath(entry) not in folders]
    at = next((index for index, entry in enumerate(rest) if holds_packages(entry)), len(rest))
    sys.path[:] = rest[:at] + folders + rest[at:]


def owns(context: Context, file: str) -> bool:
    """Whether a file lies in the checkout, and not in an environment inside it."""
    if context.project_root is None:
        return False
    root, real = os.path.realpath(context.project_root), os.path.realpath(file)
    return real == root or within(real, root)


def relative(context: Context, file: str) -> str:
    """The file's path from the checkout's root."""
    return os.path.relpath(os.path.realpath(file), os.path.realpath(context.project_root or "/"))
