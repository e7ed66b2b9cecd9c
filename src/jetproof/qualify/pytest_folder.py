"""A pinned pytest in a folder of its own, for target interpreters that have none; nothing is installed into them."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from jetproof_worker.process import run

_LIMIT = 300.0


def pytest_folder_elsewhere(python: str, release: str) -> str | None:
    """Return such a folder for an interpreter of that release on another machine; `python` is its path there."""
    del python
    return _folder(
        ("--python", sys.executable, "--python-version", ".".join(release.split(".")[:2])), release, os.environ
    )


def pytest_folder(python: str, release: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return a folder with pytest and what it needs for an interpreter, None when it cannot be made (no network).

    `release` is the interpreter's, like 3.8.18. The folder lies in the user's cache under the digest of the pins, so
    that other pins make another folder; every file comes from a wheel whose hash is pinned.
    """
    return _folder(("--python", python), release, environment)


def _folder(chosen: tuple[str, ...], release: str, environment: Mapping[str, str]) -> str | None:
    pins = resources.files("jetproof.qualify").joinpath("data/pytest.txt").read_bytes()
    short = re.match(r"3\.\d+", release)
    if short is None:
        return None
    name = f"pytest-{hashlib.sha256(pins).hexdigest()[:16]}-{short[0]}"
    folder = _cache(environment) / name
    if (folder / "pytest" / "__init__.py").is_file():
        return str(folder)
    uv = _uv()
    if uv is None:
        return None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder.parent))
    except OSError:
        return None
    try:
        install = (
            uv,
            "pip",
            "install",
            "--quiet",
            "--no-config",
            "--no-deps",
            "--require-hashes",
            "--only-binary",
            ":all:",
        )
        done = run(
            [*install, *chosen, "--target", str(draft / "made"), "--requirements", "-"],
            _LIMIT,
            stdin=pins,
            env={name: value for name, value in environment.items() if not name.startswith("PYTHON")},
        )
        if not done.ok:
            return None
        try:
            (draft / "made").rename(folder)
        except OSError:  # another run was faster
            if not (folder / "pytest" / "__init__.py").is_file():
                return None
        return str(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _uv() -> str | None:
    try:
        from uv import find_uv_bin

        return str(find_uv_bin())
    except (ImportError, FileNotFoundError):
        return shutil.which("uv")


def _cache(environment: Mapping[str, str]) -> Path:
    configured = environment.get("XDG_CACHE_HOME", "")
    base = Path(configured) if configured.startswith("/") else Path(environment.get("HOME") or "/") / ".cache"
    return base / "jetproof"
