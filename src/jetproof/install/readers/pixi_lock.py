"""
pixi.lock: what `pixi lock` resolved from conda channels and from PyPI.

What is read
    The environment `default` on the platform linux-aarch64: its PyPI packages with number, address, hash,
    requirements and bound on Python, and of the conda part the packages that hold PyTorch, since they replace the
    vendor's as surely. A lock that was not made for linux-aarch64 is not decided.

    The lock brings its own Python: where that is not the board's, the vendor's torch cannot be used with it.

What is not
    The rest of the conda part, and other environments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.install.locked import (
    File,
    Kind,
    LockedPackage,
    Project,
    Source,
    SourceKind,
    Unknown,
    Where,
)
from jetproof.install.readers.document import (
    MAX_DEPTH,
    MAX_PACKAGES,
    content,
    package_name,
    strings,
    table,
    tables,
    text_of,
    where_of,
)
from jetproof.install.readers.reader import Reader, unshadowed
from jetproof.install.readers.requirement import edge
from jetproof_worker.redact import without_secrets

_Raw = Mapping[str, object]
PLATFORM = "linux-aarch64"
MAX_YAML = 16 << 20
"""Characters; YAML takes ten times as long to parse as TOML, and the largest locks have two million."""
_CONDA_TORCH = {
    "pytorch": "torch",
    "pytorch-cpu": "torch",
    "pytorch-gpu": "torch",
    "libtorch": "torch",
    "torchvision": "torchvision",
    "torchaudio": "torchaudio",
}
"""conda's names of what PyPI calls torch and its siblings."""


def _loaded(path: Path, text: str) -> _Raw:
    import yaml

    if len(text) > MAX_YAML:
        raise UsageError(f"{path} has {len(text)} characters; at most {MAX_YAML} are read", reason="too-large")
    if text.count("- - - ") > MAX_DEPTH or "[" * MAX_DEPTH in text or "{" * MAX_DEPTH in text:
        raise UsageError(f"{path}: nested too deeply", reason="too-deep")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        document = yaml.load(text, Loader=loader)  # noqa: S506  # both loaders are the safe ones
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        raise UsageError(f"{place}: not valid YAML", hint="is it complete? write it anew", reason="not-yaml") from None
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{path}: not valid YAML: {error}", reason="not-yaml") from None
    if not isinstance(document, dict):
        raise UsageError(f"{path}: a mapping was expected at the top", reason="bad-lock")
    return document


def _conda_name(url: str) -> str:
    """The name in a conda address: `…/linux-aarch64/pytorch-2.5.1-cpu_generic_py312_0.conda`."""
    return url.rpartition("/")[2].rsplit("-", 2)[0]


def _python(url: str) -> str | None:
    found = re.match(r"python-(\d+\.\d+)\.", url.rpartition("/")[2])
    return f"=={found[1]}.*" if found else None


def _conda(url: str, where: Where) -> LockedPackage | None:
    name = _CONDA_TORCH.get(_conda_name(url))
    if name is None:
        return None
    parts = url.rpartition("/")[2].rsplit("-", 2)
    return LockedPackage(
        name=name,
        release=parts[1] if len(parts) == 3 else None,
        source=Source(kind=SourceKind.CONDA, location=without_secrets(url)),
        where=where,
    )


def _pypi(url: str, details: _Raw, where: Where) -> LockedPackage:
    filename = url.rpartition("/")[2].partition("#")[0].replace("%2B", "+")
    parts = filename.split("-")
    digest = text_of(details.get("sha256"))
    edges = [edge(text) for text in strings(details.get("requires_dist"), f"{where}: requires_dist")]
    source = Source(kind=SourceKind.URL, location=without_secrets(url))
    if details.get("editable") is True or not url.startswith(("http:", "https:", "git+")):
        source = Source(kind=SourceKind.EDITABLE if details.get("editable") else SourceKind.PATH, location=url)
    return LockedPackage(
        name=package_name(details.get("name") or parts[0], str(where)),
        release=text_of(details.get("version")) or (parts[1] if len(parts) > 2 else None),
        requires=tuple(one for one in edges if one is not None),
        files=(File(filename=filename, url=without_secrets(url), sha256=digest),)
        if filename.endswith((".whl", ".gz"))
        else (),
        source=source,
        requires_python=text_of(details.get("requires_python")),
        where=where,
    )


def _address(raw: _Raw, kind: str) -> str | None:
    """The address of an entry: `pypi: URL` since format 5, `kind: pypi` and `url: URL` before."""
    if raw.get("kind") == kind:
        return text_of(raw.get("url")) or text_of(raw.get("path"))
    return text_of(raw.get(kind))


def _lines(text: str, urls: Sequence[str]) -> dict[str, int]:
    """The line of each address below `packages:`."""
    at = max(text.find("\npackages:"), 0)
    line = text.count("\n", 0, at) + 1
    wanted = set(urls)
    lines: dict[str, int] = {}
    for offset, content_line in enumerate(text[at:].split("\n")):
        found = content_line.rpartition(": ")[2].strip()
        if found in wanted:
            lines.setdefault(found, line + offset)
    return lines


def read(path: Path, root: Path) -> Project:
    """Read a pixi.lock."""
    text = content(path)
    document = _loaded(path, text)
    file = where_of(path, root)
    environments = table(document.get("environments"), f"{file}: environments")
    default = table(environments.get("default"), f"{file}: environments.default")
    wanted = table(default.get("packages"), f"{file}: packages of default").get(PLATFORM)
    details = {
        address: raw
        for raw in tables(document.get("packages"), f"{file}: packages")
        if (address := _address(raw, "pypi")) is not None
    }
    unknowns: list[Unknown] = []
    packages: list[LockedPackage] = []
    if wanted is None:
        why = f"the lock was not made for {PLATFORM}; add it to `platforms` and lock again"
        unknowns.append(Unknown(what="what would be installed", why=why, where=Where(file=file)))
    entries = tables(wanted, f"{file}: {PLATFORM}")
    if len(entries) > MAX_PACKAGES:
        raise UsageError(f"{file}: more than {MAX_PACKAGES} packages", reason="too-large")
    urls = [url for entry in entries for kind in ("pypi", "conda") if (url := _address(entry, kind))]
    lines = _lines(text, urls)
    for entry in entries:
        conda, pypi = _address(entry, "conda"), _address(entry, "pypi")
        where = Where(file=file, line=lines.get(conda or pypi or ""))
        if pypi is not None:
            packages.append(_pypi(pypi, details.get(pypi, {}), where))
        elif conda is not None and (found := _conda(conda, where)):
            packages.append(found)
    python = next((url for url in urls if "/" in url and _conda_name(url) == "python"), None)
    return Project(
        kind=Kind.PIXI_LOCK,
        path=str(path),
        # the environment brings its own interpreter, and the vendor's torch is built for the board's
        requires_python=_python(python) if python else None,
        requires_python_where=Where(file=file, line=lines.get(python or "")),
        locked=True,
        packages=tuple(packages),
        unknowns=tuple(unknowns),
        notes=("of the conda part only PyTorch is looked at",),
    )


READER = Reader(kind=Kind.PIXI_LOCK, recognises=unshadowed("pixi.lock"), read=read)
