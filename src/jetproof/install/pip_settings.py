"""pip's own settings, files and variables, as far as they say where packages come from, in uv's words."""

from __future__ import annotations

import configparser
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.install.readers.document import content

_LISTS = {
    "extra-index-url": "extra-index-url",
    "find-links": "find-links",
    "trusted-host": "allow-insecure-host",
}
_HONOURED = ("index-url", "no-index", *_LISTS)
_REDIRECTS = (
    "target", "prefix", "root", "user", "require-virtualenv", "no-deps", "upgrade", "pre", "force-reinstall",
    "ignore-installed", "no-binary", "only-binary", "python", "require-hashes",
)  # fmt: skip
"""What would change what is installed or where to; no more than named, since pip is not run."""

_OFF = ("", "0", "false", "no", "off")


def honoured(surroundings: Mapping[str, str]) -> dict[str, object]:
    """Return the settings for uv that say the same as pip's. UsageError for a file that pip would stop at too."""
    found = {key: value for key, value, _ in _all(surroundings) if key in _HONOURED and value.strip()}
    told: dict[str, object] = {word: found[key].split() for key, word in _LISTS.items() if key in found}
    if "extra-index-url" in told:
        told["index-strategy"] = "unsafe-best-match"  # pip asks all indexes alike, and was set up with that in mind
    if "index-url" in found:
        told["index-url"] = found["index-url"].strip()
    if found.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        told["no-index"] = True
    return told


def ignored(surroundings: Mapping[str, str]) -> tuple[str, ...]:
    """Return the settings that would change what is installed or where to, each with its place."""
    found = ((key, value.strip().lower(), at) for key, value, at in _all(surroundings))
    return tuple(dict.fromkeys(at for key, value, at in found if key in _REDIRECTS and value not in _OFF))


def _all(surroundings: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield (setting, value, place) from the weakest place to the strongest."""
    for path in _files(surroundings):
        parser = configparser.RawConfigParser(strict=False)
        try:
            parser.read_string(content(path))
        except configparser.Error as error:
            raise UsageError(f"{path} is no configuration of pip: {str(error).splitlines()[0]}") from None
        for section in ("global", "install"):
            for key, value in parser.items(section) if parser.has_section(section) else ():
                yield key.replace("_", "-"), value, f"{section}.{key} ({path})"
    for name, value in surroundings.items():
        if name.startswith("PIP_"):
            yield name.removeprefix("PIP_").lower().replace("_", "-"), value, name


def _files(surroundings: Mapping[str, str]) -> list[Path]:
    named = surroundings.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return []
    home = Path(surroundings.get("HOME") or Path.home())
    configured = Path(surroundings.get("XDG_CONFIG_HOME") or home / ".config")
    places = [Path("/etc/xdg/pip/pip.conf"), Path("/etc/pip.conf"), home / ".pip" / "pip.conf"]
    places += [configured / "pip" / "pip.conf", *([Path(named)] if named else [])]
    return [path for path in places if path.is_file()]
