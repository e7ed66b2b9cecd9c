"""The part of a person's settings for uv and pip that is honoured: where packages come from, how they are reached.

Everything that says what is installed, or where to, is jetproof's to decide: a `target`, a `no-deps` or a `user` in
some file would otherwise defeat both the plan and the proof. uv reads one file, written here, and no other.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jetproof.install import pip_settings
from jetproof.install.readers.document import content, table, toml

_INDEXES = (
    "index", "index-url", "extra-index-url", "find-links", "no-index", "index-strategy", "keyring-provider",
    "allow-insecure-host",
)  # fmt: skip
_REACHING = (
    "native-tls", "system-certs", "offline", "cache-dir", "no-cache", "http-proxy", "https-proxy", "no-proxy",
    "concurrent-downloads", "concurrent-builds", "concurrent-installs", "link-mode",
)  # fmt: skip
_PROJECT = ("override-dependencies", "constraint-dependencies", "exclude-dependencies", "exclude-newer")
"""What belongs to the project's own requirements, or only makes the choice more careful."""
_HONOURED = frozenset((*_INDEXES, *_REACHING, *_PROJECT))
_NO_SETTING = frozenset(
    ("sources", "workspace", "package", "managed", "dev-dependencies", "default-groups", "dependency-groups",
     "conflicts", "environments", "required-environments", "build-backend", "pip", "required-version", "cache-keys")
)  # fmt: skip
"""Members of `[tool.uv]` that say what a project is: read elsewhere, and nothing that would be ignored."""
_PATHS = ("find-links", "index-url", "extra-index-url")

_VARIABLES = frozenset(
    ("UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_INDEX_STRATEGY",
     "UV_KEYRING_PROVIDER", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "UV_INSECURE_HOST",
     "UV_HTTP_TIMEOUT", "UV_HTTP_CONNECT_TIMEOUT", "UV_HTTP_RETRIES", "UV_REQUEST_TIMEOUT", "UV_OFFLINE",
     "UV_CACHE_DIR", "UV_NO_CACHE", "UV_LINK_MODE", "UV_EXCLUDE_NEWER", "UV_CONCURRENT_DOWNLOADS",
     "UV_CONCURRENT_BUILDS", "UV_CONCURRENT_INSTALLS", "UV_GITHUB_TOKEN", "UV_CREDENTIALS_DIR")
)  # fmt: skip
_OTHER_PYTHON = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME")
_UV_INDEXES = ("UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What uv will be told, and what was left out of that."""

    text: str
    """A uv.toml."""
    ignored: tuple[str, ...] = ()
    """Settings that would have changed what is installed or where to, each with its place."""


def variables(surroundings: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that uv and its builds may see."""
    kept = {
        name: value
        for name, value in surroundings.items()
        if not name.startswith(("UV_", "PIP_")) and name not in _OTHER_PYTHON
    }
    credentials = ("_USERNAME", "_PASSWORD")
    kept.update(
        (name, value)
        for name, value in surroundings.items()
        if name in _VARIABLES or (name.startswith("UV_INDEX_") and name.endswith(credentials))
    )
    bundle = surroundings.get("PIP_CERT")
    if bundle:
        kept.setdefault("SSL_CERT_FILE", bundle)
    proxy = surroundings.get("PIP_PROXY")
    if proxy:
        kept.setdefault("ALL_PROXY", proxy)
    return kept


def settings(folder: Path, surroundings: Mapping[str, str], *, with_pip: bool = True) -> Settings:
    """Return what is honoured of the settings that are found from a project's folder.

    Indexes that only pip's settings name count where uv's name none, and `with_pip`. UsageError for a file that uv
    would stop at too.
    """
    merged: dict[str, object] = {}
    ignored: list[str] = []
    for path, found, at in _documents(folder, surroundings):
        nested = table(found.get("pip"), f"{path}: pip")
        for key, value in (*found.items(), *nested.items()):
            if key in _HONOURED:
                _merge(merged, key, _absolute(key, value, path.parent))
        ignored += [f"{at}{key} ({path})" for key in found if key not in _HONOURED | _NO_SETTING]
        ignored += [f"{at}pip.{key} ({path})" for key in nested if key not in _HONOURED]
    named = any(surroundings.get(name) for name in _UV_INDEXES) or any(key in merged for key in _INDEXES[:5])
    if with_pip and not named:
        merged.update(pip_settings.honoured(surroundings))
    ignored += pip_settings.ignored(surroundings)
    ignored += [
        name
        for name in sorted(surroundings)
        if name.startswith("UV_") and name not in _VARIABLES and not name.startswith("UV_INDEX_") and name not in _OWN
    ]
    return Settings(text=_toml(merged), ignored=tuple(ignored))


_OWN = ("UV_CONSTRAINT", "UV_CONFIG_FILE", "UV_NO_CONFIG", "UV_NO_PROGRESS", "UV_PYTHON_DOWNLOADS")
"""Variables that are read here, or that jetproof sets itself."""


def _documents(folder: Path, surroundings: Mapping[str, str]) -> Iterator[tuple[Path, Mapping[str, object], str]]:
    """Yield the files in the order in which they win: (path, its settings, what their names begin with)."""
    if surroundings.get("UV_NO_CONFIG", "").lower() in ("1", "true"):
        return
    named = surroundings.get("UV_CONFIG_FILE")
    if named:
        path = Path(named).absolute()
        yield path, toml(path, content(path)), ""
        return
    for place in (folder, *folder.parents):
        own, project = place / "uv.toml", place / "pyproject.toml"
        if own.is_file():
            yield own, toml(own, content(own)), ""
            break
        if project.is_file():
            tool = table(toml(project, content(project)).get("tool"), f"{project}: tool")
            if "uv" in tool:
                yield project, table(tool["uv"], f"{project}: tool.uv"), "tool.uv."
                break
    home = Path(surroundings.get("XDG_CONFIG_HOME") or Path(surroundings.get("HOME") or Path.home()) / ".config")
    for path in (home / "uv" / "uv.toml", Path("/etc/xdg/uv/uv.toml"), Path("/etc/uv/uv.toml")):
        if path.is_file():
            yield path, toml(path, content(path)), ""


def _merge(merged: dict[str, object], key: str, value: object) -> None:
    """Add what a weaker file says: lists grow, anything else stays as the stronger file has it."""
    old = merged.get(key)
    if isinstance(old, list) and isinstance(value, list):
        merged[key] = [*old, *(one for one in value if one not in old)]
    else:
        merged.setdefault(key, value)


def _absolute(key: str, value: object, folder: Path) -> object:
    """Make paths mean what they meant in their own file."""
    if key == "index" and isinstance(value, list):
        return [
            {**one, "url": _place(one["url"], folder)}
            if isinstance(one, dict) and isinstance(one.get("url"), str)
            else one
            for one in value
        ]
    if key not in _PATHS:
        return value
    if isinstance(value, list):
        return [_place(one, folder) if isinstance(one, str) else one for one in value]
    return _place(value, folder) if isinstance(value, str) else value


def _place(text: str, folder: Path) -> str:
    if "://" in text:
        return text
    try:
        path = Path(text).expanduser()
    except RuntimeError:  # the home of an account that is not here
        path = Path(text)
    return os.path.normpath(folder / path)


def _toml(merged: Mapping[str, object]) -> str:
    """Write the settings; every value is one that TOML and JSON write alike, but for tables."""
    tables = [one for one in _listed(merged.get("index")) if isinstance(one, dict)]
    lines = [f"{key} = {_value(value)}" for key, value in merged.items() if key != "index"]
    for one in tables:
        lines += ["", "[[index]]", *(f"{_value(key)} = {_value(value)}" for key, value in one.items())]
    return "\n".join(lines) + "\n"


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_value(key)} = {_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str | bool | int):
        # a TOML string knows JSON's escapes, but no pair of surrogates
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)  # a date, which both write alike
